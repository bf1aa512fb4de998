"""The short cut through plain Markdown reads what the parser of all of CommonMark reads."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.reports.markdown import parsed_blocks, read_blocks
from deepassay.reports.plainblocks import plain_blocks
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
    assert plain_blocks(text) in (None, parsed_blocks(text))


@given(REPORTS)
@settings(deadline=None, max_examples=200)
def test_plain_reports_are_read_as_by_the_parser(text):
    assert plain_blocks(text) == parsed_blocks(text)


@given(REPORTS)
@settings(deadline=None, max_examples=50)
def test_plain_reports_in_quotations_and_after_fences_are_too(text):
    quoted = "```\ncode\n\n> [1]\n```\n" + set_in(text.replace("\n\n", "\n \n"), "> ", "> ")
    assert plain_blocks(quoted) == parsed_blocks(quoted)


@pytest.mark.parametrize(("text", "expected"), cases("blocks"))
def test_fixtures_are_read_as_by_the_parser_or_left_to_it(text, expected):
    assert plain_blocks(text) in (None, parsed_blocks(text))


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
    assert plain_blocks(text) is None
    assert read_blocks(text) == parsed_blocks(text)


def test_published_reports_are_plain_but_for_a_few_and_read_as_by_the_parser(shared):
    texts = [path.read_text(encoding="utf-8") for path in shared.glob("data/live/reports/*.md")]
    for path in shared.glob("data/bench/reports/*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines()
        texts += [json.loads(line)["article"] for line in lines]
    read = [plain_blocks(text) for text in texts]
    assert len(texts) == 190
    assert sum(blocks is None for blocks in read) <= 6
    for text, blocks in zip(texts, read, strict=True):
        assert blocks in (None, parsed_blocks(text))
