"""Text: scripts, words without a subject, and addresses with the one spelling of a source.

Ranges of characters stand between the brackets of a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Chinese characters: the unified ones, their first extension, and the compatible ones."""

HAN_CHARACTER: Final = re.compile(f"[{HAN}]")


def is_letter(character: str) -> bool:
    """Whether it is a letter or digit. Not so Han: no blank stands between it and a mark."""
    return character.isalnum() and not HAN_CHARACTER.match(character)


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


SHORTEST_KEY: Final = 8
"""Characters; what is shorter (`none`, `ollama`) is no secret, and may be a word of any text."""

KEY_RUN: Final = 12
"""So many characters of a key in a row are told no more than all of it."""


_JSON_ESCAPE: Final = re.compile(r"\\u00(?!22|5[cC])([2-7][0-9a-fA-F])")


def unkeyed(text: str, key: str | None) -> str:
    """The text with a mark in place of a key, and of every run of KEY_RUN of its characters.

    A key that JSON spells with escapes is found too.
    """
    if not key or len(key) < SHORTEST_KEY:
        return text
    length = min(len(key), KEY_RUN)
    if len(text) < length:
        return text
    runs = {key[at : at + length] for at in range(len(key) - length + 1)}
    if "\\" in text:
        spelled = _JSON_ESCAPE.sub(lambda code: chr(int(code[1], 16)), text).replace("\\/", "/")
        if any(spelled.count(run) > text.count(run) for run in runs):
            text = spelled
    hidden: list[tuple[int, int]] = []
    for start in sorted(at for run in runs for at in _places_of(run, text)):
        first = hidden.pop()[0] if hidden and start <= hidden[-1][1] else start
        hidden.append((first, start + length))
    ends = [0, *(end for _, end in hidden)]
    starts = [*(start for start, _ in hidden), len(text)]
    return "(the key)".join(text[a:b] for a, b in zip(ends, starts, strict=True))


def unkeyed_bytes(raw: bytes, key: str | None) -> bytes:
    """Bytes that a server sent, with the key hidden; all other bytes stay what they are."""
    return unkeyed(raw.decode("latin-1"), key).encode("latin-1")


def _places_of(run: str, text: str) -> Iterator[int]:
    at = text.find(run)
    while at >= 0:
        yield at
        at = text.find(run, at + 1)


_DIGITS: Final = re.compile(r"(\d+)")


def first_few(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`: so many of the names at most, and how many others there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def brief(value: object) -> str:
    """A value as messages name it, cut to 80 characters."""
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:80]}…"


def one_line(text: str, most: int) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


_UNSEEN: Final = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+"
)


def excerpt(text: str, longest: int = 50) -> str:
    """A piece of a text for a message: one line, no control characters, cut if long."""
    line = _UNSEEN.sub(" ", text[: 4 * longest]).strip()
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def natural_order(name: str) -> list[tuple[int, str]]:
    """What to sort names by, so that P2 stands before P10."""
    pieces = _DIGITS.split(name)
    return [(int(piece) if piece.isdecimal() else -1, piece) for piece in pieces]


# Ideographs belong to an address only where a piece of its path begins with them
# (`/wiki/中产阶级`); after a Latin letter they are the sentence going on. The run of ASCII in
# front is for speed.
_BEGINS = re.compile(r"https?://|(?<![A-Za-z0-9/.])www\.(?=[A-Za-z0-9])", re.IGNORECASE)
_BETWEEN_BRACKETS = re.compile(
    r"(?:[A-Za-z0-9_!#$%&'*+\-./:;=?@~]++|,(?!https?://)"
    rf"|[\w!#$%&'*+\-./:;=?@~‐‑](?<![{EAST_ASIAN}{FULL_WIDTH}])"
    r"|\\[_*~&.\-]|(?<=[A-Za-z0-9])–(?=[A-Za-z0-9])"
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
    open are left out, as is emphasis around it. A comma directly before it, or between it and
    another address, separates fields and ends it.
    """
    found = _BEGINS.match(text, start, end)
    if found is None:
        return None
    stop = _balanced_end(text, found.end(), end)
    if stop == found.end():
        return None
    if text[start - 1 : start] == "," or text[stop : stop + 5].lower() == ",http":
        comma = text.find(",", found.end(), stop)
        stop = comma if comma >= 0 else stop
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


# Controls but for tab and line ends, marks that reorder what is shown, and halves of characters.
_UNSHOWN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ufffe\uffff\ud800-\udfff]"
)
_PICTURED: Final = 0x20
"""Below it, every control has a picture of its own."""


def visible_text(value: object) -> str:
    """The text of a value with a picture of a control, or `�`, for what a reader cannot see.

    HTML that was made safe stays as it is. No character becomes several.
    """
    if isinstance(value, str) and hasattr(value, "__html__"):
        return value
    text = str(value)
    return text if text.isprintable() else _UNSHOWN.sub(_picture, text)  # most texts are


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < _PICTURED else "\ufffd"


def web_address(url: str) -> str | None:
    """The address if one may be led to it: http or https with a host, else None."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in {"http", "https"} and parts.netloc else None


# C0 and C1 controls but for line feed and tab, and the marks that reorder what is shown.
_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def without_controls(text: str) -> str:
    """The text without control characters and marks that reorder it."""
    return _CONTROL.sub("", text)


def weight(text: str, most: int) -> int:
    """Letters and digits, counted to `most`; ideographs and syllables count for three."""
    amount = 0
    for each in text:
        if each.isalnum():
            amount += 3 if each >= "\u2e80" else 1
            if amount >= most:
                return most
    return amount


_NUMBER: Final = re.compile(r"(?<![\w.,])[-+−]?\d+(?:[.,]\d+)*(?![\w])|\d+(?:[.,]\d+)*")


def numbers_in(text: str) -> list[str]:
    """The numbers of a text, without separators of thousands."""
    return [bare_number(each.group()) for each in _NUMBER.finditer(text)]


def bare_number(number: str) -> str:
    """A number without sign and separators of thousands, with a point before its decimals."""
    bare = re.sub(r"[,\s](?=\d{3}\b)", "", number.lstrip("+-−"))
    return bare.rstrip(".,").replace(",", ".")
