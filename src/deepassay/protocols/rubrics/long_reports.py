"""Criteria on a report that exceeds the judge's context: passages first, then the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.rubrics.grading import (
    CriteriaVerdicts,
    check_complete,
    check_quotes,
    keys_of,
    verdict_by_rule,
)
from deepassay.protocols.windows.evidence import (
    EvidenceAndQuery,
    Gathered,
    WindowAndQuery,
    passages_by_rule,
)
from deepassay.protocols.windows.evidence import check_quotes as check_passages
from deepassay.protocols.windows.inquiry import Inquiry, Judged
from deepassay.score import Unscored


class WindowAndCriteria(WindowAndQuery):
    """One window, the request, and the criteria."""

    criteria: tuple[str, ...]


class EvidenceOnCriteria(EvidenceAndQuery):
    """What was gathered from all windows, the request, and the criteria."""

    criteria: tuple[str, ...]


def _best_passages(inputs: WindowAndCriteria) -> Gathered:
    return passages_by_rule(inputs.window, keys_of(inputs.criteria))


def _passages_stand(inputs: WindowAndCriteria, answer: Gathered) -> None:
    check_passages(inputs.window, answer, tuple(keys_of(inputs.criteria)))


def _by_rule(inputs: EvidenceOnCriteria) -> CriteriaVerdicts:
    criteria = keys_of(inputs.criteria).items()
    return CriteriaVerdicts(
        verdicts={key: verdict_by_rule(inputs.quoted(key), text) for key, text in criteria}
    )


def _check(inputs: EvidenceOnCriteria, answer: CriteriaVerdicts) -> None:
    check_complete(answer, inputs.criteria)
    check_quotes("\n\n".join(each.quote for each in inputs.evidence), answer.verdicts)


GATHER_EVIDENCE: Final = Operation(
    "rubrics/gather_evidence",
    prompts=PROMPTS,
    takes=WindowAndCriteria,
    gives=Gathered,
    offline=_best_passages,
    check=_passages_stand,
    version=2,
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "rubrics/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnCriteria,
    gives=CriteriaVerdicts,
    offline=_by_rule,
    check=_check,
    version=2,
)


async def judge_in_windows(
    case: Case, criteria: Sequence[str], ask: Asker
) -> Judged[CriteriaVerdicts] | Unscored:
    """Verdicts on a few criteria, decided on the evidence of all windows."""
    inquiry = Inquiry(
        GATHER_EVIDENCE,
        JUDGE_ON_EVIDENCE,
        case,
        about={"criteria": tuple(criteria)},
    )
    return await inquiry.hold(ask)
