"""From judgements to one number for an agent, and how far it can be trusted.

Every aggregate says how many of the expected judgements it rests on. What is missing is never
counted as zero; instead the mean is also given as it would be had all that is missing scored
worst, or best.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import fsum
from statistics import fmean
from typing import NamedTuple

import numpy as np

from deepassay.results.evidence import JudgeOutcome, OutcomeEvidence, evidence_of
from deepassay.results.panel_verdicts import panels_of, share_agreed
from deepassay.results.ranges import Ranges, clipped, inside, range_of_mean
from deepassay.results.records import Judged, judges_of
from deepassay.score import Cause, Score
from deepassay.stats.intervals import Interval, Units, t_interval

Leaf = tuple[tuple[Hashable, ...], float]
"""Where a value hangs, e.g. (task, sample), and the value."""


class Count(NamedTuple):
    """How many were scored of how many that were expected."""

    scored: int
    expected: int


class PartMean(NamedTuple):
    """The mean of one part over the tasks in which it was scored."""

    mean: float
    tasks: int


@dataclass(frozen=True)
class Aggregate:
    """One agent under one protocol.

    mean: over tasks, or None if nothing was scored; within a task first over the repeats of one
    answer, then over the agent's answers; of a metric that pools, the share of all items.
    interval: 95 %, of that mean, Student's t over tasks, cut to the metric's range, None for fewer
    than two tasks and for equal scores. bounds: the mean if all that is missing had scored worst or
    best, None where the metric has no range. tasks: those with a score. judgements: of single
    judges, also within a panel. causes: of what is missing, counted. pooled: sum of met over sum of
    counted items, in [0, 1]; None where a metric pools on a scale that is not known. judges: the
    mean of each judge of a panel. judge_spread: highest less lowest judge of a panel's judgement,
    on average. again: reads the judgements with their parts.
    """

    mean: float | None
    interval: Interval | None
    bounds: Interval | None
    tasks: Count
    judgements: Count
    causes: Mapping[str, int]
    pooled: float | None
    parts: Mapping[str, PartMean]
    judges: Mapping[str, PartMean]
    judge_spread: float | None
    again: Callable[[], Sequence[Judged]] = field(compare=False, repr=False)

    @cached_property
    def judge_agreement(self) -> float | None:
        """The share of verdicts on which two judges agree, over all pairs, in [0, 1]."""
        return share_agreed(self.again()) if self.judges else None


def aggregate(
    records: Sequence[Judged],
    ranges: Ranges | None = None,
    again: Callable[[], Sequence[Judged]] | None = None,
) -> Aggregate:
    """Summarise the judgements of one agent under one protocol; their order does not matter.

    ranges: of the metric, see `ranges_of`. again: reads them with their parts, where those of
    `records` have none.
    """
    ranges = ranges or {}
    again = again or (lambda: records)
    scored = [
        ((each.task, each.sample), each.outcome)
        for each in records
        if isinstance(each.outcome, Score)
    ]
    values = means_of_tasks(records)
    panels = [
        (path, {name: each.value for name, each in OutcomeEvidence(score.details).judges.items()})
        for path, score in scored
        if score.details.get("judges")
    ]
    verdicts = [verdict for each in records for verdict in verdicts_of(each)]
    causes = Counter(str(verdict) for verdict in verdicts if isinstance(verdict, Cause))
    pooled = _pooled_share([score for _, score in scored])
    if any(each.pools for each in records):  # such tallies are in the unit of the score
        scale = range_of_mean(ranges, ranges)
        mean, interval = pooled, _pooled_interval(scored)
        bounds = _pooled_bounds(records, mean, scale)
        pooled = mean / scale.high if scale and scale.high > 0 and mean is not None else None
    else:
        mean = fmean(values.values()) if values else None
        interval, bounds = t_interval(list(values.values())), _bounds(records, ranges)
    if clips := any(each.clips for each in records):
        mean = None if mean is None else clipped(mean)
        interval, bounds = (each and Interval(*map(clipped, each)) for each in (interval, bounds))
    return Aggregate(
        mean=mean,
        interval=inside(interval, range_of_mean(values, ranges)),
        bounds=bounds,
        tasks=Count(len(values), len({each.task for each in records})),
        judgements=Count(len(verdicts) - causes.total(), len(verdicts)),
        causes=dict(sorted(causes.items())),
        pooled=pooled,
        parts=_Means(again, clips=clips),
        judges=_means_by_name(panels),
        judge_spread=_spread(panel for _, panel in panels_of(records)),
        again=again,
    )


def verdicts_of(record: Judged) -> list[float | Cause]:
    """The value that each judge gave, or why it gave none; one entry where no panel judged."""
    outcome = record.outcome
    if outcome.details.get("judges"):
        return [_verdict(each) for each in OutcomeEvidence(outcome.details).judges.values()]
    if isinstance(outcome, Score):
        return [outcome.value]
    return [outcome.cause] * max(1, len(judges_of(record.signature)))


def _verdict(outcome: JudgeOutcome) -> float | Cause:
    if outcome.value is not None:
        return outcome.value
    return outcome.cause or Cause.MISSING_INPUT


def means_of_tasks(records: Iterable[Judged]) -> dict[str, float]:
    """The mean score of each task that has one, of one agent."""
    leaves = [
        ((each.task, each.sample), each.outcome.value)
        for each in records
        if isinstance(each.outcome, Score)
    ]
    return {str(task): mean for task, mean in task_means(leaves).items()}


def shared_tasks(
    agents: Sequence[str], means: Mapping[str, Mapping[str, float]]
) -> dict[tuple[str, str], int]:
    """How many tasks two agents both have a score for; pairs without any are not in it."""
    tasks = sorted({task for agent in agents for task in means.get(agent, {})})
    rows = [[task in means.get(agent, {}) for task in tasks] for agent in agents]
    scored = np.array(rows, dtype=float).reshape(len(agents), len(tasks))
    counts = (scored @ scored.T).astype(int).tolist()
    pairs = combinations(enumerate(agents), 2)
    return {(a, b): count for (i, a), (j, b) in pairs if (count := counts[i][j])}


def task_means(leaves: Iterable[Leaf]) -> dict[Hashable, float]:
    """The value of each task: the mean over its answers of the mean over repeats."""
    known = [*leaves]
    alone = {path[0]: value + 0.0 for path, value in known}  # see `nested_mean`
    if len(alone) == len(known):  # which is the rule
        return alone
    return {task: nested_mean(below, 1) for task, below in _branches(known, 0).items()}


def nested_mean(leaves: Sequence[Leaf], level: int = 0) -> float:
    """The mean of the means of the branches, level by level: each branch weighs the same.

    level: how many steps of their paths all leaves share.
    """
    if len(leaves) == 1:  # which is the rule
        return leaves[0][1] + 0.0  # also of -0.0, as `fmean` has it
    if len(leaves[0][0]) == level:
        return fmean([value for _, value in leaves])
    below = _branches(leaves, level).values()
    return fmean([nested_mean(each, level + 1) for each in below])


def _branches(leaves: Iterable[Leaf], level: int) -> dict[Hashable, list[Leaf]]:
    branches: defaultdict[Hashable, list[Leaf]] = defaultdict(list)
    for leaf in leaves:
        branches[leaf[0][level]].append(leaf)
    return branches


def answers_of(records: Sequence[Judged]) -> dict[str, list[list[float]]]:
    """The scores of one agent by task and answer, judgements in the order of records."""
    found: defaultdict[str, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in records:
        if isinstance(each.outcome, Score):
            found[each.task][each.sample].append(each.outcome.value)
    return {task: list(samples.values()) for task, samples in found.items()}


def passes_of(records: Sequence[Judged]) -> tuple[float, ...]:
    """The mean score of one agent by every first judgement, by every second, and so on.

    Each over the tasks that it scored: what a leaderboard of that pass alone would show.
    """
    seen: Counter[tuple[str, int]] = Counter()
    leaves: defaultdict[int, list[Leaf]] = defaultdict(list)
    for each in records:
        answer = (each.task, each.sample)
        if isinstance(each.outcome, Score):
            leaves[seen[answer]].append((answer, each.outcome.value))
        seen[answer] += 1
    return tuple(fmean(task_means(leaves[number]).values()) for number in sorted(leaves))


def _spread(panels: Iterable[OutcomeEvidence]) -> float | None:
    said = [[each.value for each in panel.judges.values()] for panel in panels]
    values = [[value for value in panel if value is not None] for panel in said]
    ranges = [max(panel) - min(panel) for panel in values if len(panel) > 1]
    return fmean(ranges) if ranges else None


def _bounds(records: Sequence[Judged], ranges: Ranges) -> Interval | None:
    """The mean over everything expected, with the worst and the best value where none is."""
    if not records or any(each.task not in ranges for each in records):
        return None
    possible = [
        ((each.task, each.sample, each.repeat), ends)
        for each in records
        for ends in _ranges_of(each, ranges[each.task])
    ]

    def filled(end: int) -> float:
        return fmean(task_means([(path, ends[end]) for path, ends in possible]).values())

    low = filled(0)
    return Interval(low, low if all(own.low == own.high for _, own in possible) else filled(1))


def _ranges_of(record: Judged, limits: Interval) -> list[Interval]:
    """How low and how high the value of each judge can be, also where a part of it is open.

    Of the panel as one, where it says so because its value is no mean of those of its judges.
    """
    outcome = record.outcome
    if not (outcome.details.get("judges") or outcome.details.get("open")):  # which is the rule
        return [Interval(outcome.value, outcome.value) if isinstance(outcome, Score) else limits]
    whole = evidence_of(record)
    if not whole.details.get("judges"):
        verdict = outcome.value if isinstance(outcome, Score) else outcome.cause
        return [_range_of(verdict, whole, limits)]
    if whole.limits:
        return [Interval(*whole.limits)]
    judges = whole.judges.values()
    return [_range_of(_verdict(each), each.evidence, limits) for each in judges]


def _range_of(verdict: float | Cause, evidence: OutcomeEvidence, limits: Interval) -> Interval:
    """How low and how high a verdict of one judge can be."""
    if isinstance(verdict, Cause):
        return limits
    if evidence.is_open and evidence.limits:
        return Interval(*evidence.limits)
    return Interval(verdict, verdict)


def _pooled_share(scores: Iterable[Score]) -> float | None:
    """The share of all items of all reports that are met; None where nobody counted any."""
    tallies = [score.tally for score in scores if score.tally is not None]
    total = fsum(of for _, of in tallies)
    return fsum(met for met, _ in tallies) / total if total > 0 else None


def _pooled_interval(
    scored: Sequence[tuple[tuple[Hashable, ...], Score]],
) -> Interval | None:
    """Of the share of all items: tasks vary, each with all its items."""
    tallies: defaultdict[Hashable, list[tuple[float, float]]] = defaultdict(list)
    for path, score in scored:
        tallies[path[0]].append(score.tally or (0.0, 0.0))
    sums = np.array([fsum(met for met, _ in own) for own in tallies.values()])
    sizes = np.array([fsum(of for _, of in own) for own in tallies.values()])
    counted = sizes > 0
    return Units(sums[counted], sizes[counted]).interval()


def _pooled_bounds(
    records: Sequence[Judged], mean: float | None, scale: Interval | None
) -> Interval | None:
    """The share itself where nothing is missing; else anything on its scale may come of what is."""
    whole = all(isinstance(each.outcome, Score) for each in records)
    return Interval(mean, mean) if whole and mean is not None else scale


class _Means(Mapping[str, PartMean]):
    """The means by name, made when they are first asked for: a first screen shows none."""

    def __init__(self, read: Callable[[], Iterable[Judged]], *, clips: bool) -> None:
        self._read = read
        self._clips = clips

    @cached_property
    def _found(self) -> Mapping[str, PartMean]:
        return _means_by_name(
            [
                ((each.task, each.sample), each.outcome.parts)
                for each in self._read()
                if isinstance(each.outcome, Score)
            ],
            clips=self._clips,
        )

    def __getitem__(self, name: str) -> PartMean:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _means_by_name(
    named: Sequence[tuple[tuple[Hashable, ...], Mapping[str, float | None]]],
    *,
    clips: bool = False,
) -> dict[str, PartMean]:
    """For each name the mean over the tasks that have a value under it. clips: kept in [0, 1]."""
    leaves: defaultdict[str, list[Leaf]] = defaultdict(list)
    for path, values in named:
        for name, value in values.items():
            if value is not None:
                leaves[name].append((path, value))
    means = {name: task_means(below) for name, below in leaves.items()}
    names = sorted(means, key=lambda name: (len(name), name))  # P2 before P10
    found = {name: PartMean(fmean(means[name].values()), len(means[name])) for name in names}
    if not clips:
        return found
    return {name: each._replace(mean=clipped(each.mean)) for name, each in found.items()}
