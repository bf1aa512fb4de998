"""The words of a block of Markdown, each with its place: what markdown-it-py is given for it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, MutableMapping, Sequence
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import table as read_rows
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from deepassay.text import web_address

_RAISED: Final = re.compile(r"<(su[pb])>", re.IGNORECASE)
_BREAK: Final = re.compile(r"<br\s{0,9}/?>", re.IGNORECASE)


class InlinePiece(NamedTuple):
    """Something inside a block. where: places of its characters in the block's content.

    start: where it begins there.
    """

    token: Token
    where: Sequence[int]
    start: int


class _PlacingState(StateInline):
    """Keeps, of every character that is pending, where it stands in the block's content."""

    def __init__(self, *given: Any) -> None:  # noqa: ANN401 - what the parser gives
        self._at: list[int] = []
        self._closings: dict[str, list[int]] = {}
        super().__init__(*given)

    def append_pending(self, text: str) -> None:
        self._at.extend(range(self.pos, self.pos + len(text)))
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802 - its name
        at = self._at[: len(self.pending)]  # the end of a line trims blanks
        self._at = []
        token = super().pushPending()
        token.meta = {"at": at}
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        if not self.pending:
            self._at = []  # blanks before the end of a line, all of them trimmed
        token = super().push(ttype, tag, nesting)
        token.meta["pos"] = self.pos
        return token

    def closing(self, tag: str, after: int) -> int:
        """Where the element that begins there ends, or -1."""
        if tag not in self._closings:
            ends = re.finditer(f"</{tag}>", self.src, re.IGNORECASE)
            self._closings[tag] = [end.start() for end in ends]
        ends_at = self._closings[tag]
        next_one = bisect_right(ends_at, after - 1)
        found = ends_at[next_one] if next_one < len(ends_at) else -1
        return found if found + len(tag) + 3 <= self.posMax else -1


class _PlacingParser(ParserInline):
    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        state = _PlacingState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _raised(state: StateInline, silent: bool) -> bool:
    """A rule for `<sup>`, `<sub>` and `<br>`, which reports have in place of Markdown."""
    if state.src[state.pos] != "<" or not isinstance(state, _PlacingState):
        return False
    if found := _BREAK.match(state.src, state.pos):
        if not silent:
            state.push("hardbreak", "br", 0)
        state.pos = found.end()
        return True
    found = _RAISED.match(state.src, state.pos)
    end = state.closing(found[1].lower(), found.end()) if found else -1
    if found is None or end < 0:
        return False
    tag, most = found[1].lower(), state.posMax
    if not silent:
        state.pos, state.posMax = found.end(), end
        state.push(f"{tag}_open", tag, 1)
        state.md.inline.tokenize(state)
        state.push(f"{tag}_close", tag, -1)
    state.pos, state.posMax = end + len(tag) + 3, most
    return True


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The rule for tables, which keeps of each row where it begins."""
    before = len(state.tokens)
    if not read_rows(state, start, end, silent):
        return False
    for token in state.tokens[before:]:
        if token.type == "tr_open" and token.map:
            token.meta["begin"] = state.bMarks[token.map[0]] + state.tShift[token.map[0]]
        elif token.type == "inline":
            token.meta["cell"] = True
    return True


@cache
def markdown() -> MarkdownIt:
    """Reads Markdown with tables, without HTML and pictures, with links to web addresses only.

    Definitions of links stay as text: they are lists of references, and Markdown hides them.
    """
    parser = MarkdownIt("commonmark", {"html": False})
    parser.inline = _PlacingParser()
    parser.enable(["table", "strikethrough"])
    parser.disable(["image", "html_inline", "html_block", "reference"])
    parser.disable(["fragments_join", "text_join"])  # each piece is to know its place
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.before("autolink", "raised", _raised)
    parser.validateLink = lambda url: web_address(url) is not None  # type: ignore[method-assign]
    return parser


def placed_tokens(block: Token) -> list[InlinePiece]:
    """What is inside a block of a text that `markdown` read, each with its place."""
    return [*_placed(block.content, block.children or ())]


def _placed(content: str, tokens: Sequence[Token]) -> Iterator[InlinePiece]:
    last, end = -1, 0  # of delimiters that stand together all say where the first one is
    for token in tokens:
        if "at" in token.meta:
            where = token.meta["at"]
            yield InlinePiece(token, where, where[0] if where else 0)
            continue
        start = token.meta.get("pos", 0)
        if start == last and token.type != "link_close":
            start = end
        last = token.meta.get("pos", 0)
        where = [*_places(content, token, start)]
        end = where[-1] + 1 if where else start + len(token.markup) * (token.tag != "a")
        yield InlinePiece(token, where, start)


def _places(content: str, token: Token, start: int) -> Iterator[int]:
    """Where the characters of a token are that begins there."""
    most = max(len(content) - 1, 0)
    size = len(token.content)
    if token.type == "text_special":
        if token.info == "escape":
            start += len(token.markup) - size
        else:  # an entity: all of what it stands for is where it is
            yield from [min(start, most)] * size
            return
    elif token.type == "code_inline":
        start += len(token.markup)
        written = content[start : start + size].replace("\n", " ")
        start += written != token.content  # a blank at either end is not seen
    elif token.type == "text" and content.startswith("<", start) and token.content != "<":
        start += 1  # of an address in brackets
    yield from (min(start + n, most) for n in range(size))
