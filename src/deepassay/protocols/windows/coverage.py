"""Coverage of a report that exceeds the judge's context: passages first, then the verdicts."""

from __future__ import annotations

from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.checklist import Verdicts, check_complete, keys_of, verdict_by_rule
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.windows.evidence import (
    EvidenceAndQuery,
    Gathered,
    WindowAndQuery,
    check_quotes,
    passages_by_rule,
)
from deepassay.protocols.windows.inquiry import Inquiry, Judged
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


def _by_rule(inputs: EvidenceOnItems) -> Verdicts:
    items = keys_of(inputs.checklist).items()
    return Verdicts(
        evaluations={key: verdict_by_rule(inputs.quoted(key), item) for key, item in items}
    )


def _all_items(inputs: EvidenceOnItems, answer: Verdicts) -> None:
    check_complete(answer, tuple(keys_of(inputs.checklist)))


GATHER_EVIDENCE: Final = Operation(
    "coverage/gather_evidence",
    prompts=PROMPTS,
    takes=WindowAndChecklist,
    gives=Gathered,
    offline=_best_passages,
    check=_quotes_stand,
    version=2,
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "coverage/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnItems,
    gives=Verdicts,
    offline=_by_rule,
    check=_all_items,
    version=2,
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
