"""The kit of tables: columns to cells, and cells to numbers."""

import csv
import io
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.tables import (
    NONE,
    Table,
    as_csv,
    decimals,
    ends_of,
    guarded,
    of_label,
    printable,
    scored_of,
    tables_as_text,
    typed,
    unguarded,
)
from deepassay.results.wrapped_tables import written_narrow

ACTIVE = tuple("=+-@＝＋－＠\t\r\n")
CELLS = st.text(st.sampled_from("=+-@＝＋－＠\t\r\n'\"1., aß中")) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0")
)


def test_a_table_is_made_of_columns_and_values():
    columns = [("word", str), ("double", lambda each: str(2 * each)), ("note", lambda _: "x")]
    table = Table.of("Numbers", columns, [1, 20], ("A note.",), words=(0, 2))
    assert table.head == ("word", "double", "note")
    assert table.rows == (("1", "2", "x"), ("20", "40", "x"))
    assert (table.numeric, table.notes) == ({1}, ("A note.",))


def test_a_table_without_columns_is_its_texts():
    empty = [Table("Nothing", (), (), ("because",), above=("first",)), Table("Nor here", (), ())]
    assert tables_as_text(empty, "text") == "Nothing\n\nfirst\n\nbecause\n\nNor here\n"
    assert tables_as_text(empty, "markdown") == (
        "### Nothing\n\n- first\n\n- because\n\n### Nor here\n"
    )
    assert written_narrow(empty, "text") == "Nothing\n\nfirst\n\nbecause\n\nNor here\n"


def test_a_shell_reads_a_typed_name_back_whatever_is_in_it():
    names = [
        "heron",
        "deep research",
        "it's",
        "\x1b[31mred\x1b[0m",
        "a\u202eb'\\n1",
        "l\nl",
        "研究 \x07",
    ]
    words = [typed(name) for name in names]
    assert [printable(word) for word in words] == words
    assert words[:2] == ["heron", "'deep research'"]
    said = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {' '.join(words)}"], capture_output=True, check=True
    )
    assert said.stdout.decode().split("\0")[:-1] == names


def test_cells_have_the_digits_of_their_range_and_a_dash_for_nothing():
    assert (decimals(None, 3), decimals(0.12345, 3)) == (NONE, "0.123")
    assert ends_of((0.1, 0.25), (0.0, 1.0)) == "0.1000 to 0.2500"
    assert ends_of((10.0, 25.0), (0.0, 100.0)) == "10.0 to 25.0"
    assert ends_of(None, None) == NONE
    assert scored_of((5, 6)) == "5/6"
    assert (of_label(("topic", "law")), of_label(None)) == (", topic: law", "")


@settings(deadline=None, max_examples=100)
@given(CELLS)
def test_a_cell_of_csv_is_no_formula_and_is_read_back_as_it_was(cell):
    (row,) = csv.DictReader(io.StringIO(as_csv([{"n": 1, "text": cell}]), newline=""))
    written = row["text"]
    assert not written.startswith(ACTIVE) or float(written) is not None
    assert unguarded(written) == cell


@pytest.mark.parametrize("number", [-1.5, 0, True, None, "-1.5", "+2", "-1e-05"])
def test_numbers_stay_numbers(number):
    assert guarded(number) == number


def test_a_column_that_is_named_like_a_formula_is_none():
    assert as_csv([{"=1+1": "@x"}]) == "'=1+1\n'@x\n"


def test_csv_of_some_columns_goes_on_with_a_file_that_has_its_header():
    rows = [{"a": 1, "b": None}, {"b": "x", "c": 2}]
    assert as_csv(rows) == "a,b,c\n1,,\n,x,2\n"
    assert as_csv(rows, ["c", "b"], header=False, line_end="\r\n") == ",\r\n2,x\r\n"
