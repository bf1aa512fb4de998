"""What a set of tasks is made of, as tables, CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from deepassay.results.tables import NONE, Table, as_csv, printable_record, tables_as_text
from deepassay.score import Json
from deepassay.tasks.describe import CriterionGroup, Description, RubricsInBrief, Spread

SPREAD: Final = ("mean", "SD", "median", "lowest", "highest")
WORDS_NOTE: Final = (
    "Words are what blanks separate, and every East Asian character by itself. "
    "SD: of a sample (n - 1)."
)
LEVELS_NOTE: Final = (
    "Levels by weight: 4 to 5 critically important, 2 to 3 important, 1 slightly important, and "
    "below 0 likewise; a weight in between has the level of the smaller whole number. Mandatory "
    "from 4 on, of either sign."
)


def write_description(description: Description, format: str) -> str:
    """The description as `text`, `markdown`, `csv` or `json`; CSV and JSON are not rounded."""
    if format == "json":
        whole = asdict(description)
        if description.works is None:  # as before there were any
            del whole["works"]
        return json.dumps(whole, ensure_ascii=False) + "\n"
    if format == "csv":
        return as_csv([printable_record(line) for line in _lines(description)])
    return tables_as_text(_tables(description), format)


def _tables(description: Description) -> Iterator[Table]:
    if description.groups:
        yield _prompts(description)
    yield _per_task(description)
    if (rubrics := description.rubrics) is not None:
        yield _criteria_table("Criteria by axis", "axis", rubrics.by_axis, ())
        yield _criteria_table("Criteria by level", "level", rubrics.by_level, (LEVELS_NOTE,))
        if rubrics.by_domain:
            yield _domains(rubrics)


def _prompts(description: Description) -> Table:
    rows = (
        (group.label or "all tasks", group.value, str(group.words.count), *_cells(group.words))
        for group in description.groups
    )
    head = ("label", "value", "tasks", *SPREAD)
    return Table.listed("Words of prompts", head, rows, (WORDS_NOTE,), words=2)


def _per_task(description: Description) -> Table:
    """What a task has of this and that, over the tasks that have any."""
    rows = [
        (name, str(found.count), *_cells(found))
        for name, found in _spreads(description)
        if name != "weight of a criterion"
    ]
    rows += [
        (name, str(number), *(NONE for _ in SPREAD))
        for name, number in (
            ("criteria of RACE", description.with_criteria),
            ("reference", description.with_reference),
        )
        if number
    ]
    notes = (f"Over the tasks that have any, of {description.tasks}.",)
    return Table.listed("What a task has", ("", "tasks", *SPREAD), rows, notes)


def _criteria_table(
    title: str, what: str, groups: tuple[CriterionGroup, ...], notes: tuple[str, ...]
) -> Table:
    rows = (
        (
            *(group.name or NONE, str(group.criteria), f"{group.share:.1%}", str(group.tasks)),
            *(str(group.mandatory), str(group.penalties), f"{group.weight:.2f}"),
        )
        for group in groups
    )
    every = sum(group.criteria for group in groups)
    mandatory = sum(group.mandatory for group in groups) / every
    penalties = sum(group.penalties for group in groups) / every
    total = f"{every} criteria: {mandatory:.1%} mandatory, {penalties:.1%} penalties."
    head = (what, "criteria", "share", "tasks", "mandatory", "penalties", "mean weight")
    return Table.listed(title, head, rows, (total, *notes))


def _domains(rubrics: RubricsInBrief) -> Table:
    axes = [group.name for group in rubrics.by_axis]
    rows = (
        (domain, *(str(own.get(axis, 0)) for axis in axes), str(sum(own.values())))
        for domain, own in rubrics.by_domain.items()
    )
    head = ("domain", *(axis or NONE for axis in axes), "all")
    return Table.listed("Criteria by domain and axis", head, rows)


def _spreads(description: Description) -> Iterator[tuple[str, Spread]]:
    if (rubrics := description.rubrics) is not None:
        yield "criteria", rubrics.criteria
        yield "axes", rubrics.axes
        yield "sum of positive weights", rubrics.positive
        yield "sum of negative weights", rubrics.negative
        yield "weight of a criterion", rubrics.weights
    if description.checklists is not None:
        yield "checklist items", description.checklists
    if description.works is not None:
        yield "works of a bibliography", description.works


def _lines(description: Description) -> Iterator[dict[str, Json]]:
    """Every row of every table, with what it is about, for CSV."""
    for group in description.groups:
        where = {"label": group.label, "value": group.value}
        yield {"about": "words of prompts", **where, **asdict(group.words)}
    for name, found in _spreads(description):
        yield {"about": name, **asdict(found)}
    if (rubrics := description.rubrics) is not None:
        for about, groups in (("axis", rubrics.by_axis), ("level", rubrics.by_level)):
            for each in groups:
                fields = asdict(each)
                yield {"about": about, "value": fields.pop("name"), **fields}
        for domain, own in rubrics.by_domain.items():
            for axis, number in own.items():
                where = {"label": domain, "value": axis}
                yield {"about": "domain and axis", **where, "criteria": number}


def _cells(found: Spread) -> tuple[str, ...]:
    sd = NONE if found.sd is None else f"{found.sd:.1f}"
    return (
        f"{found.mean:.1f}",
        sd,
        *(f"{x:g}" for x in (found.median, found.lowest, found.highest)),
    )
