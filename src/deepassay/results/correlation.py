"""Correlation of two rows of numbers, and how far it can be trusted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import StatisticsError, correlation, fmean
from typing import NamedTuple

from deepassay.results.intervals import Interval, fisher_interval


class Coefficient(NamedTuple):
    """In [-1, 1]. interval: None for fewer than four independent pairs, and at either end."""

    value: float
    interval: Interval | None


def pearson(ours: Sequence[float], theirs: Sequence[float], trials: int) -> Coefficient | None:
    """Pearson's coefficient; None for fewer than two pairs or where one side is constant.

    trials: how many of the pairs are independent of each other, for the interval.
    """
    value = _straight(ours, theirs)
    return None if value is None else Coefficient(value, fisher_interval(value, trials))


def spearman(ours: Sequence[float], theirs: Sequence[float], trials: int) -> Coefficient | None:
    """The same for Spearman's coefficient; equal values share their mean rank."""
    value = _straight(_ranks(ours), _ranks(theirs))
    if value is None:
        return None
    return Coefficient(value, fisher_interval(value, trials, ranks=True))


def _straight(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    try:
        return max(-1.0, min(1.0, correlation(ours, theirs)))
    except StatisticsError:
        return None


def _ranks(values: Sequence[float]) -> list[float]:
    places: defaultdict[float, list[int]] = defaultdict(list)
    for place, value in enumerate(sorted(values)):
        places[value].append(place)
    means = {value: fmean(own) for value, own in places.items()}
    return [means[value] for value in values]
