"""Cleaning removes citations and reference lists and changes nothing else."""

import pytest

from deepassay.reports.clean import clean
from tests.reports.fixture_files import cases


@pytest.mark.parametrize(("text", "expected"), cases("clean"))
def test_what_is_left_is_what_the_fixture_says(text, expected):
    assert clean(text) == expected
    assert clean(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("put[ting] it[]", "rate(x[5m])", "\\[\nx = 1\n\\]", "5 m² and 10³", "(in 2020, or so)"),
        *("# A\n\n| a |\n|---|\n| b |\n\n---\n\na <5", "The sources of a river\n\n(1) a\n(2) b"),
        *("1. Lee, A. (2020)\n2. Roe, B. (2021)", "(Lee, 2020)", "`a`\n\n```\ncode\n```", "", "\n"),
    ],
)
def test_what_holds_no_citation_and_no_list_stays_as_it_is(text):
    assert clean(text) == text
