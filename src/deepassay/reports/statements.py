"""The statements of a report: sentences, list items and table cells with their citations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from deepassay.reports.citations import Citation
from deepassay.reports.markdown import Block, TableBlock
from deepassay.reports.references import Resolved
from deepassay.reports.removal import removals
from deepassay.reports.sentences import MASK, split_sentences
from deepassay.reports.spans import LINE_END, Span
from deepassay.text import count_words

_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|~~|`+")
_MARKUP = re.compile(r"[*_`~<>\]]")
_QUOTED_LINE = re.compile(r"[\r\n][ \t]*>[ \t>]*")
_INLINE_TAG = re.compile(
    r"</?(?:a|b|cite|code|em|font|i|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]{0,300})?>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,2000}\)")
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\([^()\s]{1,2000}\)")
_STRAY = " ,;，；、•●▪◦·"
_ENUMERATOR = re.compile(r"[(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,5})[.)、．）]")


def words_at(text: str, place: Span, citations: Sequence[Citation]) -> str:
    """What `place` says in plain words; empty if it holds a mere number of a list, or no word.

    citations: those inside it. The words of links that belong to the sentence stay.
    """
    found = _without(text, place, citations) if citations else place.of(text)
    if _MARKUP.search(found):
        found = _QUOTED_LINE.sub(" ", found)
        found = _TAG.sub(" ", _INLINE_TAG.sub("", found))
        if "](" in found:
            found = _LINK.sub(r"\1", _IMAGE.sub("", found))
        found = _EMPHASIS.sub("", found)
    found = " ".join(found.split()).strip(_STRAY)
    if _ENUMERATOR.fullmatch(found):
        return ""
    return found if any(map(str.isalnum, found)) else ""


def _without(text: str, place: Span, citations: Sequence[Citation]) -> str:
    pieces = []
    at = place.start
    for span, kept in removals(text, citations):
        pieces += [text[at : max(at, span.start)], kept]
        at = max(at, span.end)
    pieces.append(text[at : place.end])
    return "".join(pieces)


@dataclass(frozen=True)
class Statement:
    """What a report asserts in one place, and the citations that are meant to support it.

    span: where it stands, citations included. text: its words, citations and markup of
    emphasis taken out. inherited: the citations stand at the end of its paragraph, in a line of
    their own below it, or in a cell of their own in its row, and not in the statement itself.
    """

    span: Span
    text: str
    kind: Literal["sentence", "cell"]
    citations: tuple[Resolved, ...]
    inherited: bool = False

    @property
    def urls(self) -> tuple[str, ...]:
        """Canonical addresses of all its citations, each once, in order."""
        return tuple(dict.fromkeys(url for cited in self.citations for url in cited.urls))


_PREFIX = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]+)?"
    r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*(?:>[ \t]*)*"
)
_ONLY_BOLD = re.compile(r"(?:\*\*|__)[^*_\r\n]{1,160}(?:\*\*|__)[:：]?")
_BOLD_LINE = re.compile(
    r"(?:\*\*|__)[^*_\r\n]{1,160}?(?<![.!?。！？])(?:\*\*|__)[:：]?(?: {2,}|\\)?\r?\n(?=[ \t]*\S)"
)
_RAISED = re.compile(rf"\^{MASK}+\^")
_ENDS = re.compile(r"[.!?。！？…\r\n\\]")
_MARKS_OF_BLOCKS = frozenset(" \t>#-*+0123456789")


def find_statements(
    text: str, blocks: Sequence[Block], resolved: Sequence[Resolved], outside: Sequence[Span]
) -> tuple[Statement, ...]:
    """Statements in reading order; spans in `outside` (reference lists) hold none."""
    statements: list[Statement] = []
    cited = _CitationQueue(resolved)
    above = 0
    for block, span in _body(blocks, outside):
        if block.kind == "heading":
            inside = cited.take(span)
            if inside:  # what a heading says under a source of its own is a statement
                last = max(inside[-1].citation.span.end, _first_line(text, span).end)
                statements += sentences_with_citations(text, Span(span.start, last), inside)
            above = len(statements)
        elif isinstance(block, TableBlock):
            above = len(statements)
            rows = [row for row in block.rows if span.start <= row[0].start < span.end]
            statements += _cells(text, block.header, rows, cited)
        elif block.kind in ("paragraph", "html"):
            inside = cited.take(span)
            found = sentences_with_citations(text, span, inside)
            if found:
                above = len(statements)
                statements += found
            elif inside:
                statements[above:] = _covered(statements[above:], inside)
                above = len(statements)
    return tuple(statements)


def _first_line(text: str, span: Span) -> Span:
    """A heading without the line that underlines it."""
    end = LINE_END.search(text, *span)
    return Span(span.start, end.start() if end else span.end)


def _body(blocks: Sequence[Block], outside: Sequence[Span]) -> Iterator[tuple[Block, Span]]:
    """Each block with its characters that stand in no reference list."""
    index = 0
    for block in blocks:
        start, end = block.span
        while index < len(outside) and outside[index].end <= start:
            index += 1
        at = index
        while at < len(outside) and outside[at].start < end:
            if outside[at].start > start:
                yield block, Span(start, outside[at].start)
            start = outside[at].end
            at += 1
        if start < end:
            yield block, Span(start, end)


class _CitationQueue:
    """Citations in reading order, taken span by span, each once."""

    def __init__(self, resolved: Sequence[Resolved]) -> None:
        self._resolved = resolved
        self._at = 0

    def take(self, span: Span) -> list[Resolved]:
        """Citations that begin in a span; those before it are passed over."""
        resolved, at = self._resolved, self._at
        while at < len(resolved) and resolved[at].citation.span.start < span.start:
            at += 1
        first = at
        while at < len(resolved) and resolved[at].citation.span.start < span.end:
            at += 1
        self._at = at
        return list(resolved[first:at])


def sentences_with_citations(text: str, span: Span, inside: Sequence[Resolved]) -> list[Statement]:
    """The sentences of a paragraph, or of a cell, with the citations `inside` it.

    Where its last one is cited, a sentence without citations has those of the next that has some.
    """
    prefix = _PREFIX.match(text, *span) if text[span.start] in _MARKS_OF_BLOCKS else None
    start = prefix.end() if prefix else span.start
    if not inside and _ONLY_BOLD.fullmatch(text[start : span.end].strip()):
        return []
    lead = _BOLD_LINE.match(text, start, span.end)
    if lead and not (inside and inside[0].citation.span.start < lead.end()):
        start = lead.end()
    statements: list[Statement] = []
    queue = _CitationQueue(inside)
    for piece in split_sentences(_masked(text, start, span.end, inside)):
        place = Span(start + piece.start, start + piece.end)
        own = queue.take(place)
        plain = words_at(text, place, [each.citation for each in own])
        if plain:
            statements.append(Statement(place, plain, "sentence", tuple(own)))
        elif statements and own:
            last = statements[-1]
            place = Span(last.span.start, place.end)
            statements[-1] = replace(last, span=place, citations=(*last.citations, *own))
    return _inherit(text, statements)


def _masked(text: str, start: int, end: int, inside: Sequence[Resolved]) -> str:
    """The text with each marker and link masked; words of links in a sentence show."""
    if not inside:
        return text[start:end]
    pieces = []
    at = start
    for each in inside:
        citation = each.citation
        pieces.append(text[at : citation.span.start])
        pieces.append(_shown(citation) if citation.in_sentence else MASK * len(citation.raw))
        at = citation.span.end
    pieces.append(text[at:end])
    return _RAISED.sub(lambda found: MASK * len(found[0]), "".join(pieces))


def _shown(link: Citation) -> str:
    """The words of a link, as long as all of it: they begin and end sentences, and split none."""
    words = _ENDS.sub("x", link.label[:-1]) + link.label[-1:]
    first, blank, rest = words.partition(" ")
    filling = "x" * (len(link.raw) - len(words))
    return f"{first}{blank}{filling}{rest}" if blank else f"{words[:1]}{filling}{words[1:]}"


def _inherit(text: str, statements: list[Statement]) -> list[Statement]:
    if len(statements) < 2 or not statements[-1].citations:
        return statements
    last = statements[-1]
    rest = text[last.citations[-1].citation.span.end : last.span.end]
    if any(each.isalnum() for each in rest) or last.citations[-1].citation.in_sentence:
        return statements
    return _before_the_next(statements)


def _before_the_next(statements: Sequence[Statement]) -> list[Statement]:
    """The statements, those without citations under those of the next one that has some."""
    covered: list[Statement] = []
    following: tuple[Resolved, ...] = ()
    for each in reversed(statements):
        if each.citations:
            following = each.citations
            covered.append(each)
        else:
            covered.append(replace(each, citations=following, inherited=True))
    return covered[::-1]


def _covered(statements: Sequence[Statement], citations: Sequence[Resolved]) -> list[Statement]:
    """The statements, those without citations of their own under the ones given."""
    return [
        each if each.citations else replace(each, citations=tuple(citations), inherited=True)
        for each in statements
    ]


LONGEST_ROW: Final = 600
"""Characters of a table row that is one statement."""

FEWEST_WORDS: Final = 6
"""Words of a cell that says something by itself."""


class _TableCell(NamedTuple):
    """A cell that says something. named: its words after the heading of its column."""

    place: Span
    words: str
    named: str
    citations: tuple[Resolved, ...]

    @property
    def is_brief(self) -> bool:
        """Whether it needs the cells beside it to say anything."""
        return count_words(self.words) < FEWEST_WORDS


def _cells(
    text: str, header: Sequence[Span], rows: Iterable[Sequence[Span]], cited: _CitationQueue
) -> Iterator[Statement]:
    """The cells of rows of a table; a cell of citations alone covers the uncited ones.

    A brief cell with citations says what its whole row says, under the headings of the columns;
    beside longer cells that say it, one without citations of its own has none.
    """
    heads = [words_at(text, place, ()) for place in header]
    for row in rows:
        cells, alone = _row(text, row, heads, cited)
        whole = " | ".join(each.named for each in cells)
        told = not all(each.is_brief for each in cells)
        for each in cells:
            citations = each.citations or (() if told and each.is_brief else alone)
            said = each.words
            if citations and each.is_brief:
                short = len(whole) <= LONGEST_ROW or each is cells[0]
                said = (
                    whole[:LONGEST_ROW]
                    if short
                    else f"{cells[0].words[:LONGEST_ROW]} | {each.named}"
                )
            yield Statement(
                each.place, said, "cell", citations, bool(citations) and not each.citations
            )


def _row(
    text: str, row: Sequence[Span], heads: Sequence[str], cited: _CitationQueue
) -> tuple[list[_TableCell], tuple[Resolved, ...]]:
    """The cells of a row, and the citations of those that hold nothing else."""
    cells: list[_TableCell] = []
    alone: list[Resolved] = []
    after = 0
    for column, cell in enumerate(row):
        if cell.end <= after:
            continue
        place, own = cell, cited.take(cell)
        while own and own[-1].citation.span.end > place.end:  # a pipe in the label of a link
            stop = own[-1].citation.span.end
            ends = (each.end for each in row if each.end > stop)
            place = Span(place.start, min(ends, default=stop))
            own += cited.take(Span(stop, place.end))
        after = place.end
        plain = words_at(text, place, [each.citation for each in own])
        head = heads[column] if column < len(heads) else ""
        if plain:
            cells.append(
                _TableCell(place, plain, f"{head}: {plain}" if head else plain, tuple(own))
            )
        else:
            alone += own
    return cells, tuple(alone)
