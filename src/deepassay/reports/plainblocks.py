"""The blocks of plain Markdown, line by line: a short cut through what most reports are.

Plain are headings with `#`, rules, paragraphs, nested lists and tables, and, outside lists, fences
and quotations. A section that holds anything else is left to the parser of `markdown`, which
takes several times as long; what is read here reads the same there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from deepassay.reports.blocks import Block, Table
from deepassay.reports.spans import Span, starts_of
from deepassay.reports.tables import cells, is_delimiter_row

# What a line begins with that may be more than a line of a paragraph or table.
_MARKS = frozenset("#<>-+*_=`~0123456789")
_MARKED = re.compile(
    r"(?P<heading>#{1,6})(?: |\Z)"
    r"|(?P<rule>([-*_])(?: *+\3){2,}+ *+\Z)"
    r"|(?P<item>[-+*]|[0-9]{1,9}[.)])(?: ++|\Z)"
    r"|(?P<underline>(?:-++|=++) *+\Z)"
    r"|(?P<fence>`{3,}+|~{3,}+)"
    r"|(?P<quotation>>)"
    r"|(?P<tag><[A-Za-z!?/])"
)
# A heading that ends whatever is open above it, unless that is one of what stands in `_REACHES`:
# a fence, HTML, or lists and quotations so deep that the parser reads no further.
_SECTION = re.compile(r"#{1,6} ")
_REACHES = re.compile(r"```|~~~|<[A-Za-z!?/]|[ >\-+*0-9.)]{20}")
_SHALLOW = 3  # blanks; a line that is set in deeper is code, or goes on with a paragraph
_END_TABLES = frozenset(("heading", "rule"))
_WIDEST_GAP = 4  # blanks between a marker and its words; more make the words code
_DEEPEST = 4  # lists or quotations in each other; beyond some depth the parser reads no further


Parse = Callable[[int, int], Iterable[Block]]


class _NotPlain(Exception):
    """Something that is for the parser to read."""


@dataclass
class _List:
    """An open list. marker: `-`, `.` of `1.` and so on.

    indent: of the block that the list stands in; content: of the blocks of its last item.
    """

    marker: str
    indent: int
    content: int


def plain_blocks(text: str, parse: Parse) -> tuple[Block, ...]:
    """The blocks of a text in reading order.

    parse: gives the blocks of the lines from one up to another; it is asked for those that are
    not plain.
    """
    if "\t" in text or "\r" in text:
        return tuple(parse(0, len(text) + 1))
    lines = text.split("\n")
    reader = _Reader(text, lines, starts_of(lines))
    while True:
        try:
            return tuple(reader.read())
        except _NotPlain:
            reader.leave_section(parse)


class _Reader:
    """Reads lines of a text. lines: without the marks of the quotations that they stand in.

    starts: of the whole lines in the text, and of the line after them.
    """

    def __init__(
        self, text: str, lines: Sequence[str], starts: Sequence[int], quotations: int = 0
    ) -> None:
        self._text = text
        self._lines = lines
        self._starts = starts
        self._quotations = quotations
        self._at = 0
        self._section = 0, 0  # the line it begins on, and how many blocks stand before it
        self._blocks: list[Block] = []
        self._lists: list[_List] = []
        self._inside = 0  # the indent of the blocks of the open list item, if there is one
        self._paragraph: int | None = None  # the line on which the open paragraph begins
        self._item = False  # whether the open paragraph is the first block of an item

    def read(self) -> list[Block]:
        """The blocks of all lines. Raises _NotPlain at a line that is for the parser to read."""
        while self._at < len(self._lines):
            words = self._lines[self._at].lstrip(" ")
            if words:
                self._at = self._line(self._at, words)
            else:
                if self._paragraph is not None:
                    self._close_paragraph(self._paragraph, self._at)
                self._at += 1
        if self._paragraph is not None:
            self._close_paragraph(self._paragraph, self._at)
        return self._blocks

    def leave_section(self, parse: Parse) -> None:
        """Have the section of the line that is not plain parsed, and go on after it."""
        first, before = self._section
        after = self._at + 1
        while after < len(self._lines) and not _SECTION.match(self._lines[after]):
            after += 1
        if any(map(_REACHES.search, self._lines[first:after])):
            after = len(self._lines)
        if any("|" in line for line in self._lines[first:after]):
            # the parser ends a table at a list or not by what it has read before
            first, before, after = 0, 0, len(self._lines)
        self._blocks[before:] = parse(first, after)
        self._at = after
        self._lists.clear()
        self._inside, self._paragraph = 0, None

    def _line(self, at: int, words: str) -> int:
        """Read a line, and all of its block unless that is a paragraph; the line to go on at."""
        indent = len(self._lines[at]) - len(words)
        deeper = indent - self._inside
        paragraph = self._paragraph
        if paragraph is not None and deeper > _SHALLOW:
            return at + 1
        marked = _MARKED.match(words) if words[0] in _MARKS else None
        table = "|" in words and self._heads_table(at, marked)
        if paragraph is not None:
            if not table and (marked is None or _goes_on(words, marked, deeper)):
                return at + 1
            if table and deeper < 0:
                raise _NotPlain
            self._close_paragraph(paragraph, at)
        if deeper < 0:
            self._leave_lists(indent, marked)
            deeper = indent - self._inside
        if deeper > _SHALLOW:
            raise _NotPlain
        if marked is not None:
            return self._begin(at, indent, words, marked)
        if table:
            return self._table(at)
        self._paragraph, self._item = at, False
        return at + 1

    def _begin(self, at: int, indent: int, words: str, marked: re.Match[str]) -> int:
        """Read the block that a mark begins; the line to go on at."""
        match marked.lastgroup:
            case "item":
                self._begin_item(at, indent, words, marked)
            case "heading":
                level = marked.end("heading")
                if indent == 0:  # there a heading ends lists too
                    self._section = at, len(self._blocks)
                self._blocks.append(Block("heading", self._span(at, at + 1), level, self._depth))
            case "rule":
                self._blocks.append(Block("rule", self._span(at, at + 1), 0, self._depth))
            case "fence" if self._depth == 0:
                return self._fence(at, words, marked["fence"])
            case "quotation" if not self._lists:
                return self._quotation(at)
            case _:
                raise _NotPlain
        return at + 1

    def _begin_item(self, at: int, indent: int, words: str, marked: re.Match[str]) -> None:
        """Open an item that begins with a paragraph, and its list if it is the first."""
        end = marked.end()
        if end == len(words) or end - marked.end("item") > _WIDEST_GAP:
            raise _NotPlain
        if words[end] in _MARKS and _MARKED.match(words, end):
            raise _NotPlain
        content = indent + end
        if indent < self._inside:
            self._lists[-1].content = content
        else:
            self._lists.append(_List(marked["item"][-1], self._inside, content))
            if len(self._lists) > _DEEPEST:
                raise _NotPlain
        self._inside = content
        self._paragraph, self._item = at, True

    def _leave_lists(self, indent: int, marked: re.Match[str] | None) -> None:
        """Close the lists that a line ends, all but the one of which it begins the next item."""
        marker = marked["item"] if marked else None
        while self._lists and indent < self._lists[-1].content:
            last = self._lists[-1]
            if indent - last.indent > _SHALLOW:
                raise _NotPlain
            if indent >= last.indent and marker and marker[-1] == last.marker:
                return
            self._lists.pop()
            self._inside = last.indent

    def _heads_table(self, at: int, marked: re.Match[str] | None) -> bool:
        """Whether a line with a pipe is the header of a table: below it stands a delimiter row."""
        if at + 1 == len(self._lines):
            return False
        header, below = self._words(at), self._words(at + 1)
        if not is_delimiter_row(below.of(self._text)):
            return False
        if marked is not None:
            raise _NotPlain
        return len(cells(self._text, header)) == len(cells(self._text, below))

    def _table(self, at: int) -> int:
        """Read the table of which the header stands at `at`; the line after it."""
        if not 0 <= self._indent(at + 1) - self._inside <= _SHALLOW:
            raise _NotPlain
        rows = []
        after = at + 2
        while after < len(self._lines):
            words = self._lines[after].lstrip(" ")
            indent = len(self._lines[after]) - len(words)
            if not words or indent < self._inside:
                break
            marked = _MARKED.match(words) if words[0] in _MARKS else None
            if indent - self._inside > _SHALLOW or (marked and marked.lastgroup not in _END_TABLES):
                raise _NotPlain
            if marked:
                break
            rows.append(cells(self._text, self._words(after)))
            after += 1
        header = cells(self._text, self._words(at))
        span = self._span(at, after)
        self._blocks.append(Table("table", span, 0, self._depth, header=header, rows=tuple(rows)))
        return after

    def _fence(self, at: int, words: str, opening: str) -> int:
        """Read the fence that opens at `at`; the line after it."""
        if "`" in words[len(opening) :]:
            raise _NotPlain
        for after in range(at + 1, len(self._lines)):
            words = self._lines[after].strip(" ")
            if words.startswith(("```", "~~~")):
                mere = not words.strip(opening[0]) and len(words) >= len(opening)
                if not mere or self._indent(after) > _SHALLOW:
                    raise _NotPlain
                self._blocks.append(Block("code", self._span(at, after + 1)))
                return after + 1
        raise _NotPlain

    def _quotation(self, at: int) -> int:
        """Read the quotation that begins at `at`; the line after it, which must be blank."""
        lines = []
        after = at
        while after < len(self._lines) and self._lines[after][:1] == ">":
            line = self._lines[after]
            lines.append(line[2:] if line[1:2] == " " else line[1:])
            after += 1
        follows = self._lines[after] if after < len(self._lines) else ""
        if not lines or follows.strip(" ") or self._quotations == _DEEPEST:
            raise _NotPlain
        starts = self._starts[at : after + 1]
        self._blocks += _Reader(self._text, lines, starts, self._quotations + 1).read()
        return after

    def _close_paragraph(self, first: int, after: int) -> None:
        span = Span(self._starts[first], self._starts[after] - 1)
        depth = self._quotations + len(self._lists)
        self._blocks.append(Block("paragraph", span, 0, depth, self._item))
        self._paragraph = None

    @property
    def _depth(self) -> int:
        return self._quotations + len(self._lists)

    def _indent(self, at: int) -> int:
        return len(self._lines[at]) - len(self._lines[at].lstrip(" "))

    def _span(self, first: int, after: int) -> Span:
        return Span(self._starts[first], self._starts[after] - 1)

    def _words(self, at: int) -> Span:
        """A line without its marks of quotation and the blanks that it begins with."""
        end = self._starts[at + 1] - 1
        return Span(end - len(self._lines[at]) + self._indent(at), end)


def _goes_on(words: str, marked: re.Match[str], deeper: int) -> bool:
    """Whether a line with a mark that heads no table goes on with the paragraph above it.

    deeper: its indent less that of the paragraph.
    """
    kind = marked.lastgroup
    if kind == "underline" or (kind == "rule" and not words.strip("- ")):
        raise _NotPlain  # it may make the paragraph a heading
    if kind != "item" or deeper < 0:
        return False
    number = words[: marked.end("item") - 1]  # in the middle of a paragraph only 1 begins a list
    return number.isdecimal() and int(number) != 1
