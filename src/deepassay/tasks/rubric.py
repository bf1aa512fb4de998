"""A rubric: weighted criteria by which experts say what a good answer to one task holds; its files.

ResearchRubrics, section 3 and Table 4. A file of ours holds for each task `id`, `prompt`, `rubric`
(criteria with `id`, `criterion`, `weight`, `axis`) and, where it is known, its `history`: how
people wrote it, or how it was made from another one. Files of published sets are
read as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, Final

from pydantic import (
    Discriminator,
    Field,
    Tag,
    ValidationError,
)

from deepassay.intake.rows import InputRow, Way
from deepassay.score import Json
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.fields import Record, Text, first_mistake, problem_of
from deepassay.tasks.history import HistoryEntry
from deepassay.tasks.own import bad_field
from deepassay.tasks.rows import read_rows
from deepassay.tasks.set_files import rows_of_layout
from deepassay.tasks.set_rows import field_in, set_rows
from deepassay.tasks.set_tables import PublishedSet, fits, set_of
from deepassay.tasks.yardsticks import Criterion, Rubric, odd_criteria

HEADER: Final = """\
# Rubrics: for every task, weighted criteria that a report is graded by (ResearchRubrics).
# weight: above 0 for what a good report has, below 0 for a fault that it does not have, from -5 to
# 5. 4 and 5, -4 and -5 are mandatory. axis: any word; tables are cut by it.
# Edit freely; what stands here is never overwritten. Scores by another rubric are other scores:
# begin a new run file after a change.

"""


class RubricStep(Record):
    """How a rubric was made from another one.

    step: what was done. made_from: the first twelve characters of the digest of that other rubric.
    by: the model, or `offline` for the rule. asked: likewise of the operation.
    """

    step: Text
    made_from: Text
    by: Text
    asked: Text
    made_on: Annotated[date, Field(strict=False)]


def _teller(entry: Json | HistoryEntry | RubricStep) -> str:
    made = "made_on" in entry if isinstance(entry, Mapping) else isinstance(entry, RubricStep)
    return "made" if made else "written"


_Told = Annotated[
    Annotated[HistoryEntry, Tag("written")] | Annotated[RubricStep, Tag("made")],
    Discriminator(_teller),
]


class TaskRubric(Record):
    """The rubric of one task, its prompt where the file says it, and how the rubric was made.

    history: what people said and changed while they wrote it, then how a model changed it.
    """

    rubric: Annotated[Rubric, Field(min_length=1)]
    prompt: str | None = None
    history: Annotated[tuple[_Told, ...], Field(strict=False)] = ()


def _write(entry: TaskRubric) -> dict[str, Json]:
    fields = entry.model_dump(mode="json", include={"prompt", "history", "rubric"})
    for criterion in fields["rubric"]:
        if criterion["weight"].is_integer():
            criterion["weight"] = int(criterion["weight"])  # as people write it
    there = {name: fields[name] for name in ("prompt", "history") if fields[name]}
    return {**there, "rubric": fields["rubric"]}


def _remedy(way: tuple[str | int, ...], mistake: str) -> str:
    if mistake == "extra_forbidden":
        allowed = ("id", *TaskRubric.model_fields)
        if len(way) > 1:
            kind = (
                Criterion if way[0] == "rubric" else RubricStep if "made" in way else HistoryEntry
            )
            allowed = tuple(kind.model_fields)
        return f"There are: {', '.join(allowed)}."
    return (
        "A criterion has a text and a weight, which is a number; an identifier, if it has one, of "
        "its own."
    )


def _published(
    rows: Sequence[InputRow], named: PublishedSet | None = None
) -> Sequence[InputRow] | None:
    """The rubrics in the rows of a published set, those without a criterion left out.

    named: the set whose layout is tried first. Raises BadTasks for rows of no known layout.
    """
    found = set_of(rows) if rows else None
    if rows and named is not None and named.layout is not None:
        ours = any("rubric" in row.fields or "default" in row.fields for row in rows)
        found = named if fits(named.layout, rows) or not (found or ours) else found
    if found is None:
        return None
    entries = []
    for row, fields in set_rows(found, rows):
        if fields.get("rubric"):
            kept: dict[str, Json] = {
                name: fields[name] for name in ("id", "prompt", "rubric") if name in fields
            }
            _check(row, kept, field_in(found))
            entries.append(replace(row, fields=kept))
    return entries


def _check(row: InputRow, kept: Mapping[str, Json], called: Callable[[Way], str]) -> None:
    """Raise BadTasks for what is wrong with the rubric of a row, as its file calls it."""
    try:
        TaskRubric.model_validate({name: kept[name] for name in kept if name != "id"})
    except ValidationError as error:
        first = first_mistake(error)
        raise bad_field(row, called(first["loc"]), problem_of(first)) from error


RUBRIC_FILE: Final = EntryFile(
    field="rubric",
    one="a rubric",
    many="rubrics",
    header=HEADER,
    read=TaskRubric.model_validate,
    write=_write,
    value=lambda entry: entry.rubric,
    remedy=_remedy,
    published=_published,
    odd=lambda loaded: odd_criteria({name: entry.rubric for name, entry in loaded.items()}),
)


def rubric_file(named: PublishedSet | None) -> EntryFile[TaskRubric]:
    """How files of rubrics are read where a set is named: by its layout where they are in it."""
    if named is None or (layout := named.layout) is None:
        return RUBRIC_FILE
    return replace(
        RUBRIC_FILE,
        rows=lambda path: rows_of_layout(layout, path) or read_rows(path),
        published=lambda rows: _published(rows, named),
    )
