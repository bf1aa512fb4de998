"""Citation accuracy: the rubric tree of a report (LiveResearchBench, 4.2 and appendix E).

Claims are grouped by the address that they cite, and each address is gone to once. Where it
cannot be reached (E1), or leads to something else (E2), that is where it ends; otherwise each
claim is held against the page (E3). The authors have released no program for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, cast

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.citation_accuracy.arithmetic import (
    BOUNDS,
    ClaimNode,
    Place,
    SourceNode,
    Tree,
    Verdict,
    score_of,
)
from deepassay.protocols.citation_accuracy.questions import JUDGE_RELEVANCE, page_and_task
from deepassay.protocols.fact.arithmetic import CAUSES
from deepassay.protocols.fact.pairs import READING, Pair, by_url, represented
from deepassay.protocols.fact.protocol import STATEMENTS, asks_a_model, extracted
from deepassay.protocols.fact.questions import EXTRACT
from deepassay.protocols.page_check import JUDGE_PAGE, settled
from deepassay.protocols.protocol import Case, Edition, Protocol, Role, Roles, Sources, in_turn
from deepassay.protocols.support import JUDGE_SUPPORT, verdicts_on
from deepassay.reports.report import Report
from deepassay.results.cited_pages import classes_of
from deepassay.runfile import StoredVerdict
from deepassay.score import Cause, Score, Unscored
from deepassay.sources.page import Failure, NoPage, Page, state_of

UNREACHABLE: Final = (
    *(Failure.GONE, Failure.REDIRECTED_HOME, Failure.REFUSED),
    *(Failure.BLOCKED, Failure.TIMEOUT),
)
"""Failures that are E1. Of a page that is not kept, too large or no text, nobody knows that."""

FIRST_WORDS: Final = 160
"""Characters of a page that its node keeps as evidence."""


@dataclass(frozen=True, repr=False)
class CitationAccuracy(Protocol):
    """Share of claim-source pairs without an error, 0 to 100 (LiveResearchBench, appendix E).

    statements: how claims and their sources are found: "mechanical", by a "model", or "auto",
    which is mechanical unless fewer than half of the report's citations lead from a statement to
    an address.
    """

    statements: str = "auto"

    name: ClassVar[str] = "citation_accuracy"
    title: ClassVar[str] = "Citation Accuracy"
    source: ClassVar[str] = "LiveResearchBench, section 4.2 and appendix E"
    needs: ClassVar[str] = "the cited pages"
    calls: ClassVar[str] = "2 a cited page, 1 more for one in doubt"
    importance: ClassVar[int] = 70
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    roles: ClassVar[tuple[Role, ...]] = ("judge", "extractor", "verifier")
    reads_pages: ClassVar[bool] = True

    @property
    def rules(self) -> dict[str, int]:
        """Those by which statements and their sources are told."""
        return {"pairs": READING}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.statements not in STATEMENTS:
            raise BadSetting(
                f"citation_accuracy(statements={self.statements!r}): there is no such way.",
                f"Write one of {', '.join(STATEMENTS)}.",
            )

    async def score(self, case: Case, ask: Roles, sources: Sources) -> Score | Unscored:
        """Find the pairs, grow the tree, and count its errors."""
        found = await extracted(self.statements, case, ask)
        if isinstance(found, Unscored):
            return found
        groups = by_url(as_written(found.pairs)).items()
        states: dict[str, str] = {}
        grown = (_grown(url, pairs, case, ask, sources, states) for url, pairs in groups)
        tree = Tree(tuple(await in_turn(grown)))
        for node in tree.nodes():
            if node.cause == Cause.BUDGET:  # no outcome yet: a larger budget goes on from here
                return Unscored(Cause.BUDGET, node.evidence)
        by_model = asks_a_model(self.statements, case.report)
        return score_of(
            tree,
            {
                "statements_by": "model" if by_model else "mechanical",
                "dropped": found.dropped,
                "page_classes": classes_of(states.values()),
            },
        )

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """What this form of the protocol may ask."""
        asked = (JUDGE_PAGE, JUDGE_RELEVANCE, JUDGE_SUPPORT)
        return asked if self.statements == "mechanical" else (*asked, EXTRACT)


def as_written(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Each wording under one address once, with all its places, in the order of the report."""
    alike: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        alike.setdefault((pair.url, pair.statement), []).append(pair)
    return tuple(map(represented, alike.values()))


