"""What the library returns: rows that read well in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from deepassay.errors import MissingExtra
from deepassay.results.tables import Row, Table, as_text, printable

if TYPE_CHECKING:
    import pandas

SHOWN: Final = 20
"""Rows of a long table that are shown."""


class View(Sequence[Row]):
    """Rows, each a mapping from column to value, with tables for people.

    rows: numbers unrounded. tables: what is shown of them. text: what a terminal shows in their
    place, if anything.
    """

    def __init__(self, rows: Sequence[Row], tables: Sequence[Table], text: str = "") -> None:
        self.rows = list(rows)
        self.tables = list(tables)
        self.text = text

    def __getitem__(self, which: Any) -> Any:  # noqa: ANN401 - a row, or a list of them
        return self.rows[which]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return self.text.rstrip() or "\n\n".join(map(as_text, self.tables)) or "nothing"

    def _repr_html_(self) -> str:
        return "\n".join(map(_as_html, self.tables))

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a data frame. Raises MissingExtra where pandas is not installed."""
        return frame(self.rows)


class Text:
    """A text that is shown as it is: `str(text)` gives it."""

    def __init__(self, text: str, rows: Sequence[Row] = ()) -> None:
        self.text = text
        self.rows = list(rows)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"

    def to_pandas(self) -> pandas.DataFrame:
        """The evidence, a row for each item. Raises MissingExtra where pandas is missing."""
        return frame(self.rows)


class Picture:
    """A figure that a notebook shows by itself. svg, png: the whole file."""

    def __init__(self, title: str, caption: str, svg: str, png: bytes) -> None:
        self.title = title
        self.caption = caption
        self.svg = svg
        self.png = png

    def __repr__(self) -> str:
        return f"{self.title}. {self.caption}"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_png_(self) -> bytes:
        return self.png


def frame(rows: Sequence[Row]) -> pandas.DataFrame:
    """The rows as a pandas data frame. Raises MissingExtra where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("A data frame", "pandas") from None
    return pandas.DataFrame.from_records([dict(row) for row in rows])


def table_of_rows(title: str, rows: Sequence[Row], columns: Sequence[str]) -> Table:
    """The first rows as a table, and how many more there are."""
    more = len(rows) - SHOWN
    return Table(
        title,
        tuple(columns),
        tuple(tuple(_cell(row.get(name)) for name in columns) for row in rows[:SHOWN]),
        (f"and {more} more rows: .rows has all of them",) if more > 0 else (),
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _as_html(table: Table) -> str:
    """A table for a notebook. Names are untrusted, so all of it is escaped."""
    head = "".join(f"<th>{_safe(each)}</th>" for each in table.head)
    return (
        f"<p><b>{_safe(table.title)}</b></p>"
        + "".join(f"<p>{_safe(notice)}</p>" for notice in table.above)
        + f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(_rows(table))}</tbody></table>"
        + "".join(f"<p><small>{_safe(note)}</small></p>" for note in table.notes)
    )


def _rows(table: Table) -> Iterator[str]:
    for row in table.rows:
        cells = (
            f'<td style="text-align:{"right" if number in table.numeric else "left"}">'
            f"{_safe(cell)}</td>"
            for number, cell in enumerate(row)
        )
        yield f"<tr>{''.join(cells)}</tr>"


def _safe(text: str) -> str:
    return escape(printable(text))


def causes_by_number(causes: Mapping[str, int]) -> str:
    """Causes with their numbers, in the order of names: `2 timeout, 1 budget`."""
    return ", ".join(f"{count} {cause}" for cause, count in sorted(causes.items()))
