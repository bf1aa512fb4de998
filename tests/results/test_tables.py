"""The kit of tables: columns to cells, and cells to numbers."""

from deepassay.results.tables import NONE, Table, decimals, ends_of, of_label, scored_of


def test_a_table_is_made_of_columns_and_values():
    columns = [("word", str), ("double", lambda each: str(2 * each)), ("note", lambda _: "x")]
    table = Table.of("Numbers", columns, [1, 20], ("A note.",), words=(0, 2))
    assert table.head == ("word", "double", "note")
    assert table.rows == (("1", "2", "x"), ("20", "40", "x"))
    assert (table.numeric, table.notes) == ({1}, ("A note.",))


def test_cells_have_the_digits_of_their_range_and_a_dash_for_nothing():
    assert (decimals(None, 3), decimals(0.12345, 3)) == (NONE, "0.123")
    assert ends_of((0.1, 0.25), (0.0, 1.0)) == "0.1000 to 0.2500"
    assert ends_of((10.0, 25.0), (0.0, 100.0)) == "10.0 to 25.0"
    assert ends_of(None, None) == NONE
    assert scored_of((5, 6)) == "5/6"
    assert (of_label(("topic", "law")), of_label(None)) == (", topic: law", "")