async def _grown(
    url: str,
    pairs: Sequence[Pair],
    case: Case,
    ask: Roles,
    sources: Sources,
    states: dict[str, str],
) -> SourceNode:
    """One source with its claims. Each stage is gone to only if the one before found no error.

    states: gets what came back, by address.
    """
    claims = tuple(_claim(pair, case.report) for pair in pairs)
    page = await settled(await sources.pages.get(url), ask.judge, case.task.language)
    if isinstance(page, Unscored):
        return SourceNode(url, "open", claims, str(page.cause), page.detail)
    states[url] = state_of(page)
    if isinstance(page, NoPage):
        if page.failure in UNREACHABLE:
            return SourceNode(url, "E1", claims, str(page.failure), page.detail)
        return SourceNode(url, "open", claims, str(CAUSES[page.failure]), page.detail)
    return await _looked_at(page, claims, case, ask, sources)


async def _looked_at(
    page: Page, claims: tuple[ClaimNode, ...], case: Case, ask: Roles, sources: Sources
) -> SourceNode:
    """A source whose page came. Of one in doubt an error says nothing."""
    opening = " ".join(page.text[:FIRST_WORDS].split())
    node = SourceNode(page.url, "reachable", claims, title=page.title, opening=opening)
    about = page_and_task(page, case.task.prompt, case.task.language)
    relevance = await ask.judge(JUDGE_RELEVANCE, about, repeat=case.repeat)
    if isinstance(relevance, Unscored):
        return replace(node, state="open", cause=str(relevance.cause), evidence=relevance.detail)
    if not relevance.value.on_topic and page.doubt:
        return replace(node, state="open", cause=str(Cause.PAGE_DOUBTFUL), evidence=page.doubt)
    if not relevance.value.on_topic:
        return replace(node, state="E2", evidence=relevance.value.reason)
    judged = await _judged(page, claims, case, ask, sources)
    return replace(node, evidence=relevance.value.reason, claims=judged)


async def _judged(
    page: Page, claims: Sequence[ClaimNode], case: Case, ask: Roles, sources: Sources
) -> tuple[ClaimNode, ...]:
    """The claims with what the page says of each; the same question as FACT asks."""
    verdicts = await verdicts_on(
        page,
        [each.text for each in claims],
        ask.verifier,
        sources.verdicts,
        language=case.task.language,
        repeat=case.repeat,
    )
    return tuple(_with_verdict(each, verdicts[each.text], page.doubt) for each in claims)


def _with_verdict(claim: ClaimNode, verdict: StoredVerdict | Unscored, doubt: str) -> ClaimNode:
    """The claim as judged. doubt: why the page may be none; then support alone decides."""
    if isinstance(verdict, StoredVerdict) and doubt and verdict.verdict != "supported":
        verdict = Unscored(Cause.PAGE_DOUBTFUL, doubt)
    if isinstance(verdict, Unscored):
        return replace(claim, verdict="open", cause=str(verdict.cause), evidence=verdict.detail)
    return replace(claim, verdict=cast(Verdict, verdict.verdict), evidence=verdict.quote)


def _claim(pair: Pair, report: Report) -> ClaimNode:
    """A claim that nobody has been asked about yet."""
    starts = (report.statements[place].span.start for place in pair.places)
    places = tuple(Place(*report.lines.place(start)) for start in starts)
    return ClaimNode(pair.statement, places=places, by=pair.by)
