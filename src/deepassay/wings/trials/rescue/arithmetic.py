"""Means that a new judge would give, from old scores of everything and new ones of anchors.

An anchor is a report that both judges scored. Three kinds of agents, and what is said of each:

- Scored anew in full: its new mean, which is known.
- With anchors of its own, a random part of the tasks: the regression estimate of survey sampling
  (Cochran 1977, chapter 7): its new mean over anchors, moved by the slope of new on old scores to
  where its old mean over all tasks lies. It supposes nothing of other agents. The slope is that
  within agents, over the anchors of all. What is estimated is the mean over these very tasks, so
  that the error shrinks to nothing as anchors become all of them.
- Without: what the new means of the others say, by the line through their old and new means. How
  far agents lie off that line is all that tells how far this one may: the prediction interval of
  least squares, which takes four agents at the least and widens away from them.

Order within a pair is claimed where zero lies outside of the difference's interval, adjusted for
all pairs (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.stats.influence import student
from deepassay.stats.intervals import Interval
from deepassay.stats.ranks import TIE, Floats
from deepassay.stats.testing import holm

FEWEST: Final = 8
"""Anchors below which nothing is said of an agent by its own."""

AGENTS: Final = 4
"""Agents with anchors below which nothing is said of one that has none."""

ALPHA: Final = 0.05

Basis = Literal["in full", "own anchors", "other agents", "not known"]
Order = Literal["as before", "reversed", "told apart now", "not known"]


@dataclass(frozen=True)
class BothScores:
    """Scores of agents on the same tasks. old, new: shape (agents, tasks); nan where there is none.

    Old scores may lack only where an agent is in the new ones alone.
    """

    agents: tuple[str, ...]
    old: Floats
    new: Floats

    @property
    def anchors(self) -> NDArray[np.bool_]:
        """Which reports both judges scored, shape (agents, tasks)."""
        return np.asarray(~np.isnan(self.old) & ~np.isnan(self.new))


class RescuedAgent(NamedTuple):
    """One agent. old: its mean by the old judge. new: by the new one, estimated where it has to be.

    error, freedom: the standard error and its degrees of freedom; 0 for what is known. anchors: how
    many of its reports both judges scored.
    """

    agent: str
    basis: Basis
    old: float | None
    new: float | None
    error: float
    freedom: float
    anchors: int

    @property
    def interval(self) -> Interval | None:
        """At 95 %; None where nothing is estimated."""
        if self.new is None or self.basis in ("in full", "not known"):
            return None
        half = student(self.freedom) * self.error
        return Interval(self.new - half, self.new + half)


class RescuedPair(NamedTuple):
    """Two agents, the one that was better before first. gap: its new mean less the other's.

    p: adjusted for all pairs; None where the gap is not estimated.
    """

    one: str
    other: str
    old_gap: float | None
    gap: float | None
    interval: Interval | None
    p: float | None

    @property
    def order(self) -> Order:
        """Whether their order is the one of before, by the new judge.

        Told apart now: they were equal before, or the old judge did not score both.
        """
        if self.gap is None or self.p is None or self.p >= ALPHA or abs(self.gap) <= TIE:
            return "not known"
        if self.old_gap is None or abs(self.old_gap) <= TIE:
            return "told apart now"
        return "as before" if self.gap > 0 else "reversed"


class _Estimates:
    """The agents, and what each task adds to the error of each: shape (agents, tasks)."""

    def __init__(self, scores: BothScores) -> None:
        self.scores, anchors = scores, scores.anchors
        self.tasks = scores.old.shape[1]
        self.own = anchors.sum(axis=1) >= FEWEST
        self.slope, self.slope_error = _slope(scores, self.own)
        self.influence = np.zeros_like(scores.old)
        self.shift = np.zeros(len(scores.agents))
        self.agents = [self._of(at) for at in range(len(scores.agents))]
        self._predict()

    def _of(self, at: int) -> RescuedAgent:
        """An agent by its own scores alone."""
        old, new = self.scores.old[at], self.scores.new[at]
        there = self.scores.anchors[at]
        count, name = int(there.sum()), self.scores.agents[at]
        before = None if np.isnan(old).all() else float(np.nanmean(old))
        if not np.isnan(new).any():
            return RescuedAgent(name, "in full", before, float(new.mean()), 0.0, np.inf, count)
        if not self.own[at]:
            return RescuedAgent(name, "not known", before, None, 0.0, 0.0, count)
        self.shift[at] = float(old.mean() - old[there].mean())
        residuals = new[there] - self.slope * old[there]
        residuals -= residuals.mean()
        spent = 1 + (int(self.own.sum()) == 1)
        share = 1 - count / self.tasks
        scale = sqrt(share / (count * (count - spent)))
        self.influence[at, there] = residuals * scale
        error = (
            float(self.influence[at] @ self.influence[at])
            + (self.shift[at] * self.slope_error) ** 2
        )
        value = float(new[there].mean() + self.slope * self.shift[at])
        return RescuedAgent(name, "own anchors", before, value, sqrt(error), count - spent, count)

    def _predict(self) -> None:
        """Give agents without anchors what the line through the others' means says."""
        known = [each for each in self.agents if each.new is not None and each.old is not None]
        line = MeansLine.of(known)
        self.line = line
        if line is None:
            return
        for at, each in enumerate(self.agents):
            if each.new is None and each.old is not None:
                self.agents[at] = each._replace(
                    basis="other agents",
                    new=line(each.old),
                    error=line.error(each.old),
                    freedom=line.freedom,
                )

    def pair(self, one: int, other: int) -> tuple[float, float] | None:
        """The standard error and the degrees of freedom of a difference; None if not estimated."""
        a, b = self.agents[one], self.agents[other]
        if a.new is None or b.new is None:
            return None
        if self.line is not None and a.basis == b.basis == "other agents":
            return self.line.error_between(a.old or 0.0, b.old or 0.0), self.line.freedom
        if "other agents" in (a.basis, b.basis):
            freedom = min(each.freedom for each in (a, b) if each.basis == "other agents")
            return sqrt(a.error**2 + b.error**2), freedom
        gap = self.influence[one] - self.influence[other]
        by_slope = (self.shift[one] - self.shift[other]) * self.slope_error
        return sqrt(float(gap @ gap) + by_slope**2), min(a.freedom, b.freedom)


