"""Coverage: the items of a task's checklist that a report delivers (LiveResearchBench).

Sections 4.2 and A.3. An item counts only if it is delivered in full; a placeholder, or a method
in place of the answer, counts nothing. The score of a report is the share of its items, 0 to
100; results show the mean over reports and, beside it, the share over all items pooled.
A report that is too long for the judge is judged in windows; edition `code` sends the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar

from deepassay.models.operation import Operation
from deepassay.protocols.checklist import (
    BOUNDS,
    ChecklistAnswer,
    ReportAndQuery,
    items_of,
    keys_of,
    share_met,
    verdict_by_rule,
)
from deepassay.protocols.entries import check_complete
from deepassay.protocols.expected import VERDICT, for_each
from deepassay.protocols.protocol import PROMPTS, Case, Protocol, RoleAskers, Sources
from deepassay.protocols.windows import (
    EvidenceAndQuery,
    WindowAndQuery,
    WindowedQuestion,
    ask_about_report,
    gathering,
)
from deepassay.score import Cause, Score, Unscored, digest


class ReportAndChecklist(ReportAndQuery):
    """A report, the request that it answers, and the items that it must deliver."""

    checklist: tuple[str, ...]


class WindowAndChecklist(WindowAndQuery):
    """One window, the request, and the items that the report must deliver."""

    checklist: tuple[str, ...]


class EvidenceOnItems(EvidenceAndQuery):
    """What was gathered from all windows, the request, and the items."""

    checklist: tuple[str, ...]


def _by_rule(inputs: ReportAndChecklist | EvidenceOnItems) -> ChecklistAnswer:
    """The floor, from the whole report, or from what was gathered on each item."""
    verdicts = {
        key: verdict_by_rule(
            inputs.report if isinstance(inputs, ReportAndChecklist) else inputs.quoted(key), item
        )
        for key, item in keys_of(inputs.checklist).items()
    }
    return ChecklistAnswer(evaluations=verdicts)


def _all_items(inputs: ReportAndChecklist | EvidenceOnItems, answer: ChecklistAnswer) -> None:
    check_complete(answer.evaluations, keys_of(inputs.checklist))


Read = TypeVar("Read", ReportAndChecklist, EvidenceOnItems)


def _judging(name: str, takes: type[Read]) -> Operation[Read, ChecklistAnswer]:
    """One verdict on each item, whatever is read for it."""
    return Operation(
        name,
        prompts=PROMPTS,
        takes=takes,
        gives=ChecklistAnswer,
        offline=_by_rule,
        check=_all_items,
        shape=lambda inputs, form: form.keys("evaluations", keys_of(inputs.checklist)),
        rule=2,
        expected=for_each(VERDICT, lambda inputs: len(inputs.checklist)),
    )


JUDGE_ITEMS: Final = _judging("coverage/judge_items", ReportAndChecklist)

GATHER_EVIDENCE: Final = gathering(
    "coverage", WindowAndChecklist, lambda inputs: keys_of(inputs.checklist)
)

JUDGE_ON_EVIDENCE: Final = _judging("coverage/judge_on_evidence", EvidenceOnItems)


@dataclass(frozen=True, repr=False)
class Coverage(Protocol):
    """Share of a task's checklist that a report delivers in full (LiveResearchBench, 4.2)."""

    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "Coverage & Comprehensiveness"
    source: ClassVar[str] = "LiveResearchBench, section 4.2 and appendix A.3"
    needs: ClassVar[str] = "a checklist for each task"
    calls: ClassVar[str] = "1 a report"
    importance: ClassVar[int] = 80
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    offline_reads: ClassVar[bool] = False

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Ask for a verdict on every item and count them."""
        items = keys_of(case.task.checklist)
        missing = self.lacks(case)
        if missing and self.edition == "paper":
            return Unscored(Cause.MISSING_INPUT, missing)
        inputs = ReportAndChecklist(
            language=case.task.language,
            report=case.report.text,
            query=case.task.prompt,
            checklist=case.task.checklist,
        )
        prefix = f"{case.task.id}:"  # the first item of one task is not that of another
        if self.edition == "code":
            from deepassay.protocols import checklist_released as released

            if missing:
                return released.without_checklist(missing)
            return await released.judged_as_released(
                JUDGE_ITEMS, inputs, ask.judge, case.repeat, items, prefix
            )
        judged = await ask_about_report(
            JUDGE_ITEMS,
            inputs,
            lambda: WindowedQuestion(
                GATHER_EVIDENCE, JUDGE_ON_EVIDENCE, case, {"checklist": case.task.checklist}
            ),
            ask.judge,
            case.repeat,
        )
        if isinstance(judged, Unscored):
            return judged
        evidence = judged.with_places(items_of(judged.verdicts, items), case.report)
        return share_met(evidence, prefix, judged.details)

    def lacks(self, case: Case) -> str:
        """The checklist, where the task has none."""
        return "" if case.task.checklist else f"Task {case.task.id} has no checklist."

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that it asks, and the two by which it judges a report in windows."""
        if self.edition == "code":
            from deepassay.protocols.checklist_released import as_released

            return (as_released(JUDGE_ITEMS),)
        return JUDGE_ITEMS, GATHER_EVIDENCE, JUDGE_ON_EVIDENCE

    def basis(self, case: Case) -> dict[str, str]:
        """The digest of the checklist of the task."""
        return {"checklist": digest(list(case.task.checklist))}
