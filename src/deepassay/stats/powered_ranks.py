"""Who is ahead of whom by people, from estimates that share their tasks, and which ranks that is.

An agent's rank may be any that the differences to all others leave open: it is behind those whose
difference is shown, and ahead of those of which the opposite is (Mogstad, Romano, Shaikh and
Wilhelm 2024, Review of Economic Studies 91). Shown is what is beyond the largest of the agent's
differences that chance would bring, in units of their errors, in 95 of 100 draws of the signs and
sizes of the tasks' influences; then, step by step, beyond the largest of those that are not shown
yet (Romano and Wolf 2005, Econometrica 73). All ranks that ties leave open to an agent are within
its range in 95 of 100 runs at least: in just so many where all agents are equal, and in more where
fewer are. That holds for each range by itself; those of all agents together hold less often.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from deepassay.stats.influence import student
from deepassay.stats.intervals import LEVEL, Interval
from deepassay.stats.prediction_powered import SPENT, Influenced
from deepassay.stats.ranks import TIE, Floats
from deepassay.stats.resampling import RankInterval

_DRAWS: Final = 2000


class PoweredGap(NamedTuple):
    """One agent less another, by people. flip: the chance that the other is ahead."""

    one: int
    other: int
    value: float
    interval: Interval | None
    flip: float


def powered_gaps(agents: Sequence[Influenced]) -> list[PoweredGap]:
    """Every pair of agents, by their places. Chances are those of a normal distribution."""
    from scipy.special import ndtr

    found = []
    for one in range(len(agents)):
        for other in range(one + 1, len(agents)):
            value = agents[one].found.value - agents[other].found.value
            error, freedom = _error(agents[one], agents[other])
            reach = student(freedom) * error
            interval = Interval(value - reach, value + reach) if reach > TIE else None
            flip = float(ndtr(-value / error)) if error > TIE else float(value < 0)
            found.append(PoweredGap(one, other, value, interval, flip))
    return found


def powered_ranks(agents: Sequence[Influenced], seed: int) -> list[RankInterval]:
    """The lowest and highest rank of each agent, 1 the best. seed: of the draws."""
    from scipy.special import ndtr, stdtrit

    length = max((len(each.influence) for each in agents), default=0)
    influence = np.stack([_padded(each.influence, length) for each in agents])
    values = np.array([each.found.value for each in agents])
    drawn = np.random.default_rng(seed).standard_normal((_DRAWS, length)) @ influence.T
    found = []
    for place, own in enumerate(agents):
        others = [at for at in range(len(agents)) if at != place]
        pairs = [_error(own, agents[at]) for at in others]
        errors, freedom = np.array(pairs).reshape(-1, 2).T
        far = np.abs((drawn[:, [place]] - drawn[:, others]) / np.maximum(errors, TIE))
        gaps = values[others] - values[place]
        shown = np.zeros(len(others), dtype=bool)
        while not shown.all():
            most = float(np.quantile(far[:, ~shown].max(axis=1), LEVEL))
            # Student's, not normal: as unlikely by each pair's own degrees of freedom.
            ends = stdtrit(freedom, ndtr(most)) * errors
            more = ~shown & (np.abs(gaps) > ends + TIE)
            if not more.any():
                break
            shown |= more
        ahead, behind = (int((shown & (gaps * sign > 0)).sum()) for sign in (1, -1))
        found.append(RankInterval(1 + ahead, len(agents) - behind))
    return found


def _error(one: Influenced, other: Influenced) -> tuple[float, float]:
    """The standard error of a difference, and its degrees of freedom.

    Tasks that both have labels on, and those that one of them has alone, are samples of their own:
    few with large influences are not made surer by many of the other agent's.
    """
    length = max(len(one.influence), len(other.influence))
    gap = _padded(one.influence, length) - _padded(other.influence, length)
    first, second = (_padded(each.has_label, length) > 0 for each in (one, other))
    fewest = min(first.sum(), second.sum())
    samples = [
        (float(gap[where] @ gap[where]), count - SPENT * count / of)
        for where, of in (
            (first & second, fewest),
            (first & ~second, first.sum()),
            (~first & second, second.sum()),
        )
        if (count := int(where.sum()))
    ]
    neither = ~first & ~second
    if (rest := int(neither.sum())) > 1:
        samples.append((float(gap[neither] @ gap[neither]), rest - 1))
    variance = sum(part for part, _ in samples)
    below = sum(part**2 / freedom for part, freedom in samples)
    return sqrt(float(gap @ gap)), variance**2 / below if below else float(fewest - SPENT)


def _padded(values: Floats | np.ndarray[tuple[int], np.dtype[np.bool_]], length: int) -> Floats:
    """With zeros for the last tasks, which the agent does not have."""
    return np.concatenate([np.asarray(values, dtype=float), np.zeros(length - len(values))])
