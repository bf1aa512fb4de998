"""Tables of GitHub's Markdown, split into cells without a limit on rows or columns."""

from __future__ import annotations

import re
from itertools import pairwise

from markdown_it.rules_block import StateBlock

from deepassay.reports.codespans import code_spans
from deepassay.reports.spans import Span

_DELIMITER = re.compile(r"[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+(?:\||\Z))++[ \t]*+\Z")
_OPENS_DELIMITER = frozenset("|-:")
_PIPE = re.compile(r"\\.|\|", re.DOTALL)


def read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A rule for the block parser, in place of its own, whose time grows with the columns squared.

    Pushes `table_open`, one `row` for the header and each row, `table_close`. The `meta` of a
    row holds where in its line the row begins, after marks of quotations and lists.
    """
    if not _opens_table(state, start, end):
        return False
    if silent:
        return True
    opening = state.push("table_open", "table", 1)
    _push_row(state, start)
    line = start + 2
    terminators = state.md.block.ruler.getRules("blockquote")
    while line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        if state.is_code_block(line) or any(rule(state, line, end, True) for rule in terminators):
            break
        _push_row(state, line)
        line += 1
    state.push("table_close", "table", -1)
    opening.map = [start, line]
    state.line = line
    return True


def _opens_table(state: StateBlock, start: int, end: int) -> bool:
    """Whether a header stands at `start` and below it a delimiter row of as many cells."""
    below = start + 1
    if below >= end or state.sCount[below] < state.blkIndent or state.is_code_block(below):
        return False
    delimiter = Span(state.bMarks[below] + state.tShift[below], state.eMarks[below])
    header = Span(state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if "|" not in header.of(state.src) or not is_delimiter_row(delimiter.of(state.src)):
        return False
    return len(cells(state.src, header)) == len(cells(state.src, delimiter))


def is_delimiter_row(line: str) -> bool:
    """Whether a line, without the blanks that it begins with, sets a header off from its rows."""
    return line[:1] in _OPENS_DELIMITER and _DELIMITER.match(line) is not None


def _push_row(state: StateBlock, line: int) -> None:
    begin = state.bMarks[line] + state.tShift[line]
    row = state.push("row", "tr", 0)
    row.map = [line, line + 1]
    row.meta = {"column": begin - state.src.rfind("\n", 0, begin) - 1}


def cells(text: str, row: Span) -> tuple[Span, ...]:
    """Cells of one line, trimmed, split at pipes that are neither escaped nor in a code span."""
    start, end = row
    code = iter(code_spans(text, start, end))
    inside = next(code, None)
    cuts = [start - 1]
    for found in _PIPE.finditer(text, start, end):
        if found[0] != "|":
            continue
        while inside is not None and inside.end <= found.start():
            inside = next(code, None)
        if inside is None or found.start() < inside.start:
            cuts.append(found.start())
    cuts.append(end)
    spans = [_trimmed(text, before + 1, after) for before, after in pairwise(cuts)]
    if len(spans) > 1 and spans[0].start == spans[0].end:
        spans = spans[1:]
    if len(spans) > 1 and spans[-1].start == spans[-1].end:
        spans = spans[:-1]
    return tuple(spans)


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in " \t":
        start += 1
    while end > start and text[end - 1] in " \t":
        end -= 1
    return Span(start, end)
