"""Direct rating: one number from 0 to 10 for a side of a report, as a comparison.

LiveResearchBench (remarks of section 4) tried this before its protocols, found that judges and
people agreed less and that judges scattered more from run to run, and gave it up. The paper shows
neither prompts nor scales; the sides are those of DeepEval that have a protocol with one judge, and
what a rating means is said in our words. A report that exceeds a judge's context is not rated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar, Final

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.protocols.ace.protocol import HIGHEST, ItemScore, rating_form
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.expected import MARK, for_each
from deepassay.protocols.overlap import mark, readable
from deepassay.protocols.protocol import (
    PROMPTS,
    Case,
    Edition,
    Protocol,
    RoleAskers,
    ScoreDetails,
    Sources,
    gather_limited,
)
from deepassay.reports.clean import clean
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Cause, Json, Score, Unscored, commonest

BOUNDS: Final = (0.0, 100.0)
TIMES: Final = BOUNDS[1] / HIGHEST

SIDES: Final[Mapping[str, str]] = {
    "presentation": "presentation and organization",
    "consistency": "agreement of the report with itself",
    "coverage": "how far the request is answered",
    "depth": "depth of analysis",
    "citation_association": "claims tied to sources",
}
"""The sides that are rated, by the protocols that they are held against."""

ALL: Final = "all"


def rated_by_rule(inputs: ReportAndQuery) -> ItemScore:
    """The floor, the same for every side: words of the request, and how much the report says."""
    return ItemScore(
        justification="By rule: shared words counted, no judgement.",
        rating=round(mark(clean(readable(inputs.report)), inputs.query)),
    )


RATE: Final[Mapping[str, Operation[ReportAndQuery, ItemScore]]] = {
    side: Operation(
        f"direct_rating/{side}",
        prompts=PROMPTS,
        takes=ReportAndQuery,
        gives=ItemScore,
        offline=rated_by_rule,
        shape=rating_form,
        expected=for_each(MARK),
    )
    for side in SIDES
}
"""The question on each side."""


def rating_score(ratings: Mapping[str, ItemScore | Unscored]) -> Score | Unscored:
    """The mean of the ratings, 0 to 100, and each as a part; Unscored if there is none.

    What was not rated is left out of the mean; `low` and `high` are the mean had it been 0, or 10.
    """
    known = {
        side: TIMES * each.rating
        for side, each in ratings.items()
        if not isinstance(each, Unscored)
    }
    failed = [each for each in ratings.values() if isinstance(each, Unscored)]
    total, count = sum(known.values()), len(ratings)
    details = ScoreDetails(
        low=total / count,
        high=(total + BOUNDS[1] * len(failed)) / count,
        open=bool(failed),
        items=tuple(_item(side, each) for side, each in ratings.items()),
    ).to_json()
    if not known:
        cause = commonest(each.cause for each in failed)
        reason = next(each.detail for each in failed if each.cause is cause)
        return Unscored(cause, reason, details)
    parts = {side: known.get(side) for side in ratings}
    return Score(fmean(known.values()), BOUNDS, parts, details=details)


def _item(side: str, rated: ItemScore | Unscored) -> EvidenceItem:
    """One rating as `explain` reads it."""
    item = EvidenceItem(key=side, item=SIDES[side], dimension=side, score=None)
    if isinstance(rated, Unscored):
        found: dict[str, Json] = {"cause": str(rated.cause), "justification": rated.detail}
    else:
        found = {"score": rated.rating, "justification": rated.justification}
    return item.model_copy(update=found)


@dataclass(frozen=True, repr=False)
class DirectRating(Protocol):
    """Ratings from 0 to 10 without checklist, issues or rival (LiveResearchBench, section 4).

    metric: the one side that is rated, or `all`: a question each.
    """

    metric: str = ALL

    name: ClassVar[str] = "direct_rating"
    title: ClassVar[str] = "Direct rating"
    source: ClassVar[str] = "LiveResearchBench, remarks of section 4"
    calls: ClassVar[str] = "5 a report"
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    beside: ClassVar[bool] = True
    offline_reads: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.metric not in (ALL, *SIDES):
            raise BadSetting(
                f"direct_rating has no metric {self.metric!r}.",
                f"Its metrics: {ALL}, {', '.join(SIDES)}.",
            )

    @property
    def sides(self) -> Sequence[str]:
        """The sides that are rated."""
        return list(SIDES) if self.metric == ALL else [self.metric]

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Ask for a rating of every side."""
        answers = await gather_limited(_rated(side, case, ask.judge) for side in self.sides)
        for each in answers:
            if isinstance(each, Unscored) and each.cause is Cause.BUDGET:
                return each  # no outcome yet: a larger budget goes on from here
        return rating_score(dict(zip(self.sides, answers, strict=True)))

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """A question for each side."""
        return tuple(RATE[side] for side in self.sides)


async def _rated(side: str, case: Case, ask: Asker) -> ItemScore | Unscored:
    inputs = ReportAndQuery(
        language=case.task.language, report=case.report.text, query=case.task.prompt
    )
    answer = await ask(RATE[side], inputs, repeat=case.repeat)
    return answer if isinstance(answer, Unscored) else answer.value
