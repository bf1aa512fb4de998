"""KAE: how much of what its sources say on the task a report has (DeepResearch Arena).

Section "Keypoint-Aligned Evaluation": key points are read off every page that the report cites,
unified into one list, and the report is held against each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.entries import JudgedEntry, out_of_budget
from deepassay.protocols.fact.arithmetic import CAUSES
from deepassay.protocols.kae.arithmetic import BOUNDS, READ, Visit, kae_score
from deepassay.protocols.kae.questions import (
    EXTRACT_POINTS,
    JUDGE_POINTS,
    judged,
    points_of,
)
from deepassay.protocols.kae.unification import UNIFY_POINTS, UNIFYING, unified
from deepassay.protocols.page_check import JUDGE_PAGE, settled
from deepassay.protocols.protocol import Case, Edition, Protocol, Role, Roles, Sources, in_turn
from deepassay.reports.report import Report
from deepassay.score import Cause, Score, Unscored
from deepassay.sources.page import NoPage
from deepassay.text import canonical

MOST_TOGETHER = 50
"""Key points of one question: an answer about more is seldom complete."""


@dataclass(frozen=True, repr=False)
class Kae(Protocol):
    """Share of the key points of cited pages that a report supports, 0 to 1 (DeepResearch Arena).

    together: key points a question. The paper asks about one at a time, which is `together=1`.
    The extractor reads and unifies key points, so that all judges of a panel have the same ones.
    """

    together: int = 20

    name: ClassVar[str] = "kae"
    title: ClassVar[str] = "Key points supported"
    source: ClassVar[str] = "DeepResearch Arena, Keypoint-Aligned Evaluation, equations 4 to 8"
    needs: ClassVar[str] = "the pages that the reports to a task cite"
    calls: ClassVar[str] = "1 a page of a task, then 1 for 20 key points a report"
    importance: ClassVar[int] = 60
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    roles: ClassVar[tuple[Role, ...]] = ("judge", "extractor")
    reads_pages: ClassVar[bool] = True

    @property
    def rules(self) -> dict[str, int]:
        """The one by which texts that say the same are merged."""
        return {"unifying": UNIFYING}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.together <= MOST_TOGETHER:
            raise BadSetting(
                f"kae(together={self.together}): that many key points cannot be asked at once.",
                f"Give a number from 1 to {MOST_TOGETHER}.",
            )

    async def score(self, case: Case, ask: Roles, sources: Sources) -> Score | Unscored:
        """Read the pages for key points, unify these, and hold the report against them."""
        addresses = cited_addresses(case.report)
        visits = await in_turn(_visit(url, case, ask, sources) for url in addresses)
        for visit in visits:
            if visit.cause is Cause.BUDGET:  # no outcome yet: a larger budget goes on from here
                return Unscored(Cause.BUDGET, visit.detail)
        points = [point for visit in visits for point in visit.points]
        found = await unified(points, case, ask.extractor)
        if isinstance(found, Unscored):
            return found
        texts = [point.text for point in found.points]
        batches = [
            texts[start : start + self.together] for start in range(0, len(texts), self.together)
        ]
        judgements = await in_turn(judged(batch, case, ask.judge) for batch in batches)
        lines = [
            JudgedEntry(*pair)
            for pair in zip(found.points, chain.from_iterable(judgements), strict=True)
        ]
        if (spent := out_of_budget(line.judgement for line in lines)) is not None:
            return spent
        merged = {"merged by text": found.by_text, "merged by model": found.by_model}
        return kae_score(lines, visits, merged)

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """What it asks about pages and key points."""
        return JUDGE_PAGE, EXTRACT_POINTS, UNIFY_POINTS, JUDGE_POINTS


def cited_addresses(report: Report) -> tuple[str, ...]:
    """Every address that a report cites, canonical: from its citations, then from its lists."""
    cited = (url for each in report.resolved for url in each.urls)
    listed = (canonical(url) for entry in report.references for url in entry.urls)
    return tuple(dict.fromkeys([*cited, *listed]))


async def _visit(url: str, case: Case, ask: Roles, sources: Sources) -> Visit:
    """What one cited page gives."""
    page = await settled(await sources.pages.get(url), ask.extractor, case.task.language)
    if isinstance(page, Unscored):
        return Visit(url, "failed", cause=page.cause, detail=page.detail)
    if isinstance(page, NoPage):
        state = str(page.failure)
        return Visit(
            url, state, cause=CAUSES.get(page.failure, Cause.PAGE_DEAD), detail=page.detail
        )
    found = await points_of(page, case, ask.extractor)
    if isinstance(found, Unscored):
        state = "too_large" if found.cause is Cause.PAGE_TOO_LARGE else "failed"
        return Visit(url, state, cause=found.cause, detail=found.detail)
    return Visit(url, READ, found.points, found.dropped, detail=page.doubt)
