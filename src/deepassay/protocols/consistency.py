"""Factual and logical consistency: where a report contradicts itself (LiveResearchBench, A.2).

Two passages that cannot both be so, or reasoning that does not hold. Whether the report is true
is not asked. The score follows from the number of issues by Table 3, 0 to 100: edition `paper`
counts in code and takes only issues whose quotes stand in the report; edition `code` believes
the number that the judge answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from deepassay.models.operation import Operation
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.pointwise.by_rule import contradictions_by_rule
from deepassay.protocols.pointwise.evidence import check_issues
from deepassay.protocols.pointwise.issues import Inconsistencies
from deepassay.protocols.pointwise.pointwise import Pointwise
from deepassay.protocols.pointwise.released import RawIssues, ReportOnDay, as_released
from deepassay.protocols.protocol import PROMPTS


def _by_rule(inputs: ReportAndQuery) -> Inconsistencies:
    return contradictions_by_rule(inputs.report)


FIND_INCONSISTENCIES: Final = Operation(
    "consistency/find_issues",
    prompts=PROMPTS,
    takes=ReportAndQuery,
    gives=Inconsistencies,
    offline=_by_rule,
    check=check_issues,
    version=2,
)

JUDGE_CONSISTENCY_AS_RELEASED: Final = as_released(
    "consistency/judge_as_released", contradictions_by_rule
)


@dataclass(frozen=True, repr=False)
class Consistency(Pointwise):
    """What contradictions and faults of logic leave of 100 (LiveResearchBench, A.2, Table 3)."""

    name: ClassVar[str] = "consistency"
    title: ClassVar[str] = "Factual & Logical Consistency"
    source: ClassVar[str] = "LiveResearchBench, section 4.2, appendix A.2 and Table 3"
    importance: ClassVar[int] = 30
    offline_reads: ClassVar[bool] = False
    question: ClassVar[Operation[ReportAndQuery, Any]] = FIND_INCONSISTENCIES
    question_as_released: ClassVar[Operation[ReportOnDay, RawIssues]] = (
        JUDGE_CONSISTENCY_AS_RELEASED
    )
