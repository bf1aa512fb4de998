"""The issues that count, with their places in the report, and the score of edition `paper`."""

from __future__ import annotations

from collections.abc import Sequence

from deepassay.models.operation import OffMenu
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.pointwise.issues import Issue, Issues
from deepassay.protocols.pointwise.penalties import BOUNDS, Penalties
from deepassay.protocols.quotes import quote_span
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.results.evidence import Item, ReportPlace
from deepassay.score import Json, Score

_NAMED = 8
"""Problems of an answer that are named to the model at once."""


def check_issues(inputs: ReportAndQuery, answer: Issues) -> None:
    """Raise OffMenu unless every quote stands in the report, and contradictions have two."""
    absent, alone, same = [], [], []
    issues: Sequence[Issue] = answer.issues
    for number, issue in enumerate(issues, start=1):
        spans = {field: quote_span(inputs.report, quote) for field, quote in issue.quotes.items()}
        lost = [f"{field} of issue {number}" for field, span in spans.items() if span is None]
        absent += lost
        if issue.kind == "contradiction" and len(spans) < 2:
            alone.append(f"issue {number}")
        elif not lost and len(set(spans.values())) < len(spans):
            same.append(f"issue {number}")
    problems = [
        (absent, "these do not stand in the report; copy the passage word for word, without "
                 "leaving anything out, or drop the issue if there is no such passage"),
        (alone, "a contradiction needs other_quote too, which is empty here"),
        (same, "quote and other_quote are one and the same passage"),
    ]  # fmt: skip
    if found := [f"{problem}: {_named(where)}" for where, problem in problems if where]:
        raise OffMenu("; ".join(found))


def _named(where: Sequence[str]) -> str:
    more = f" and {len(where) - _NAMED} more" if len(where) > _NAMED else ""
    return ", ".join(where[:_NAMED]) + more


def distinct(report: str, issues: Sequence[Issue]) -> list[Issue]:
    """The issues in their order, those that point to the same passages once."""
    first: dict[frozenset[Span], Issue] = {}
    for issue in issues:
        first.setdefault(frozenset(_passages(report, issue)), issue)
    return list(first.values())


def score_of(report: Report, answer: Issues, penalties: Penalties) -> Score:
    """The score of a checked answer: what the table gives for the number of its issues."""
    issues = distinct(report.text, answer.issues)
    evidence = [_evidence(f"i{at}", report, each) for at, each in enumerate(issues, start=1)]
    return Score(
        penalties.score(len(issues)),
        BOUNDS,
        details={"issues": len(issues), "items": evidence},
    )


def _passages(report: str, issue: Issue) -> list[Span]:
    """Where the quotes of an issue stand, which all do in a checked answer."""
    found = (quote_span(report, quote) for quote in issue.quotes.values())
    return [span for span in found if span is not None]


def _evidence(key: str, report: Report, issue: Issue) -> dict[str, Json]:
    """One issue as `explain` reads it, quoted as the report spells it."""
    passages = _passages(report.text, issue)
    quote, *others = (span.of(report.text) for span in passages)
    places = []
    messages = ("the passage", *(f"at odds with: {other}" for other in others))
    for span, message in zip(passages, messages, strict=True):
        line, column = report.lines.place(span.start)
        places.append(ReportPlace(line=line, column=column, message=message))
    return Item(
        key=key,
        item=quote,
        verdict=issue.kind,
        justification=issue.problem,
        places=tuple(places),
    ).to_json()
