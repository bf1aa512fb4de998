"""Which column of a table is what: by the names that people give them, or as they say.

A reading is taken only if it is the only one. Where a part has several, or none by name, all that
is open is asked for at once: each reading with the option that says it, whole.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from deepassay.errors import BadSetting, Notice
from deepassay.files import BadFile
from deepassay.intake.choices import ColumnChoice, Unclear, whole_choices
from deepassay.intake.columns import FILE, ORDER, FoundColumns, NamedColumns
from deepassay.intake.heads import HEADS, KNOWN, MEANS, ColumnPart, plain
from deepassay.intake.laying import in_rows
from deepassay.intake.leaves import opened, refuse_source
from deepassay.intake.possible import agents, by_head, by_two_names, ways_of
from deepassay.intake.proposals import length_of, shown
from deepassay.intake.rows import InputRow
from deepassay.intake.searched import SearchedTable
from deepassay.score import Json


def agents_in(rows: Sequence[InputRow]) -> str | None:
    """The one column that names agents, if there is one."""
    found = SearchedTable(rows, NamedColumns()).known("agent", set())
    return found[0] if len(found) == 1 else None


def prompts_in(rows: Sequence[InputRow]) -> list[str]:
    """The columns that are called as prompts are."""
    return SearchedTable(rows, NamedColumns()).known("prompt", set())


def find_table(
    rows: Sequence[InputRow],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    place: str,
    whole: Callable[[Json], bool] = lambda value: False,
) -> tuple[list[InputRow], FoundColumns]:
    """The rows of a table and its columns, of which those inside of fields are fields as well.

    needed: of each group one has to be there. place: for messages. whole: what stays whole though
    it has fields, as answers of providers.

    Raises BadFile, with the first row as it was read, where one is missing or several fit.
    """
    rows, columns = _with_one_agent(opened(in_rows(rows, columns), whole), columns)
    found = find_columns(rows, columns, needed, place, whole)
    for each in found.taken:
        refuse_source(rows, each)
    inner = [each for each in found.taken if all(each not in row.fields for row in rows)]
    if not inner:
        return rows, found
    for those in (
        [each for group in needed for each in found.of(group)],
        columns.named_as("report"),
    ):
        rows = _with_any(rows, those, place)
    filled = [
        replace(row, fields={**row.fields, **{name: row.at(name) for name in inner}})
        for row in rows
    ]
    return filled, found


def _with_one_agent(
    rows: list[InputRow], columns: NamedColumns
) -> tuple[list[InputRow], NamedColumns]:
    """The rows with one column for the agent, where people say that several together name it."""
    names = [name for name in columns.named_as("agent") if name]
    if len(names) < 2 or not all(any(row.at(name) for row in rows) for name in names):
        return rows, columns
    one = " + ".join(names)
    others = tuple(pair for pair in columns.named if pair[0] != "agent")
    columns.met.update(names)
    joined = [" ".join(str(row.at(name)) for name in names if row.at(name)) for row in rows]
    return [
        replace(row, fields={**row.fields, one: agent})
        for row, agent in zip(rows, joined, strict=True)
    ], replace(columns, named=(*others, ("agent", one)))


def _with_any(rows: Sequence[InputRow], names: Sequence[str], place: str) -> Sequence[InputRow]:
    """The rows in which anything of what is needed or said stands; of others a Notice tells.

    Logs have a line for each of several kinds of events.
    """
    inside = [each for each in names if any(each in row.inner for row in rows)]
    kept = [row for row in rows if not inside or any(row.at(each) is not None for each in inside)]
    if len(kept) < len(rows):
        shown = " nor ".join(map(repr, inside))
        told = f"{place}: {len(rows) - len(kept)} of {len(rows)} rows have no {shown}."
        warnings.warn(Notice(told), stacklevel=2)
    return kept


def find_columns(
    rows: Sequence[InputRow],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    place: str,
    whole: Callable[[Json], bool] = lambda value: False,
) -> FoundColumns:
    """The columns of a table whose rows are opened. Raises BadFile as `find_table` does."""
    table = SearchedTable(rows, columns, whole)
    search = _ColumnSearch(table, columns, needed, place)
    found = search.found()
    taken = {each for those in found.values() for each in those}
    one = {part: those[0] if those else None for part, those in found.items()}
    return FoundColumns(
        one["id"],
        one["prompt"],
        found["report"],
        one["agent"],
        one["sample"],
        tuple(
            name
            for name in table.names
            if name not in taken and not any(each.startswith(f"{name}.") for each in taken)
        ),
    )


_OF_TASKS: Final = ("prompt", "id")


class _ColumnSearch:
    """What is found in a table, and what is open of it."""

    def __init__(
        self,
        table: SearchedTable,
        columns: NamedColumns,
        needed: Sequence[Sequence[ColumnPart]],
        place: str,
    ) -> None:
        self._table, self._columns, self._needed, self._place = table, columns, needed, place
        self._of_reports = any("report" in group for group in needed)
        self._found: dict[str, tuple[str, ...]] = {}
        self._open: dict[str, list[ColumnChoice]] = {}
        self._named: set[str] = set()
        self._problems: list[str] = []

    def found(self) -> dict[str, tuple[str, ...]]:
        """The columns by what they are. Raises BadFile."""
        both: Sequence[ColumnPart] = ("prompt", "report")
        first = [part for part in both if [part] in [[*each] for each in self._needed]]
        parts: Sequence[ColumnPart] = (*first, "prompt", "report", "agent", "id")
        for part in dict.fromkeys(parts):
            self._look_for(part)
        for group in sorted(self._needed, key=lambda each: "report" in each):
            if not any(self._found[part] or part in self._open for part in group):
                self._ask_for(group)
        if self._of_reports:
            self._doubt()
        elif any(self._table.is_called(each, "prompt", 1) for each in self._found["prompt"]):
            sure = [e for e in self._found["report"] if self._table.is_called(e, "report")]
            self._doubt_prompt(self._table.left_aside({**self._found, "report": sure}))
        if self._open:
            raise self._unclear()
        found = self._found
        found["sample"] = self._table.named("sample")
        if not found["sample"] and "" not in self._columns.named_as("sample"):
            found["sample"] = tuple(self._table.samples(found))
        self._refuse_several()
        return found

    def _taken(self) -> set[str]:
        return {each for those in self._found.values() for each in those}

    def _ways(self, part: ColumnPart, fitting: Sequence[str] = ()) -> list[ColumnChoice]:
        """What may be this part; reports beside what is likely the prompt."""
        asked = self._open.get("prompt") or (
            [] if self._found["prompt"] else ways_of("prompt", self._table, self._taken())
        )
        likely = {name for way in asked[:1] for _, name in way.said}
        if self._found["id"] and part == "report":  # a prompt beside it need not be there
            rows = self._table.rows
            longest = max((length_of(rows, each) for each in self._table.names), default=0)
            likely = {each for each in likely if length_of(rows, each) * 3 < longest}
        return ways_of(part, self._table, self._taken(), fitting, likely)

    def _look_for(self, part: ColumnPart) -> None:
        """Take the only column that is called so; of several ask, if it matters."""
        self._found[part] = self._table.named(part)
        said = self._columns.named_as(part)
        if part == "agent" and FILE in said:
            self._columns.met.add(FILE)
        if self._found[part] or "" in said or (part == "agent" and FILE in said):
            return
        fitting = self._table.known(part, self._taken(), self._found)
        matters = part in ("prompt", "id") or self._of_reports
        if len(fitting) > 1 and part in ("prompt", "report") and self._table.are_apart(fitting):
            raise BadFile(
                f"{self._place}: {' and '.join(map(repr, fitting))} never stand in one row. "
                f"{shown(self._table.rows[0])}",
                f"Give both the same name in the file, as {fitting[0]!r}.",
            )
        if len(fitting) > 1 and matters:
            self._ask(part, ways_of(part, self._table, set(), fitting), fitting)
        else:
            self._found[part] = tuple(fitting if part == "report" else fitting[:1])

    def _ask(self, part: ColumnPart, ways: list[ColumnChoice], names: Sequence[str]) -> None:
        self._open[part] = ways
        self._named |= {*names}
        named = " and ".join(map(repr, names))
        self._problems.append(f"{named} may each be {MEANS[part]}, and they differ")

    def _ask_for(self, group: Sequence[ColumnPart]) -> None:
        """Ask for what is needed and known by no name. Raises BadFile where nothing may be it."""
        table, what = self._table, " nor as ".join(MEANS[part] for part in group)
        known = {head for part in group for heads in KNOWN[part] for head in heads}
        empty = [each for each in table.every if each not in table.names and plain(each) in known]
        if empty:
            raise BadFile(
                f"{self._place}: nothing stands in the column {empty[0]!r}. {shown(table.rows[0])}",
                f"Fill it in, or say which column is {MEANS[group[0]]} with --columns.",
            )
        names = [name for part in group for name in HEADS[part][0].split()[:4]]
        lacking = f"no column is known as {what} (as {', '.join(names)} are)"
        ways = by_two_names(table) if group[0] in ("prompt", "id") else []
        ways = ways or [way for part in group for way in self._ways(part)]
        if not ways:
            raise BadFile(
                f"{self._place}: {lacking}. {shown(table.rows[0])}",
                f"No other column holds texts that may be {MEANS[group[0]]}: add one named "
                f"{group[0]}, or name another file.",
            )
        self._open[group[0]] = ways
        self._problems.append(lacking)

    def _doubt(self) -> None:
        """Ask what texts are that are left aside, and who wrote the reports.

        This is the one rule: what is found by names is taken only if nothing else may be meant.
        """
        table, found = self._table, self._found
        said = dict(table.said)
        likely = {name for ways in self._open.values() for _, name in ways[0].said}
        likely |= self._named  # which is asked about already
        left = [] if "report" in said else [n for n in table.left_aside(found) if n not in likely]
        beside = [each for each in left if not table.is_called(each, "prompt")]
        if beside and found["report"]:
            both = [*found["report"], *beside]
            if not table.is_called(both[0], "report"):
                left += found["report"]
                both.sort(key=lambda name: -length_of(table.rows, name))
            found["report"] = ()
            self._ask("report", ways_of("report", table, set(), both), both)
        self._doubt_prompt(left)
        open_ways = self._open.get("report", ())  # of those that are wide there is nothing to ask
        wide = "agent" in said or len(found["report"]) > 1 or any(e.said[1:] for e in open_ways)
        pairs = [pair for ways in self._open.values() for pair in ways[0].said]
        reports = [*found["report"], *(name for part, name in pairs if part == "report")]
        may_be = [pair for ways in self._open.values() for way in ways for pair in way.said]
        asked = [*found["prompt"], *found["id"], *(n for part, n in pairs if part in _OF_TASKS)]
        asked += [name for part, name in may_be if part in _OF_TASKS]
        asked = [name for name in asked if name not in reports[:1]] or asked
        unsure = bool(found["agent"]) and "prompt" in self._open  # which tells what is one task
        if wide or unsure or not asked or "agent" in dict(pairs):
            return
        numbered = bool(found["agent"] and (table.named("sample") or table.samples(found)))
        alone = self._columns.one_file and not found["agent"]
        report = next(iter(reports), "")
        if not numbered and (ways := agents(table, found, asked[0], report, alone)):
            self._open["agent"] = ways
            names = [name for way in ways for part, name in way.said if part == "agent" and name]
            shown_names = ", ".join(map(repr, names[:3]))
            self._problems.append(f"nothing says who wrote the reports, and {shown_names} may")

    def _doubt_prompt(self, left: Sequence[str]) -> None:
        """Ask whether one of the columns that are left may be the prompt."""
        found, table = self._found["prompt"], self._table
        if not found or "prompt" in dict(table.said):
            return
        asked = not self._of_reports or "report" in self._open
        if beside := table.as_prompts(left, found[0], asked):
            self._found["prompt"] = ()
            both = [*found, *beside]
            self._ask("prompt", ways_of("prompt", table, set(), both), both)

    def _unclear(self) -> BadFile:
        """The question, of all that is open."""
        table, said = self._table, self._table.said
        first = by_head(table) if not self._of_reports or "prompt" in self._open else []
        agent = next(iter(self._found["agent"]), "")
        if agent and table.varied(agent) > 1:  # columns are then hardly an agent each
            self._open.get("report", []).sort(
                key=lambda way: len(way.said) > 1 and ("sample", ORDER) not in way.said
            )
        ways = whole_choices(self._open.values())
        if first and "head" in dict(first[0].said):  # without a head, columns have numbers
            (way,) = ways[:1] or [ColumnChoice(())]
            number = {name: f"column {at}" for at, name in enumerate(table.every, start=1)}
            told = [(part, number.get(name, name)) for part, name in way.said]
            first = [ColumnChoice((*first[0].said, *told), first[0].note)]
        every = [ColumnChoice((*said, *way.said), way.note) for way in (*first, *ways)]
        problem = f"{self._place}: {'; '.join(self._problems)}. {shown(table.rows[0])}"
        if not every:  # one column would have to be two things
            return BadFile(problem, "Add the column that is missing, or name another file.")
        return Unclear(problem, [*dict.fromkeys(every)])

    def _refuse_several(self) -> None:
        found = self._found
        for name, those in found.items():
            if len(those) > 1 and name != "report":
                raise BadFile(
                    f"{self._place}: --columns gives {' and '.join(map(repr, those))} as "
                    f"{MEANS[name]}",
                    "Give one of them.",
                )
        several = len(found["report"]) > 1 and ORDER not in found["sample"]
        if several and found["agent"] and self._of_reports:
            if self._table.named("agent"):
                raise BadSetting(
                    f"{self._place}: several columns of reports are an agent each, and "
                    f"{found['agent'][0]!r} names the agent as well",
                    "Give one column of reports, or say nothing of the agent.",
                )
            found["agent"] = ()
