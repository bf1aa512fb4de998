"""What many reports lost points by: criteria that most of them fail, and false citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from deepassay.wings.view.board import WORST_FIRST
from deepassay.wings.view.room import Place
from deepassay.wings.view.side import SideReader

CRITERIA: Final = 12
"""Criteria that are listed."""

CITATIONS: Final = 8
"""Citations that are listed."""

REPORTS: Final = 2_000
"""Reports that are looked through where not all of a room fit."""


class FailedCriterion(NamedTuple):
    """A criterion, how many reports fail it, and of how many."""

    protocol: str
    text: str
    failed: int
    held: int


class FalseCitation(NamedTuple):
    """A finding on pages that counts against a report. name: its anchor."""

    at: Place
    name: str
    protocol: str
    text: str
    verdict: str
    cost: str


@dataclass(frozen=True)
class Losses:
    """What reports lost points by. of: how many were looked through, None for all that fit."""

    criteria: tuple[FailedCriterion, ...]
    citations: tuple[FalseCitation, ...]
    of: int | None = None


def losses(side: SideReader, where: str, values: tuple[object, ...]) -> Losses:
    """What reports lost points by that fit a condition, the worst of them where there are many.

    where: a condition on a report `r`, empty for all reports.
    """
    if not where:
        criteria = side.rows(
            "SELECT c.protocol, x.text, c.missed, c.held FROM criteria c "
            "JOIN texts x ON x.id=c.text WHERE c.missed > 1 ORDER BY c.missed DESC, c.held LIMIT ?",
            CRITERIA,
        )
        items = "items i JOIN scores s ON s.id=i.score JOIN reports r ON r.id=s.report"
        citations = side.rows(_CITATIONS.format(items), CITATIONS)
        return _of(criteria, citations)
    some = f"WITH some AS (SELECT r.id FROM reports r WHERE {where} ORDER BY {WORST_FIRST} LIMIT ?)"
    given = (*values, REPORTS)
    criteria = side.rows(
        f"{some} SELECT s.protocol, x.text, sum(i.tone='bad') AS missed, count(*) AS held "
        "FROM some CROSS JOIN scores s ON s.report=some.id CROSS JOIN items i ON i.score=s.id "
        "JOIN texts x ON x.id=i.text GROUP BY i.text, s.protocol "
        "HAVING missed > 1 ORDER BY missed DESC, held LIMIT ?",
        *given,
        CRITERIA,
    )
    items = (
        "some CROSS JOIN reports r ON r.id=some.id CROSS JOIN scores s ON s.report=r.id "
        "CROSS JOIN items i ON i.score=s.id"
    )
    citations = side.rows(f"{some} {_CITATIONS.format(items)}", *given, CITATIONS)
    ((count,),) = side.rows(f"{some} SELECT count(*) FROM some", *given)
    return _of(criteria, citations, count if count == REPORTS else None)


def _of(
    criteria: Sequence[Sequence[Any]], citations: Sequence[Sequence[Any]], of: int | None = None
) -> Losses:
    return Losses(
        tuple(FailedCriterion(*row) for row in criteria),
        tuple(FalseCitation(Place(*row[:4]), *row[4:]) for row in citations),
        of,
    )


_CITATIONS: Final = (
    "SELECT r.run, r.agent, r.task, r.sample, i.name, s.protocol, x.text, i.verdict, i.cost "
    "FROM {} JOIN texts x ON x.id=i.text WHERE i.cites AND i.tone='bad' AND i.share > 0 "
    "ORDER BY i.share DESC LIMIT ?"
)
