"""Text: scripts, words without a subject, and addresses with the one spelling of a source.

Ranges of characters stand between the brackets of a regular expression.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Chinese characters: the unified ones, their first extension, and the compatible ones."""

HAN_CHARACTER: Final = re.compile(f"[{HAN}]")

EAST_ASIAN: Final = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Han, kana, Hangul, radicals, and their punctuation."""

_COUNTED: Final = re.compile(rf"[{EAST_ASIAN}]|[^\s{EAST_ASIAN}]++")

FULL_WIDTH: Final = "\uff00-\uffef"
"""Punctuation, digits and letters as wide as a Han character."""

IN_EVERY_TEXT: Final = frozenset(
    """
    a about above after all also an and any are as at be been both but by can could did do does each
    either every for from given had has have how if in into is it its least made may more most must
    no not of on one or other out over per said say should some such than that the their them then
    there these they this those to under up was were what when where whether which while who whose
    why will with within would
    """.split()  # noqa: SIM905 - so it can be read
)
"""English words that tell nothing about any subject.

Every rule that compares words adds those that are empty in its own material: what checklists say
of every item, what reports say of every source, what people say in every talk.
"""


def count_words(text: str) -> int:
    """Words are what blanks separate, and every East Asian character by itself."""
    return sum(1 for _ in _COUNTED.finditer(text))


_DIGITS: Final = re.compile(r"(\d+)")


def brief(value: object) -> str:
    """A value as messages name it, cut to 80 characters."""
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:80]}…"


def counted(name: str) -> list[tuple[int, str]]:
    """What to sort names by, so that P2 stands before P10."""
    pieces = _DIGITS.split(name)
    return [(int(piece) if piece.isdecimal() else -1, piece) for piece in pieces]


# Ideographs belong to an address only where a piece of its path begins with them
# (`/wiki/中产阶级`); after a Latin letter they are the sentence going on. The run of ASCII in
# front is for speed.
_BEGINS = re.compile(r"https?://|(?<![A-Za-z0-9/.])www\.(?=[A-Za-z0-9])", re.IGNORECASE)
_BETWEEN_BRACKETS = re.compile(
    r"(?:[A-Za-z0-9_!#$%&'*+,\-./:;=?@~]++"
    rf"|[\w!#$%&'*+,\-./:;=?@~‐‑](?<![{EAST_ASIAN}{FULL_WIDTH}])"
    r"|\\[_*~&.\-]"
    r"|(?<=[/=_])[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+)+",
)
_TRAILING = ".,;:!?'*~\\"
_PARTS = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*)://)?"
    r"(?:(?P<user>[^/?#@\s]*)@)?"
    r"(?P<host>\[[^\]/?#]*\]|[^/?#:@]*)"
    r"(?::(?P<port>\d*))?"
    r"(?P<path>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?"
    r"(?:\#(?P<fragment>.*))?",
    re.DOTALL,
)
_SCHEMELESS = re.compile(r"www\.|//\w|(?:[\w-]+\.)+[a-z]{2,}(?:/|\Z)", re.IGNORECASE)
_ESCAPED = re.compile(r"(?<!\\)\\++([_*~&.\-()\[\]])")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_DEFAULT_PORT = {"http": "80", "https": "443"}

# Links that lead to a page of the provider, which sends the visitor on (often only for days).
_REDIRECTS = re.compile(
    r"https?://(?:"
    r"vertexaisearch\.cloud\.google\.com/grounding-api-redirect/"
    r"|(?:www\.)?google\.[a-z.]{2,6}/(?:url\?|search\?|amp/s/|goto)"
    r"|(?:www\.|cn\.)?bing\.com/(?:ck/|aclick|search\?)"
    r"|(?:html\.|www\.)?duckduckgo\.com/(?:l/|y\.js|\?)"
    r"|(?:r|s)\.search\.yahoo\.com/"
    r"|(?:www\.)?baidu\.com/(?:link\?|s\?|baidu\.php)"
    r"|(?:www\.)?sogou\.com/link\?"
    r"|(?:www\.)?so\.com/link\?"
    r"|(?:l|lm)\.facebook\.com/l\.php"
    r"|t\.co/"
    r"|link\.zhihu\.com/"
    r")",
    re.IGNORECASE,
)


def match_url(text: str, start: int, end: int) -> int | None:
    """Where the address that begins at `start` ends, or None if there is none.

    Punctuation of the sentence (also full-width) and closing brackets that the address did not
    open are left out, as is emphasis around it.
    """
    found = _BEGINS.match(text, start, end)
    if found is None:
        return None
    stop = _balanced_end(text, found.end(), end)
    if stop == found.end():
        return None
    while stop > start and text[stop - 1] in _TRAILING:
        stop -= 1
    return stop if stop > start + len("www.x") else None


def _balanced_end(text: str, at: int, end: int) -> int:
    """Where an address goes on to: up to a bracket that closes none of its own.

    It is never read further than that, so that `(http://a)` a thousand times takes linear time.
    """
    depth = 0
    while True:
        if run := _BETWEEN_BRACKETS.match(text, at, end):
            at = run.end()
        if at < end and text[at] == "(":
            depth += 1
        elif at < end and text[at] == ")" and depth:
            depth -= 1
        else:
            return at
        at += 1


@lru_cache(maxsize=4096)
def canonical(url: str) -> str:
    """The spelling under which two addresses are the same source. Never raises.

    Scheme and host in lower case, default port, fragment and `utm_*` parameters dropped,
    a bare host ends in a slash, `%e4` is written `%E4`. All else is kept as it stands.
    """
    plain = _ESCAPED.sub(r"\1", url.strip().strip("<>").replace("&amp;", "&"))
    if _SCHEMELESS.match(plain):
        plain = "https://" + plain.removeprefix("//")
    elif plain[:4].lower() == "doi:":
        plain = "https://doi.org/" + plain[4:].strip()
    parts = _PARTS.match(plain)
    if parts is None or not parts["scheme"] or not parts["host"]:
        return plain
    scheme, host, port = parts["scheme"].lower(), parts["host"].lower().rstrip("."), parts["port"]
    user = f"{parts['user']}@" if parts["user"] else ""
    where = f":{port}" if port and port != _DEFAULT_PORT.get(scheme) else ""
    path = parts["path"] or "/"
    query = _without_campaign(parts["query"] or "")
    rest = _PERCENT.sub(lambda code: code[0].upper(), path + (f"?{query}" if query else ""))
    return f"{scheme}://{user}{host}{where}{rest}"


def _without_campaign(query: str) -> str:
    if "utm_" not in query.lower():
        return query
    return "&".join(pair for pair in query.split("&") if not pair.lower().startswith("utm_"))


def is_redirect(url: str) -> bool:
    """Whether an address leads to a search provider's redirect and not to the source itself."""
    return _REDIRECTS.match(url.strip().strip("<>")) is not None
