"""One item on a report that exceeds the judge's context: passages first, then the score. Ours."""

from __future__ import annotations

from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.ace.scoring import ItemOnReport, ItemScore, context_of, score_by_rule
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
from deepassay.tasks.ace import AceItem

KEY: Final = "a1"
"""Of the one item that is asked about."""


class WindowAndItem(WindowAndQuery):
    """One window, the request, what is known of it, and one item."""

    context: str
    title: str
    description: str


class EvidenceOnItem(EvidenceAndQuery):
    """What was gathered from all windows, the request, what is known of it, and one item."""

    context: str
    title: str
    description: str


def _best_passages(inputs: WindowAndItem) -> Gathered:
    return passages_by_rule(inputs.window, {KEY: f"{inputs.title}: {inputs.description}"})


def _quotes_stand(inputs: WindowAndItem, answer: Gathered) -> None:
    check_quotes(inputs.window, answer, (KEY,))


def _by_rule(inputs: EvidenceOnItem) -> ItemScore:
    return score_by_rule(
        ItemOnReport(
            language=inputs.language,
            report="\n\n".join(each.quote for each in inputs.evidence),
            query=inputs.query,
            context=inputs.context,
            title=inputs.title,
            description=inputs.description,
        )
    )


GATHER_EVIDENCE: Final = Operation(
    "ace/gather_evidence",
    prompts=PROMPTS,
    takes=WindowAndItem,
    gives=Gathered,
    offline=_best_passages,
    check=_quotes_stand,
    version=2,
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "ace/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnItem,
    gives=ItemScore,
    offline=_by_rule,
    version=2,
)


async def score_in_windows(item: AceItem, case: Case, ask: Asker) -> Judged[ItemScore] | Unscored:
    """The score of one item, decided on the evidence of all windows."""
    inquiry = Inquiry(
        GATHER_EVIDENCE,
        JUDGE_ON_EVIDENCE,
        case,
        about={
            "context": context_of(case),
            "title": item.title,
            "description": item.description,
        },
    )
    return await inquiry.hold(ask)
