"""A judge's figures as people would have given them, and how far they can be relied on.

Nothing is corrected by labels on fewer than FEWEST tasks: then there is the reason instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from deepassay.results.tables import several
from deepassay.stats.error_rates import TrueRate, true_rate
from deepassay.stats.influence import Flags, sums_by
from deepassay.stats.intervals import Interval, Units
from deepassay.stats.mappings import (
    Cut,
    Isotonic,
    constant,
    held_out,
    isotonic,
    linear,
    youden_cut,
)
from deepassay.stats.powered_ranks import powered_gaps, powered_ranks
from deepassay.stats.prediction_powered import Influenced, Powered, powered
from deepassay.stats.ranks import Floats, Places
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    RankInterval,
    ResampledFigure,
    Statistic,
    drawn_counts,
    ratio,
    resampled_figure,
)
from deepassay.wings.people.agreement.matching import PANEL
from deepassay.wings.people.calibration.contradiction import JudgeError, contradiction
from deepassay.wings.people.calibration.labelled import Labelled

FEWEST: Final = 20
"""Tasks with labels. With 10, intervals of lopsided shares hold the truth in 89 of 100 draws, with
20 in 92: see docs/studies/calibration.md."""

WITHIN: Final = 0.05
"""The half width that labels are to bring, as a share of the range of what people gave."""


@dataclass(frozen=True)
class Estimated:
    """One agent. raw: the judge's mean of everything it judged, in its own unit.

    judged, labels: how many it judged, and how many of these have a label. alone: mean and interval
    of the labels by themselves. powered: labels and judge together, None where there are too few
    labels. rate: the judge's rate without its errors, None where it does not answer yes and no.
    more: labels that +-WITHIN needs besides, None where that is not known, or tasks are missing.
    why: there is no figure. ranks: by people, among the agents that have a figure.
    """

    agent: str
    raw: float
    judged: int
    labels: int
    alone: tuple[float | None, Interval | None]
    powered: Powered | None
    rate: TrueRate | None
    more: int | None
    why: str
    ranks: RankInterval | None = None


class AgentGap(NamedTuple):
    """One agent less another, by people. flip: the chance that the other is ahead of it."""

    one: str
    other: str
    value: float
    interval: Interval | None
    flip: float


@dataclass(frozen=True)
class Calibration:
    """What labels say of one judge. span: the lowest and the highest that people gave.

    mapping: from the judge's number to the people's, fitted to all labels. why: there is none.
    error: how often it contradicts people, or why that is not known. gaps: of each two agents that
    have a figure.
    """

    labelled: Labelled
    span: Interval
    figures: tuple[ResampledFigure, ...]
    mapping: Isotonic | Cut | None
    agents: tuple[Estimated, ...]
    why: str
    error: JudgeError | str
    gaps: tuple[AgentGap, ...] = ()


@dataclass(frozen=True)
class _Known:
    """What has labels, as arrays. task: the number of each one's task."""

    ours: Floats
    theirs: Floats
    tasks: list[str]
    task: Places
    counts: Floats
    weights: Floats

    def by_task(self, values: Floats) -> Floats:
        """The sum of the values of each task, shape (tasks,)."""
        return sums_by(self.task, values)

    def figure(self, name: str, statistic: Statistic) -> ResampledFigure:
        """With its interval from drawing tasks."""
        return resampled_figure(name, statistic, self.counts, len(self.ours), "labels")

    def share(self, name: str, part: Floats, whole: Floats) -> ResampledFigure:
        """A ratio of two sums over tasks, as a named figure with its interval."""
        part, whole = (self.by_task(self.weights * values) for values in (part, whole))
        return self.figure(name, ratio(part, whole))


def calibrate(labelled: Labelled, seed: int) -> Calibration:
    """All that the labels allow. seed: of splits into halves and of the bootstrap over tasks."""
    there = ~np.isnan(labelled.theirs)
    given = labelled.theirs[there]
    span = Interval(0.0, 1.0)
    if labelled.kind == "scores":
        span = Interval(float(given.min()), float(given.max()))
    tasks = [task for task, has in zip(labelled.tasks, there, strict=True) if has]
    names, task = np.unique(np.array(tasks), return_inverse=True)
    counts = drawn_counts(len(names), seed, FEWER_DRAWS)
    known = _Known(labelled.ours[there], given, tasks, task, counts, labelled.weights[there])
    why = _too_few(len(names), len(set(labelled.tasks)))
    mapping: Isotonic | Cut | None = None
    figures: list[ResampledFigure] = []
    if _says_yes_or_no(labelled):
        figures += _of_answers(known)
    elif not why and labelled.kind == "scores":
        mapping = isotonic(known.ours, known.theirs)
        figures += _of_mappings(known, seed)
    elif not why:
        mapping = youden_cut(known.ours, known.theirs)
        figures += _of_cuts(known, seed)
    error = contradiction(labelled, fewest=FEWEST)
    agents, gaps = _estimates(labelled, span, seed)
    return Calibration(labelled, span, tuple(figures), mapping, agents, why, error, gaps)


def _says_yes_or_no(labelled: Labelled) -> bool:
    if labelled.judge == PANEL:
        return labelled.part == "items"
    return labelled.part == "items" and set(labelled.ours.tolist()) <= {0.0, 0.5, 1.0}


def _too_few(labelled: int, tasks: int) -> str:
    if labelled >= FEWEST:
        return ""
    rest = f", and the run has {tasks}" if tasks < FEWEST else ""
    return f"labels on {several(labelled, 'task')}; {FEWEST} are needed{rest}"


def _of_answers(known: _Known) -> Iterator[ResampledFigure]:
    yes, no = known.theirs, 1 - known.theirs
    yield known.share("sensitivity: yes where people say yes", yes * known.ours, yes)
    yield known.share("specificity: no where people say no", no * (1 - known.ours), no)


