"""Reading and cleaning take time in proportion to the text, whatever the text is."""

import pytest

from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from tests.growth import assert_linear, repeated

LONG = 1 << 16
REPEATED = {
    "links": "[a](http://b.c) ",
    "open links": "[a](",
    "open images": "![a",
    "superscript tags": "<sup>",
    "anchors": '<a href="x">',
    "addresses": "https://a.b/(",
    "addresses in brackets": "(http://a)",
    "lenticular brackets": "【1†",
    "author and year": "(Smith & ",
    "letters after brackets": "(n. 2 19",
    "years before brackets": "et al. 2020a)",
    "long ranges": "[1-99] ",
    "entries": "[1] T: https://a.b/c\n",
    "headings of lists": "# Sources\n",
    "plain headings of lists": "Sources:\n",
    "definitions": "[^1]: x\n",
    "list items": "- [1] x\n",
    "items of HTML": "<li>x https://a.b/c</li>",
    "single dollars": "$x ",
    "ranges": "[1]–[3]-",
    "carets": "^[1]^",
    "addresses between commas": "https://a.b/c,",
    "mind maps": "```mindmap\n a [1]\n```\n",
    "numbers without raising": "Fast.1 1. a https://a.b\n",
    "deep lists": " > -",
    "words of a page in an address": "([a](http://b.c#:~:text=d (",
    "half escaped labels": "[[1\\] a",
    "linked entries": "[1\\. a](",
    "raised digits": "(a)²",
    "addresses behind links": "[a](http://b.c)(http://b.c)",
    "rows": "| a | [1](http://a.b) |\n",
    "tables": "|a|\n|-|\n",
    "markers": "[1] ",
    "nested brackets": "[[1]]",
    "Chinese sentences": "中文[1]。",
    "formulas": "\\(",
    "emphasis": "**[1]** ",
    "hard breaks": "a  \n",
    "abbreviations": "e.g. ",
}


def read_and_clean(text):
    report = Report(text)
    assert report.statements is not None
    clean(report)


def wide_table(size):
    cells = size // 6
    return f"|{'a|' * cells}\n|{'-|' * cells}\n|{'b|' * cells}"


def ticks(size):
    """Runs of backticks, each of another length, so that none closes another."""
    return " ".join("`" * count for count in range(1, int((2 * size) ** 0.5)))


LARGE = {
    "brackets": repeated("["),
    "pipes": repeated("|"),
    "quotation marks": repeated(">"),
    "stars": repeated("*"),
    "hyphens": repeated("- "),
    "backticks": repeated("`"),
    "full stops": repeated("."),
    "words": repeated("word "),
    "wide table": wide_table,
    "runs of backticks": ticks,
}


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE)
def test_a_long_report_of_one_thing_is_read_in_linear_time(make):
    assert_linear(read_and_clean, make, LONG, most=2.0)


@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED)
def test_reports_of_one_thing_repeated_are_read_in_linear_time(piece):
    assert_linear(read_and_clean, repeated(piece), 20_000)


def test_one_long_line_of_numbers_that_lost_their_raising_is_read_in_linear_time():
    entries = "1. a https://a.b\n2. b https://b.c\n\n"
    assert_linear(read_and_clean, lambda size: entries + "Fast.1 So.2 " * (size // 12), 1 << 15)
