"""Citations without square brackets: raised figures, HTML, author and year.

Also raised figures that lost their raising, as exported files have them: `Boats are fast.1 Sails,
too.2, 3`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deepassay.reports.citations import (
    BareUrl,
    Citation,
    Footnote,
    HtmlLink,
    InlineLink,
    Labels,
    Lenticular,
    Numbered,
    NumberedLink,
    Superscript,
    destination,
    expand,
    is_web,
    keys,
)
from deepassay.reports.markdown import Block
from deepassay.reports.sentences import BEFORE_NUMBERS
from deepassay.reports.spans import Span
from deepassay.text import HAN, match_url

RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RUN = re.compile(
    rf"(?<![⁻⁺{RAISED}])[{RAISED}]{{1,9}}(?:[⁻,，˒·][{RAISED}]{{1,9}}){{0,20}}(?![⁻⁺{RAISED}])"
)
_PLAIN = str.maketrans(RAISED + "⁻˒，·", "0123456789-,,,")
_AFTER_MARK = frozenset(".,;:!?”\"’'»。，、；：！？）」』》】*_")
_CLOSED = frozenset(")]}")
# Brackets that hold an operator, or no word.
_FORMULA = re.compile(
    rf"[(\[{{](?:[^()\[\]{{}}\n]*?[=+*/^×·−|][^()\[\]{{}}\n]*"
    rf"|(?:(?![^\W\d_]{{3}}|[{HAN}])[^()\[\]{{}}\n])*)[)\]}}]\Z"
)
# Words of one script: the letters before the digit of `得分R²` are `R`.
_WORD = re.compile(rf"(?:[{HAN}]+|(?:(?![{HAN}])[^\W\d_])+)\Z")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fffµΩ]")
_UNITS = frozenset(
    re.findall(
        r"\w+",
        "cm mm km dm nm ft in yd mi ha mol kg sec min hr inch foot feet yard mile miles meter "
        "meters metre metres kwh rad deg sin cos tan log exp",
    )
)
"""Words of three letters and more, and `in`, that take powers."""


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
    """Whether raised digits at `at` belong to a unit or a formula (m², 10³, R², σ²).

    After a mark of the sentence they are a citation; after a word only if the report lists
    an entry of that number. See `without_powers` as well.
    """
    if 0 in numbers:
        return True
    before = text[at - 1] if at else "\n"
    if before in _AFTER_MARK:
        return False
    if before in _CLOSED and _FORMULA.search(text, max(0, at - 60), at):
        return True
    if not before.isspace() and before not in _CLOSED:
        found = _WORD.search(text[max(0, at - 30) : at])
        word = found[0] if found else ""
        if not word or _takes_powers(word):
            return True
    return not all(str(number) in labels.entries for number in numbers)


def _takes_powers(word: str) -> bool:
    """Whether a word is a unit, a function, a variable or a Greek letter."""
    if word.isascii():
        return len(word) < 3 or word.lower() in _UNITS
    return word[-1] in "米尺里" or (len(word) < 4 and _GREEK.search(word) is not None)


_OTHER_MARKERS = (Numbered, Lenticular, Footnote, NumberedLink)
_OPENS_LINE = re.compile(r"(?:^|\n|\r)[ \t>*+\-•|]*\Z")
_LETTER_AFTER = re.compile(rf"(?![{HAN}])[^\W\d_]")


def without_powers(text: str, citations: Sequence[Citation]) -> list[Citation]:
    """The citations without raised digits that are powers after all.

    A digit raised after a word (`Align²`, `word²`) cites only where the report has no other form
    of marker, and cites no more often in other ways; one that a letter follows at once never does.
    """
    raised = sum(isinstance(each, Superscript) for each in citations)
    other = 2 * raised < len(citations) or any(is_marker(text, each) for each in citations)
    return [each for each in citations if not _is_exponent(text, each, other)]


def is_marker(text: str, citation: Citation) -> bool:
    """Whether a citation stands in brackets, and does not open its line as an entry does."""
    start = citation.span.start
    if isinstance(citation, InlineLink):
        if text[start - 1 : start] not in ("(", "（") and not citation.label.isdecimal():
            return False
    elif not isinstance(citation, _OTHER_MARKERS):
        return False
    return _OPENS_LINE.search(text, max(0, start - 20), start) is None


def _is_exponent(text: str, citation: Citation, other: bool) -> bool:
    """Whether raised digits stand in a word, or after one where the report has `other` markers."""
    if not isinstance(citation, Superscript) or citation.raw[0] == "<":
        return False
    start, end = citation.span
    before = text[start - 1] if start else "\n"
    if before in _AFTER_MARK:
        return False
    return _LETTER_AFTER.match(text, end) is not None or (other and not before.isspace())


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


_SEVERAL = re.compile(r"&|\sand\s|、|等人?$")
_SENTENCE_END = re.compile(
    r"(?:\s?[(（\[][^()（）\[\]\n]{1,200}[)）\]]){0,4}[\"”*_]*(?:[.。;；!?！？\r\n|]|\Z)"
)
_OTHERS = re.compile(r"[,，、&]|\sand\s|[和与及]|等人?$")


@dataclass(frozen=True)
class AuthorYearKeys:
    """Keys of an author-year citation, `Smith 2024`, and where its brackets end."""

    keys: tuple[str, ...]
    end: int


def author_year(text: str, at: int, end: int, labels: Labels) -> AuthorYearKeys | None:
    """The author-year citation whose bracket opens at `at`, or None.

    Names count if an entry begins with them. Where entries are not numbered, so do several names,
    and single ones at the end of a sentence, if the report cites several elsewhere: `a model
    (DeepMind, 2022) that` cites nothing.
    """
    found = _BODY.match(text, at, end)
    if found is None or _YEAR.search(found[1]) is None:
        return None
    ends = _SENTENCE_END.match(text, found.end(), end) is not None
    keys: list[str] = []
    for piece in re.split(r"[;；]", found[1]):
        part = _PART.fullmatch(piece)
        if part is None or _NOT_NAMES.fullmatch(part["names"].split(",")[0]):
            return None
        surname = first_author(part["names"])
        several = part["others"] or _SEVERAL.search(part["names"])
        listed = not labels.authors.isdisjoint((surname, f"{surname}等", f"{surname}等人"))
        if not listed and (labels.numbered or not (several or (ends and labels.author_year))):
            return None
        keys.extend(f"{surname} {year.strip()}" for year in re.split(r"[,，]", part["years"]))
    return AuthorYearKeys(tuple(keys), found.end())


def first_author(names: str) -> str:
    """`Smith` of `Smith, Jones & Third`; the whole name of an organisation."""
    return _OTHERS.split(names.strip(), maxsplit=1)[0].strip()


# ------------------------------------------------------------------ that lost their raising

_FEWEST_FLATTENED = 2
_PLAIN_NUMBERS = r"(\d{1,3}(?:[,，]\s?\d{1,3}){0,9})"
# After the mark of a sentence, or in Chinese after a blank before it: `增长很快 1。`.
_AT_SENTENCE_END = re.compile(
    rf"(?<=[.!?。！？”\"’)）]){_PLAIN_NUMBERS}(?=\s+(?![a-z])|[*_|]|\Z)"
    rf"|(?<=(?![为是第约共达至到于有仅近超])[{HAN}%”）)][ ]){_PLAIN_NUMBERS}(?=[。；])"
)
_WORD_BEFORE = re.compile(
    r"(?:([^\W\d_]+)|(?<!\d)(?:19|20)\d\d|[%)）\]”\"’*_℃°])[.!?。！？”\"’)）]{1,3}\Z"
)


def flattened(
    text: str, labels: Labels, blocks: Sequence[Block], citations: list[Citation]
) -> list[Citation]:
    """The citations with plain numbers at the ends of sentences, if that is how a report cites.

    It does if it has no other marker, and if those numbers name at least half of the numbered
    entries with addresses. Decimals (`3.1`) and numbers after short forms (`Fig.1`) are none.
    """
    listed = {label for label in labels.entries if label.isdecimal()}
    if len(listed) < _FEWEST_FLATTENED or any(
        isinstance(each, Superscript) or is_marker(text, each) for each in citations
    ):
        return citations
    found = list(_numbers_at_ends(text, blocks, listed))
    cited = {key for each in found for key in each.keys}
    if len(cited) < _FEWEST_FLATTENED or 2 * len(cited) < len(listed):
        return citations
    return sorted([*citations, *found], key=lambda each: each.span)


def _numbers_at_ends(text: str, blocks: Sequence[Block], listed: set[str]) -> Iterator[Citation]:
    """Every number that may be one, outside code and lines with an address."""
    after, linked = 0, False
    for block in blocks:
        if block.kind in ("code", "rule"):
            continue
        for place in _AT_SENTENCE_END.finditer(text, *block.span):
            start, end = place.span()
            if start >= after:  # another line
                line = text.rfind("\n", after, start) + 1 or after
                after = text.find("\n", end) + 1 or len(text) + 1
                linked = text.find("://", line, after) >= 0
            numbers = expand(place[1] or place[2])
            if linked or not numbers or not listed.issuperset(keys(numbers)):
                continue
            before = _WORD_BEFORE.search(text[max(block.span.start, start - 40) : start])
            if place[2] or (before and (before[1] or "").lower() not in BEFORE_NUMBERS):
                yield Superscript(Span(start, end), text[start:end], keys(numbers))
