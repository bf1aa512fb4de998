"""What a report is worth by its rubric, beside the citations that another protocol counted.

ResearchRubrics (section 4.2) holds the one against the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

from deepassay.results.aggregate import task_means
from deepassay.results.citations import CountedReport, accuracy_of
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import NONE, Table, of_label
from deepassay.score import Score

HEAD: Final = (
    *("agent", "citations by", "tasks", "score"),
    *("citations", "accuracy", "supported"),
)
NOTE: Final = (
    "Over the tasks that have both, of expected. score: of the rubrics. citations: pairs of "
    "statement and address in a report; accuracy: supported of those decided, a report that cites "
    "nothing counting 0; supported: of a report."
)


def citations_beside(
    records: Sequence[Judged],
    counted: Mapping[str, Mapping[str, Sequence[CountedReport]]],
    label: tuple[str, str] | None = None,
) -> tuple[Table, ...]:
    """One table, a row an agent and a protocol that counted citations; none without both.

    records: of graded rubrics of one recipe. counted: the counts of each protocol, by its name.
    """
    rows = [
        row
        for agent, judged in by_agent(records).items()
        for protocol, agents in counted.items()
        for row in _rows(judged, protocol, agents.get(agent, ()))
    ]
    if not rows:
        return ()
    title = f"{records[0].protocol}{of_label(label)}: score and citations"
    return (Table.listed(title, HEAD, rows, (NOTE,), words=2, detail=True),)


def _rows(
    graded: Sequence[Judged], protocol: str, reports: Sequence[CountedReport]
) -> Iterator[tuple[str, ...]]:
    """The row of an agent, if the protocol counted citations of its reports at all."""
    if not reports:
        return
    scores = task_means(
        ((each.task, each.sample), each.outcome.value)
        for each in graded
        if isinstance(each.outcome, Score)
    )
    decided = [
        ((each.task, each.sample), each.counts, accuracy)
        for each in reports
        if (accuracy := accuracy_of(each.counts)) is not None
    ]
    pairs = task_means((path, float(counts["pairs"])) for path, counts, _ in decided)
    accuracies = task_means((path, accuracy) for path, _, accuracy in decided)
    supported = task_means((path, float(counts["supported"])) for path, counts, _ in decided)
    both = [task for task in scores if task in accuracies]
    expected = len({each.task for each in graded})

    def mean(of: dict[object, float], digits: int) -> str:
        return f"{fmean(of[task] for task in both):.{digits}f}" if both else NONE

    yield (
        graded[0].agent,
        protocol,
        f"{len(both)}/{expected}",
        mean(scores, 4),
        mean(pairs, 1),
        mean(accuracies, 4),
        mean(supported, 1),
    )
