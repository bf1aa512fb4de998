"""Faults of a report that are pointed out one by one, and scored by how many there are.

Consistency (LiveResearchBench, A.2, Table 3): two passages that cannot both be so, or reasoning
that does not hold. Citation association (A.5, Table 5; the paper also calls it citation
traceability): a claim that needs a source has none, or one that evidently cannot be about it.
Whether the report is true, and what the pages say, neither asks. Edition `paper` counts in code;
edition `code` believes the judge's number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.entries import absent_quotes_note, place_at
from deepassay.protocols.pointwise.issues import (
    BOUNDS,
    FIND_INCONSISTENCIES,
    FIND_UNSOURCED_CLAIMS,
    PUBLISHED,
    Issue,
    Issues,
    Penalties,
    distinct,
    passages_of,
    table,
)
from deepassay.protocols.protocol import Case, Protocol, RoleAskers, ScoreDetails, Sources
from deepassay.reports.report import Report
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Score, Unscored
from deepassay.tasks.task import long_date

_NO_DAY = {"en": "not given", "zh": "未给出"}


@dataclass(frozen=True, repr=False)
class Pointwise(Protocol):
    """A report's issues, and by a table of penalties what they leave of 100.

    penalties: the table, as `PUBLISHED` is written; in edition `paper` only, since the
    released program believes the number that a judge answers.
    question: what is asked in edition `paper`; that of edition `code` stands with its program.
    """

    penalties: str = PUBLISHED

    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    question: ClassVar[Operation[ReportAndQuery, Any]]

    def __post_init__(self) -> None:
        super().__post_init__()
        # However it was spelled: the same table has one name in every run file.
        object.__setattr__(self, "penalties", str(table(self.penalties)))
        if self.edition == "code" and self.penalties != PUBLISHED:
            raise BadSetting(
                f"{self.name}(penalties='{self.penalties}') has no edition 'code': "
                "in the released program the judge gives the number itself.",
                "Leave out either penalties or --edition code.",
            )

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Ask for the issues and count them."""
        task, report = case.task, case.report
        if self.edition == "code":
            from deepassay.protocols.pointwise.released import (
                QUESTIONS,
                ReportOnDay,
                released_score,
            )

            inputs = ReportOnDay(
                language=task.language,
                report=report.text,
                query=task.prompt,
                today=long_date(task.day, task.language) if task.day else _NO_DAY[task.language],
            )
            raw = await ask.judge(QUESTIONS[self.name], inputs, repeat=case.repeat)
            return raw if isinstance(raw, Unscored) else released_score(raw.value.root)
        question = ReportAndQuery(language=task.language, report=report.text, query=task.prompt)
        answer = await ask.judge(self.question, question, repeat=case.repeat)
        if isinstance(answer, Unscored):
            return answer
        return score_of(report, answer.value, table(self.penalties))

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that it asks."""
        if self.edition == "code":
            from deepassay.protocols.pointwise.released import QUESTIONS

            return (QUESTIONS[self.name],)
        return (self.question,)


@dataclass(frozen=True, repr=False)
class Consistency(Pointwise):
    """What contradictions and faults of logic leave of 100 (LiveResearchBench, A.2, Table 3)."""

    name: ClassVar[str] = "consistency"
    title: ClassVar[str] = "Factual & Logical Consistency"
    source: ClassVar[str] = "LiveResearchBench, section 4.2, appendix A.2 and Table 3"
    calls: ClassVar[str] = "1 a report"
    importance: ClassVar[int] = 30
    offline_reads: ClassVar[bool] = False
    question = FIND_INCONSISTENCIES


@dataclass(frozen=True, repr=False)
class CitationAssociation(Pointwise):
    """What uncited and mismatched claims leave of 100 (LiveResearchBench, A.5, Table 5)."""

    name: ClassVar[str] = "citation_association"
    title: ClassVar[str] = "Citation Association"
    source: ClassVar[str] = "LiveResearchBench, section 4.2, appendix A.5 and Table 5"
    calls: ClassVar[str] = "1 a report"
    importance: ClassVar[int] = 20
    offline_reads: ClassVar[bool] = False
    question = FIND_UNSOURCED_CLAIMS


class IssueDetails(ScoreDetails):
    """What is kept of a score. issues: how many; issues_without_place: of these, where not 0."""

    issues: int
    issues_without_place: int | None = None


def score_of(report: Report, answer: Issues, penalties: Penalties) -> Score:
    """The score of a checked answer: what the table gives for the number of its issues."""
    issues = distinct(report.text, answer.issues)
    found = [(len(passages_of(report.text, each)), len(each.quotes)) for each in issues]
    homeless = sum(not standing for standing, _ in found)
    summary = None
    if absent := sum(of - standing for standing, of in found) or None:
        summary = f"{homeless} of {len(issues)} issues stand without a place."
        summary += absent_quotes_note(absent)
    details = IssueDetails(
        issues=len(issues),
        items=tuple(_item(f"i{at}", report, each) for at, each in enumerate(issues, start=1)),
        quotes_not_found=absent,
        issues_without_place=homeless if absent else None,
        summary=summary,
    )
    return Score(penalties.score(len(issues)), BOUNDS, details=details.to_json())


def _item(key: str, report: Report, issue: Issue) -> EvidenceItem:
    """One issue as `explain` reads it, quoted as the report spells it."""
    passages = passages_of(report.text, issue)
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
    )
