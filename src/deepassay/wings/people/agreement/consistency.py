"""Scores held against those of people (DeepResearch Bench, section 4.3 and appendix I).

The appendix forms a pair's preference from the mean of the people's scores (equations 6 and 7),
which over 50 tasks of 6 pairs gives multiples of 1/300. Half of the printed rates are multiples of
1/900 only, as they are if the method is held against each of three people. Both are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import fmean
from typing import Final, Literal

import numpy as np

from deepassay.stats.correlation import Kendall, pearson, spearman
from deepassay.stats.ranks import TIE, Floats, Places
from deepassay.stats.reliability import LEVELS, Alpha, OneWay, intraclass, one_way
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    ResampledFigure,
    Statistic,
    drawn_counts,
    ratio,
    resampled_figure,
)

PAR_EACH: Final = "PAR against each person"
PAR_MEAN: Final = "PAR against the mean of people"
OPC: Final = "OPC"
FAP: Final = "FAP"
FAS: Final = "FAS"
OVERALL_EACH: Final = "overall (PAR against each person)"
OVERALL_MEAN: Final = "overall (PAR against the mean)"
BETWEEN: Final = "PAR of people with each other"

MIN_AGENTS: Final = 3
"""Fewer have a correlation of 1 or -1, whatever the scores are."""

Leans = tuple[float, float]
"""How many pairs of reports two scorers order alike, ties included, and how many both scored."""


@dataclass(frozen=True)
class RatedReport:
    """One report, or one part of all reports: the automated score, and those of people by rater."""

    agent: str
    score: float
    people: Mapping[str, float]

    @property
    def mean(self) -> float:
        """The mean of the scores that people gave."""
        return fmean(self.people.values())


@dataclass(frozen=True)
class ScoresByTask:
    """The scores of one judge under one protocol, and of people, by task; each rated by someone."""

    tasks: Mapping[str, Sequence[RatedReport]]

    @property
    def reports(self) -> list[RatedReport]:
        """All of them, in the order of the tasks."""
        return [each for rated in self.tasks.values() for each in rated]

    @cached_property
    def raters(self) -> list[str]:
        """Everyone who gave a score."""
        return sorted({rater for each in self.reports for rater in each.people})

    def per_task(self, value: Callable[[Sequence[RatedReport]], float | None]) -> Floats:
        """A number for each task, nan where there is none."""
        return np.array([value(rated) for rated in self.tasks.values()], dtype=float)


def consistency(scores: ScoresByTask, seed: int) -> list[ResampledFigure]:
    """The four metrics of Bench, their mean by both readings, and the agreement of people.

    Intervals: bootstrap over tasks. FAP and FAS are undefined where no task has two raters; they,
    OPC and the mean correlations below MIN_AGENTS agents: of two, a correlation is always 1 or -1.
    """
    tasks = len(scores.tasks)
    counts = drawn_counts(tasks, seed, FEWER_DRAWS)
    each, mean, between = (_rate(scores, leans) for leans in (_each, _mean, _between))
    filtered = _kept(scores)
    opc, fap, fas = (
        _opc(scores),
        *(_average(scores, coefficient, filtered) for coefficient in (pearson, spearman)),
    )
    everywhere = np.ones(tasks, dtype=bool)
    told: list[tuple[str, Statistic, int, str]] = [
        (PAR_EACH, each, _pairs(scores, _each), "pairs"),
        (PAR_MEAN, mean, _pairs(scores, _mean), "pairs"),
        (OPC, opc, len({rated.agent for rated in scores.reports}), "agents"),
        (FAP, fap, _defined(scores, pearson, filtered), "tasks"),
        (FAS, fas, _defined(scores, spearman, filtered), "tasks"),
        (OVERALL_EACH, _plain_mean(each, opc, fap, fas), 4, "metrics"),
        (OVERALL_MEAN, _plain_mean(mean, opc, fap, fas), 4, "metrics"),
        (BETWEEN, between, _pairs(scores, _between), "pairs"),
        *(
            (
                f"mean {name} over all tasks",
                _average(scores, coefficient, everywhere),
                _defined(scores, coefficient, everywhere),
                "tasks",
            )
            for name, coefficient in (("Pearson", pearson), ("Spearman", spearman))
        ),
    ]
    return [resampled_figure(name, statistic, counts, n, unit) for name, statistic, n, unit in told]


def consistency_correlations(scores: ScoresByTask, seed: int) -> list[ResampledFigure]:
    """Of all reports with the mean of the people's scores (DeepResearch Arena, appendix B)."""
    reports = scores.reports
    ours = np.array([each.score for each in reports])
    theirs = np.array([each.mean for each in reports])
    task = np.repeat(np.arange(len(scores.tasks)), [len(own) for own in scores.tasks.values()])
    kendall = Kendall(ours, theirs, task)
    told: list[tuple[str, Statistic]] = [
        ("Spearman's rho", lambda counts: spearman(ours, theirs, counts[task])),
        ("Pearson's r", lambda counts: pearson(ours, theirs, counts[task])),
        ("Kendall's tau-a", kendall.tau_a),
        ("Kendall's tau-b", kendall.tau_b),
    ]
    counts = drawn_counts(len(scores.tasks), seed, FEWER_DRAWS)
    return [resampled_figure(name, value, counts, len(reports), "reports") for name, value in told]


