"""Citation association: claims without a fitting citation (LiveResearchBench, A.5).

The paper calls it citation traceability. A claim that needs a source has none, or one that
evidently cannot be about it. Whether the claim is true, and whether the page says so, is not
asked. The score follows from the number of such claims by Table 5, 0 to 100: edition `paper`
counts in code and takes only claims that stand in the report; edition `code` believes the number
that the judge answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from deepassay.models.operation import Operation
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.pointwise.by_rule import uncited_by_rule
from deepassay.protocols.pointwise.evidence import check_issues
from deepassay.protocols.pointwise.issues import UnsourcedClaims
from deepassay.protocols.pointwise.pointwise import Pointwise
from deepassay.protocols.pointwise.released import RawIssues, ReportOnDay, as_released
from deepassay.protocols.protocol import PROMPTS


def _by_rule(inputs: ReportAndQuery) -> UnsourcedClaims:
    return uncited_by_rule(inputs.report)


FIND_UNSOURCED_CLAIMS: Final = Operation(
    "citation_association/find_issues",
    prompts=PROMPTS,
    takes=ReportAndQuery,
    gives=UnsourcedClaims,
    offline=_by_rule,
    check=check_issues,
    version=2,
)

JUDGE_ASSOCIATION_AS_RELEASED: Final = as_released(
    "citation_association/judge_as_released", uncited_by_rule
)


@dataclass(frozen=True, repr=False)
class CitationAssociation(Pointwise):
    """What uncited and mismatched claims leave of 100 (LiveResearchBench, A.5, Table 5)."""

    name: ClassVar[str] = "citation_association"
    title: ClassVar[str] = "Citation Association"
    source: ClassVar[str] = "LiveResearchBench, section 4.2, appendix A.5 and Table 5"
    importance: ClassVar[int] = 20
    offline_reads: ClassVar[bool] = False
    question: ClassVar[Operation[ReportAndQuery, Any]] = FIND_UNSOURCED_CLAIMS
    question_as_released: ClassVar[Operation[ReportOnDay, RawIssues]] = (
        JUDGE_ASSOCIATION_AS_RELEASED
    )
