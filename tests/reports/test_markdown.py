"""Blocks of Markdown with their exact spans."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.reports.markdown import TableBlock, read_blocks
from deepassay.reports.report import Report
from deepassay.reports.spans import Lines, Span
from tests.growth import assert_linear, repeated
from tests.reports.fixture_files import cases

PIECES = [
    *("\n", "\n", "\n\n", "\n\n  ", "\n\n    ", " ", "   ", "     ", "\t", "\r\n", "\n> ", "\n- "),
    *("- ", "* ", "+ ", "-\n", "  - ", "    - ", "1. ", "2. ", "1) ", "01. ", "   1. ", "1990. "),
    *("123456789. ", "1234567890. ", "> ", ">", "# ", "###### ", "####### ", "#", "<div>", "</b>"),
    *("---", "***", "- - -", "* * *", "___", "===", "--", "-", "```", "````", "~~~", "``` [3]\n"),
    *("| a | b |\n", "|---|---|\n", "|---|\n", "a | b\n", "--- | ---\n", ":-:", "|", "\\|", "`|`"),
    *("a", "b [1]", "**B** ", "word. ", "`", "中文", "\u00a0", "\u3000", "\x0b", "\x85", "\u2028"),
    *("\n|a|\n|-|\n2. b", "\n=\n", "\n# A\n", "[1]: https://a.example"),
]
# Numbers of list items that hold nothing stand in no block.
MARKS = dict.fromkeys(map(ord, "0123456789"))
# Few enough to stand in fewer than ten lists: deeper ones are not read.
TEXTS = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)


def written(text, block):
    """A block, and the cells of a table, as the fixtures write them."""
    words = re.sub(r"\r\n|\r|\n", "⏎", block.span.of(text))
    yield f"{block.kind} {block.depth} {'item ' if block.item else ''}{words}"
    if isinstance(block, TableBlock):
        for row in (block.header, *block.rows):
            yield "  " + ", ".join(cell.of(text) for cell in row)


@pytest.mark.parametrize(("text", "expected"), cases("blocks"))
def test_blocks_are_what_the_fixture_says(text, expected):
    found = [line for block in read_blocks(text) for line in written(text, block)]
    assert "\n".join(found) == expected


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_give_the_same_blocks(end):
    text = "# A\n\n- b\n\n| c | d |\n|---|---|\n| 1 | 2 |\n\n> e\n"
    twin = text.replace("\n", end)
    plain = [line for block in read_blocks(text) for line in written(text, block)]
    other = [line for block in read_blocks(twin) for line in written(twin, block)]
    assert other == plain


@pytest.mark.parametrize("text", ["", "\n", "\x00", "\ufeff# A", "\ud800", "a\u2028b\x85c", "\t\t"])
def test_odd_texts_are_read(text):
    assert all(Span(0, len(text)).holds(block.span) for block in read_blocks(text))


def test_headings_know_their_level():
    assert [block.level for block in read_blocks("# a\n\n### b\n\nc\n=\n")] == [1, 3, 1]


def test_lines_and_columns_count_from_one():
    lines = Lines("ab\r\nc\rd\n")
    assert [lines.place(at) for at in (0, 1, 4, 6, 8)] == [(1, 1), (1, 2), (2, 1), (3, 1), (4, 1)]
    assert lines.span(0, 1) == Span(0, 2)
    assert lines.span(0, 3) == Span(0, 7)


@given(TEXTS)
@settings(deadline=None, max_examples=60)
def test_blocks_stand_in_order_and_hold_every_word_once(text):
    end = 0
    for block in read_blocks(text):
        assert end <= block.span.start <= block.span.end <= len(text)
        assert not re.search(r"\w", text[end : block.span.start].translate(MARKS))
        end = block.span.end
    assert not re.search(r"\w", text[end:].translate(MARKS))


@pytest.mark.parametrize(
    "piece", ["# a\n\n- - b\n\n", "a\n=\n", "> - ", "1. ", "| a\n|-\n", "<div>\n", "a\n> ", "\t"]
)
def test_blocks_are_read_in_linear_time(piece):
    assert_linear(read_blocks, repeated(piece), 20_000)


def test_words_in_more_lists_and_quotations_than_the_parser_follows_are_paragraphs():
    deep = ">" * 25 + " Deep [1](https://a.example/1).\n\n"
    nested = "".join(f"{'  ' * depth}- item {depth}\n" for depth in range(30))
    report = Report(deep + nested + "\nEnd.\n")
    assert [each.text for each in report.statements] == [
        *("Deep.", *(f"item {depth}" for depth in range(30))),
        "End.",
    ]
    assert [each.url for each in report.citations] == ["https://a.example/1"]