@dataclass(frozen=True)
class MeansLine:
    """The least-squares line through the means of agents, with what lies off it.

    intercept, slope: of new on old means. spread: the deviation of agents from the line.
    """

    intercept: float
    slope: float
    spread: float
    middle: float
    square: float
    agents: int

    @classmethod
    def of(cls, known: Sequence[RescuedAgent]) -> MeansLine | None:
        """None for fewer than four agents, and where old means do not vary."""
        if len(known) < AGENTS:
            return None
        old = np.array([each.old for each in known], dtype=float)
        new = np.array([each.new for each in known], dtype=float)
        from_mean = old - old.mean()
        square = float(from_mean @ from_mean)
        if square <= TIE:
            return None
        slope = float(from_mean @ new) / square
        off = new - new.mean() - slope * from_mean
        spread = sqrt(float(off @ off) / (len(known) - 2))
        middle = float(old.mean())
        return cls(float(new.mean()) - slope * middle, slope, spread, middle, square, len(known))

    def __call__(self, old: float) -> float:
        """The new mean that an old one leads to."""
        return self.intercept + self.slope * old

    @property
    def freedom(self) -> int:
        """Degrees of freedom of what is off the line."""
        return self.agents - 2

    def error(self, old: float) -> float:
        """The standard error of the new mean of another agent."""
        away = (old - self.middle) ** 2 / self.square
        return self.spread * sqrt(1 + 1 / self.agents + away)

    def error_between(self, one: float, other: float) -> float:
        """That of the difference of two other agents."""
        return self.spread * sqrt(2 + (one - other) ** 2 / self.square)