def reliability(scores: ScoresByTask, seed: int) -> list[ResampledFigure]:
    """How far people agree: Krippendorff's alpha, ICC(1,1), and of complete rows ICC(2,1), (3,1).

    Empty with one rater. Intervals: bootstrap over tasks.
    """
    if len(scores.raters) < 2:
        return []
    reports = scores.reports
    task = np.repeat(np.arange(len(scores.tasks)), [len(own) for own in scores.tasks.values()])
    counts = drawn_counts(len(scores.tasks), seed, FEWER_DRAWS)
    units = [tuple(each.people.values()) for each in reports]
    alphas = [(level, Alpha(units, level)) for level in LEVELS]
    shared = sum(len(unit) >= 2 for unit in units)
    everyone = np.array([len(each.people) == len(scores.raters) for each in reports])
    whole = [
        [each.people[rater] for rater in scores.raters]
        for each, complete in zip(reports, everyone, strict=True)
        if complete
    ]
    return [
        *(
            resampled_figure(
                f"Krippendorff's alpha, {level}", _by_task(alpha, task), counts, shared, "rated"
            )
            for level, alpha in alphas
        ),
        resampled_figure("ICC(1,1)", _by_task(OneWay(units), task), counts, len(units), "reports"),
        *(
            resampled_figure(
                name, _by_task(coefficient, task[everyone]), counts, len(whole), "reports"
            )
            for name, coefficient in (
                ("ICC(2,1)", _complete(whole, "two_one")),
                ("ICC(3,1)", _complete(whole, "three_one")),
            )
        ),
    ]


def _by_task(coefficient: Callable[[Floats], float | None], task: Places) -> Statistic:
    """A coefficient of reports, as a function of how often each task counts."""
    return lambda counts: coefficient(counts[task])


def _complete(
    table: Sequence[Sequence[float]], form: Literal["two_one", "three_one"]
) -> Callable[[Floats], float | None]:
    """An intraclass correlation of ratings without gaps; None where fewer than two rows count."""

    def of_rows(weights: Floats) -> float | None:
        return None if weights.sum() < 2 else getattr(intraclass(table, weights), form)

    return of_rows


def _leaning(one: float, other: float) -> float:
    return 0.0 if abs(one - other) <= TIE else float(np.sign(one - other))


def _pairs_of(rated: Sequence[RatedReport]) -> Iterator[tuple[RatedReport, RatedReport]]:
    return combinations(rated, 2)


def _mean(rated: Sequence[RatedReport]) -> Leans:
    alike = [
        _leaning(one.score, other.score) == _leaning(one.mean, other.mean)
        for one, other in _pairs_of(rated)
    ]
    return sum(alike), len(alike)


def _each(rated: Sequence[RatedReport]) -> Leans:
    alike = [
        _leaning(one.score, other.score) == _leaning(one.people[rater], other.people[rater])
        for one, other in _pairs_of(rated)
        for rater in one.people.keys() & other.people.keys()
    ]
    return sum(alike), len(alike)


def _between(rated: Sequence[RatedReport]) -> Leans:
    """Pairs of reports under pairs of raters who scored both."""
    alike = []
    for one, other in _pairs_of(rated):
        leans = [_leaning(one.people[r], other.people[r]) for r in one.people if r in other.people]
        alike += [ours == theirs for ours, theirs in combinations(leans, 2)]
    return sum(alike), len(alike)


def _rate(scores: ScoresByTask, leans: Callable[[Sequence[RatedReport]], Leans]) -> Statistic:
    alike, all_pairs = (
        scores.per_task(lambda rated, side=side: leans(rated)[side])  # type: ignore[misc]
        for side in (0, 1)
    )
    return ratio(alike, all_pairs)


def _pairs(scores: ScoresByTask, leans: Callable[[Sequence[RatedReport]], Leans]) -> int:
    return int(scores.per_task(lambda rated: leans(rated)[1]).sum())


def _opc(scores: ScoresByTask) -> Statistic:
    """Pearson's coefficient over agents, of their means over tasks."""
    agents = {name: at for at, name in enumerate(sorted({r.agent for r in scores.reports}))}
    sums = np.zeros((3, len(scores.tasks), len(agents)))
    for at, rated in enumerate(scores.tasks.values()):
        for each in rated:
            sums[:, at, agents[each.agent]] += (1, each.score, each.mean)

    def correlated(counts: Floats) -> float | None:
        size, ours, theirs = counts @ sums
        there = size > 0
        if there.sum() < MIN_AGENTS:
            return None
        return pearson(ours[there] / size[there], theirs[there] / size[there])

    return correlated


def _kept(scores: ScoresByTask) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """The tasks on which people agree: ICC(1,1), equation 8, is defined and not negative."""
    found = (one_way([tuple(r.people.values()) for r in own]) for own in scores.tasks.values())
    return np.array([value is not None and value >= 0 for value in found])


def _in_tasks(
    scores: ScoresByTask, coefficient: Callable[[Floats, Floats], float | None]
) -> Floats:
    def of_task(rated: Sequence[RatedReport]) -> float | None:
        if len({each.agent for each in rated}) < MIN_AGENTS:
            return None
        return coefficient(
            np.array([each.score for each in rated]), np.array([each.mean for each in rated])
        )

    return scores.per_task(of_task)


def _average(
    scores: ScoresByTask,
    coefficient: Callable[[Floats, Floats], float | None],
    kept: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Statistic:
    """The mean over the tasks that were kept and have a coefficient (equation 9)."""
    values = _in_tasks(scores, coefficient)
    usable = kept & ~np.isnan(values)
    return ratio(np.where(usable, values, 0.0), usable.astype(float))


def _defined(
    scores: ScoresByTask,
    coefficient: Callable[[Floats, Floats], float | None],
    kept: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> int:
    return int((kept & ~np.isnan(_in_tasks(scores, coefficient))).sum())


def _plain_mean(*statistics: Statistic) -> Statistic:
    def mean(counts: Floats) -> float | None:
        values = [value for each in statistics if (value := each(counts)) is not None]
        return fmean(values) if len(values) == len(statistics) else None

    return mean
