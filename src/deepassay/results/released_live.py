"""Results summed up as LiveResearchBench's released program does: edition `code`.

The program takes the results of one judge: the mean of each criterion over the reports that have
a grade, per model and over all reports of all models. A second program averages two such
summaries without weights, whatever they rest on, and takes counts from the first.

Beneath a board of edition `code`: the same grades as the released program sums them up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deepassay.results.evidence import reading_of
from deepassay.results.records import Judged, judges_of
from deepassay.results.tables import Table, of_label
from deepassay.score import without_options

Game = str
"""Who won one of the two comparisons of a report: `own`, `baseline` or `tie`."""


@dataclass(frozen=True)
class MarkSummary:
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


Summary = MarkSummary | Games


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
        return MarkSummary(sum(marks) / len(marks), len(marks), min(marks), max(marks))
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
    if isinstance(one, MarkSummary) and isinstance(other, MarkSummary):
        mean = (one.mean + other.mean) / 2
        return MarkSummary(mean, one.count, min(one.low, other.low), max(one.high, other.high))
    raise ValueError("one criterion cannot have marks from one judge and games from another")


LIVE: Final = frozenset(
    {"presentation", "coverage", "consistency", "citation_association", "depth"}
)
"""The criteria of LiveResearchBench's program."""

MARKS_HEAD: Final = ("judge", "agent", "mean", "count", "min", "max")
GAMES_HEAD: Final = (
    *("judge", "agent", "wins", "losses", "ties", "games"),
    *("decisive", "win rate"),
)
BOTH: Final = "both, averaged"
ALL: Final = "(all)"

MARKS_NOTE: Final = "The mean over reports with a grade; (all) pools the reports of all agents."
GAMES_NOTE: Final = (
    "Two games a report, one in each order. The rate leaves ties out, and is 0 where nothing else "
    "is left."
)
BOTH_NOTE: Final = (
    "both, averaged: without weights, however many grades each has; counts are those of {}; what "
    "only one judge has is copied."
)


def released_tables(records: Sequence[Judged], label: tuple[str, str] | None) -> tuple[Table, ...]:
    """The program's summary of each judge, and of two judges its average of both.

    None for other criteria or editions, and none in a mixed ranking, which the program has not.
    """
    criterion = without_options(records[0].protocol)
    recipe = records[0].signature
    if criterion not in LIVE or recipe.edition != "code":
        return ()
    if len({each.signature.digest for each in records}) > 1:
        return ()
    judges = judges_of(records[0].signature)
    results = {
        judge: summarise(_graded(records, criterion, judge, alone=len(judges) == 1))
        for judge in judges
    }
    if not any(each.overall for each in results.values()):
        return ()
    missing = list(_missing(results, len(records)))
    notes = [GAMES_NOTE if criterion == "depth" else MARKS_NOTE, *missing]
    if len(judges) == 2:
        results[BOTH] = average(*(results[judge] for judge in judges))
        notes.append(BOTH_NOTE.format(judges[0]))
    return (
        Table.listed(
            f"{records[0].protocol}{of_label(label)}: as the released program sums up",
            GAMES_HEAD if criterion == "depth" else MARKS_HEAD,
            (row for judge in results for row in _rows(judge, results[judge], criterion)),
            notes,
            words=2,
        ),
    )


def _graded(records: Sequence[Judged], criterion: str, judge: str, alone: bool) -> Iterator[Graded]:
    """The grades that one judge gave. Reports without one leave no trace."""
    for each in sorted(records, key=lambda each: (each.agent, each.task)):
        whole = reading_of(each.outcome)
        outcome = whole if alone else whole.evidence.judges.get(judge)
        if outcome is not None and outcome.value is not None:
            grade = outcome.evidence.games or outcome.value
            yield Graded(each.agent, criterion, grade)


def _missing(results: Mapping[str, Results], expected: int) -> Iterator[str]:
    for judge, each in results.items():
        graded = sum(map(_reports, each.overall.values()))
        if graded < expected:
            yield (
                f"{judge}: {expected - graded} of {expected} reports have no grade. The program "
                "leaves them out and does not say so; the board above counts them."
            )


def _reports(summary: Summary) -> int:
    return summary.count if isinstance(summary, MarkSummary) else summary.total // 2


def _rows(judge: str, results: Results, criterion: str) -> Iterator[tuple[str, ...]]:
    for agent, summaries in (*sorted(results.by_model.items()), (ALL, results.overall)):
        if criterion in summaries:
            yield judge, agent, *_cells(summaries[criterion])


def _cells(summary: Summary) -> tuple[str, ...]:
    if isinstance(summary, Games):
        played = (summary.wins, summary.losses, summary.ties, summary.total, summary.decisive)
        return *(f"{count:g}" for count in played), f"{summary.win_rate:.1f} %"
    mean, low, high = (f"{value:.1f}" for value in (summary.mean, summary.low, summary.high))
    return mean, str(summary.count), low, high
