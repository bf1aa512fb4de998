"""Rubric scores beside citations, where both were judged on the same reports.

ResearchRubrics (section 4.2) holds how many citations a report has and how many of them are right
against what the report is worth by its rubric. Citations are those that another protocol of the
run counted, as `fact` does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Final

from deepassay.results.aggregate import task_means
from deepassay.results.citations import accuracy_of, counted_reports
from deepassay.results.records import Judged
from deepassay.results.rubric_items import by_agent, of_one_rubric
from deepassay.results.tables import NONE, Table
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
    records: Sequence[Judged], run: Sequence[Judged], label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """One table, a row an agent and a protocol that counted citations; none without both.

    records: graded rubrics. run: judgements of all protocols.
    """
    if not of_one_rubric(records):
        return ()
    protocols: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in run:
        protocols[each.protocol].append(each)
    rows = [
        row
        for agent, graded in by_agent(records).items()
        for protocol, judged in sorted(protocols.items())
        if len({each.signature.digest for each in judged}) == 1
        for row in _row(graded, protocol, [each for each in judged if each.agent == agent])
    ]
    if not rows:
        return ()
    which = f", {label[0]}: {label[1]}" if label else ""
    title = f"{records[0].protocol}{which}: score and citations"
    numeric = frozenset(range(2, len(HEAD)))
    return (Table(title, HEAD, tuple(rows), (NOTE,), numeric, detail=True),)


def _row(
    graded: Sequence[Judged], protocol: str, judged: Sequence[Judged]
) -> Iterator[tuple[str, ...]]:
    """The row of an agent, if the protocol counted citations of its reports at all."""
    reports = list(counted_reports(judged))
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
