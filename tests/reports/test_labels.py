"""What the lines of a report are called, against the same said in plainer and slower words."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deepassay.reports.citations import Labels
from tests.growth import assert_linear, repeated

PIECES = [
    *(
        "Lee",
        "Lee et al.",
        "et al",
        "Lee & Roe",
        "Lee and Roe",
        "X & Y",
        "李明等",
        "等人",
        "and roe",
    ),
    *("2020", "1999", "19", "20", "2", "n.d.", "n.d", "2020a", "2020A", "192020", "２０", "²"),
    *(
        "(",
        ")",
        "（",
        "）",
        ";",
        "；",
        ", ",
        "，",
        ". ",
        " ",
        "\n",
        "\r\n",
        "- ",
        "* ",
        "> ",
        "[1] ",
    ),
    *("1. ", "**", '"', "_", "a" * 45, "&", " & ", " and ", "é", "’s", "-"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
YEAR = re.compile(r"19\d\d|20\d\d|n\.d\.")
NAME = re.compile(
    r"[ \t>]{0,12}(?:[-*+•][ \t]+|\\?\[\d{1,4}\\?\][ \t]*|\d{1,4}[.)][ \t]+)?[*_\[“\"]{0,3}"
    r"([^\W\d_][\w'’\-]*(?: [^\W\d_][\w'’\-]*){0,3})"
)
SEVERAL = re.compile(
    r"(?:\bet al\b|(?<=[^\W\d_]{2} )(?:& [A-Z]\w+|and [A-Z][a-z]+)|等人?[,，])"
    r"[^()（）;；\n]{0,40}?\b(?:19|20)\d\d[a-z]?[)）;；]"
)


def plain_authors(text):
    names = set()
    for line in text.split("\n"):
        year = YEAR.search(line)
        found = NAME.match(line, 0, year.start()) if year else None
        words = found[1].split(" ") if found else []
        names.update(" ".join(words[: count + 1]) for count in range(len(words)))
    return names


@given(TEXTS)
@settings(deadline=None, max_examples=60)
@example("1999) Lee, 2020")
@example("a\nLee and Roe n.d. 2020")
@example("192020) Lee, 2020")
def test_names_stand_before_the_first_year_of_a_line(text):
    assert Labels(text).authors == plain_authors(text)


@given(TEXTS)
@settings(deadline=None, max_examples=60)
@example("Lee et al; 2020)")
@example("Lee & Roe" + "e" * 60 + ", 2020)")
@example("Lee and Roe" + "E" * 39 + ", 2020)")
def test_several_authors_and_a_year_are_seen(text):
    assert Labels(text).author_year == (SEVERAL.search(text) is not None)


@pytest.mark.parametrize(
    "piece", ["2020 ", "Lee & Roe", "and Roe ", "等，", "et al ", "& A", "n.d."]
)
def test_labels_take_linear_time(piece):
    assert_linear(
        lambda text: (Labels(text).authors, Labels(text).author_year), repeated(piece), 100_000
    )
