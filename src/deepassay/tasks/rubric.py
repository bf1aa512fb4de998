"""A rubric: weighted criteria by which experts say what a good answer to one task holds; its files.

ResearchRubrics, section 3 and Table 4. A file of ours holds for each task `id`, `prompt`, `rubric`
(criteria with `id`, `criterion`, `weight`, `axis`) and, where it is known, its `history`: how
people wrote it, or how it was made from another one. Files of published sets are
read as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
)

from deepassay.intake.rows import InputRow
from deepassay.results.weighing import MANDATORY, Level, level_of
from deepassay.score import Json, digest
from deepassay.tasks.entries import Entries, EntryFile, Misplaced, Prompted
from deepassay.tasks.fields import Record, Text, Writable, brief_text
from deepassay.tasks.history import HistoryEntry
from deepassay.tasks.rows import read_rows
from deepassay.tasks.set_files import rows_of_layout
from deepassay.tasks.set_rows import set_rows
from deepassay.tasks.set_tables import PublishedSet, fits, set_of

HEAVIEST: Final = 5.0
"""Where Table 4's scale ends, of either sign."""

LARGEST: Final = 1e100
"""Of a weight, so that a sum of them is a number."""


def _written_out(identifier: Json) -> Json:
    whole = isinstance(identifier, int) and not isinstance(identifier, bool)
    return str(identifier) if whole else identifier


def _one_word(identifier: str) -> str:
    if identifier != "".join(identifier.split()):
        raise ValueError("must be one word, without blanks")
    return identifier


def _listed(said: Json) -> Json:
    return [said] if isinstance(said, str) else said


Texts = Annotated[tuple[Text, ...], Field(strict=False), BeforeValidator(_listed)]
"""A list of texts; a text alone is a list of one."""

Weight = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]


class Criterion(Record):
    """One line of a rubric (ResearchRubrics, section 3).

    id: unique in its rubric; `c1`, `c2`, … by order where a file gives none. weight: negative for
    a fault, which a good report does not have; 0 for what is judged and counts nothing; from -5 to
    5 on the scale of ResearchRubrics. axis: the kind of requirement, in the words of the file: an
    open vocabulary.

    What only some sets have: tags, more names that tables are cut by; importance, `vital` or
    `okay`; examples of what is meant; grades, its own number for each verdict, in place of weight
    times merit; within, its place in a tree, the
    names of what it stands in from the root on; critical, whether what it stands in fails with it.
    """

    id: Annotated[Writable, BeforeValidator(_written_out), AfterValidator(_one_word)] = ""
    criterion: Text
    weight: Weight
    axis: Writable = ""
    tags: Texts = ()
    importance: Writable = ""
    examples: Texts = ()
    grades: Mapping[str, Weight] = Field(default_factory=dict)
    within: Texts = ()
    critical: bool = False

    @model_serializer(mode="wrap")
    def _without_unset(self, whole: SerializerFunctionWrapHandler) -> dict[str, Json]:
        """Rubrics without what only some sets have are kept, and have the digest, that they had."""
        return {
            name: value
            for name, value in whole(self).items()
            if name in _OF_ALL or value not in ("", (), [], {}, False)
        }

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the parts of a score that it belongs to: its axis, and its tags."""
        return (*filter(None, (self.axis,)), *self.tags)

    def reworded(self, words: str) -> Criterion:
        """A copy of the criterion in other words; itself where these are its own."""
        return self if words == self.criterion else self.model_copy(update={"criterion": words})

    @property
    def mandatory(self) -> bool:
        """Whether a report stands or falls with it: a weight of 4 or more, of either sign."""
        return abs(self.weight) >= MANDATORY

    @property
    def level(self) -> Level:
        """What its weight means (Table 4)."""
        return level_of(self.weight)


_OF_ALL: Final = frozenset(("id", "criterion", "weight", "axis"))


def _identified(rubric: Sequence[Criterion]) -> tuple[Criterion, ...]:
    """Every criterion with an identifier of its own. Raises Misplaced for a duplicate."""
    identifiers: dict[str, int] = {}
    for number, each in enumerate(rubric, start=1):
        identifier = each.id or f"c{number}"
        if (first := identifiers.setdefault(identifier, number)) != number:
            raise Misplaced(
                number - 1,
                f"criterion {number} has the identifier {identifier!r} of criterion {first}",
            )
    return tuple(
        each if each.id else each.model_copy(update={"id": f"c{number}"})
        for number, each in enumerate(rubric, start=1)
    )


Rubric = Annotated[tuple[Criterion, ...], Field(strict=False), AfterValidator(_identified)]
"""The criteria of one task in their order, each with an identifier of its own."""


def rubric_digest(rubric: Sequence[Criterion]) -> str:
    """SHA-256 of everything that decides a score by this rubric."""
    return digest([each.model_dump(mode="json") for each in rubric])


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


def odd_criteria(rubrics: Mapping[str, Sequence[Criterion]]) -> str:
    """What is odd of rubrics and taken as it stands, counted, with the first task where it is."""
    weightless: list[str] = []
    repeated: list[str] = []
    for task, rubric in rubrics.items():
        weightless += [task] * sum(not each.weight for each in rubric)
        words = {" ".join(each.criterion.split()) for each in rubric}
        repeated += [task] * (len(rubric) - len(words))
    heavy = [task for task, rubric in rubrics.items() for c in rubric if abs(c.weight) > HEAVIEST]
    if len(heavy) * 20 > sum(map(len, rubrics.values())):
        heavy = []  # the set has a scale of its own
    told = (
        (heavy, "beyond a weight of 5, where the scale of the others ends"),
        (weightless, "with the weight 0, which are judged and count nothing"),
        (repeated, "that repeat another one of their task word for word, each of which counts"),
    )
    return "; ".join(
        f"criteria {what}: {len(found)}, first in task {brief_text(found[0])}"
        for found, what in told
        if found
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
            entries.append(replace(row, fields=kept))
    return entries


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


def steps_in(loaded: Entries[TaskRubric], tasks: Iterable[Prompted]) -> dict[str, tuple[str, ...]]:
    """By which steps the rubrics of a file were made of others, by task, where they were."""
    found = {
        task.id: tuple(each.step for each in entry.history if isinstance(each, RubricStep))
        for task in tasks
        if (entry := loaded.of(task)) is not None
    }
    return {task: steps for task, steps in found.items() if steps}
