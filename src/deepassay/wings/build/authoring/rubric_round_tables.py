"""How far rubrics are on their way, what is worth a look, how far people agree in each round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deepassay.results.tables import Table, as_csv, decimals, percent
from deepassay.stats.classes import kappa
from deepassay.stats.reliability import Alpha
from deepassay.tasks.history import HistoryEntry
from deepassay.text import natural_order
from deepassay.wings.build.authoring.remarks import remarks_of
from deepassay.wings.build.authoring.rubric_drafts import (
    PROMPT,
    CriterionWording,
    RubricDraft,
    open_part,
    read_words,
)

FINDINGS: Final = "findings.csv"
SHOWN: Final = 20
STAGES: Final = ("propose", "review", "revise", "final", "done")
AGREEMENT_NOTES: Final = (
    "criteria: on which a decision was taken. kept: as it stood. alpha: Krippendorff's, of the "
    "weights, kappa: of the axes of criteria that both would have.",
    "Whoever reviews sees weight and axis, so these tell what is left standing, and not what two "
    "people find who know nothing of each other.",
)


def stages_table(drafts: Mapping[str, RubricDraft]) -> Table:
    """How many tasks are at each stage, and whose turn it is."""
    found = Counter((each.stage, each.whose) for each in drafts.values())
    rows = [
        (stage, who or "-", str(count))
        for (stage, who), count in sorted(found.items(), key=lambda each: STAGES.index(each[0][0]))
    ]
    return Table.listed("Rubrics on their way", ("stage", "who", "tasks"), rows, words=2)


Found = tuple[str, str, str]
"""Task, criterion (empty: the rubric), and what is worth a look."""


def findings(drafts: Mapping[str, RubricDraft]) -> list[Found]:
    """What is worth a look in criteria as they stand."""
    return [
        (name, each.of, each.told())
        for name, draft in drafts.items()
        for each in remarks_of(draft.rubric)
    ]


def findings_table(found: Sequence[Found]) -> Table:
    """The first findings as a table, and where the others stand."""
    rows = [(task, of or "(all)", told) for task, of, told in found[:SHOWN]]
    more = f"{len(found) - SHOWN} more stand in {FINDINGS}. " if len(found) > SHOWN else ""
    notes = (f"{more}Rules that see words and no meaning: of four they point at, one is in order.",)
    return Table.listed("Worth a look", ("task", "criterion", "finding"), rows, notes, words=3)


def findings_csv(found: Sequence[Found]) -> str:
    """All of them, for a spreadsheet."""
    columns = ("task", "criterion", "finding")
    return as_csv([dict(zip(columns, each, strict=True)) for each in found], columns)


@dataclass
class Decided:
    """What one round decided. said: how often what. weights, axes: before, and as suggested."""

    said: Counter[str] = field(default_factory=Counter)
    weights: list[tuple[float, float]] = field(default_factory=list)
    axes: list[tuple[str, str]] = field(default_factory=list)
    tasks: set[str] = field(default_factory=set)

    @property
    def criteria(self) -> int:
        """On which it decided; what was added was not there before."""
        return self.said.total() - self.said["add"]


def decided(drafts: Mapping[str, RubricDraft]) -> dict[str, Decided]:
    """By step of reviewing: `review 1`, `review 2`, …, `final`; from the histories alone."""
    found: defaultdict[str, Decided] = defaultdict(Decided)
    for name, draft in drafts.items():
        now: dict[str, str] = {}
        for entry in draft.history:
            step = entry.step
            if entry.said and (step == "final" or step.startswith("review")):
                _count(found[step], name, entry, now)
            if entry.after is not None:
                now[entry.of] = entry.after
            elif entry.before is not None:
                now.pop(entry.of, None)
    return dict(
        sorted(found.items(), key=lambda each: (each[0] == "final", natural_order(each[0])))
    )


def _count(row: Decided, task: str, entry: HistoryEntry, now: Mapping[str, str]) -> None:
    of = entry.of.removeprefix(open_part(""))
    if of == PROMPT:
        return
    row.tasks.add(task)
    row.said[entry.said] += 1
    for mine, theirs in _sides(entry, now.get(of)):
        row.weights.append((mine.weight, theirs.weight))
        if mine.axis and theirs.axis:
            row.axes.append((mine.axis, theirs.axis))


def _sides(
    entry: HistoryEntry, before: str | None
) -> Iterator[tuple[CriterionWording, CriterionWording]]:
    """A criterion as it was, and as whoever reviewed would have it."""
    mine = read_words(before) if before else None
    suggested = before if entry.said == "keep" else entry.after
    theirs = read_words(suggested) if suggested else None
    if mine and theirs:
        yield mine, theirs


def agreement_table(drafts: Mapping[str, RubricDraft]) -> Table:
    """How far who reviewed agreed with what stood before, by round."""
    head = ("round", "tasks", "criteria", "kept", "changed", "dropped", "insisted", "added")
    rows = [
        (
            step,
            str(len(row.tasks)),
            str(row.criteria),
            percent(row.said["keep"] / row.criteria if row.criteria else None),
            *(str(row.said[each]) for each in ("change", "drop", "insist", "add")),
            decimals(Alpha(row.weights, "interval")() if row.weights else None, 2),
            decimals(kappa(row.axes), 2),
        )
        for step, row in decided(drafts).items()
    ]
    return Table.listed("Agreement by round", (*head, "alpha", "kappa"), rows, AGREEMENT_NOTES)
