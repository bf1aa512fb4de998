"""Citations of each agent by both formulas of DeepResearch Bench, and what lies beside them.

The paper (appendix E) averages the accuracy of each report over all tasks, and a report that cites
nothing counts 0. The authors' program pools the verdicts of the reports that cite at all and leaves
out those that are unknown. Both are made of the same counts, which protocols keep in the details
of a score: see `COUNTS`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, NamedTuple

from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.evidence import each_said
from deepassay.results.records import Judged
from deepassay.results.tables import NONE, Table

Counts = Mapping[str, int]

DECIDED: Final = ("supported", "unsupported", "unknown", "dead", "refused")
"""Ends of a pair that decide; all but the first are not supported."""

OPEN: Final = ("timeout", "too_large", "not_text", "failed")
COUNTS: Final = ("pairs", *DECIDED, "blocked", "not_archived", *OPEN)
"""Under `details["counts"]`: pairs, and how many of them came to which end."""

HEAD: Final = (
    "agent",
    "tasks",
    "C.Acc (paper)",
    "E.Cit (paper)",
    "rate (code)",
    "judged (code)",
    "E.Cit (code)",
    "recall (pooled)",
    "uncited (pooled)",
)
ENDS: Final = (*DECIDED, "blocked", "not archived", "other open")
NOTES: Final = (
    "paper: accuracy of each report, averaged over all tasks; unknown, dead and refused pages "
    "support nothing; what could not be judged is left out of both numbers.",
    "code: verdicts pooled over the reports that cite, and counted per report that cites; unknown "
    "and dead are left out. Who cites in few reports only is judged by those.",
    "recall: statements with a source that supports them. uncited: claims without a source.",
)
ENDS_NOTE: Final = "Pairs of statement and address, over all judgements. Open ones are not judged."


class PaperFigures(NamedTuple):
    """Equations 4 and 5. None where no task has a score. tasks: how many they rest on."""

    accuracy: float | None
    effective: float | None
    tasks: int


class CodeFigures(NamedTuple):
    """The three numbers of the released program. None where it would divide by zero."""

    rate: float | None
    citations: float | None
    supported: float | None


@dataclass(frozen=True)
class CountedReport:
    """The counts of one judgement of one report. task: with the sample, where it hangs."""

    task: str
    sample: int
    counts: Counts


def accuracy_of(counts: Counts) -> float | None:
    """Equation 3: supported of all decided pairs; 0 without pairs, None if none is decided."""
    decided = sum(counts.get(kind, 0) for kind in DECIDED)
    if decided:
        return counts["supported"] / decided
    return None if counts["pairs"] else 0.0


def paper_figures(reports: Iterable[CountedReport]) -> PaperFigures:
    """C.Acc and E.Cit over all tasks; within a task the mean over repeats and answers."""
    accuracies, effective = by_task(reports)
    if not accuracies:
        return PaperFigures(None, None, 0)
    return PaperFigures(fmean(accuracies.values()), fmean(effective.values()), len(accuracies))


def by_task(
    reports: Iterable[CountedReport],
) -> tuple[Mapping[Hashable, float], Mapping[Hashable, float]]:
    """What C.Acc and E.Cit are the means of: accuracy and supported citations of each task.

    Tasks of which nothing could be judged are in neither.
    """
    accuracies: list[Leaf] = []
    effective: list[Leaf] = []
    for each in reports:
        accuracy = accuracy_of(each.counts)
        if accuracy is not None:
            path = (each.task, each.sample)
            accuracies.append((path, accuracy))
            effective.append((path, float(each.counts["supported"])))
    return task_means(accuracies), task_means(effective)


def code_figures(reports: Iterable[CountedReport]) -> CodeFigures:
    """Pooled rate, and citations and supported ones per report that cites."""
    citing = [each.counts for each in reports if each.counts.get("citing", each.counts["pairs"])]
    supported = sum(counts["supported"] for counts in citing)
    judged = supported + sum(counts["unsupported"] for counts in citing)
    return CodeFigures(
        supported / judged if judged else None,
        judged / len(citing) if citing else None,
        supported / len(citing) if citing else None,
    )


def counted_reports(records: Iterable[Judged]) -> Iterable[CountedReport]:
    """The counts of each judgement, also of each judge of a panel."""
    for record in records:
        for each in each_said(record):
            if each.evidence.counts is not None:
                yield CountedReport(record.task, record.sample, each.evidence.counts)


def citation_tables(
    records: Sequence[Judged], label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """Figures, and what became of the pairs, a row an agent, from judgements of one protocol.

    label: name and value by which the tasks were picked. None if nothing counts citations.
    """
    agents: defaultdict[str, list[Judged]] = defaultdict(list)
    for record in records:
        agents[record.agent].append(record)
    counted = {agent: list(counted_reports(judged)) for agent, judged in sorted(agents.items())}
    if not any(counted.values()):
        return ()
    tasks = {agent: len({each.task for each in judged}) for agent, judged in agents.items()}
    rows = tuple(_row(agent, reports, tasks[agent]) for agent, reports in counted.items())
    which = f", {label[0]}: {label[1]}" if label else ""
    title = f"{records[0].protocol}{which}: citations"
    ends = tuple((agent, *_ends(reports)) for agent, reports in counted.items())
    head = ("agent", "pairs", *ENDS)
    return (
        Table(title, HEAD, rows, NOTES, frozenset(range(1, len(HEAD)))),
        Table(f"{title}, by outcome", head, ends, (ENDS_NOTE,), frozenset(range(1, len(head)))),
    )


def _row(agent: str, reports: Sequence[CountedReport], tasks: int) -> tuple[str, ...]:
    paper, code = paper_figures(reports), code_figures(reports)

    def total(*kinds: str) -> int:
        return sum(each.counts.get(kind, 0) for each in reports for kind in kinds)

    known = total("statements") - total("open")
    return (
        agent,
        f"{paper.tasks}/{tasks}",
        _share(paper.accuracy),
        _amount(paper.effective),
        _share(code.rate),
        _amount(code.citations),
        _amount(code.supported),
        _share(total("recalled") / known if known else None),
        _share(total("uncited") / total("claims") if total("claims") else None),
    )


def _ends(reports: Sequence[CountedReport]) -> tuple[str, ...]:
    """How many pairs came to which end."""
    kinds = (("pairs",), *((kind,) for kind in DECIDED), ("blocked",), ("not_archived",), OPEN)
    return tuple(
        str(sum(each.counts.get(kind, 0) for each in reports for kind in together))
        for together in kinds
    )


def _share(value: float | None) -> str:
    return NONE if value is None else f"{value:.4f}"


def _amount(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
