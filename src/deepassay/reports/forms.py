"""Citations without square brackets: raised figures, HTML, author and year."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deepassay.reports.citations import (
    BareUrl,
    Citation,
    HtmlLink,
    Labels,
    Superscript,
    destination,
    expand,
    is_web,
    keys,
)
from deepassay.reports.spans import Span
from deepassay.text import HAN, match_url

RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RUN = re.compile(
    rf"(?<![⁻⁺{RAISED}])[{RAISED}]{{1,9}}(?:[⁻,，˒·][{RAISED}]{{1,9}}){{0,20}}(?![⁻⁺{RAISED}])"
)
_PLAIN = str.maketrans(RAISED + "⁻˒，·", "0123456789-,,,")
_AFTER_MARK = frozenset(".,;:!?)]”\"’'»。，、；：！？）」』》】*_")
_WORD = re.compile(r"[^\W\d_]+\Z")
_UNITS = frozenset(
    ("cm", "mm", "km", "dm", "nm", "ft", "in", "yd", "mi", "ha", "mol", "kg", "sec", "min", "hr")
)


def read_raised(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    """The superscript citation at `at`, or None for a power or a unit."""
    found = _RUN.match(text, at, end)
    numbers = raised_numbers(found[0]) if found else None
    if found is None or not numbers or is_power(text, at, numbers, labels):
        return None
    return Superscript(Span(at, found.end()), found[0], keys(numbers))


def raised_numbers(raised: str) -> tuple[int, ...] | None:
    """Numbers of a run of superscript digits, e.g. `¹⁻³` or `¹,²`."""
    return expand(raised.translate(_PLAIN))


def is_power(text: str, at: int, numbers: tuple[int, ...], labels: Labels) -> bool:
    """Whether raised digits at `at` belong to a unit or a formula (m², 10³, R²).

    After a mark of the sentence they are a citation; after a word only if the report lists
    an entry of that number.
    """
    if 0 in numbers:
        return True
    before = text[at - 1] if at else "\n"
    if before in _AFTER_MARK:
        return False
    if not before.isspace():
        found = _WORD.search(text[max(0, at - 30) : at])
        word = found[0] if found else ""
        if not word or word[-1] in "米尺里":
            return True
        if word.isascii() and (len(word) < 3 or word.lower() in _UNITS):
            return True
    return not all(str(number) in labels.entries for number in numbers)


_SUP = re.compile(r"<sup(?:\s[^<>]{0,200})?>((?:(?!</?sup)[^\n]){1,600}?)</sup\s?>", re.IGNORECASE)
_NUMBERS = re.compile(r"\\?\[?\^?(\d{1,3}(?:\s?[,，、;–\-]\s?\d{1,3}){0,30})\\?\]?")
_ANCHOR = re.compile(
    r"<a\s(?:[^<>]{0,300}?\s)?href\s?=\s?"
    r"(?:\"([^\"<>]{1,2000}+)\"|'([^'<>]{1,2000}+)'|([^\s'\"<>]{1,2000}+))"
    r"[^<>]{0,500}>((?:(?!</?a[\s>])[^\n]){0,600}?)</a\s?>",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[{1,2}\^?([^\[\]]{1,200})\]{1,2}(?=\()")
_UNDERLINE = re.compile(r"<u>\s?(?=https?://|www\.)", re.IGNORECASE)
_UNDERLINE_END = re.compile(r"\s?</u>", re.IGNORECASE)
_HTML_TAG = re.compile(r"<[^<>]{1,300}>")


def read_tag(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    """The citation that opens with the angle bracket at `at`, or None."""
    if found := _SUP.match(text, at, end):
        return _superscript(text, found, labels)
    if found := _ANCHOR.match(text, at, end):
        return _anchor(found)
    if found := _UNDERLINE.match(text, at, end):
        begin = found.end()
        stop = match_url(text, begin, end)
        closing = _UNDERLINE_END.match(text, stop, end) if stop else None
        after = closing.end() if closing else None
    else:
        begin = at + 1
        stop = match_url(text, begin, end)
        after = stop + 1 if stop and text[stop : stop + 1] == ">" else None
    if stop is None or after is None:
        return None
    return BareUrl(Span(at, after), text[at:after], (), text[begin:stop])


def _anchor(found: re.Match[str]) -> Citation | None:
    url = found[1] or found[2] or found[3]
    label = _HTML_TAG.sub("", found[4])
    number = label.strip("[] ")
    named = (number,) if number.isdecimal() else ()
    if is_web(url):
        return HtmlLink(Span(*found.span()), found[0], named, url, label=label)
    return HtmlLink(Span(*found.span()), found[0], named, label=label) if named else None


def _superscript(text: str, found: re.Match[str], labels: Labels) -> Citation | None:
    """`<sup>3</sup>`, `<sup>[3](u)</sup>`, `<sup><a href="u">3</a></sup>`."""
    inner = found[1].strip()
    url: str | None = None
    if link := _LINK.match(inner):
        target = destination(inner, link.end(), len(inner))
        if target is None or inner[target[1] :].strip("]"):
            return None
        url, inner = target[0], link[1]
    elif anchor := _ANCHOR.fullmatch(inner):
        url, inner = anchor[1] or anchor[2] or anchor[3], _HTML_TAG.sub("", anchor[4])
    address = url if url and is_web(url) else None
    written = _NUMBERS.fullmatch(inner.strip())
    numbers = expand(written[1]) if written else None
    span = Span(*found.span())
    if not numbers:
        return Superscript(span, found[0], (), address, label=inner) if address else None
    if url is None and "[" not in inner and is_power(text, found.start(), numbers, labels):
        return None
    return Superscript(span, found[0], keys(numbers), address, label=inner)


_BODY = re.compile(r"[(（\[]([^()（）\[\]\n]{4,400}+)[)）\]]")
_YEAR = re.compile(r"19\d\d|20\d\d|n\.d\.")
_NAME = (
    r"(?:[A-ZÀ-ÖØ-ÞĀ-Ž][\w.'’\-]*+|van|von|der|den|de|del|della|di|da|la|le|of|for|the|on|and|&)"
)
_NAMES = (
    rf"(?:[A-ZÀ-ÖØ-ÞĀ-Ž][\w.'’\-]*+(?:,?\s{_NAME}){{0,9}}+|[{HAN}·]{{2,20}}+"
    rf"(?:[、,，和与及]\s?[{HAN}·]{{2,20}}+){{0,3}}+)"
)
_PART = re.compile(
    r"\s?(?:(?:[Ss]ee(?: also)?|e\.g\.,?|cf\.?|[Aa]lso|as cited in|参见|见)\s)?"
    rf"(?P<names>{_NAMES})"
    r"(?P<others>,?\s?et al\.?|\s?等人?)?"
    r"(?:\s?[,，]\s?|(?<=al\.)\s|(?<=al)\s|(?<=等)\s?)"
    r"(?P<years>(?:(?:19|20)\d\d[a-z]?|n\.d\.)(?:\s?[,，]\s?(?:19|20)\d\d[a-z]?){0,6})"
    r"(?:,\s?(?:pp?\.|para\.?|ch\.|sec\.)\s?[\d\-–]+)?\s?"
)
_NOT_NAMES = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter"
    r"|Figure|Table|Chapter|Section|Since|As of|From|In|By|截至|截止|自)\.?"
)


_OTHERS = re.compile(r"[,，、&]|\sand\s|[和与及]|等人?$")


@dataclass(frozen=True)
class Authored:
    """Keys of an author-year citation, `Smith 2024`, and where its brackets end."""

    keys: tuple[str, ...]
    end: int


def author_year(text: str, at: int, end: int, labels: Labels) -> Authored | None:
    """The author-year citation whose bracket opens at `at`, or None.

    In a report that numbers its references, names count only if an entry begins with them; a
    single name, as of a publisher, only if the report cites "et al." or two names elsewhere.
    """
    found = _BODY.match(text, at, end)
    if found is None or _YEAR.search(found[1]) is None:
        return None
    keys: list[str] = []
    for piece in re.split(r"[;；]", found[1]):
        part = _PART.fullmatch(piece)
        if part is None or _NOT_NAMES.fullmatch(part["names"].split(",")[0]):
            return None
        surname = first_author(part["names"])
        several = part["others"] or "&" in part["names"] or " and " in part["names"]
        if surname not in labels.authors and (
            not (several or labels.author_year) or labels.numbered
        ):
            return None
        keys.extend(f"{surname} {year.strip()}" for year in re.split(r"[,，]", part["years"]))
    return Authored(tuple(keys), found.end())


def first_author(names: str) -> str:
    """`Smith` of `Smith, Jones & Third`; the whole name of an organisation."""
    return _OTHERS.split(names.strip(), maxsplit=1)[0].strip()
