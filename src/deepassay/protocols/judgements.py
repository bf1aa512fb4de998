"""What comes of the entries of a list one by one: criteria, key points, items of a checklist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from deepassay.results.evidence import ReportPlace
from deepassay.score import Cause, Unscored

Entry = TypeVar("Entry")
Given = TypeVar("Given")


@dataclass(frozen=True)
class Judgement(Generic[Given]):
    """What was said of one entry. verdict: None where there is none, and `cause` says why.

    places: where the evidence stands in the report, as `explain` reads it. windows: of how many it
    was gathered; 0 where the judge was shown the whole report. absent: quotes that were not found.
    """

    verdict: Given | None
    reason: str = ""
    places: tuple[ReportPlace, ...] = ()
    cause: Cause | None = None
    windows: int = 0
    absent: int = 0

    @classmethod
    def failed(cls, failure: Unscored) -> Judgement[Given]:
        """One that did not come."""
        return cls(None, failure.detail, cause=failure.cause)


class Line(NamedTuple, Generic[Entry, Given]):
    """One entry and what came of it."""

    entry: Entry
    judgement: Judgement[Given]


def out_of_budget(judgements: Iterable[Judgement[Any]]) -> Unscored | None:
    """The end of a report of which the budget left something open: with a larger one it goes on."""
    spent = (each.reason for each in judgements if each.cause is Cause.BUDGET)
    return next((Unscored(Cause.BUDGET, reason) for reason in spent), None)


def commonest(causes: Iterable[Cause | None]) -> Cause:
    """Why most of what is open is so; the first of several that are as common."""
    return Counter(cause for cause in causes if cause is not None).most_common(1)[0][0]