def _of_mappings(known: _Known, seed: int) -> Iterator[ResampledFigure]:
    """Root mean square errors on the half of the tasks that a mapping was not fitted to."""
    squares = {}
    for name, fit in (
        ("of the people's mean", constant),
        ("of a straight line", linear),
        ("of isotonic", isotonic),
    ):
        mapped = held_out(fit, known.ours, known.theirs, known.tasks, seed)
        squares[name] = known.by_task(((mapped - known.theirs) ** 2).mean(axis=0))
    sizes = known.by_task(np.ones_like(known.ours))
    for name, own in squares.items():
        yield known.figure(f"other half: error {name}", _root(ratio(own, sizes)))
    gained = ratio(squares["of isotonic"], squares["of the people's mean"])
    yield known.figure(
        "other half: explained by isotonic",
        lambda counts: None if (left := gained(counts)) is None else 1 - left,
    )


def _root(statistic: Statistic) -> Statistic:
    return lambda counts: None if (value := statistic(counts)) is None else sqrt(value)


def _of_cuts(known: _Known, seed: int) -> Iterator[ResampledFigure]:
    """Of what a threshold says on the half of the tasks that it was not fitted to."""
    said = held_out(youden_cut, known.ours, known.theirs, known.tasks, seed).mean(axis=0)
    usual = held_out(
        lambda ours, theirs: constant(ours, np.round(theirs.mean(keepdims=True))),
        known.ours,
        known.theirs,
        known.tasks,
        seed,
    ).mean(axis=0)
    yes, no, all_of_it = known.theirs, 1 - known.theirs, np.ones_like(known.theirs)

    def agreed(words: Floats) -> Floats:
        return yes * words + no * (1 - words)

    yield known.share("other half: agreement of what most say", agreed(usual), all_of_it)
    yield known.share("other half: agreement of a threshold", agreed(said), all_of_it)
    yield known.share("other half: its sensitivity", yes * said, yes)
    yield known.share("other half: its specificity", no * (1 - said), no)


def _estimates(
    labelled: Labelled, span: Interval, seed: int
) -> tuple[tuple[Estimated, ...], tuple[AgentGap, ...]]:
    agents = np.array(labelled.agents)
    task = np.unique(np.array(labelled.tasks), return_inverse=True)[1]
    rate = _rates(labelled, task)
    wanted = WITHIN * (span.high - span.low)
    found = [
        _estimate(name, labelled, task, agents == name, wanted, rate)
        for name in sorted(set(labelled.agents))
    ]
    known = [(own.agent, each) for own, each in found if own.powered and each]
    names, influenced = [name for name, _ in known], [each for _, each in known]
    ranks = dict(
        zip(names, powered_ranks(influenced, seed) if len(names) > 1 else (), strict=False)
    )
    gaps = (
        AgentGap(names[each.one], names[each.other], each.value, each.interval, each.flip)
        for each in powered_gaps(influenced)
    )
    return tuple(replace(own, ranks=ranks.get(own.agent)) for own, _ in found), tuple(gaps)


def _rates(labelled: Labelled, task: Places) -> Callable[[Flags], TrueRate | None]:
    """The rate of some items without the judge's errors; None where that is not for them."""
    there = ~np.isnan(labelled.theirs)
    why = _too_few(len(np.unique(task[there])), len(set(labelled.tasks)))

    def rate(of: Flags) -> TrueRate | None:
        if labelled.chances is not None or not _says_yes_or_no(labelled):
            return None
        if why:
            return TrueRate(None, None, why)
        return true_rate(labelled.ours, labelled.theirs, task, of)

    return rate


def _estimate(
    agent: str,
    labelled: Labelled,
    task: Places,
    of: Flags,
    wanted: float,
    rate: Callable[[Flags], TrueRate | None],
) -> tuple[Estimated, Influenced | None]:
    ours, theirs, own = labelled.ours[of], labelled.theirs[of], task[of]
    there = ~np.isnan(theirs)
    why = _too_few(len(np.unique(own[there])), len(np.unique(own)))
    chances = None if labelled.chances is None else labelled.chances[of]
    influenced = None if why else powered(ours, theirs, own, chances)
    found = influenced.found if influenced else None
    if found is not None and found.interval is None:
        found, why = None, "all labels are the same"
    alone, ends = _alone(theirs[there], own[there], labelled.weights[of][there])
    if labelled.kind == "verdicts":
        found, ends = found and _as_rate(found), ends and _of_rate(ends)
    estimated = Estimated(
        agent,
        raw=float(labelled.raw[of].mean()),
        judged=len(ours),
        labels=int(there.sum()),
        alone=(alone, ends),
        powered=found,
        rate=rate(of),
        more=found.more_labels(wanted) if found and chances is None else None,
        why=why,
    )
    return estimated, influenced


def _as_rate(found: Powered) -> Powered:
    """The estimate with its value and interval cut to what a rate can be, 0 to 1."""
    ends = _of_rate(found.interval or Interval(0.0, 1.0))
    return replace(found, value=min(1.0, max(0.0, found.value)), interval=ends)


def _of_rate(ends: Interval) -> Interval:
    """An interval cut to what a rate can be, 0 to 1."""
    return Interval(*(max(0.0, min(1.0, end)) for end in ends))


def _alone(theirs: Floats, task: Places, weights: Floats) -> tuple[float | None, Interval | None]:
    """The mean of labels and its interval over tasks."""
    if not len(theirs):
        return None, None
    members = np.unique(task, return_inverse=True)[1]
    units = Units(sums_by(members, weights * theirs), sums_by(members, weights))
    return units.mean, units.interval()
