"""From issues to a score: Tables 3 and 5 of LiveResearchBench, one table of steps.

The paper lets users weigh errors otherwise, so the table is an option of the protocols, written

    0:100,2:90,4:80,6:70,8:60,10:50,12:40,14:30,17:20,more:10

as a list of steps: with no issue 100, with up to two 90, …, with more than seventeen 10.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Self

from deepassay.errors import BadSetting
from deepassay.protocols.entries import absent_quotes_note, place_at, quote_span
from deepassay.protocols.pointwise.questions import Issue, Issues
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Json, Score

BOUNDS: Final = (0.0, 100.0)
PUBLISHED: Final = "0:100,2:90,4:80,6:70,8:60,10:50,12:40,14:30,17:20,more:10"
"""Table 3 and Table 5, which have the same steps."""

_STEP: Final = re.compile(r"([0-9]{1,6}|more):([0-9]{1,3}(?:\.[0-9]{1,6})?)")


@dataclass(frozen=True)
class Penalties:
    """A table of steps.

    upto: the largest number of issues of each step but the last, rising. scores: what each step
    scores, 0 to 100, never rising; one more than `upto`, for whatever lies beyond.
    """

    upto: tuple[int, ...]
    scores: tuple[float, ...]

    @classmethod
    def read(cls, text: str) -> Self:
        """A table as it is written above, blanks aside. Raises BadSetting."""
        steps = [_STEP.fullmatch("".join(step.split())) for step in text.split(",")]
        found = [(step[1], float(step[2])) for step in steps if step is not None]
        if len(found) < len(steps):
            raise _bad(text, "a step is not written as `2:90` or `more:10`")
        *numbered, (last, _) = found
        if last != "more" or any(count == "more" for count, _ in numbered):
            raise _bad(text, "`more` must stand in the last step and in no other")
        upto, scores = tuple(int(count) for count, _ in numbered), tuple(each for _, each in found)
        if any(count >= later for count, later in pairwise(upto)):
            raise _bad(text, "the numbers of issues must rise from step to step")
        if any(score < later for score, later in pairwise(scores)):
            raise _bad(text, "a score may not rise with the number of issues")
        if scores[0] > BOUNDS[1]:
            raise _bad(text, "a score lies between 0 and 100")
        return cls(upto, scores)

    def score(self, issues: int) -> float:
        """What so many issues leave of 100."""
        return self.scores[bisect_left(self.upto, issues)]

    def __str__(self) -> str:
        """As `read` takes it."""
        counts = [*map(str, self.upto), "more"]
        pairs = zip(counts, self.scores, strict=True)
        return ",".join(f"{count}:{score:.10g}" for count, score in pairs)


table: Final = lru_cache(maxsize=8)(Penalties.read)
"""The table that a text stands for, read once."""


def _bad(text: str, problem: str) -> BadSetting:
    return BadSetting(
        f"penalties={text[:200]!r}: {problem}.",
        f"Write the steps as in penalties='{PUBLISHED}': number of issues at most, and score.",
    )


def distinct(report: str, issues: Sequence[Issue]) -> list[Issue]:
    """The issues in their order, those that point to the same passages once.

    Of issues without a passage those are one that quote the same words.
    """
    first: dict[frozenset[Span | str], Issue] = {}
    for issue in issues:
        first.setdefault(frozenset(_passages(report, issue) or issue.quotes.values()), issue)
    return list(first.values())


def score_of(report: Report, answer: Issues, penalties: Penalties) -> Score:
    """The score of a checked answer: what the table gives for the number of its issues.

    details: how many issues there are, and, where some have no passage in the report, how many
    these are and how many quotes were not found.
    """
    issues = distinct(report.text, answer.issues)
    evidence = [_evidence(f"i{at}", report, each) for at, each in enumerate(issues, start=1)]
    details: dict[str, Json] = {"issues": len(issues), "items": evidence}
    found = [(len(_passages(report.text, each)), len(each.quotes)) for each in issues]
    if absent := sum(of - standing for standing, of in found):
        homeless = sum(not standing for standing, _ in found)
        details |= {"quotes_not_found": absent, "issues_without_place": homeless}
        details["summary"] = (
            f"{homeless} of {len(issues)} issues stand without a place.{absent_quotes_note(absent)}"
        )
    return Score(penalties.score(len(issues)), BOUNDS, details=details)


def _passages(report: str, issue: Issue) -> list[Span]:
    """Where those quotes of an issue stand that are found."""
    found = (quote_span(report, quote) for quote in issue.quotes.values())
    return [span for span in found if span is not None]


def _evidence(key: str, report: Report, issue: Issue) -> dict[str, Json]:
    """One issue as `explain` reads it, quoted as the report spells it."""
    passages = _passages(report.text, issue)
    quote, *others = (span.of(report.text) for span in passages) if passages else (issue.quote,)
    messages = ("the passage", *(f"at odds with: {other}" for other in others))
    return EvidenceItem(
        key=key,
        item=quote,
        verdict=issue.kind,
        justification=issue.problem if passages else f"{issue.problem} (quote not found)",
        places=tuple(
            place_at(report, span.start, message)
            for span, message in zip(passages, messages, strict=False)
        ),
    ).to_json()
