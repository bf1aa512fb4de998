"""Tables as text, Markdown, LaTeX and CSV; wide characters take two cells."""

from __future__ import annotations

import csv
import re
import shlex
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import SimpleNamespace
from typing import Final, NamedTuple, TypeVar

from deepassay.score import Json

Row = Mapping[str, Json]
"""Values by the names of their columns; a column that is not there is null."""


class ColumnKind(StrEnum):
    """What a column holds; any of them may be null."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"


class Column(NamedTuple):
    """One column. Of kind TIME, values are texts in ISO 8601, in UTC."""

    name: str
    kind: ColumnKind


def columns_of(rows: Sequence[Row], integers: Iterable[str] = ()) -> tuple[Column, ...]:
    """The columns of some rows, by the values in them.

    A column without any value is one of numbers, or of whole numbers if `integers` names it.
    """
    values: dict[str, Json] = {}
    for row in rows:
        for name, value in row.items():
            if values.get(name) is None:
                values[name] = value
    whole = frozenset(integers)
    return tuple(
        Column(name, ColumnKind.INTEGER if name in whole else _kind(value))
        for name, value in values.items()
    )


def _kind(value: Json) -> ColumnKind:
    if isinstance(value, str):
        return ColumnKind.TEXT
    if isinstance(value, bool):
        return ColumnKind.BOOLEAN
    return ColumnKind.INTEGER if isinstance(value, int) else ColumnKind.NUMBER


NONE: Final = "–"
"""What stands where there is no number."""

R = TypeVar("R")


@dataclass(frozen=True)
class Table:
    """A title, column heads, rows of cells, notes below, and above what must be read first.

    Without heads there are no rows, only the texts.
    numeric: columns set flush right. detail: for readers who ask for more than the ranking.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    numeric: frozenset[int] = frozenset()
    detail: bool = False
    above: tuple[str, ...] = ()

    @property
    def told(self) -> dict[str, Json]:
        """The table as it is shown, for programs."""
        return {"title": self.title, "head": self.head, "rows": self.rows, "notes": self.notes}

    @classmethod
    def listed(
        cls,
        title: str,
        head: Sequence[str],
        rows: Iterable[Sequence[str]],
        notes: Sequence[str] = (),
        words: int = 1,
        detail: bool = False,
    ) -> Table:
        """Rows of cells, of which the first `words` are no numbers."""
        numeric = frozenset(range(words, len(head)))
        return cls(title, tuple(head), tuple(map(tuple, rows)), tuple(notes), numeric, detail)

    @classmethod
    def of(
        cls,
        title: str,
        columns: Sequence[tuple[str, Callable[[R], str]]],
        rows: Iterable[R],
        notes: tuple[str, ...] = (),
        words: Collection[int] = (0,),
    ) -> Table:
        """A row of cells for each value. columns: head, and how a cell is made of the value.

        words: the columns that are not numbers.
        """
        cells = ([cell(row) for _, cell in columns] for row in rows)
        table = cls.listed(title, [head for head, _ in columns], cells, notes)
        return replace(table, numeric=frozenset(range(len(columns))).difference(words))


def of_label(label: tuple[str, str] | None) -> str:
    """What a title says of the label by which tasks were picked, as `, topic: law`."""
    return f", {label[0]}: {label[1]}" if label else ""


def decimals(value: float | None, digits: int) -> str:
    """A number with so many decimals."""
    return NONE if value is None else f"{value:.{digits}f}"


def ends_of(interval: tuple[float, float] | None, limits: tuple[float, float] | None) -> str:
    """Both ends of an interval, with the digits that the range asks for."""
    if interval is None:
        return NONE
    return " to ".join(in_range(end, limits) for end in interval)


def low_and_high(name: str, interval: tuple[float, float] | None) -> dict[str, float | None]:
    """Both ends unrounded, under names that begin alike."""
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def cause_counts(causes: Mapping[str, int]) -> str:
    """Causes with their numbers, by name: `budget 1, timeout 2`."""
    return ", ".join(f"{cause} {count}" for cause, count in sorted(causes.items()))


def several(count: int, what: str) -> str:
    """A number with its noun, which takes an s but for one: `1 task`, `2 tasks`."""
    return f"{count} {what}{'s' * (count != 1)}"


def scored_of(count: tuple[int, int]) -> str:
    """`5/6`: scored of expected."""
    return f"{count[0]}/{count[1]}"


def in_range(value: float | None, limits: tuple[float, float] | None) -> str:
    """A number as tables show it: four decimals where the range is that of a share, else one."""
    if value is None:
        return NONE
    return f"{value:.4f}" if limits is not None and limits[1] <= 1 else f"{value:.1f}"


def p_value(p: float | None) -> str:
    """A p as people read it: three decimals, or `<.001`."""
    if p is None:
        return NONE
    return "<.001" if p < 0.001 else f"{p:.3f}"


def percent(share: float | None) -> str:
    """A share in [0, 1] as tables show it."""
    return NONE if share is None else f"{100 * share:.1f} %"


def printable(text: str) -> str:
    """One line without control or direction-changing characters: names are untrusted."""
    if text.isprintable():
        return text
    return "".join(
        " " if char in "\n\r\t" else char
        for char in text
        if char in "\n\r\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs"}
    )


def typed(text: str) -> str:
    """The text as one word of a command, for bash and zsh; `printable` would drop some of it."""
    if text == printable(text):
        return shlex.quote(text)
    escaped = (
        char
        if char == printable(char) and char not in "'\\"
        else "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
        for char in text
    )
    return f"$'{''.join(escaped)}'"


