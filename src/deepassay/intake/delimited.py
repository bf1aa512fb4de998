"""CSV and its kin: which separator, which quotes, and the cells.

`csv.Sniffer` looks at a part only and gives up on two rows of three here; clevercsv, tried on
reports in cells, took the blank for a separator. So all of the file is read by each separator: what
is a table by one of them is none by the others.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.files import BadFile

LONGEST_CELL: Final = 2**31 - 1
"""Characters in a cell of CSV; the default of the csv module is too short for long documents."""
SEPARATORS: Final = (",", ";", "\t", "|")
_NAMES: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_NO_SEPARATOR: Final = "\x1f"

Line = tuple[int, list[str]]
"""Cells, with the number of the line on which they end."""


@dataclass(frozen=True)
class _Style:
    separator: str
    quote: str = '"'
    escape: str | None = None

    def read(self, text: str) -> list[Line]:
        """The lines that hold anything. Raises BadFile."""
        csv.field_size_limit(LONGEST_CELL)
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=self.separator,
            quotechar=self.quote,
            escapechar=self.escape,
            doublequote=self.escape is None,
            strict=True,
        )
        try:
            return [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
        except csv.Error as error:
            raise BadFile(
                f"not CSV ({error})",
                "Save it as comma-separated UTF-8 with a header line.",
                reader.line_num,
            ) from error


def read_delimited(
    text: str, known: Callable[[str], bool], separators: Sequence[str] = SEPARATORS
) -> list[Line]:
    """The lines of a table, all as long as the first. known: whether a head is one.

    Raises BadFile where no separator makes a table of the text, or several do.
    """
    first, _, rest = text.partition("\n")
    if first.strip()[:4].lower() == "sep=" and len(first.strip()) == 5:  # Excel writes this
        separators, text = (first.strip()[4],), rest
    head = text.lstrip().partition("\n")[0]
    if not any(each in head for each in separators):
        return _table(_Style(_NO_SEPARATOR).read(text))
    tables: dict[str, list[Line]] = {}
    faults: list[tuple[int, BadFile]] = []
    for separator in separators:
        for style in _styles(separator, head):
            try:
                lines = _table(style.read(text))
            except BadFile as error:
                faults.append((head.count(separator), error))
                continue
            if lines and len(lines[0][1]) > 1:
                tables[separator] = lines
                break
    if len(tables) > 1:
        tables = {
            each: lines for each, lines in tables.items() if any(map(known, lines[0][1]))
        } or tables
    if len(tables) > 1:
        named = " and ".join(_NAMES[each] for each in tables)
        raise BadFile(f"it is a table by several separators: {named}", "Save it with one.", 1)
    if tables:
        return next(iter(tables.values()))
    if faults:
        raise max(faults, key=lambda each: each[0])[1]
    return _table(_Style(_NO_SEPARATOR).read(text))


def _styles(separator: str, head: str) -> Iterator[_Style]:
    if head.startswith("'"):
        yield _Style(separator, "'")
    yield _Style(separator)
    yield _Style(separator, escape="\\")


def _table(lines: Sequence[Line]) -> list[Line]:
    """Lines that are all as long as the first. Raises BadFile for others.

    Numbers of rows may be without a head, as R writes them.
    """
    numbered = all(cells[0] == str(number) for number, (_, cells) in enumerate(lines[1:], 1))
    if numbered and lines and {len(each) for _, each in lines[1:]} == {len(lines[0][1]) + 1}:
        lines = [(lines[0][0], ["", *lines[0][1]]), *lines[1:]]
    for number, cells in lines:
        if len(cells) != len(lines[0][1]):
            raise BadFile(
                f"more or fewer cells than the header has ({len(cells)} and {len(lines[0][1])})",
                "Quote cells that hold commas or line ends.",
                number,
            )
    return list(lines)
