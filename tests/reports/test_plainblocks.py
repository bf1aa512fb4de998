"""The short cut through plain Markdown reads what the parser of all of CommonMark reads."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.reports.markdown import parsed_blocks, read_blocks
from deepassay.reports.plainblocks import plain_blocks
from deepassay.reports.spans import Lines
from tests.growth import assert_linear, repeated
from tests.reports.fixture_files import cases

PIECES = [
    *("\n", "\n", "\n\n", "\n\n  ", "\n\n    ", " ", "   ", "     ", "\t", "\r\n", "\n> ", "\n- "),
    *("- ", "* ", "+ ", "-\n", "  - ", "    - ", "1. ", "2. ", "1) ", "01. ", "   1. ", "1990. "),
    *("123456789. ", "1234567890. ", "> ", ">", "# ", "###### ", "####### ", "#", "<div>", "</b>"),
    *("---", "***", "- - -", "* * *", "___", "===", "--", "-", "```", "````", "~~~", "``` [3]\n"),
    *("| a | b |\n", "|---|---|\n", "|---|\n", "a | b\n", "--- | ---\n", ":-:", "|", "\\|", "`|`"),
    *("a", "b [1]", "**B** ", "word. ", "`", "中文", "\u00a0", "\u3000", "\x0b", "\x85", "\u2028"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)

WORDS = st.sampled_from(["Words", "**Bold** words [1]", "(a) b", "https://a.example/-", "中文。"])
LEAVES = st.one_of(
    WORDS,
    WORDS.map("## {}".format),
    st.lists(WORDS, min_size=2, max_size=3).map("\n".join),
    WORDS.map("| A | B |\n|---|:-:|\n| {} |\n| c | `d|e` | f |".format),
    st.just("---"),
)


SECTIONS = st.lists(
    st.lists(
        st.sampled_from([*PIECES, "- " * 12, "  " * 8 + "- ", "\n|a|\n|-|\n2. b", "\n=\n"]),
        max_size=5,
    ).map("".join),
    min_size=2,
    max_size=6,
).map("\n# A\n".join)


def parsed(text):
    """The blocks of all lines, by the parser."""
    return tuple(parsed_blocks(Lines(text), 0, len(text) + 1))


class Left(Exception):
    """Lines are left to the parser."""


def left(first, after):
    raise Left


def plainly(text):
    """The blocks of a text, or None if a part of it is left to the parser."""
    try:
        return plain_blocks(text, left)
    except Left:
        return None


def left_of(text):
    """The lines of a text that are left to the parser."""
    asked = []
    plain_blocks(text, lambda first, after: asked.append((first, after)) or [])
    return asked


def set_in(text, first, other):
    """A text with marks before its lines: of an item, of a quotation."""
    lines = text.split("\n")
    return "\n".join([first + lines[0], *((other + line if line else "") for line in lines[1:])])


def containers(inner):
    """Quotations, and lists whose items begin with a paragraph."""
    items = st.tuples(WORDS, st.lists(inner, max_size=2)).map(lambda item: [item[0], *item[1]])
    bullets = items.map(lambda item: set_in("\n\n".join(item), "- ", "  "))
    numbers = items.map(lambda item: set_in("\n\n".join(item), "1. ", "   "))
    return st.one_of(
        st.lists(bullets, min_size=1, max_size=3).map("\n".join),
        st.lists(numbers, min_size=1, max_size=3).map("\n".join),
    )


REPORTS = st.lists(st.recursive(LEAVES, containers, max_leaves=6), max_size=6).map("\n\n".join)


@given(TEXTS)
@settings(deadline=None, max_examples=1500)
def test_a_text_of_any_pieces_is_read_as_by_the_parser_or_left_to_it(text):
    assert plainly(text) in (None, parsed(text))


@given(SECTIONS)
@settings(deadline=None, max_examples=1500)
def test_sections_left_to_the_parser_are_read_as_in_the_entire_text(text):
    assert read_blocks(text) == parsed(text)


@given(REPORTS)
@settings(deadline=None, max_examples=200)
def test_plain_reports_are_read_as_by_the_parser(text):
    assert plainly(text) == parsed(text)


@given(REPORTS)
@settings(deadline=None, max_examples=50)
def test_plain_reports_in_quotations_and_after_fences_are_too(text):
    quoted = "```\ncode\n\n> [1]\n```\n" + set_in(text.replace("\n\n", "\n \n"), "> ", "> ")
    assert plainly(quoted) == parsed(quoted)


@pytest.mark.parametrize(("text", "expected"), cases("blocks"))
def test_fixtures_are_read_as_by_the_parser_or_left_to_it(text, expected):
    assert plainly(text) in (None, parsed(text))


@pytest.mark.parametrize(
    "text",
    [
        *("a\tb", "a\r\nb", "    code", "- a\n\n      code", "a\n===", "a\n---", "<div>", "a\n<b>"),
        *("> a\nlazy", " > a", "- a\n  > b", "- > a", "```\nopen", "- a\n  ```\n  b\n  ```"),
        *("-", "1.\n\na", "- - a", "- # a", "-      a", "```\n```\n``` [3]", "~~~ `\n~~~"),
        *("# a | b\n|---|---|", "- a | b\n|---|---|", "- a\na | b\n|---|---|", "|a|\n|-|\n- b"),
        *("- a\n  - b\n    - c\n      - d\n        - e", "> > > > > a", "1000. a\n\n    b\n\n- c"),
    ],
)
def test_what_is_not_plain_is_left_to_the_parser(text):
    assert plainly(text) is None
    assert read_blocks(text) == parsed(text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# a\n\nb\n\n## c\n\n> d\nlazy\n\n# e\n\nf", [(4, 9)]),
        ("- - a\n\n# b\n\nc", [(0, 2)]),
        ("# a\n- - b\n# c\n\nd\n# e\n- > f\n", [(0, 2), (5, 8)]),
        ("# a\n\n- b\n  # c\n\n  - - d\n\n# e", [(0, 7)]),
    ],
)
def test_only_the_section_that_is_not_plain_is_left_to_the_parser(text, lines):
    assert left_of(text) == lines
    assert read_blocks(text) == parsed(text)


@pytest.mark.parametrize(
    "odd",
    ["- a\n  ```\n  b\n", "~~~ `\n~~~", "<div>\n", "<!-- a", "- - " * 6 + "a", "- > " * 7 + "a"],
)
def test_all_after_what_may_go_on_past_a_heading_is_left_to_the_parser(odd):
    text = f"# a\n\n{odd}\n# b\n\nc\n"
    assert left_of(text) == [(0, text.count("\n") + 1)]
    assert read_blocks(text) == parsed(text)


@pytest.mark.parametrize("item", ["-", "2. d"])
def test_all_is_left_to_the_parser_where_a_table_stands_in_such_a_section(item):
    text = f"a\n\n# b\n\n|c|\n|-|\n|d|\n{item}\n\n# e\n\nf\n===\n"
    assert left_of(text)[-1] == (0, text.count("\n") + 1)
    assert read_blocks(text) == parsed(text)


def test_a_lone_angle_bracket_is_plain():
    text = "- <60\n- a\n  <中\n\n<5 a\nb <c> d"
    assert plainly(text) == parsed(text)


def test_sections_left_to_the_parser_take_linear_time():
    assert_linear(read_blocks, repeated("# a\n\n- - b\n\n"), 100_000)


def test_published_reports_are_plain_but_for_a_few_and_read_as_by_the_parser(shared):
    texts = [path.read_text(encoding="utf-8") for path in shared.glob("data/live/reports/*.md")]
    for path in shared.glob("data/bench/reports/*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines()
        texts += [json.loads(line)["article"] for line in lines]
    read = [plainly(text) for text in texts]
    assert len(texts) == 190
    assert sum(blocks is None for blocks in read) <= 6
    for text, blocks in zip(texts, read, strict=True):
        assert blocks in (None, parsed(text))
