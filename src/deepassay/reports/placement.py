"""Whether the words of a link belong to the sentence or only mark its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepassay.reports.blocks import Block
from deepassay.reports.citations import (
    BareUrl,
    Citation,
    HtmlLink,
    InlineLink,
    NumberedLink,
    ReferenceLink,
)
from deepassay.reports.spans import Span
from deepassay.reports.words import LEADING, LEADING_CHINESE

_LINKS = (InlineLink, ReferenceLink, NumberedLink, HtmlLink, BareUrl)
_BETWEEN = re.compile(r"[\s,;、，；&+·/|)）(（\]\[]*(?:and|or|和|与|及)?\s*\Z")
_LAST_WORD = re.compile(r"(?:[^\W\d_]|['’])+\Z")
_MARKUP = re.compile(r"[\s>#*_\-+•\d.)“\"]*")
_MARKS = ".!?。！？"
_FAR = 20
_LONGEST_NAME = 4  # words; longer labels are titles of sources
_NAMING = re.compile(
    r"(?:(?<![(（])\b(?:see|visit|at|via|from|to|on|use|check|is|are)[ \t]"
    r"|(?<![(（])(?:见|访问|登录|在|于|为|是|到|从)[ \t]?"
    r"|(?<!\bsource)(?<!\bsources)(?<!\breference)(?<!\breferences)(?<!\bref)"
    r"(?<!来源)(?<!出处)(?<!参考)"
    r"(?:\*\*)?[:：](?:\*\*)?[ \t]{0,3})\Z",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"[ \t](?:is|are|was|has|had|lists?|gives?|shows?|says?|states?|reports?|offers?|provides?|"
    r"contains?|explains?|describes?|covers?|claims?|notes?|does|can|will|also|and)\b"
)
_ENDS = re.compile(r"[\s*_)）\]]*(?:[.。;；!?！？:：,，、]|\Z|\n|\|)")


def place(text: str, blocks: Sequence[Block], citations: Sequence[Citation]) -> Iterator[Citation]:
    """Citations of the body, in order, `in_sentence` set where a link's words are needed."""
    rest = iter(blocks)
    block = Span(0, 0)
    before: Citation | None = None
    for index, citation in enumerate(citations):
        if isinstance(citation, _LINKS):
            while block.end <= citation.span.start:
                block = next(rest).span
            if before is not None and before.span.start < block.start:
                before = None
            if _is_kept(text, block, citations, index, before):
                citation = citation._replace(in_sentence=True)  # noqa: PLW2901
        before = citation
        yield citation


def _is_kept(
    text: str, block: Span, citations: Sequence[Citation], index: int, before: Citation | None
) -> bool:
    citation = citations[index]
    if isinstance(citation, BareUrl):
        return _is_named(text, citation, before)
    return not _is_number(citation.label) and _in_sentence(text, block, citations, index, before)


def _is_number(label: str) -> bool:
    return not any(each.isalpha() for each in label)


def _is_named(text: str, citation: Citation, before: Citation | None) -> bool:
    """Whether the sentence needs a bare address: "visit https://…", "见 https://…"."""
    start = citation.span.start
    if before is not None and before.in_sentence:
        between = text[before.span.end : start]
        if len(between) < _FAR and _BETWEEN.fullmatch(between):
            return True
    if citation.raw[0] == "<":
        return False
    if _NAMING.search(text, max(0, start - 20), start):
        return True
    return _VERB.match(text, citation.span.end) is not None and _begins(text, start)


def _begins(text: str, at: int) -> bool:
    """Whether a sentence begins at `at`."""
    left = text[max(0, at - 2 * _FAR) : at]
    return _opens(left, whole=at <= 2 * _FAR) or (left[-1:] == " " and left[-2:-1] in _MARKS)


def _in_sentence(
    text: str, block: Span, citations: Sequence[Citation], index: int, before: Citation | None
) -> bool:
    start = citations[index].span.start
    if before is not None:
        between = text[before.span.end : start]
        if len(between) < _FAR and _BETWEEN.fullmatch(between):
            return before.in_sentence
    left = text[max(block.start, start - 2 * _FAR) : start]
    bracketed = citations[index].raw[0] == "("
    if not bracketed and _opens(left, whole=start - block.start <= 2 * _FAR):
        return True
    bare = left.rstrip(" *_“\"‘'")
    if bare[-1:] in "(（[" or bracketed:
        return False
    if bare[-1:] not in _MARKS and _leads(bare):
        return True
    if len(citations[index].label.split()) > _LONGEST_NAME:
        return False
    return _goes_on(text, block, citations, index)


def _opens(left: str, *, whole: bool) -> bool:
    """Whether nothing but markup stands before a link on its line or in its cell.

    whole: whether `left` goes back to the beginning of the block.
    """
    cut = max(left.rfind("\n"), left.rfind("\r"), left.rfind("|"))
    return (cut >= 0 or whole) and _MARKUP.fullmatch(left, cut + 1) is not None


def _leads(words: str) -> bool:
    """Whether words end in one that needs another after it: "the", "in", "Reuters'", "见"."""
    if words[-1:] in LEADING_CHINESE:
        return True
    found = _LAST_WORD.search(words)
    word = found[0].lower() if found else ""
    return word in LEADING or word.endswith(("'s", "’s"))


def _goes_on(text: str, block: Span, citations: Sequence[Citation], index: int) -> bool:
    """Whether the sentence goes on after a link and the citations that follow it at once."""
    at = citations[index].span.end
    for following in range(index + 1, len(citations)):
        between = text[at : citations[following].span.start]
        if len(between) >= _FAR or not _BETWEEN.fullmatch(between):
            break
        at = citations[following].span.end
    return _ENDS.match(text, at, block.end) is None
