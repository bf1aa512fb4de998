"""The blocks of a Markdown report, each with its exact span of characters.

markdown-it-py reads the blocks; tables are split into cells here, without a limit on columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from deepassay.reports.spans import Lines, Span

BlockKind = Literal["heading", "paragraph", "table", "code", "html", "rule"]


class Block(NamedTuple):
    """A leaf block: paragraphs of list items and quotations stand here too, with their depth.

    kind: "code" is all that is not prose: fences, indented code, `<pre>`, comments of HTML.
    span: whole lines, without the last line end.
    level: of a heading, 1 to 6; else 0.
    depth: how many lists and quotations it stands in.
    item: whether it is the first block of a list item.
    header, rows: cells of a table, trimmed; rows may be shorter or longer than the header.
    """

    kind: BlockKind
    span: Span
    level: int = 0
    depth: int = 0
    item: bool = False
    header: tuple[Span, ...] = ()
    rows: tuple[tuple[Span, ...], ...] = ()


class TableBlock(Block):
    """A block that is a table of Markdown; its cells can be told apart."""

    __slots__ = ()


_TICKS = re.compile(r"\\?(`+)")


def code_spans(text: str, start: int, end: int) -> list[Span]:
    """Code spans in `text[start:end]`: a run of backticks up to the next run as long as it."""
    if text.find("`", start, end) < 0:
        return []
    runs = [_opening(found) for found in _TICKS.finditer(text, start, end)]
    later: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[index].end - runs[index].start, []).append(index)
    spans: list[Span] = []
    at = 0
    while at < len(runs):
        run = runs[at]
        same = later[run.end - run.start]
        while same and same[-1] <= at:
            same.pop()
        if same and run.end > run.start:
            closing = same.pop()
            spans.append(Span(run.start, runs[closing].end))
            at = closing + 1
        else:
            at += 1
    return spans


def _opening(found: re.Match[str]) -> Span:
    escaped = found[0][0] == "\\"
    return Span(found.start(1) + escaped, found.end(1))


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
    begin = state.bMarks[below] + state.tShift[below]
    if state.src[begin : begin + 1] not in _OPENS_DELIMITER:
        return False
    delimiter = Span(begin, state.eMarks[below])
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


_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "code_block": "code",
    "fence": "code",
    "html_block": "html",
    "hr": "rule",
}
_DEPTH = {
    f"{container}_{end}": step
    for container in ("bullet_list", "ordered_list", "blockquote")
    for end, step in (("open", 1), ("close", -1))
}
_ITEM = {"list_item_open": True, "list_item_close": False}
_CLOSING_FENCE = re.compile(
    r"^([ \t>]{0,20}(?:`{3,20}|~{3,20}))"
    r"(?:[ \t]{0,4}(?:\[\^?\d[\d,\-– ]{0,40}\]|【[^】\n]{1,80}】)){1,20}[ \t]{0,8}$",
    re.MULTILINE,
)
_HIDDEN = re.compile(r"[ \t>]{0,20}<(?:!--|pre\b|script\b|style\b|textarea\b)", re.IGNORECASE)
_SENTENCE_ENDS = tuple(".!?。！？:：;；,，])）】")


def read_blocks(text: str) -> tuple[Block, ...]:
    """Blocks in reading order. Never raises; time is linear in the length of the text."""
    lines = Lines(text)
    blocks: list[Block] = []
    depth = 0
    item = False
    tokens = _tokens(text)
    deepest = 0
    for token in tokens:
        deepest = max(deepest, token.level)
        kind = _KINDS.get(token.type)
        if kind is not None:
            span = _span(lines, token)
            if kind == "paragraph":
                blocks.append(Block(kind, span, 0, depth, item))
            else:
                blocks += _leaf(text, kind, span, token, depth, item)
            item = False
        elif token.type == "table_open":
            blocks.append(_table(lines, token, tokens, depth, item))
            item = False
        else:
            depth += _DEPTH.get(token.type, 0)
            item = _ITEM.get(token.type, item)
    if deepest + 1 >= _parser().options["maxNesting"]:
        blocks += list(_too_deep(lines, blocks))
        blocks.sort(key=lambda each: each.span)
    return tuple(blocks)


_SAYS = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+[^\s>*+\-]")


def _too_deep(lines: Lines, blocks: Sequence[Block]) -> Iterator[Block]:
    """Lines that stand in no block, each as a paragraph.

    The parser passes over what stands in more lists and quotations than it follows.
    """
    covered = iter(blocks)
    block = next(covered, None)
    for number in range(len(lines.starts)):
        line = lines.span(number, number + 1)
        while block is not None and block.span.end < line.start:
            block = next(covered, None)
        free = block is None or line.end < block.span.start
        if free and _SAYS.match(lines.text, *line):
            yield Block("paragraph", line, 0, _parser().options["maxNesting"])


def _tokens(text: str) -> Iterator[Token]:
    """Tokens of the blocks. The lines of what is parsed are those of the text, one for one.

    Reports close fences with "``` [3]", which CommonMark takes for one more line of code, and
    all the rest of the report with it.
    """
    if "```" in text or "~~~" in text:
        text = _CLOSING_FENCE.sub(r"\1", text)
    return iter(_parser().parse(text))


@lru_cache
def _parser() -> MarkdownIt:
    """CommonMark blocks only: no inline rules, so that time stays linear in the text.

    The rule `reference` is off because it swallows `[1]: url` without a token.
    """
    parser = MarkdownIt("commonmark").enable("table")
    parser.block.ruler.at("table", read_table, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable(["reference"])
    return parser


def _leaf(
    text: str, kind: BlockKind, span: Span, token: Token, depth: int, item: bool
) -> Iterator[Block]:
    """The block of a token; two where the reading of CommonMark hides text of the report."""
    if kind == "heading" and token.markup in ("-", "="):
        cut = max(text.rfind("\n", *span), text.rfind("\r", *span))
        words = Span(span.start, span.start + len(text[span.start : cut].rstrip()))
        if words.of(text).endswith(_SENTENCE_ENDS):
            yield Block("paragraph", words, 0, depth, item)
            yield Block("rule", Span(cut + 1, span.end), 0, depth)
            return
    if kind == "code" and token.type == "fence":
        cut = max(text.rfind("\n", *span), text.rfind("\r", *span)) + 1
        marked = _CLOSING_FENCE.match(text, cut, span.end)
        if marked and cut > span.start:
            yield Block("code", Span(span.start, marked.end(1)), 0, depth, item)
            yield Block("paragraph", Span(marked.end(1), span.end), 0, depth)
            return
    if kind == "html" and _HIDDEN.match(text, *span):
        kind = "code"
    level = int(token.tag[1]) if kind == "heading" else 0
    yield Block(kind, span, level, depth, item)


def _table(
    lines: Lines, opening: Token, tokens: Iterator[Token], depth: int, item: bool
) -> TableBlock:
    rows = []
    for token in tokens:
        if token.type != "row":
            break
        row = _span(lines, token)
        rows.append(cells(lines.text, Span(row.start + token.meta["column"], row.end)))
    span = _span(lines, opening)
    return TableBlock("table", span, 0, depth, item, header=rows[0], rows=tuple(rows[1:]))


def _span(lines: Lines, token: Token) -> Span:
    return lines.span(*(token.map or (0, 0)))
