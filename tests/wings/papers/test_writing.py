"""Tables of papers in every format: within 80 columns, within a page, escaped."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.results.tables import Table, width
from deepassay.wings.papers.writing import fitted_table, write_tables
from tests.results.test_latex import balanced, left_over

WIDE = Table.listed(
    "A title",
    ("Agent Name", *(f"Column number {n}" for n in range(14))),
    [("heron", *["100.00**"] * 14), ("苍鹭" * 30, *["1.00  "] * 14)],
    ("A note that is longer than the eighty columns of a terminal, and has to be wrapped there.",),
)


def test_a_wide_table_is_parted_into_blocks_that_repeat_the_names():
    lines = fitted_table(WIDE).split("\n")
    assert max(map(width, lines)) <= 80
    assert sum(line.startswith("heron") for line in lines) > 1
    assert "".join(lines).count("100.00**") == 14


def test_a_section_reaches_beyond_its_column():
    rows = [("A family with a name that is rather long", ""), ("heron", "50.00")]
    assert fitted_table(Table.listed("t", ("Model", "Overall"), rows)).split("\n")[2:] == [
        "Model  Overall",
        "─────  ───────",
        "A family with a name that is rather long",
        "heron    50.00",
    ]


words = st.text(st.sampled_from("ab c苍·é-"), max_size=60)
cells = st.from_regex(r"\d{1,3}\.\d\d(\*\*|\* |  )", fullmatch=True)


@given(st.lists(words, min_size=1, max_size=12), st.data())
def test_no_line_is_wider_than_a_terminal(heads, data):
    rows = data.draw(st.lists(st.tuples(words, *[cells] * len(heads)), min_size=1, max_size=4))
    text = fitted_table(Table.listed("title", ("name", *heads), rows))
    table = [line for line in text.split("\n") if line]
    longest = max((width(each) for head in heads for each in head.split()), default=0)
    assert max(map(width, table)) <= max(80, 40 + 2 + max(longest, 8))


def test_latex_shrinks_what_is_wider_than_the_page_and_marks_the_best():
    table = Table.listed(
        "50 % & more", ("Model_1", "C. Acc."), [("a#b", "93.68**"), ("c", "1.00* ")]
    )
    latex = write_tables([table], "latex")
    assert r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%" in latex
    assert r"\textbf{93.68}" in latex
    assert r"\underline{1.00}" in latex
    assert r"a\#b" in latex
    assert balanced(latex)
    assert r"\usepackage{booktabs,graphicx}" in latex


def test_csv_and_json_hold_the_cells():
    table = Table.listed("t", ("Model", "Overall"), [("heron", "50.00**"), ("wren", "40.00  ")])
    assert list(csv.DictReader(io.StringIO(write_tables([table], "csv")))) == [
        {"Model": "heron", "Overall": "50.00**"},
        {"Model": "wren", "Overall": "40.00"},
    ]
    (told,) = json.loads(write_tables([table], "json"))
    assert told["rows"] == [["heron", "50.00**"], ["wren", "40.00"]]
    with pytest.raises(BadSetting, match="2 tables"):
        write_tables([table, table], "csv")


def test_no_command_of_latex_comes_from_a_name():
    table = Table.listed("t", ("Model", "n"), [(r"\input{x}", "1")])
    assert r"\input" not in left_over(write_tables([table], "latex"))
