"""Every statement has the same addresses before and after a report takes the standard form."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deepassay.reports.listing import page_of
from deepassay.reports.numbering import standard
from deepassay.reports.report import Report
from tests.reports.published import published
from tests.reports.test_properties import TEXTS

A, B, C, D = (f"https://{name}.example/{name}" for name in "abcd")


def sources(text):
    """The pages of every statement that cites, in order, each neighbour once."""
    found = []
    for each in Report(text).statements:
        pages = frozenset(map(page_of, each.urls))
        if pages:
            found.append(pages)
    return found


TITLES = "[1] Alpha\n[2] Beta\n[3] Gamma\n[4] Delta\n"
ADDRESSES = f"[1] {A}\n[2] {B}\n[3] {C}\n[4] {D}\n"
BODY = "Tides rise [2]. Winds turn [4][1]. Ice melts [3].\n\n"
HARD = {
    "titles in one list, addresses in another": (
        f"{BODY}## References\n\n{TITLES}\n## Sources\n\n{ADDRESSES}"
    ),
    "addresses first": f"{BODY}## References\n\n{ADDRESSES}\n## Sources\n\n{TITLES}",
    "a number of two pages leads to none": (
        f"Tides rise [1]. Winds turn ([b]({B})). Ice melts ([c]({C})).\n\n"
        f"## References\n\n[1] One: {A}\n\n## Sources\n\n[1] Another: {D}\n"
    ),
    "a number without an entry": (
        f"Tides rise [1]. Winds turn ([b]({B})). Ice melts ([c]({C})). Or not [3].\n\n"
        f"## References\n\n[3] Gamma: {D}\n"
    ),
    "numbered remarks": f"It rose ([a]({A})). It fell [1] or ([b]({B})).\n\n## Notes\n\n1. So\n",
    "remarks with a DOI": (
        f"It rose ([a]({A})). It fell ([b]({B})).\n\n"
        "## Notes\n\n1. doi: 10.1000/one\n2. doi: 10.1000/two\n"
    ),
    "a link that ends a paragraph": f"Aa bb cc. For more see [the report]({A}).",
    "a link in bold that ends it": f"Aa bb cc. For more see **[the report]({A})**.",
    "an address that ends it": f"Aa bb cc. Visit {A}.",
    "a marker inside the last sentence": f"Aa bb. It is [1] that is.\n\n## Sources\n[1] T: {A}\n",
    "a link that opens a sentence": f"Aa bb. [The report]({A}) says so.",
    "a link that opens a line": f"Aa bb.\n[The report]({A}).",
    "after a quotation": f"Aa put it: *“So is it.”* ([a]({A})) These agents act. They do.",
    "after an abbreviation": f"Aa bb. It did ([a]({A})), or more (boats, etc.). China has. So.",
    "one entry without a heading": f"Good [1].\n\n[1] T: {A}\n",
    "an author and year that are words": (
        f"Boats (Lee et al., 2017) float. They sink ([a]({A})). They burn ([b]({B}))."
    ),
    "cells": (
        f"| a | b |\n|---|---|\n| x rises a lot, as one sees | ([b]({B})) |\n| y [n]({A}) | z |\n"
    ),
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
def test_no_statement_changes_its_source(text):
    done = standard(text).text
    assert sources(text)
    assert sources(done) == sources(text)
    assert standard(done).text == done


def test_no_number_of_a_single_entry_is_invented():
    done = standard(f"Good [1].\n\n[1] T: {A}\n")
    assert done.text == f"Good [1].\n\n## References\n\n[1] T: {A}\n"


@given(TEXTS)
@settings(deadline=None, max_examples=60)
@example(HARD["titles in one list, addresses in another"])
def test_no_statement_of_any_text_changes_its_source(text):
    assert sources(standard(text).text) == sources(text)


CITED = st.sampled_from(
    [
        "[1]",
        "[2]",
        "[3][1]",
        f"([a]({A}))",
        f"[the words]({B})",
        f"visit {C}",
        "[^1]",
        "(Lee, 2020)",
    ]
)
LINES = [
    *(
        "## References\n\n",
        "## Sources\n\n",
        "## Notes\n\n",
        "A remark on them.\n",
        "1. A remark\n",
    ),
    *("[1] Alpha\n", f"[1] Alpha: {A}\n", f"[2] {B}\n", "[2] Beta\n", f"[3] {D}\n", "[3] Gamma\n"),
    *(f"[^1]: {C}\n\n", f"[4] {A}\n", "[1]. Lee, A. (2020). Boats\n", f"[2] [3] [4] {C}\n"),
]
LISTS = st.lists(st.sampled_from(LINES), max_size=8).map("".join)
SENTENCES = st.lists(
    st.tuples(st.sampled_from(["Tides rise", "It is so", "He said “so.”"]), CITED).map(" ".join),
    min_size=1,
    max_size=5,
).map(lambda parts: ". ".join(["Aa bb cc", *parts]) + ".\n\n")


@given(SENTENCES, LISTS, LISTS)
@settings(deadline=None, max_examples=60)
def test_two_lists_of_any_kind_change_no_source(body, first, second):
    text = f"{body}{first}\n{second}"
    assert sources(standard(text).text) == sources(text)


LEFT = 62
"""Where the only report stands whose statements would come to lead to other pages."""


def test_no_statement_of_a_published_report_changes_its_source(shared):
    """Every third of them, which are some of every system: a whole one is read four times.

    Each run takes others, as Hypothesis does, and the one that has to be left as it is.
    """
    whole = [*published(shared)]
    few = [*whole[random.randrange(3) :: 3], whole[LEFT]]
    changed = [name for name, text in few if sources(standard(text).text) != sources(text)]
    assert changed == []
