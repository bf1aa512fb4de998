"""How far ranks may be off: the ranking made again on tasks drawn with replacement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from deepassay.results.comparison.resampling import DRAWS, resampled
from deepassay.results.comparison.units import Units
from deepassay.results.ranking import TIE


class RankInterval(NamedTuple):
    """Ranks from 1, the best."""

    low: int
    high: int


def rank_intervals(
    agents: Mapping[str, Mapping[str, float]],
    clusters: Mapping[str, str] | None,
    seed: int,
    draws: int = DRAWS,
) -> dict[str, RankInterval]:
    """From the means of each agent's tasks, over the tasks that all agents have.

    The middle 95 % of the ranks over all draws; equal means share the better rank. Empty for fewer
    than two such tasks or clusters.
    """
    if not agents:
        return {}
    shared = sorted(set.intersection(*(set(own) for own in agents.values())))
    rows = [Units.of({task: own[task] for task in shared}, clusters) for own in agents.values()]
    if rows[0].count < 2:
        return {}
    sums = resampled(np.column_stack([*(row.sums for row in rows), rows[0].sizes]), seed, draws)
    means = sums[:, :-1] / sums[:, -1:]
    found = {}
    for place, agent in enumerate(agents):
        ranks = 1 + (means > means[:, [place]] + TIE).sum(axis=1)
        ends = np.quantile(ranks, [0.025, 0.975], method="inverted_cdf")
        found[agent] = RankInterval(int(ends[0]), int(ends[1]))
    return found
