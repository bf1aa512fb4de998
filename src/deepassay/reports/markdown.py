"""The blocks of a Markdown report, each with its exact span of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from deepassay.reports.blocks import Block, BlockKind, Table
from deepassay.reports.spans import Lines, Span
from deepassay.reports.tables import cells, read_table

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
    for token in tokens:
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
    return tuple(blocks)


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


def _table(lines: Lines, opening: Token, tokens: Iterator[Token], depth: int, item: bool) -> Table:
    rows = []
    for token in tokens:
        if token.type != "row":
            break
        row = _span(lines, token)
        rows.append(cells(lines.text, Span(row.start + token.meta["column"], row.end)))
    span = _span(lines, opening)
    return Table("table", span, 0, depth, item, header=rows[0], rows=tuple(rows[1:]))


def _span(lines: Lines, token: Token) -> Span:
    return lines.span(*(token.map or (0, 0)))
