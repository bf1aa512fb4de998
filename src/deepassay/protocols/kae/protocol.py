"""KAE: how much of what its sources say on the task a report has (DeepResearch Arena).

Section "Keypoint-Aligned Evaluation": key points are read off every page that the report cites,
unified into one list, and the report is held against each of them. Equations 6 to 8 (the last
prints KCR where KOR is meant): the shares of all unified key points that the report supports,
contradicts and omits. They sum to 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Final, NamedTuple, Self

from pydantic import Field

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.entries import JudgedEntry, absent_quotes_note, out_of_budget
from deepassay.protocols.kae.key_points import (
    EXTRACT_POINTS,
    EXTRACTING,
    UNIFY_POINTS,
    UNIFYING,
    KeyPoint,
    points_of,
    unified,
)
from deepassay.protocols.kae.relations import JUDGE_POINTS, Relation, relations_to
from deepassay.protocols.page_check import CAUSES, JUDGE_PAGE, settled
from deepassay.protocols.protocol import (
    Case,
    Edition,
    Protocol,
    Role,
    RoleAskers,
    ScoreDetails,
    Sources,
    gather_limited,
)
from deepassay.reports.report import Report
from deepassay.results.cited_pages import classes_of
from deepassay.results.evidence import EvidenceItem, PageVisit
from deepassay.score import Cause, Score, Unscored, commonest
from deepassay.sources.page import DOUBTFUL, HOLDS_NOTHING, OK, NoPage
from deepassay.text import canonical, excerpt

BOUNDS: Final = (0.0, 1.0)

RATES: Final = {"KSR": "SUPPORTS", "KCR": "CONTRADICTS", "KOR": "OMITS"}

READ: Final = "read"
FAILED: Final = "failed"

MOST_TOGETHER: Final = 50
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
        """Those by which key points count, and by which texts that say the same are merged."""
        return {"extracting": EXTRACTING, "unifying": UNIFYING}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.together <= MOST_TOGETHER:
            raise BadSetting(
                f"kae(together={self.together}): that many key points cannot be asked at once.",
                f"Give a number from 1 to {MOST_TOGETHER}.",
            )

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Read the pages for key points, unify these, and hold the report against them."""
        addresses = cited_addresses(case.report)
        visits = await gather_limited(_visit(url, case, ask, sources) for url in addresses)
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
        judgements = await gather_limited(relations_to(batch, case, ask.judge) for batch in batches)
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


async def _visit(url: str, case: Case, ask: RoleAskers, sources: Sources) -> Visit:
    """What one cited page gives."""
    page = await settled(await sources.pages.get(url), ask.extractor, case.task.language)
    if isinstance(page, Unscored):
        return Visit(url, FAILED, cause=page.cause, detail=page.detail)
    if isinstance(page, NoPage):
        state = str(page.failure)
        return Visit(
            url, state, cause=CAUSES.get(page.failure, Cause.PAGE_DEAD), detail=page.detail
        )
    found = await points_of(page, case, ask.extractor)
    if isinstance(found, Unscored):
        state = "too_large" if found.cause is Cause.PAGE_TOO_LARGE else FAILED
        return Visit(url, state, cause=found.cause, detail=found.detail)
    return Visit(url, READ, found.points, found.dropped, detail=page.doubt)


# ------------------------------------------------------------------ from relations to rates


class Visit(NamedTuple):
    """What came of one cited address. state: READ, a `page.Failure`, or FAILED: no usable answer.

    points: key points that it gave. dropped: those without a span on the page. cause: why it is
    open or gone; None where it was read. detail: why, in a sentence; of one that was read, why it
    may not be the page.
    """

    url: str
    state: str
    points: Sequence[KeyPoint] = ()
    dropped: int = 0
    cause: Cause | None = None
    detail: str = ""

    @property
    def page_class(self) -> str:
        """What came back; a page is one also where no key points were had of it."""
        if self.state == READ and self.detail:
            return DOUBTFUL
        return OK if self.state in (READ, FAILED) else self.state

    @property
    def is_open(self) -> bool:
        """Whether key points may stand there that nobody could read."""
        return self.state != READ and self.state not in HOLDS_NOTHING


def rates_of(relations: Sequence[str | None]) -> dict[str, float | None]:
    """KSR, KCR and KOR over the key points that were judged; None if none was."""
    counts = Counter(each for each in relations if each is not None)
    total = sum(counts.values())
    return {rate: counts[name] / total if total else None for rate, name in RATES.items()}


def limits(relations: Sequence[str | None], visits: Sequence[Visit]) -> tuple[float, float]:
    """KSR if nothing of what is open were supported, and if all of it were.

    An open page is taken to hold as many key points as the pages that were read do on average.
    """
    read = sum(each.state == READ for each in visits)
    unseen = len(relations) / read * sum(each.is_open for each in visits) if read else 0.0
    total = len(relations) + unseen
    supported = relations.count("SUPPORTS")
    pending = relations.count(None) + unseen
    return (supported / total, (supported + pending) / total) if total else BOUNDS


