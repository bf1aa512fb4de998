"""Beneath a board of edition `code`: the same grades as the released program sums them up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deepassay.results.evidence import judges_of, said
from deepassay.results.records import Judged
from deepassay.results.released_live import (
    Games,
    Graded,
    Marks,
    Results,
    Summary,
    average,
    summarise,
)
from deepassay.results.tables import Table

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
    criterion = records[0].protocol.partition("(")[0]
    recipe = records[0].signature
    if criterion not in LIVE or recipe.identity.get("edition") != "code":
        return ()
    if len({each.signature.digest for each in records}) > 1:
        return ()
    judges = judges_of(records[0])
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
    which = f", {label[0]}: {label[1]}" if label else ""
    head = GAMES_HEAD if criterion == "depth" else MARKS_HEAD
    return (
        Table(
            f"{records[0].protocol}{which}: as the released program sums up",
            head,
            tuple(row for judge in results for row in _rows(judge, results[judge], criterion)),
            tuple(notes),
            frozenset(range(2, len(head))),
        ),
    )


def _graded(records: Sequence[Judged], criterion: str, judge: str, alone: bool) -> Iterator[Graded]:
    """The grades that one judge gave. Reports without one leave no trace."""
    for each in sorted(records, key=lambda each: (each.agent, each.task)):
        whole = said(each.outcome)
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
    return summary.count if isinstance(summary, Marks) else summary.total // 2


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
