"""Judging a report in windows: every window is asked for evidence, then one decision is made."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.mechanical import PLACES_KEPT
from deepassay.protocols.protocol import Case
from deepassay.protocols.quotes import quote_span
from deepassay.protocols.windows.dividing import Window, windows_of
from deepassay.protocols.windows.evidence import (
    Evidence,
    EvidenceAndQuery,
    Gathered,
    WindowAndQuery,
)
from deepassay.reports.finding import excerpt
from deepassay.reports.report import Report
from deepassay.score import Cause, Json, Score, Unscored

Asked = TypeVar("Asked", bound=WindowAndQuery)
Decided = TypeVar("Decided", bound=EvidenceAndQuery)
Given = TypeVar("Given", bound=BaseModel)


class Found(NamedTuple):
    """A piece of evidence, and its offset in the report."""

    offset: int
    evidence: Evidence


class Judged(NamedTuple, Generic[Given]):
    """The verdicts on a report in windows, with what they rest on."""

    verdicts: Given
    found: Sequence[Found]
    windows: int

    def told(self, score: Score, report: Report) -> Score:
        """The score of the verdicts, with the number of windows and the places of evidence."""
        items = [
            {**item, "places": [*item.get("places", []), *self.places(item["key"], report)]}
            for item in score.details["items"]
        ]
        told = {"items": items, "windows": self.windows, "summary": self.summary}
        return replace(score, details={**score.details, **told})

    @property
    def summary(self) -> str:
        """How the report was read, in a sentence."""
        return (
            f"The report is longer than the judge can take: {len(self.found)} passages were "
            f"gathered from {self.windows} overlapping windows, and the verdicts rest on them."
        )

    def places(self, key: str, report: Report) -> list[Json]:
        """Where the evidence on an item stands in the report."""
        about = [each for each in self.found if each.evidence.item == key]
        return [
            {
                "line": line,
                "column": column,
                "message": f"{each.evidence.bearing}: {excerpt(each.evidence.quote)}",
            }
            for each in about[:PLACES_KEPT]
            for line, column in [report.lines.place(each.offset)]
        ]


@dataclass(frozen=True)
class Inquiry(Generic[Asked, Decided, Given]):
    """The two questions by which a list of items is held against a report in windows.

    about: what both are given besides the window or the evidence, by its fields. shown: what only
    `decide` is given.
    """

    gather: Operation[Asked, Gathered]
    decide: Operation[Decided, Given]
    case: Case
    about: Mapping[str, Any]
    shown: Mapping[str, Any] = field(default_factory=dict)

    async def hold(self, ask: Asker) -> Judged[Given] | Unscored:
        """Ask everything. If a window is not answered, nothing is decided without it."""
        windows, repeat = windows_of(self.case.report.text), self.case.repeat
        questions = (self._question(window, len(windows)) for window in windows)
        answers = await asyncio.gather(
            *(ask(self.gather, each, repeat=repeat) for each in questions)
        )
        gathered: list[tuple[Window, Gathered]] = []
        for window, answer in zip(windows, answers, strict=True):
            if isinstance(answer, Unscored):
                return unjudged(answer, window, len(windows))
            gathered.append((window, answer.value))
        found = _in_order(gathered)
        decision = await ask(self.decide, self._decision(found, len(windows)), repeat=repeat)
        if isinstance(decision, Unscored):
            detail = f"no decision on the evidence from {len(windows)} windows: {decision.detail}"
            return Unscored(decision.cause, detail)
        return Judged(decision.value, found, len(windows))

    def _question(self, window: Window, windows: int) -> Asked:
        return self.gather.takes(
            language=self.case.task.language,
            window=window.text,
            number=window.number,
            windows=windows,
            query=self.case.task.prompt,
            **self.about,
        )

    def _decision(self, found: Sequence[Found], windows: int) -> Decided:
        return self.decide.takes(
            language=self.case.task.language,
            evidence=tuple(each.evidence for each in found),
            windows=windows,
            query=self.case.task.prompt,
            **self.about,
            **self.shown,
        )


def _in_order(gathered: Sequence[tuple[Window, Gathered]]) -> list[Found]:
    """The evidence of all windows in the order of the report, each passage once."""
    found: dict[tuple[str, int, str], Found] = {}
    for window, answer in gathered:
        for each in answer.evidence:
            if (span := quote_span(window.text, each.quote)) is None:
                continue
            evidence = Evidence(
                item=each.item,
                window=window.number,
                bearing=each.bearing,
                quote=window.text[slice(*span)],
            )
            offset = window.start + span[0]
            found.setdefault((each.item, offset, evidence.quote), Found(offset, evidence))
    return sorted(found.values(), key=lambda each: each.offset)


def overflowed(answer: object) -> bool:
    """Whether a question came to nothing because the report was too long for the judge."""
    return isinstance(answer, Unscored) and answer.cause is Cause.CONTEXT_OVERFLOW


def unjudged(failure: Unscored, window: Window, windows: int) -> Unscored:
    """Why there is no score: nothing is decided without one of the windows."""
    which = f"window {window.number} of {windows} of the report"
    return Unscored(failure.cause, f"{which} was not judged: {failure.detail}")
