"""Results summed up as LiveResearchBench's released program does: edition `code`.

The program takes the results of one judge: the mean of each criterion over the reports that have
a grade, per model and over all reports of all models. A second program averages two such
summaries without weights, whatever they rest on, and takes counts from the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

Game = str
"""Who won one of the two comparisons of a report: `own`, `baseline` or `tie`."""


@dataclass(frozen=True)
class Marks:
    """A criterion with marks. count: reports with a grade; those without left no trace."""

    mean: float
    count: int
    low: float
    high: float


@dataclass(frozen=True)
class Games:
    """Depth. wins, losses, ties, decisive: games, in fractions once two judges are averaged.

    total: games of the first judge. win_rate: percent of the decisive ones, 0 where there is none.
    """

    wins: float
    losses: float
    ties: float
    total: int
    decisive: float
    win_rate: float


Summary = Marks | Games


@dataclass(frozen=True)
class Graded:
    """One grade of one report of a model: a mark, or the games of its two comparisons."""

    model: str
    criterion: str
    grade: float | tuple[Game, ...]


@dataclass(frozen=True)
class Results:
    """What the program writes: per model and criterion, and per criterion over all models."""

    by_model: Mapping[str, Mapping[str, Summary]]
    overall: Mapping[str, Summary]


@dataclass(frozen=True)
class Issues:
    """A record of the older form of results, in which single reports are averaged."""

    query: str
    model: str
    score: float
    issues: float


def summarise(grades: Iterable[Graded]) -> Results:
    """The summary of one judge; overall is pooled over reports, no mean over models."""
    by_model: dict[str, dict[str, list[Graded]]] = {}
    overall: dict[str, list[Graded]] = {}
    for each in grades:
        by_model.setdefault(each.model, {}).setdefault(each.criterion, []).append(each)
        overall.setdefault(each.criterion, []).append(each)
    return Results(
        {model: _summaries(criteria) for model, criteria in by_model.items()}, _summaries(overall)
    )


def average(one: Results, other: Results) -> Results:
    """Two judges as one. What only one of them has is copied, and looks like an average."""
    models = dict.fromkeys((*one.by_model, *other.by_model))
    return Results(
        {
            model: _averages(one.by_model.get(model, {}), other.by_model.get(model, {}))
            for model in models
        },
        _averages(one.overall, other.overall),
    )


def average_reports(one: Iterable[Issues], other: Iterable[Issues]) -> list[Issues]:
    """The older form: by query alone, so that of several models the last one stands for all.

    Only score and number of issues are averaged; of checklists and depth nothing is left.
    """
    ours, theirs = ({each.query: each for each in side} for side in (one, other))
    return [
        replace(
            mine,
            score=(mine.score + theirs[query].score) / 2,
            issues=(mine.issues + theirs[query].issues) / 2,
        )
        for query, mine in ours.items()
        if query in theirs
    ]


def _summaries(criteria: Mapping[str, Iterable[Graded]]) -> dict[str, Summary]:
    return {
        criterion: _summary([each.grade for each in grades])
        for criterion, grades in criteria.items()
    }


def _summary(grades: list[float | tuple[Game, ...]]) -> Summary:
    marks = [grade for grade in grades if not isinstance(grade, tuple)]
    if marks:
        return Marks(sum(marks) / len(marks), len(marks), min(marks), max(marks))
    games = Counter(game for grade in grades if isinstance(grade, tuple) for game in grade)
    wins, losses, ties = (games[who] for who in ("own", "baseline", "tie"))
    decisive = wins + losses
    rate = wins / decisive * 100 if decisive else 0.0
    return Games(wins, losses, ties, games.total(), decisive, rate)


def _averages(one: Mapping[str, Summary], other: Mapping[str, Summary]) -> dict[str, Summary]:
    averaged = {name: _average(one[name], other[name]) for name in one if name in other}
    return {**one, **other, **averaged}


def _average(one: Summary, other: Summary) -> Summary:
    if isinstance(one, Games) and isinstance(other, Games):
        return Games(
            (one.wins + other.wins) / 2,
            (one.losses + other.losses) / 2,
            (one.ties + other.ties) / 2,
            one.total,
            (one.decisive + other.decisive) / 2,
            (one.win_rate + other.win_rate) / 2,
        )
    if isinstance(one, Marks) and isinstance(other, Marks):
        mean = (one.mean + other.mean) / 2
        return Marks(mean, one.count, min(one.low, other.low), max(one.high, other.high))
    raise ValueError("one criterion cannot have marks from one judge and games from another")
