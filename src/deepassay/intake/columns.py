"""Which column of a table is what: by the names that people give them, or as they say.

A column is taken by its name alone, never by what is in it. Where two fit, both are named and
neither is taken; what fits nowhere is shown, with the option that would say it.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from deepassay.errors import BadSetting
from deepassay.files import BadFile
from deepassay.intake.heads import HEADS, KNOWN, MEANS, PARTS, ColumnPart, is_head, is_target, plain
from deepassay.intake.rows import InputRow
from deepassay.score import Json
from deepassay.text import brief


def agents_in(rows: Sequence[InputRow]) -> str | None:
    """The one column that names agents, if there is one."""
    try:
        found = _SearchedTable(rows, NamedColumns(), "").known("agent", set())
    except BadFile:
        return None
    return found[0] if found else None


@dataclass(frozen=True)
class NamedColumns:
    """What people say about columns. named: pairs of part and column, in their order.

    met: columns of the tables that were looked at, to tell a name that is in none of them.
    """

    named: tuple[tuple[str, str], ...] = ()
    met: set[str] = field(default_factory=set, compare=False, repr=False)

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
            if part != "sheet" and column and column not in self.met:
                there = ", ".join(sorted(map(brief, self.met))) or "none: no table was read"
                raise BadSetting(
                    f"--columns {part}={column}: no file has a column of this name.",
                    f"There are: {there}.",
                )


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
        pairs.append((part.strip(), column.strip()))
    return pairs


def option(pairs: Iterable[tuple[str, str]]) -> str:
    """The option that says this, as it is typed in a shell."""
    return "--columns " + shlex.quote(",".join(_quoted(f"{a}={b}") for a, b in pairs))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(each in text for each in ',"\n') else text


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


def find_columns(
    rows: Sequence[InputRow],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    place: str,
) -> FoundColumns:
    """The columns of a table. needed: of each group one has to be there. place: for messages.

    Raises BadFile, with the first row as it was read, where one is missing or several fit.
    """
    table = _SearchedTable(rows, columns, place)
    found: dict[str, tuple[str, ...]] = {}
    for part in ("prompt", "report", "agent", "sample", "id"):
        found[part] = table.named(part)
        if not found[part] and "" not in columns.named_as(part):
            found[part] = table.known(part, {each for those in found.values() for each in those})
    for group in needed:
        if not any(found[part] for part in group):
            raise table.lacking(group, found)
    for part, those in found.items():
        if len(those) > 1 and part != "report":
            raise BadFile(
                f"{place}: --columns gives {' and '.join(map(repr, those))} as {MEANS[part]}",
                "Give one of them.",
            )
    if len(found["report"]) > 1 and found["agent"]:
        raise BadFile(
            f"{place}: several columns of reports are an agent each, and {found['agent'][0]!r} "
            "names the agent as well",
            f"Give one column of reports, or say that none names the agent: {option(AGENTLESS)}",
        )
    taken = {each for those in found.values() for each in those}
    one = {part: those[0] if those else None for part, those in found.items()}
    return FoundColumns(
        one["id"],
        one["prompt"],
        found["report"],
        one["agent"],
        one["sample"],
        tuple(each for each in table.names if each not in taken),
    )


AGENTLESS: Final = [("agent", "")]


class _SearchedTable:
    """Rows under their columns. names: of those columns in which anything stands."""

    def __init__(self, rows: Sequence[InputRow], columns: NamedColumns, place: str) -> None:
        self._rows, self._columns, self._place = rows, columns, place
        self.every = list(dict.fromkeys(name for row in rows for name in row.fields))
        filled = {
            name for row in rows for name, value in row.fields.items() if value not in (None, "")
        }
        self.names = [name for name in self.every if name in filled]
        columns.met.update(self.every)

    def named(self, part: str) -> tuple[str, ...]:
        """The columns of this table that people said to be this."""
        return tuple(each for each in self._columns.named_as(part) if each in self.every)

    def known(self, part: str, taken: set[str]) -> tuple[str, ...]:
        """The one column that is called so, if any is. Raises BadFile where several are."""
        said = {column for _, column in self._columns.named}
        free = [name for name in self.names if name not in taken | said]
        for weak, names in enumerate(KNOWN[part]):
            fitting = [name for name in free if plain(name) in names and self._may_be(part, name)]
            if weak and part in ("prompt", "report"):
                fitting = [name for name in fitting if self._is_longest(name, free)]
            if fitting and all(self._same(fitting[0], each) for each in fitting[1:]):
                return (fitting[0],)
            if fitting:
                raise self._several(part, fitting)
        return ()

    def _may_be(self, part: str, name: str) -> bool:
        """Whether what stands there can be this at all."""
        values = [row.fields[name] for row in self._rows if row.fields.get(name) is not None]
        names = all(map(_is_name, values))
        if part == "prompt":
            texts = any(isinstance(each, str) for each in values)
            return plain(name) == "prompt" or (texts and not (plain(name) == "task" and names))
        if part == "id":
            return names if plain(name) == "task" else all(map(_is_scalar, values))
        if part == "agent":
            return all(
                isinstance(each, str) and _MANY_WORDS.search(each) is None for each in values
            )
        return part != "sample" or all(map(_is_scalar, values))

    def _is_longest(self, name: str, free: Sequence[str]) -> bool:
        """Whether no column that may be anything holds longer texts."""
        others = [each for each in free if not is_head(each)]
        return all(self._length(each) <= self._length(name) for each in others)

    def _same(self, one: str, other: str) -> bool:
        return all(row.fields.get(one) == row.fields.get(other) for row in self._rows)

    def _several(self, part: str, fitting: Sequence[str]) -> BadFile:
        named = " and ".join(map(repr, fitting))
        likely = sorted(fitting, key=self._variety, reverse=True)
        lines = " or ".join(option([*self._columns.named, (part, name)]) for name in likely)
        return BadFile(
            f"{self._place}: {named} may each be {MEANS[part]}, and they differ. {self._first()}",
            f"Say which: {lines}",
        )

    def lacking(self, group: Sequence[ColumnPart], found: Mapping[str, tuple[str, ...]]) -> BadFile:
        """What to say where none of the group was found."""
        known = {head for part in group for heads in KNOWN[part] for head in heads}
        empty = [each for each in self.every if each not in self.names and plain(each) in known]
        if empty:
            return BadFile(
                f"{self._place}: nothing stands in the column {empty[0]!r}. {self._first()}",
                f"Fill it in, or say which column is {MEANS[group[0]]} with --columns.",
            )
        what = " nor as ".join(MEANS[part] for part in group)
        looked = "; ".join(
            f"{part}: {', '.join(' '.join(HEADS[part]).split()[:8])} and the like" for part in group
        )
        taken = {each for those in found.values() for each in those}
        free = [name for name in [*self.names, *self._within()] if name not in taken]
        remedy = self._likely(group[0], [name for name in free if self._may_be_meant(name)])
        if self._rows[0].flat and any(_WORDY_HEAD.search(name) for name in self.every):
            names = ",".join(["id", "prompt", "agent", "response"][: len(self.every)])
            remedy = (
                "If its first line is a row, put one with the names of the columns above it, as: "
                f"{names if len(self.every) > 1 else 'prompt'}\n  Else: {remedy}"
            )
        return BadFile(
            f"{self._place}: no column is known as {what}. {self._first()} Looked for {looked}.",
            remedy,
        )

    def _within(self) -> list[str]:
        """Fields of fields that hold texts, as `input.query`."""
        inner: dict[str, None] = {}
        for row in self._rows:
            for name, value in row.fields.items():
                for key, each in value.items() if isinstance(value, Mapping) else ():
                    if isinstance(each, str) and each:
                        inner[f"{name}.{key}"] = None
        return [*inner]

    def _likely(self, part: ColumnPart, free: Sequence[str]) -> str:
        """The option that would say which column it is, with what is likely meant first.

        Reports are the longest of texts; prompts the shortest of those that have several words.
        """
        if not free:
            return (
                f"No other column holds texts that may be {MEANS[part]}: add one named {part}, or "
                "name another file."
            )
        wordy = [name for name in free if self._is_wordy(name)] or [*free]
        likely = sorted(wordy, key=self._length, reverse=part == "report")
        long = [name for name in wordy if self._length(name) * 3 > self._length(likely[0])]
        said, lines = self._columns.named, []
        if part == "report" and len(long) > 1:
            each = [(part, name) for name in free if name in long]
            lines.append(option([*said, *each]) + " (an agent each)")
        lines += [option([*said, (part, name)]) for name in likely[:3]]
        return f"Say which column it is: {' or '.join(lines)}"

    def _may_be_meant(self, name: str) -> bool:
        """Whether texts stand there that are no names, states or right answers alone."""
        values = [value for row in self._rows if (value := field_of(row, name)) not in (None, "")]
        return not is_target(name) and self._length(name) > 0 and not all(map(_is_name, values))

    def _is_wordy(self, name: str) -> bool:
        texts = [str(field_of(row, name) or "") for row in self._rows]
        words = sum(len(re.findall(r"[\u2e80-\u9fff]|\S+", each[:500])) for each in texts)
        return words >= 4 * sum(map(bool, texts))

    def _variety(self, name: str) -> tuple[int, float]:
        return len({str(field_of(row, name)) for row in self._rows}), self._length(name)

    def _length(self, name: str) -> float:
        texts = [text for row in self._rows if isinstance(text := field_of(row, name), str)]
        return sum(map(len, texts)) / len(texts) if texts else -1.0

    def _first(self) -> str:
        shown = {name: _shortly(value) for name, value in self._rows[0].fields.items()}
        return f"The first row as it was read: {json.dumps(shown, ensure_ascii=False)}."


_NAME: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")


_MANY_WORDS: Final = re.compile(r"\n|[.?!。？！]\s*\Z|(?:\S+\s+){6}|.{80}")
"""What says that a text is no name of an agent, but for instance what a system was told."""


_WORDY_HEAD: Final = re.compile(r"[?？]\s*\Z|(?:\S+\s+){5}|[\u2e80-\u9fff]{12}")


def field_of(row: InputRow, name: str) -> Json:
    """What stands under a name, or under `name.key` in a mapping; nothing where nothing does."""
    if name in row.fields:
        return row.fields[name]
    outer, _, key = name.partition(".")
    value = row.fields.get(outer)
    return value.get(key) if isinstance(value, Mapping) else None


def with_named(rows: Sequence[InputRow], columns: NamedColumns) -> list[InputRow]:
    """The rows, with fields of fields that people named as columns of their own."""
    inner = [each for _, each in columns.named if "." in each]
    return [
        replace(
            row,
            fields={
                **row.fields,
                **{name: value for name in inner if (value := field_of(row, name)) is not None},
            },
        )
        if inner
        else row
        for row in rows
    ]


def _is_scalar(value: Json) -> bool:
    return isinstance(value, str | int)


def _is_name(value: Json) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and bool(_NAME.fullmatch(value)))


def _shortly(value: Json) -> Json:
    if isinstance(value, str) and len(value) > 40:
        return value[:39] + "…"
    if isinstance(value, str | int | float | None):
        return value
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