def _slope(scores: BothScores, own: NDArray[np.bool_]) -> tuple[float, float]:
    """Of new on old scores within agents, over tasks; and its standard error, tasks as clusters."""
    anchors = scores.anchors & own[:, None]
    square = cross = 0.0
    parts = np.zeros_like(scores.old)
    centred: list[tuple[NDArray[np.bool_], Floats, Floats]] = []
    for old, new, there in zip(scores.old, scores.new, anchors, strict=True):
        if there.any():
            x, y = old[there] - old[there].mean(), new[there] - new[there].mean()
            centred.append((there, x, y))
            square += float(x @ x)
            cross += float(x @ y)
    if square <= TIE:
        return 0.0, 0.0
    slope = cross / square
    for at, (there, x, y) in enumerate(centred):
        parts[at, there] = x * (y - slope * x)
    by_task = parts.sum(axis=0)
    clusters = int(anchors.any(axis=0).sum())
    correction = clusters / max(clusters - 1, 1)
    return slope, sqrt(correction * float(by_task @ by_task)) / square


@dataclass(frozen=True)
class RescuedBoard:
    """Every agent, the best by the new judge first, and every pair.

    line: through the means of agents, where there are enough. slope: within agents, over reports.
    """

    agents: tuple[RescuedAgent, ...]
    pairs: tuple[RescuedPair, ...]
    line: MeansLine | None
    slope: float
    tasks: int

    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """The best and the worst rank by the new judge that the claimed orders leave open.

        An agent of which nothing is known may stand anywhere.
        """
        known = [each for each in self.agents if each.new is not None]
        above, below = ({each.agent: 0 for each in known} for _ in range(2))
        for pair in self.pairs:
            if pair.gap is not None and pair.order != "not known":
                better, worse = (pair.one, pair.other) if pair.gap > 0 else (pair.other, pair.one)
                above[worse] += 1
                below[better] += 1
        return {name: (1 + above[name], len(self.agents) - below[name]) for name in above}


def rescued(scores: BothScores) -> RescuedBoard:
    """The board of both judges. Agents and tasks as they come; see the module for what is said."""
    found = _Estimates(scores)
    by_old = sorted(range(len(found.agents)), key=lambda at: -(found.agents[at].old or 0.0))
    gaps = [
        (found.agents[one], found.agents[other], found.pair(one, other))
        for one, other in combinations(by_old, 2)
    ]
    values = [_p(a, b, error) for a, b, error in gaps]
    adjusted = iter(holm([p for p in values if p is not None]))
    pairs = [
        _pair(a, b, error, None if p is None else next(adjusted))
        for (a, b, error), p in zip(gaps, values, strict=True)
    ]
    ranked = sorted(
        found.agents, key=lambda each: (each.new is None, -(each.new or 0.0), -(each.old or 0.0))
    )
    return RescuedBoard(tuple(ranked), tuple(pairs), found.line, found.slope, found.tasks)


def _p(one: RescuedAgent, other: RescuedAgent, error: tuple[float, float] | None) -> float | None:
    from scipy.special import stdtr

    if error is None or one.new is None or other.new is None:
        return None
    gap = abs(one.new - other.new)
    if error[0] <= TIE:
        return 0.0 if gap > TIE else 1.0
    return 2 * float(stdtr(error[1], -gap / error[0]))


def _pair(
    one: RescuedAgent, other: RescuedAgent, error: tuple[float, float] | None, p: float | None
) -> RescuedPair:
    before = None if one.old is None or other.old is None else one.old - other.old
    if error is None or one.new is None or other.new is None:
        return RescuedPair(one.agent, other.agent, before, None, None, None)
    gap = one.new - other.new
    half = student(error[1]) * error[0] if error[0] > TIE else 0.0
    interval = Interval(gap - half, gap + half) if half else None
    return RescuedPair(one.agent, other.agent, before, gap, interval, p)
