"""What goes when a marker goes: the brackets around it, its label, the blank before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepassay.reports.citations import ANNOUNCING, BareUrl, Citation
from deepassay.reports.spans import Span
from deepassay.text import canonical

_JOINS = re.compile(
    r"[ \t]*[,;、，；/|]?[ \t]*(?:and|or|&|和|与|及)?[ \t]*(?:(?:\r\n|\r|\n)[ \t]*)?"
    rf"(?:(?<=[;；,， ]){ANNOUNCING}[ \t]*)?",
    re.IGNORECASE,
)
CITE_START = re.compile(r"\[cite_start\]")
"""What Gemini sets before words that it cites for."""

_PAIRS = {"(": ")", "（": "）", "[": "]", "【": "】"}
_LEAD = re.compile(
    r"(?:(?:\b(?:see(?: also)?|sources?|cf\.?|e\.g\.,?|refs?\.?|references?|citations?|via)"
    r"|参见|见|来源|资料来源|数据来源|信息来源|出处|参考|引自)[ \t]?[:：]?"
    rf"|{ANNOUNCING})[ \t]*\Z",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:(?<=[\r\n|])|(?<=[.!?。！？][ \t])|(?<=[。！？；])|\A)[ \t>]*"
    r"(?:\*{1,2}|_)?(?:Sources?|References?|Refs?|Citations?(?: in text)?|来源|资料来源|"
    r"数据来源|信息来源|参考来源|出处)(?:\*{1,2}|_)?[ \t]?[:：](?:\*{1,2}|_)?[ \t]*\Z",
    re.IGNORECASE,
)
_TAG_OPENS = re.compile(r"<(sup|sub|small|u|span|cite)(?:\s[^<>]{0,100})?>[ \t]*\Z", re.IGNORECASE)
_TAG_CLOSES = re.compile(r"[ \t]*</(sup|sub|small|u|span|cite)>", re.IGNORECASE)
_STARS = re.compile(r"(\*{1,3}|_{1,3})\Z")
_LINE_OPENING = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?\Z")
_CLOSERS = frozenset(_PAIRS.values())
_EMPHASIS = frozenset("*_")
_ANNOUNCING = frozenset(":：*_")
_LINE_MARKS = frozenset(("", *"\r\n>-*+.)"))
_CLOSING = frozenset(".,;:!?)]}\"'*_~|。，；：！？、）】》」』”’…%")


def bare_host(url: str) -> str:
    """The host of an address, without `www.`."""
    return url.partition("://")[2].partition("/")[0].removeprefix("www.") or url


def shortened_citation(citation: Citation) -> Citation:
    """The citation as it is to stand: of an address that its sentence needs, the host stays."""
    if isinstance(citation, BareUrl) and citation.in_sentence:
        return citation._replace(label=bare_host(canonical(citation.url or "")))
    return citation


def removals(text: str, citations: Sequence[Citation]) -> Iterator[tuple[Span, str]]:
    """What to replace, and by what words, so that `text` is without the citations.

    Words of a link that belong to its sentence stay.
    """
    for run in _runs(text, citations):
        if run[0].in_sentence:
            yield run[0].span, run[0].label or run[0].raw
        else:
            yield _cut(text, run[0].span.start, run[-1].span.end), ""


def _runs(text: str, citations: Sequence[Citation]) -> Iterator[Sequence[Citation]]:
    """Markers that follow one another, which go as one; a link in a sentence stands alone."""
    run: list[Citation] = []
    for citation in citations:
        if run and not _joined(text, run[-1], citation):
            yield run
            run = []
        run.append(citation)
    if run:
        yield run


def _joined(text: str, one: Citation, following: Citation) -> bool:
    if one.in_sentence or following.in_sentence:
        return False
    end, start = one.span.end, following.span.start
    return end == start or _JOINS.fullmatch(text, end, start) is not None


def _cut(text: str, start: int, end: int) -> Span:
    """What goes with a run of markers: brackets around nothing else, and blanks not needed."""
    start, end = with_brackets(text, start, end)
    left, right = _outward(text, start, end)
    before, following = text[left - 1 : left], text[right : right + 1]
    if before in _ANNOUNCING and (found := _ANNOUNCED.search(text, max(0, start - 40), start)):
        start = left = found.start()
    line = _line_opened(text, start) if text[left - 1 : left] in _LINE_MARKS else None
    if line is not None:
        return _whole_line(text, line, right) if following in "\r\n" else Span(start, right)
    if end < len(text) and text[end] not in _CLOSING and not text[end].isspace():
        return Span(left if _is_wide(before) or _is_wide(following) else start, end)
    return Span(left, right if _is_wide(before) and _is_wide(following) else end)


def with_brackets(text: str, start: int, end: int) -> Span:
    """The span with all brackets, tags and emphasis around it that hold nothing else."""
    while wider := _wrapped(text, start, end, *_outward(text, start, end)):
        start, end = wider
    return Span(start, end)


def _line_opened(text: str, at: int) -> int | None:
    """Where the line begins, if only marks of quotations and list items stand before `at`."""
    low = max(0, at - 40)
    line = max(text.rfind("\n", low, at), text.rfind("\r", low, at)) + 1
    whole = line > low or low == 0
    return line if whole and _LINE_OPENING.match(text, line, at) else None


def _whole_line(text: str, start: int, end: int) -> Span:
    """A line of markers alone, with the blank lines before it, or after it at the very top."""
    start = blank_before(text, start)
    while start == 0 and end < len(text) and text[end] in "\r\n":
        end += 1
    return Span(start, end)


def blank_before(text: str, at: int) -> int:
    """Where the blanks, line ends and marks of quotation that end at `at` begin."""
    end = at
    while at > 0 and text[at - 1] in " \t\r\n>":
        at -= 1
    if at and ">" in text[at:end]:  # what closes a tag is no mark of quotation
        line = at
        while line < end and text[line] not in "\r\n":
            line += 1
        at += len(text[at:line].rstrip(" \t")) if line < end else 0
    return at


def _wrapped(text: str, start: int, end: int, left: int, right: int) -> Span | None:
    """The span with the brackets, the tag or the emphasis that hold nothing else.

    left, right: the span with the blanks on either side.
    """
    closer = text[right : right + 1]
    if closer in _CLOSERS:
        lead = _LEAD.search(text, max(0, left - 40), left)
        opening = lead.start() if lead else left
        if opening and _PAIRS.get(text[opening - 1]) == closer:
            return Span(opening - 1, right + 1)
    if closer == "\\" and text[right + 1 : right + 2] == "]" and text[left - 2 : left] == "\\[":
        return Span(left - 2, right + 2)
    if closer == "<" and (tag := _TAG_OPENS.search(text, max(0, start - 120), start)):
        closing = _TAG_CLOSES.match(text, end)
        if closing and tag[1].lower() == closing[1].lower():
            return Span(tag.start(), closing.end())
    if text[start - 1 : start] == "^" == text[end : end + 1]:  # raised, as Pandoc writes it
        return Span(start - 1, end + 1)
    if text[end : end + 1] in _EMPHASIS:
        stars = _STARS.search(text, max(0, start - 3), start)
        if stars and text.startswith(stars[1], end):
            return Span(stars.start(), end + len(stars[1]))
    return None


def _outward(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    while end < len(text) and text[end] in " \t":
        end += 1
    return start, end


def _is_wide(character: str) -> bool:
    """Whether a character is an ideograph or full-width, so that no blank stands beside it.

    Beside Hangul one does, though `EAST_ASIAN` holds it.
    """
    return "\u2e80" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"
