"""The share of all items of all reports together, where a metric pools them before it divides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from math import fsum

import numpy as np

from deepassay.results.records import Judged
from deepassay.score import Score
from deepassay.stats.intervals import Interval, Units


def pooled_share(scores: Iterable[Score]) -> float | None:
    """The share of all items that are met; None where nobody counted any."""
    tallies = [score.tally for score in scores if score.tally is not None]
    total = fsum(of for _, of in tallies)
    return fsum(met for met, _ in tallies) / total if total > 0 else None


def pooled_interval(
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


def pooled_bounds(records: Sequence[Judged], mean: float | None) -> Interval | None:
    """The share itself where nothing is missing; else anything may come of what is."""
    whole = all(isinstance(each.outcome, Score) for each in records)
    return Interval(mean, mean) if whole and mean is not None else Interval(0.0, 1.0)
