"""What the two pointwise protocols share: one question, issues counted, a table of penalties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.pointwise.evidence import score_of
from deepassay.protocols.pointwise.penalties import BOUNDS, PUBLISHED, table
from deepassay.protocols.pointwise.released import RawIssues, ReportOnDay, released_score
from deepassay.protocols.protocol import Case, Protocol, Roles, Sources
from deepassay.score import Score, Unscored
from deepassay.tasks.task import Task, long_date

_NO_DAY = {"en": "not given", "zh": "未给出"}


@dataclass(frozen=True, repr=False)
class Pointwise(Protocol):
    """A report's issues, and by a table of penalties what they leave of 100.

    penalties: the table, as `penalties.PUBLISHED` is written; in edition `paper` only, since the
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
