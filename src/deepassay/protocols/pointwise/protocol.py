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
from deepassay.protocols.pointwise.arithmetic import (
    BOUNDS,
    PUBLISHED,
    score_of,
    table,
)
from deepassay.protocols.pointwise.questions import (
    FIND_INCONSISTENCIES,
    FIND_UNSOURCED_CLAIMS,
)
from deepassay.protocols.pointwise.released import (
    JUDGE_ASSOCIATION_AS_RELEASED,
    JUDGE_CONSISTENCY_AS_RELEASED,
    RawIssues,
    ReportOnDay,
    released_score,
)
from deepassay.protocols.protocol import Case, Protocol, Roles, Sources
from deepassay.score import Score, Unscored
from deepassay.tasks.task import Task, long_date

_NO_DAY = {"en": "not given", "zh": "未给出"}


@dataclass(frozen=True, repr=False)
class Pointwise(Protocol):
    """A report's issues, and by a table of penalties what they leave of 100.

    penalties: the table, as `PUBLISHED` is written; in edition `paper` only, since the
    released program believes the number that a judge answers.
    question, question_as_released: what is asked in edition `paper` and in edition `code`.
    """

    penalties: str = PUBLISHED

    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    question: ClassVar[Operation[ReportAndQuery, Any]]
    question_as_released: ClassVar[Operation[ReportOnDay, RawIssues]]

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

    async def score(self, case: Case, ask: Roles, sources: Sources) -> Score | Unscored:
        """Ask for the issues and count them."""
        task, report = case.task, case.report
        if self.edition == "code":
            inputs = ReportOnDay(
                language=task.language, report=report.text, query=task.prompt, today=_today(task)
            )
            raw = await ask.judge(self.question_as_released, inputs, repeat=case.repeat)
            return raw if isinstance(raw, Unscored) else released_score(raw.value.root)
        question = ReportAndQuery(language=task.language, report=report.text, query=task.prompt)
        answer = await ask.judge(self.question, question, repeat=case.repeat)
        if isinstance(answer, Unscored):
            return answer
        return score_of(report, answer.value, table(self.penalties))

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that it asks."""
        return (self.question_as_released if self.edition == "code" else self.question,)


def _today(task: Task) -> str:
    return long_date(task.day, task.language) if task.day else _NO_DAY[task.language]


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
    question_as_released = JUDGE_CONSISTENCY_AS_RELEASED


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
    question_as_released = JUDGE_ASSOCIATION_AS_RELEASED
