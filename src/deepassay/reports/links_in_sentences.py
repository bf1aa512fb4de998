"""Whether the words of a link belong to the sentence, or only mark its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepassay.reports.citations import (
    ANNOUNCING,
    BareUrl,
    Citation,
    HtmlLink,
    InlineLink,
    NumberedLink,
    ReferenceLink,
)
from deepassay.reports.markdown import Block, TableBlock
from deepassay.reports.spans import Span
from deepassay.text import HAN

_LEADING = frozenset(
    re.findall(
        r"\w+",
        "a an the this that these those its their our your his her in of by at on from to with "
        "per as for under like via into onto through within about between both over against than "
        "and or is are see using including include includes called named use uses visit read "
        "check",
    )
)
"""Words that need another after them, so that a link behind them is part of the sentence."""

_LEADING_CHINESE = frozenset("的在由据见从与和及或对向以是为把被让将于按照看至")


_LINKS = (InlineLink, ReferenceLink, NumberedLink, HtmlLink, BareUrl)
_TAG = re.compile(ANNOUNCING, re.IGNORECASE)
_ANNOUNCED = re.compile(rf"(?:[(（\[【][ \t]?|[;；,，][ \t]?){ANNOUNCING}[ \t]*\Z", re.IGNORECASE)
_CLOSED = re.compile(
    rf"[ \t]*(?:[)）\]】]|[;；,，][ \t]?(?:{ANNOUNCING}[ \t]*)?https?://)", re.IGNORECASE
)
_BETWEEN = re.compile(r"[\s,;、，；&+·/|)）(（\]\[]*(?:and|or|和|与|及)?\s*\Z")
_LAST_WORD = re.compile(r"(?:[^\W\d_]|['’])+\Z")
_MARKUP = re.compile(r"[\s>#*_\-+•\d.)“\"]*")
_HEADED_SOURCES = re.compile(
    r"\b(?:references?|refs?|sources?|citations?|evidence)\b|[来來]源|文[献獻]|[参參]考|引用|出处",
    re.IGNORECASE,
)
_LINKS_ALONE = re.compile(r"\[[^\n]*\]\([^\n]*\)")
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
_NEXT_SENTENCE = re.compile(rf"\s+(?:[A-Z“\"]|[{HAN}])")
_ENDS = re.compile(r"[\s*_)）\]]*(?:[.。;；!?！？:：,，、]|\Z|\n|\|)")


def placed_citations(
    text: str, blocks: Sequence[Block], citations: Sequence[Citation]
) -> Iterator[Citation]:
    """Citations of the body, in order, `in_sentence` set where a link's words are needed."""
    rest = iter(blocks)
    block = Span(0, 0)
    of_sources: Sequence[Span] = ()
    before: Citation | None = None
    for index, citation in enumerate(citations):
        if isinstance(citation, _LINKS):
            while block.end <= citation.span.start:
                whole = next(rest)
                block, of_sources = whole.span, _cells_of_sources(text, whole)
            if any(cell.start <= citation.span.start < cell.end for cell in of_sources):
                before = citation
                yield citation
                continue
            if before is not None and before.span.start < block.start:
                before = None
            if _is_kept(text, block, citations, index, before):
                citation = citation._replace(in_sentence=True)  # noqa: PLW2901
        before = citation
        yield citation


def _cells_of_sources(text: str, block: Block) -> list[Span]:
    """Cells of links alone in a column that is headed so: they name the sources of their row."""
    if not isinstance(block, TableBlock):
        return []
    columns = [
        at for at, head in enumerate(block.header) if at and _HEADED_SOURCES.search(head.of(text))
    ]
    cells = [row[at] for row in block.rows for at in columns if at < len(row)]
    return [cell for cell in cells if _LINKS_ALONE.fullmatch(cell.of(text).strip())]


def _is_kept(
    text: str, block: Span, citations: Sequence[Citation], index: int, before: Citation | None
) -> bool:
    citation = citations[index]
    if isinstance(citation, BareUrl):
        return _is_named(text, citation, before)
    marks = _is_number(citation.label) or _TAG.match(citation.label)
    return not marks and _in_sentence(text, block, citations, index, before)


def _is_number(label: str) -> bool:
    return not any(each.isalpha() for each in label)


def _is_named(text: str, citation: Citation, before: Citation | None) -> bool:
    """Whether the sentence needs a bare address: "visit https://…", "见 https://…"."""
    start = citation.span.start
    if before is not None and before.in_sentence:
        between = text[before.span.end : start]
        if len(between) < _FAR and _BETWEEN.fullmatch(between):
            return True
    if citation.raw[0] == "<" or (
        _ANNOUNCED.search(text, max(0, start - _FAR - _FAR), start)
        and _CLOSED.match(text, citation.span.end)
    ):
        return False
    if _NAMING.search(text, max(0, start - 20), start):
        return True
    return _VERB.match(text, citation.span.end) is not None and _begins(text, start)


def _begins(text: str, at: int) -> bool:
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
    label, end = citations[index].label, citations[index].span.end
    names_source = (
        len(label.split()) > _LONGEST_NAME
        or _is_host(label, citations[index].url or "")
        or (bare[-1:] in _MARKS and _NEXT_SENTENCE.match(text, end) is not None)
    )
    return not names_source and _goes_on(text, block, citations, index)


def _is_host(label: str, url: str) -> bool:
    """Whether the words of a link are but the host of its address."""
    host = url.partition("://")[2].partition("/")[0]
    return label.strip().lower().removeprefix("www.") == host.lower().removeprefix("www.") != ""


def _opens(left: str, *, whole: bool) -> bool:
    """Whether nothing but markup stands before a link on its line or in its cell.

    whole: whether `left` goes back to the beginning of the block.
    """
    cut = max(left.rfind("\n"), left.rfind("\r"), left.rfind("|"))
    return (cut >= 0 or whole) and _MARKUP.fullmatch(left, cut + 1) is not None


def _leads(words: str) -> bool:
    """Whether words end in one that needs another after it: "the", "in", "Reuters'", "见"."""
    if words[-1:] in _LEADING_CHINESE:
        return True
    found = _LAST_WORD.search(words)
    word = found[0].lower() if found else ""
    return word in _LEADING or word.endswith(("'s", "’s"))


def _goes_on(text: str, block: Span, citations: Sequence[Citation], index: int) -> bool:
    """Whether the sentence goes on after a link and the citations that follow it at once."""
    at = citations[index].span.end
    for following in range(index + 1, len(citations)):
        between = text[at : citations[following].span.start]
        if len(between) >= _FAR or not _BETWEEN.fullmatch(between):
            break
        at = citations[following].span.end
    return _ENDS.match(text, at, block.end) is None
