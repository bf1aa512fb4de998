"""Rubrics: the weighted criteria of experts that a report meets (ResearchRubrics).

Section 3.4 and equation 1. Every criterion is judged on its own; the judge is told neither its
weight nor its axis. A report that is too long for the judge is judged in windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.judgements import Judgement, Line, out_of_budget
from deepassay.protocols.protocol import Case, Protocol, Roles, Sources, in_turn
from deepassay.protocols.rubrics import released
from deepassay.protocols.rubrics.arithmetic import on_scale, paper_score
from deepassay.protocols.rubrics.questions import (
    GATHER_EVIDENCE,
    JUDGE_CRITERIA,
    JUDGE_ON_EVIDENCE,
    SCALES,
    CriteriaOnReport,
    Scale,
    Verdict,
    judgement_of,
    keys_of,
)
from deepassay.protocols.windows import Inquiry, overflowed
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.rubric import rubric_digest

MOST_TOGETHER = 50
"""Criteria of one question: an answer about more is seldom complete."""


@dataclass(frozen=True, repr=False)
class Rubrics(Protocol):
    """Weighted share of a task's rubric that a report meets (ResearchRubrics, equation 1).

    scale: `ternary`, or `binary`, which collapses Partially to Not Satisfied; edition `paper`
    asks the same for both. together: criteria a question.
    """

    scale: Scale = "ternary"
    together: int = 1

    name: ClassVar[str] = "rubrics"
    title: ClassVar[str] = "Rubric compliance"
    source: ClassVar[str] = "ResearchRubrics, sections 3.3 and 3.4, equation 1"
    needs: ClassVar[str] = "a rubric for each task"
    calls: ClassVar[str] = "1 a criterion of the rubric"
    importance: ClassVar[int] = 90
    offline_reads: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale not in SCALES:
            raise BadSetting(
                f"rubrics(scale={self.scale!r}): there is no such scale.",
                f"Write one of {', '.join(SCALES)}.",
            )
        most = 1 if self.edition == "code" else MOST_TOGETHER
        if not 1 <= self.together <= most:
            raise BadSetting(
                f"rubrics(together={self.together}): that many criteria cannot be asked at once.",
                "The released program asks for one at a time: leave the option out."
                if self.edition == "code"
                else f"Give a number from 1 to {most}.",
            )

    async def score(self, case: Case, ask: Roles, sources: Sources) -> Score | Unscored:
        """Ask for a verdict on every criterion, and weigh them."""
        if missing := self.lacks(case):
            return Unscored(Cause.MISSING_INPUT, missing)
        if self.edition == "code":
            return await released.score(case, ask.judge, self.scale)
        judgements = await _judged(case, ask.judge, self.together)
        if (spent := out_of_budget(judgements)) is not None:
            return spent
        return paper_score(
            [
                Line(criterion, on_scale(judgement, self.scale))
                for criterion, judgement in zip(case.task.rubric, judgements, strict=True)
            ]
        )

    def lacks(self, case: Case) -> str:
        """A rubric; in edition `paper` one by which something can be earned."""
        rubric = case.task.rubric
        if not rubric:
            return f"Task {case.task.id} has no rubric."
        if self.edition == "paper" and not any(each.weight > 0 for each in rubric):
            return f"The rubric of task {case.task.id} has no criterion with a positive weight."
        return ""

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that it asks, and the two by which it judges a report in windows."""
        if self.edition == "code":
            return released.OPERATIONS
        return JUDGE_CRITERIA, GATHER_EVIDENCE, JUDGE_ON_EVIDENCE

    def basis(self, case: Case) -> dict[str, str]:
        """The rubric."""
        return {"rubric": rubric_digest(case.task.rubric)}


async def _judged(case: Case, ask: Asker, together: int) -> list[Judgement[Verdict]]:
    """What comes of every criterion, in the order of the rubric.

    The first question shows whether the judge can take the report. If it cannot, no other
    question shows the whole of it.
    """
    texts = [each.criterion for each in case.task.rubric]
    batches = [texts[start : start + together] for start in range(0, len(texts), together)]
    first = await _on_whole(case, batches[0], ask)
    if first is None:
        found = await in_turn(_in_windows(case, batch, ask) for batch in batches)
        return list(chain.from_iterable(found))
    rest = await in_turn(_on_either(case, batch, ask) for batch in batches[1:])
    return list(chain(first, *rest))


async def _on_either(case: Case, criteria: Sequence[str], ask: Asker) -> list[Judgement[Verdict]]:
    found = await _on_whole(case, criteria, ask)
    return await _in_windows(case, criteria, ask) if found is None else found


async def _on_whole(
    case: Case, criteria: Sequence[str], ask: Asker
) -> list[Judgement[Verdict]] | None:
    """Judgements on a few criteria; None if report and question are too long for the judge."""
    inputs = CriteriaOnReport(
        language=case.task.language,
        report=case.report.text,
        query=case.task.prompt,
        criteria=tuple(criteria),
    )
    answer = await ask(JUDGE_CRITERIA, inputs, repeat=case.repeat)
    if overflowed(answer):
        return None
    if isinstance(answer, Unscored):
        return [Judgement.failed(answer)] * len(criteria)
    return [judgement_of(answer.value.verdicts[key], case.report) for key in keys_of(criteria)]


async def _in_windows(case: Case, criteria: Sequence[str], ask: Asker) -> list[Judgement[Verdict]]:
    about = {"criteria": tuple(criteria)}
    judged = await Inquiry(GATHER_EVIDENCE, JUDGE_ON_EVIDENCE, case, about).hold(ask)
    if isinstance(judged, Unscored):
        return [Judgement.failed(judged)] * len(criteria)
    said = judged.verdicts.verdicts
    return [
        Judgement(
            said[key].verdict,
            said[key].reason,
            judged.places(key, case.report),
            windows=judged.windows,
        )
        for key in keys_of(criteria)
    ]
