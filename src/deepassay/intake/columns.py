"""What people say of columns, as `--columns prompt=Frage`, and what was found."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from deepassay.errors import BadSetting, Notice
from deepassay.intake.heads import PARTS
from deepassay.text import brief


@dataclass(frozen=True)
class NamedColumns:
    """What people say about columns. named: pairs of part and column, in their order.

    met: columns of the tables that were looked at, to tell a name that is in none of them.
    one_file: where there are several, each may be named after its agent.
    """

    named: tuple[tuple[str, str], ...] = ()
    met: set[str] = field(default_factory=set, compare=False, repr=False)
    one_file: bool = True

    @classmethod
    def of(cls, written: str | None) -> NamedColumns:
        """Of `prompt=Frage,agent=System`; quotes as in CSV. Raises ValueError."""
        return cls(tuple(_pairs(written))) if written else cls()

    def named_as(self, part: str) -> tuple[str, ...]:
        """The columns that are said to be this; an empty name where there is said to be none."""
        return tuple(column for each, column in self.named if each == part)

    def refuse_unmet(self) -> None:
        """Raise BadSetting for a column that no table has."""
        for part, column in self.named:
            if part not in NO_COLUMNS and column and column not in self.met:
                there = ", ".join(sorted(map(brief, self.met))) or "none: no table was read"
                raise BadSetting(
                    f"--columns {part}={column}: no file has a column of this name.",
                    f"There are: {there}.",
                )


UNSAID: Final = NamedColumns()
NO_COLUMNS: Final = ("sheet", "head", "drop")
"""Parts that name no column: a sheet, a line, and the words before each prompt."""


def columns_text(given: object) -> str:
    """`--columns` as one text, of a text, a list of texts or a mapping. Raises ValueError."""
    if isinstance(given, Mapping):
        given = [
            f"{part}={each}"
            for part, names in given.items()
            for each in ([names] if isinstance(names, str) else names)
        ]
        return ",".join(map(_quoted, given))
    written = ",".join(given) if isinstance(given, list | tuple) else given
    if not isinstance(written, str):
        raise ValueError("neither a text nor a mapping")
    _pairs(written)
    return written


def _pairs(written: str) -> list[tuple[str, str]]:
    try:
        (parts,) = csv.reader([written], skipinitialspace=True, strict=True)
    except (ValueError, csv.Error):
        raise ValueError("it cannot be read") from None
    pairs = []
    for each in parts:
        part, sign, column = each.partition("=")
        if part.strip() not in PARTS or not sign:
            raise ValueError(f"{each!r} is no PART=COLUMN")
        pairs.append((part.strip(), column if part.strip() == "drop" else column.strip()))
    return pairs


def option(pairs: Iterable[tuple[str, str]]) -> str:
    """The option that says this, as it is typed in a shell."""
    said = ",".join(_quoted(f"{a}={b}") for a, b in pairs)
    if "'" in said and not re.search(r"[\\$`\"!]", said):  # which every shell reads alike
        return f'--columns "{said}"'
    return f"--columns {shlex.quote(said)}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(each in text for each in ',"\n') else text


class UnusedColumns(Notice):
    """Columns of a table that are taken as nothing. of: whose table it is, as far as is known.

    hint: what might be done with them.
    """

    def __init__(self, place: str, names: Sequence[str], of: str = "", hint: str = "") -> None:
        super().__init__(f"{place}: {of}not used: {', '.join(map(repr, names))}.{hint}")
        self.place, self.names, self.of, self.hint = place, names, of, hint


OF_REPORTS: Final = "of its reports "


def told_once(told: Sequence[Warning], used: Container[str]) -> list[Warning]:
    """What is told of one file that holds tasks and reports, of columns that neither uses once.

    used: columns that tasks use.
    """
    unused = [each for each in told if isinstance(each, UnusedColumns)]
    hint = "".join(each.hint for each in unused if not each.of)
    left = []
    for each in told:
        if not isinstance(each, UnusedColumns):
            left.append(each)
        elif each.of:
            if names := [name for name in each.names if name not in used]:
                left.append(UnusedColumns(each.place, names, hint=hint))
        elif not any(other.of for other in unused):
            left.append(each)
    return left


class FoundColumns(NamedTuple):
    """The columns of one table by what they are. report: several in a wide table, an agent each.

    rest: those that are none of it.
    """

    id: str | None
    prompt: str | None
    report: tuple[str, ...]
    agent: str | None
    sample: str | None
    rest: tuple[str, ...]

    def of(self, parts: Sequence[str]) -> list[str]:
        """The columns that are one of these parts."""
        columns = {"id": self.id, "prompt": self.prompt}
        one = [each for part in parts if (each := columns.get(part))]
        return [*one, *(self.report if "report" in parts else ())]

    @property
    def taken(self) -> list[str]:
        """The columns that are something."""
        one = (self.id, self.prompt, self.agent, self.sample)
        return [each for each in (*one, *self.report) if each and each != ORDER]


ORDER: Final = "(order)"
"""As a sample: several answers of an agent to a task are numbered as they stand there."""
HEAD: Final = "(head)"
"""As the prompt: each column is one, whose cells are the reports."""
FOLDER: Final = re.compile(r"\(folder (\d{1,2})\)")
"""As any part: the name of the folder at this level below the one that is given: `(folder 1)`."""
NUMBER: Final = re.compile(r"\(end of (agent|task)\)")
"""As a sample: the number at the end of the name of the agent or of the task."""
FILE: Final = "(file)"
"""As any part: the name of the file, without its ending."""
SHEET: Final = "(sheet)"
"""As any part: the name of the sheet, or of the list in a document, that a row stands in."""