def open_in_words(visits: Sequence[Visit], of: int = 0) -> str:
    """How many cited pages are open, those apart that did come; empty where none is.

    of: how many are cited in all, where that is to be said.
    """
    failed = [each.detail for each in visits if each.state == FAILED]
    unread = sum(each.is_open for each in visits) - len(failed)
    share = f" of {of}" if of else ""
    told = [f"{unread}{share} cited pages could not be read"] if unread else []
    if failed:
        why = f" ({excerpt(failed[0], 120)})" if failed[0] else ""
        came = f"{len(failed)}{share} cited pages were read"
        told.append(f"{came}, but there is no usable answer on them{why}")
    return "; ".join(told)


class KeyPointVisit(PageVisit):
    """A cited page with the key points that it gave, and those that were dropped."""

    key_points: int = Field(alias="key points")
    dropped: int

    @classmethod
    def of(cls, visit: Visit) -> Self:
        """What is kept of one address."""
        kept = {"url": visit.url, "state": visit.state, "detail": visit.detail}
        numbers = {"key points": len(visit.points), "dropped": visit.dropped}
        return cls.model_validate(kept | numbers)


class KeyPointDetails(ScoreDetails):
    """What is kept of a score. key_points: how many came of each step."""

    key_points: Mapping[str, int] | None = None
    pages: tuple[KeyPointVisit, ...] | None = None


def kae_score(
    lines: Sequence[JudgedEntry[KeyPoint, Relation]],
    visits: Sequence[Visit],
    merged: Mapping[str, int],
) -> Score | Unscored:
    """The score of a report: KSR, with KCR and KOR as parts.

    merged: key points that each step of the unification took away. Unscored, with the commonest
    cause, if there is no key point or none was judged.
    """
    relations = [line.judgement.verdict for line in lines]
    rates = rates_of(relations)
    low, high = limits(relations, visits)
    states = Counter(each.state for each in visits)
    open_told = open_in_words(visits)
    dropped = sum(each.dropped for each in visits)
    absent = sum(line.judgement.absent for line in lines)
    summary = f"{len(lines)} key points of {states[READ]} pages"
    if dropped:
        summary += f"; {dropped} more were dropped, since their spans are not on the page"
    if open_told:
        summary += f"; {open_told}"
    details = KeyPointDetails(
        summary=f"{summary}.{absent_quotes_note(absent)}",
        page_classes=classes_of(each.page_class for each in visits),
        key_points={
            "pages": len(visits),
            **dict(sorted(states.items())),
            "extracted": sum(len(each.points) for each in visits),
            "dropped": dropped,
            **merged,
            "unified": len(lines),
            "unjudged": relations.count(None),
        },
        low=low,
        high=high,
        open=bool(open_told) or None in relations,
        again=any(each.state in HOLDS_NOTHING for each in visits),
        items=tuple(_item_of(f"k{number}", line) for number, line in enumerate(lines, start=1)),
        pages=tuple(map(KeyPointVisit.of, visits)),
        quotes_not_found=absent or None,
    ).to_json()
    value = rates["KSR"]
    if value is None:
        return Unscored(*_why(lines, visits), details)
    return Score(
        value,
        BOUNDS,
        parts={**rates, "key points": float(len(lines))},
        tally=(float(relations.count("SUPPORTS")), float(len(relations) - relations.count(None))),
        details=details,
    )


def _why(
    lines: Sequence[JudgedEntry[KeyPoint, Relation]], visits: Sequence[Visit]
) -> tuple[Cause, str]:
    """Why no key point of a report was judged: the commonest cause of what is open, or gone."""
    failed = [line.judgement.cause for line in lines if line.judgement.cause is not None]
    if failed:
        return commonest(failed), f"Not one of {len(lines)} key points could be judged."
    if not visits:
        return Cause.MISSING_INPUT, "The report cites no address."
    closed = [each.cause for each in visits if each.is_open and each.cause is not None]
    if closed:
        return commonest(closed), f"No key point: {open_in_words(visits, of=len(visits))}."
    if any(each.state == READ for each in visits):
        return Cause.MISSING_INPUT, "No cited page that was read has a key point for the task."
    return Cause.PAGE_DEAD, f"No key point: all cited pages ({len(visits)}) are gone."


def _item_of(key: str, line: JudgedEntry[KeyPoint, Relation]) -> EvidenceItem:
    """One key point as `explain` reads it."""
    point, judgement = line
    sources = f"{', '.join(point.urls)}: “{point.spans[0]}”"
    return judgement.item(
        EvidenceItem(
            key=key,
            item=point.text,
            verdict=judgement.verdict or "open",
            score=None if judgement.verdict is None else int(judgement.verdict == "SUPPORTS"),
            justification=f"{judgement.reason} · {sources}",
            spans=point.spans,
            urls=point.urls,
            places=(),
        )
    )