def as_given(name: str) -> str:
    """A name in a sentence that says what to name: as it is, or as `typed` has it."""
    return name if name == printable(name) else typed(name)


def width(text: str) -> int:
    """How many cells of a terminal a text takes: Chinese characters two, accents none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def as_text(table: Table) -> str:
    """The table for a terminal, columns two blanks apart."""
    lines: list[str] = []
    if table.head:
        rows = [tuple(map(printable, row)) for row in (table.head, *table.rows)]
        widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
        lines = ["", *(set_cells(row, widths, table.numeric) for row in rows)]
        lines.insert(2, rule(widths))
    above, below = _texts(table.above, ""), _texts(table.notes, "")
    return "\n".join([printable(table.title), *above, *lines, *below])


def as_markdown(table: Table) -> str:
    """The table in GitHub's Markdown."""
    lines: list[str] = []
    if table.head:
        rule = ["---:" if at in table.numeric else "---" for at in range(len(table.head))]
        rows = [tuple(map(in_markdown, row)) for row in (table.head, *table.rows)]
        rows.insert(1, tuple(rule))
        lines = ["", *(f"| {' | '.join(row)} |" for row in rows)]
    above, below = _texts(table.above, "- "), _texts(table.notes, "- ")
    return "\n".join([f"### {in_markdown(table.title)}", *above, *lines, *below])


def tables_as_text(tables: Iterable[Table], format: str, above: Sequence[str] = ()) -> str:
    """Tables below each other, in Markdown if `format` is `markdown`, else for a terminal.

    above: what must be read first, once, in place of what stands above the single tables.
    """
    clean, as_told = (in_markdown, as_markdown) if format == "markdown" else (printable, as_text)
    if above:
        tables = [replace(table, above=()) for table in tables]
    return "\n\n".join([*map(clean, above), *map(as_told, tables)]) + "\n"


_ACTIVE: Final = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
"""What a spreadsheet takes for the beginning of a formula, or drops to find one behind it."""

_NUMBER_ALONE: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def guarded(cell: Json) -> Json:
    """A cell of CSV, text with an apostrophe before what a spreadsheet would run as a formula.

    Numbers stay as they are, those in texts too: `unguarded` gives every text back.
    """
    if isinstance(cell, str) and _ACTIVE.match(cell) and not _NUMBER_ALONE.fullmatch(cell):
        return f"'{cell}"
    return cell


def unguarded(cell: str) -> str:
    """The text that `guarded` was given."""
    return cell[1:] if cell.startswith("'") and _ACTIVE.match(cell) else cell


def printable_record(row: Row) -> dict[str, Json]:
    """A record with its texts as `printable` has them."""
    return {name: printable(each) if isinstance(each, str) else each for name, each in row.items()}


def as_csv(
    rows: Iterable[Row],
    columns: Sequence[str] | None = None,
    *,
    header: bool = True,
    line_end: str = "\n",
) -> str:
    """Records as CSV in which no cell is a formula, empty where one has no such field.

    columns: those that are written, by default all that the records have.
    """
    rows = list(rows)
    named = columns or list(dict.fromkeys(column for row in rows for column in row))
    lines: list[str] = []
    # The library puts \r between quotes only where lines end in it.
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
    if header:
        writer.writerow(map(guarded, named))
    writer.writerows([guarded(row.get(name, "")) for name in named] for row in rows)
    return "".join(line.removesuffix("\r\n") + line_end for line in lines)


def rule(widths: Iterable[int]) -> str:
    """What stands below the heads of columns of so many cells."""
    return "  ".join("─" * cells for cells in widths)


def set_cells(row: Sequence[str], widths: Sequence[int], numeric: frozenset[int]) -> str:
    """A row on one line, every cell in a column of so many cells."""
    cells = []
    for column, (cell, cells_wide) in enumerate(zip(row, widths, strict=True)):
        gap = " " * (cells_wide - width(cell))
        cells.append(gap + cell if column in numeric else cell + gap)
    return "  ".join(cells).rstrip()


def _texts(texts: Sequence[str], mark: str) -> list[str]:
    clean = in_markdown if mark else printable
    return ["", *(f"{mark}{clean(text)}" for text in texts)] if texts else []


_MARK_OF_A_BLOCK: Final = re.compile(r"^(\d{0,9})([-+#.)])(?=[-+#.)]*(?:\s|$))")
"""What would make a heading or an item of a list of the text that begins with it."""


def in_markdown(text: str) -> str:
    """A text of others as GitHub's Markdown shows it, on one line: no markup, nothing active.

    Addresses do not become links, names behind an @ are told nothing, and #1 leads nowhere.
    """
    safe = "".join(f"\\{char}" if char in "\\|`*_[]<>~&$" else char for char in printable(text))
    safe = _MARK_OF_A_BLOCK.sub(r"\1\\\2", safe.lstrip())
    safe = re.sub(r"(?i)(?<=[a-z])(?=://)|(?<=\bwww)(?=\.)", r"\\", safe)
    return re.sub(r"[@#](?=\w)", "\\g<0>\u200b", safe)  # a backslash does not keep GitHub from them


def with_sign(value: float, limits: tuple[float, float] | None) -> str:
    """A difference as tables show it, with its sign."""
    text = in_range(value, limits)
    return text if text.startswith("-") or float(text) == 0 else f"+{text}"
