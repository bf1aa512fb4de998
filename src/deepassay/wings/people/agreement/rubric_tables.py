"""Agreement of judges with people on rubrics, as tables and as unrounded lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from deepassay.results.tables import Table, decimals, percent, printable
from deepassay.results.weighing import GradedCriterion
from deepassay.score import Json
from deepassay.stats.classes import weighed
from deepassay.wings.people.agreement.rubrics import (
    CLASSES,
    MacroF1,
    Mismatches,
    RubricComparison,
    Scale,
    agreement,
    class_figures_of_rubrics,
    mismatches,
)

ALL: Final = "(all)"
F1_HEAD: Final = (
    *("agent", "scale", "tasks", "verdicts"),
    *("per task (code)", "per task", "pooled"),
)
F1_NOTES: Final = (
    "Macro-F1. per task: of each report, mean over tasks; in the released program a class that "
    "neither side gives counts 0 (code), otherwise it is left out. pooled: of all criteria.",
    "verdicts: that both gave, of those that people gave. (all): every agent's report is a task.",
)
CLASS_HEAD: Final = ("scale", "class", "people", "judge", "both", "precision", "recall", "F1")
CLASS_NOTE: Final = (
    "All criteria of all agents together; of one that was judged several times each judgement "
    "counts in part."
)
CONFUSION_NOTE: Final = "Down: what people said. Across: what the judge said."
MISMATCH_HEAD: Final = ("differ", "share of all", "rate")
MISMATCH_NOTE: Final = "share of all: of the criteria on which they differ. rate: within the kind."
KINDS: Final[Mapping[str, tuple[str, Callable[[GradedCriterion], str]]]] = {
    "axis": ("axis", lambda line: line.axis),
    "importance": ("importance", lambda line: line.level),
    "obligation": ("criteria", lambda line: line.obligation),
}
"""Kinds of criteria: the head of the column, and of which kind one is."""


def flat_agreement(comparisons: Sequence[RubricComparison]) -> list[dict[str, Json]]:
    """The macro-F1 of every agent and scale, unrounded, a line each."""
    return [_flat(*each) for one in comparisons for each in _figures(one)]


def agreement_tables(comparison: RubricComparison) -> list[Table]:
    """Macro-F1, classes, confusion, and where people and judge differ."""
    name = f"{comparison.protocol}, judge {comparison.judge} against people"
    return [
        Table.listed(
            f"{name}: macro-F1",
            F1_HEAD,
            (_f1_row(agent, scale, found) for _, agent, scale, found in _figures(comparison)),
            (*F1_NOTES, *missing(comparison)),
            words=2,
        ),
        Table.listed(
            f"{name}: classes", CLASS_HEAD, _class_rows(comparison), (CLASS_NOTE,), words=2
        ),
        _confusion(f"{name}: confusion", comparison),
        *(
            _mismatch_table(f"{name}: where they differ, by {by}", head, comparison, kind)
            for by, (head, kind) in KINDS.items()
            if by == "axis" or not comparison.protocol.startswith("rubrics(set=")
        ),
    ]


def missing(comparison: RubricComparison) -> Iterator[str]:
    """What people labelled and could not be compared, and why."""
    yield from comparison.joined.lines()
    for cause, count in sorted(comparison.unjudged.items()):
        yield f"Without a verdict of the judge: {count} ({cause})."


def _figures(
    comparison: RubricComparison,
) -> Iterator[tuple[RubricComparison, str, Scale, MacroF1]]:
    agents = sorted(comparison.expected)
    for agent in (*agents, ALL):
        for scale in comparison.scales:
            chosen = None if agent == ALL else agent
            yield comparison, agent, scale, agreement(comparison, scale, chosen)


def _f1_row(agent: str, scale: Scale, found: MacroF1) -> tuple[str, ...]:
    return (
        agent,
        scale,
        str(found.tasks),
        f"{found.verdicts.scored}/{found.verdicts.expected}",
        *(decimals(value, 4) for value in (found.released, found.per_task, found.pooled)),
    )


def _class_rows(comparison: RubricComparison) -> Iterator[tuple[str, ...]]:
    pairs = [each.pair for each in comparison.compared]
    weights = [each.weight for each in comparison.compared]
    for scale in comparison.scales:
        for each in class_figures_of_rubrics(pairs, scale, weights):
            counts = (each.tp + each.fn, each.tp + each.fp, each.tp)
            yield (
                *(scale, each.label),
                *(f"{count:g}" for count in counts),
                *(decimals(value, 4) for value in (each.precision, each.recall, each.f1)),
            )


def _confusion(title: str, comparison: RubricComparison) -> Table:
    compared = comparison.compared
    counts = weighed([each.pair for each in compared], [each.weight for each in compared])
    classes = CLASSES["ternary"]
    rows = ((own, *(f"{counts.get((own, other), 0):g}" for other in classes)) for own in classes)
    return Table.listed(title, ("people", *classes), rows, (CONFUSION_NOTE,))


def _mismatch_table(
    title: str, head: str, comparison: RubricComparison, kind: Callable[[GradedCriterion], str]
) -> Table:
    found = {scale: mismatches(comparison.compared, scale, kind) for scale in comparison.scales}
    heads = (f"{each} ({scale})" for scale in found for each in MISMATCH_HEAD)
    compared = found[comparison.scales[0]]
    rows = (
        (name, str(own.compared), *(cell for each in found.values() for cell in _cells(each, name)))
        for name, own in compared.items()
    )
    return Table.listed(title, (head, "compared", *heads), rows, (MISMATCH_NOTE,))


def _cells(found: Mapping[str, Mismatches], name: str) -> tuple[str, str, str]:
    own, total = found[name], sum(each.differing for each in found.values())
    share = own.differing / total if total else None
    return f"{own.differing:g}", percent(share), percent(own.differing / own.compared)


def _flat(
    comparison: RubricComparison, agent: str, scale: Scale, found: MacroF1
) -> dict[str, Json]:
    return {
        "protocol": comparison.protocol,
        "judge": printable(comparison.judge),
        "agent": printable(agent),
        "scale": scale,
        "tasks": found.tasks,
        "compared": found.verdicts.scored,
        "labelled": found.verdicts.expected,
        "macro_f1_per_task_code": found.released,
        "macro_f1_per_task": found.per_task,
        "macro_f1_pooled": found.pooled,
    }
