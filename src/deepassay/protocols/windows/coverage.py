"""Coverage of a report that exceeds the judge's context: passages first, then the verdicts."""

from __future__ import annotations

from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.checklist import Verdict, Verdicts, check_complete, keys_of
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.recall import verdicts_by_recall
from deepassay.protocols.windows.evidence import (
    EvidenceAndQuery,
    Gathered,
    WindowAndQuery,
    check_quotes,
    passages_by_rule,
)
from deepassay.protocols.windows.inquiry import Inquiry, Judged
from deepassay.reports.report import Report
from deepassay.score import Unscored


class WindowAndChecklist(WindowAndQuery):
    """The same with the items that the report must deliver."""

    checklist: tuple[str, ...]


class EvidenceOnItems(EvidenceAndQuery):
    """What was gathered from all windows, the request, and the items."""

    checklist: tuple[str, ...]


def _best_passages(inputs: WindowAndChecklist) -> Gathered:
    return passages_by_rule(inputs.window, keys_of(inputs.checklist))


def _quotes_stand(inputs: WindowAndChecklist, answer: Gathered) -> None:
    check_quotes(inputs.window, answer, tuple(keys_of(inputs.checklist)))


def _by_recall(inputs: EvidenceOnItems) -> Verdicts:
    verdicts: dict[str, Verdict] = {}
    for key, item in keys_of(inputs.checklist).items():
        quotes = (each.quote for each in inputs.evidence if each.item == key)
        verdicts |= verdicts_by_recall(Report("\n\n".join(quotes)), {key: item}).evaluations
    return Verdicts(evaluations=verdicts)


def _all_items(inputs: EvidenceOnItems, answer: Verdicts) -> None:
    check_complete(answer, tuple(keys_of(inputs.checklist)))


GATHER_EVIDENCE: Final = Operation(
    "coverage/gather_evidence",
    prompts=PROMPTS,
    takes=WindowAndChecklist,
    gives=Gathered,
    offline=_best_passages,
    check=_quotes_stand,
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "coverage/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnItems,
    gives=Verdicts,
    offline=_by_recall,
    check=_all_items,
)


async def judge_in_windows(
    case: Case, checklist: tuple[str, ...], ask: Asker
) -> Judged[Verdicts] | Unscored:
    """Verdicts on a checklist, decided on the evidence of all windows."""
    inquiry = Inquiry(
        GATHER_EVIDENCE,
        JUDGE_ON_EVIDENCE,
        case,
        about={"checklist": checklist},
    )
    return await inquiry.hold(ask)
