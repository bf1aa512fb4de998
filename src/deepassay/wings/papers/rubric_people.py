"""Tables of ResearchRubrics that hold judges against people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.records import Judged
from deepassay.results.tables import Table, percent
from deepassay.results.weighing import GradedCriterion
from deepassay.score import without_options
from deepassay.wings.papers.material import Cells, Given, PaperMaterial, without_edition
from deepassay.wings.papers.rubrics import BINARY_NOTE, PAPER
from deepassay.wings.people.agreement.rubrics import (
    RubricComparison,
    agreement,
    compare_rubric_verdicts,
    mismatches,
)

F1_NOTE: Final = (
    "Macro-F1 of each report, mean over reports, a class that neither side gives counting 0 as in "
    "the released program. `deepassay agree rubrics` has the other readings."
)


def _comparisons(material: PaperMaterial, records: Sequence[Judged]) -> list[RubricComparison]:
    """Every judge against people. Raises BadInput where there is nothing to compare."""
    if not material.labels:
        raise BadInput(
            "This holds verdicts on criteria against people.",
            "Name their file with --human: agent, task, criterion, verdict.",
        )
    found = [each for each in compare_rubric_verdicts(material.labels, records) if each.compared]
    if not found:
        raise BadInput(
            "People gave no verdict on a criterion that was graded.",
            "Check agents, tasks and criteria of the file.",
        )
    return found


def _every(material: PaperMaterial) -> list[Judged]:
    return [each for each in material.records if without_options(each.protocol) == "rubrics"]


def table6(material: PaperMaterial) -> tuple[Table, ...]:
    """Macro-F1 of every judge with people, by scale and agent."""
    comparisons = _comparisons(material, _every(material))
    heads = [_judge(each, comparisons) for each in comparisons]
    agents = sorted({agent for each in comparisons for agent in each.expected})
    cells = Cells()
    rows = [
        (
            scale.capitalize(),
            agent,
            *(
                cells.number(
                    _f1(each, scale, agent), 3, f"no {scale} verdict", f"{head} of {agent}"
                )
                for each, head in zip(comparisons, heads, strict=True)
            ),
        )
        for scale in ("binary", "ternary")
        for agent in agents
    ]
    notes = (F1_NOTE, BINARY_NOTE, *cells.notes)
    title = f"{PAPER}, table 6: agreement of judges with people"
    return (Table.listed(title, ("", "Agent", *heads), rows, notes, words=2),)


def _judge(one: RubricComparison, among: Sequence[RubricComparison]) -> str:
    """The judge, with its protocol where the judge stands there several times."""
    several = sum(each.judge == one.judge for each in among) > 1
    return f"{one.judge}, {one.protocol}" if several else one.judge


def _f1(found: RubricComparison, scale: str, agent: str) -> float | None:
    for own in found.scales:
        if own == scale:
            return agreement(found, own, agent).released
    return None


VARIANTS: Final = {
    "Low": ("remove_examples",),
    "High": (),
    "Absent": (),
    "Present": ("augment",),
}
"""The columns, and the steps by which their rubrics were made of those that people wrote."""

VARIANTS_NOTE: Final = (
    "Example Detail Low and High, LLM Augmentation Absent and Present: rubrics without examples, "
    "as written (High and Absent), expanded by a model. The history of a rubric says which it is; "
    "without one it counts as written."
)


def table7(material: PaperMaterial) -> tuple[Table, ...]:
    """Macro-F1 under rubrics without examples, as written, and expanded; a run file each.

    Which is which, their histories say.
    """
    if not 2 <= len(material.given) <= 3:
        raise BadInput(
            f"This table takes two or three run files; here are {len(material.given)}.",
            "Those of rubrics without examples, as written, and expanded by a model.",
        )
    runs = [
        _comparisons(
            material, [own for own in each.records if without_edition(own.protocol) == "rubrics"]
        )
        for each in material.given
    ]
    if strange := [found for found in runs if len(found) > 1]:
        judges = ", ".join(each.judge for each in strange[0])
        raise BadInput(f"One run has several judges: {judges}.", "Name runs of one and the same.")
    of_steps = dict(zip(_steps(material.given), (found[0] for found in runs), strict=True))
    columns = [of_steps.get(steps) for steps in VARIANTS.values()]
    agents = sorted({agent for found in runs for agent in found[0].expected})
    cells = Cells()
    rows = []
    for scale in ("binary", "ternary"):
        for agent in agents:
            own = []
            for head, each in zip(VARIANTS, columns, strict=True):
                why = f"no {scale} verdict" if each else "no run file of such rubrics is given"
                own.append(cells.number(_f1(each, scale, agent) if each else None, 3, why, head))
            rows.append((scale.capitalize(), agent, *own))
    sizes = "; ".join(f"{each.name}: {_words_of_criteria(each)}" for each in material.given)
    notes = (F1_NOTE, VARIANTS_NOTE, f"Mean words of a criterion: {sizes}.", *cells.notes)
    title = (
        f"{PAPER}, table 7: agreement with people by wording of rubrics, judge {runs[0][0].judge}"
    )
    return (Table.listed(title, ("", "Agent", *VARIANTS), rows, notes, words=2),)


def _steps(given: Sequence[Given]) -> list[tuple[str, ...]]:
    """By which steps the rubrics of each file were made.

    Raises BadInput where tasks of a file differ in them, where two files do not, and where the
    steps are those of no column.
    """
    found: dict[tuple[str, ...], Given] = {}
    for each in given:
        made = Counter(task.steps for task in each.tasks if task.criterion_words)
        told = "; ".join(
            f"{count} {', then '.join(steps) or 'as written'}" for steps, count in made.items()
        )
        if len(made) != 1 or next(iter(made)) not in VARIANTS.values():
            raise BadInput(
                f"{each.name}: its rubrics are of no single column of this table: "
                f"{told or 'there are none'}.",
                "Take runs of rubrics without examples, as written, or expanded, each alone.",
            )
        steps = next(iter(made))
        if steps in found:
            raise BadInput(
                f"{found[steps].name} and {each.name}: by their histories the rubrics of both are "
                f"the same: {told}.",
                "Histories stand in files that `deepassay tasks rubric` wrote, and come into a run "
                "by --rubric FILE. To a run that was made without, the same command adds them.",
            )
        found[steps] = each
    return [*found]


def _words_of_criteria(given: Given) -> str:
    words = [count for task in given.tasks for count in task.criterion_words]
    return f"{fmean(words):.1f}" if words else "not known"


KINDS: Final[Mapping[str, Callable[[GradedCriterion], str]]] = {
    "axis": lambda line: line.axis,
    "importance": lambda line: line.obligation,
}


def figure15(material: PaperMaterial) -> tuple[Table, ...]:
    """Where judge and people differ: by axis, by importance, and the rate within each kind."""
    tables = []
    for found in _comparisons(material, _every(material)):
        for kind, of in KINDS.items():
            by_scale = {s: mismatches(found.compared, s, of) for s in found.scales}
            heads = [f"{what} ({s})" for s in by_scale for what in ("share", "rate")]
            names = list(next(iter(by_scale.values())))
            rows = []
            for name in names:
                own = [str(next(iter(by_scale.values()))[name].compared)]
                for each in by_scale.values():
                    total = sum(one.differing for one in each.values())
                    differing = each[name].differing
                    own.append(percent(differing / total if total else None))
                    own.append(percent(differing / each[name].compared))
                rows.append((name, *own))
            tables.append(
                Table.listed(
                    f"{PAPER}, figure 15: where judge {found.judge} and people differ, by {kind}",
                    (kind.capitalize(), "Criteria", *heads),
                    rows,
                    ("share: of all criteria on which they differ. rate: within the kind.",),
                )
            )
    return tuple(tables)
