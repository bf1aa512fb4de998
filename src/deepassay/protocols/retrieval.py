"""Retrieval: how many of the pages that answer a task an agent finds, opens and cites (ours).

Four nested sets of pages: findable, found, opened, cited. A relevant page is findable unless it is
dead or blocked and the agent did not open it all the same. What a search brought or was opened is
found; what was opened is opened; what is opened and cited is cited. A citation of a page that the
agent never opened rests on a snippet, or on nothing: it is named, and counts at no stage.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from deepassay.models.operation import Operation
from deepassay.protocols.protocol import (
    Case,
    Edition,
    Protocol,
    RoleAskers,
    ScoreDetails,
    Sources,
    gather_limited,
)
from deepassay.reports.report import Report
from deepassay.results.cited_pages import classes_of
from deepassay.results.evidence import EvidenceItem, Funnel, PageVisit, Stages
from deepassay.runfile import AgentRun
from deepassay.score import Cause, Json, Score, Unscored, digest, percent_of
from deepassay.sources.page import HOLDS_NOTHING, Failure, NoPage, Page, state_of
from deepassay.text import canonical

BOUNDS: Final = (0.0, 100.0)

NOT_SEEN: Final = (
    "nobody saw what the agent searched and opened. Have it answer with `deepassay research`: "
    "deerflow+ says it itself, another agent is seen with --sandbox. Then evaluate the reports of "
    "that run file. Or give a trace of its run with --traces."
)
NOT_TOLD: Final = (
    "what the agent did is there, but not {}: {}. Give a trace that holds all results of all its "
    "tools, or have it answer with `deepassay research` and --sandbox."
)
NOT_KNOWN: Final = (
    "it is not known which pages answer the task, so that only what was found, opened and cited is "
    "counted. Name them in the task file: `relevant`, a list of addresses."
)
NONE_FINDABLE: Final = "every page that answers the task is dead or blocked: {}."


LOST: Final = (*HOLDS_NOTHING, Failure.BLOCKED)
"""What came back of a page that is dead or blocked. Other failures may be ours."""


@dataclass(frozen=True)
class Trace:
    """Addresses in canonical spelling, each once: found, also by a link; opened; cited."""

    found: tuple[str, ...]
    opened: tuple[str, ...]
    cited: tuple[str, ...]

    @classmethod
    def of(cls, report: Report) -> Self | None:
        """What a report cites, and its agent found and opened; None where nobody saw that."""
        run = report.run
        if run is None or run.found is None or run.opened is None:
            return None
        cited = (url for each in report.resolved for url in each.urls)
        return cls(_once((*run.found, *run.opened)), _once(run.opened), _once(cited))

    @property
    def unopened(self) -> tuple[str, ...]:
        """What is cited and was never opened."""
        opened = set(self.opened)
        return tuple(url for url in self.cited if url not in opened)

    def stages(self, among: Collection[str] | None = None) -> Stages:
        """How many pages came to each stage: of some pages, else of all."""
        found, opened, cited = (
            {url for url in urls if among is None or url in among}
            for urls in (self.found, self.opened, self.cited)
        )
        counts = {"found": len(found), "opened": len(opened), "cited": len(cited & opened)}
        return Stages(**counts, **({} if among is None else {"findable": len(set(among))}))


def _once(urls: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(canonical, urls)))


def unseen(run: AgentRun | None) -> str:
    """What is not known of a run whose searches or opened pages are not, and how to have it."""
    if run is None or run.events is None:
        return NOT_SEEN
    searches = [each for each in run.events if each.kind == "search"]
    pages = [each for each in run.events if each.kind == "page"]
    bare = sum(not each.listed for each in searches)
    untold = sum(each.status is None for each in pages)
    lacking, why = [], []
    if run.found is None:
        lacking.append("what its searches found")
        if bare:
            why.append(f"the hits of {bare} of {len(searches)} searches have no address")
    if run.opened is None:
        lacking.append("which pages it opened")
        if untold:
            why.append(f"of {untold} of {len(pages)} pages nothing says whether they came")
    told = ", and ".join(why) or "some of it is missing"
    return NOT_TOLD.format(" and ".join(lacking), told)


@dataclass(frozen=True, repr=False)
class Retrieval(Protocol):
    """Share of the findable relevant pages that were opened and are cited, 0 to 100.

    It is the product of the three ratios that are its parts: found of findable (the queries),
    opened of found (the choice among hits), cited of opened (memory and writing).
    """

    name: ClassVar[str] = "retrieval"
    title: ClassVar[str] = "Retrieval"
    source: ClassVar[str] = "ours"
    needs: ClassVar[str] = "relevant pages of the task, the run of the agent"
    calls: ClassVar[str] = "none; reads each cited and each relevant page"
    importance: ClassVar[int] = 20
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    reads_pages: ClassVar[bool] = True
    held_against: ClassVar[None] = None

    @property
    def rules(self) -> dict[str, int]:
        """That by which pages are counted."""
        return {"funnel": 2}  # 2: dead and blocked pages are not findable

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Count the pages of each stage; nobody is asked."""
        trace = Trace.of(case.report)
        if trace is None:
            return Unscored(Cause.MISSING_INPUT, unseen(case.report.run))
        urls = _once((*trace.cited, *case.task.relevant))
        found = await gather_limited(sources.pages.get(url) for url in urls)
        funnel, details = evidence(trace, case.task.relevant, dict(zip(urls, found, strict=True)))
        if lacking := self.lacks(case):
            return Unscored(Cause.MISSING_INPUT, lacking, details)
        if funnel.relevant is None or not funnel.relevant.findable:
            problem = NONE_FINDABLE.format(", ".join(funnel.closed))
            return Unscored(Cause.PAGE_DEAD, problem, details)
        return score_of(funnel.relevant, details)

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """Nothing: pages are counted, and nobody is asked."""
        return ()

    def lacks(self, case: Case) -> str:
        """What cannot be had from the report and its run."""
        return "" if case.task.relevant else NOT_KNOWN

    def basis(self, case: Case) -> dict[str, str]:
        """The relevant pages, and what the agent did, where it was seen."""
        found = {}
        if case.task.relevant:
            found["relevant"] = digest(list(case.task.relevant))[:12]
        if run := case.report.run:
            both = (run.found, run.opened)
            found["run"] = digest([None if urls is None else list(urls) for urls in both])[:12]
        return found


def score_of(stages: Stages, details: Mapping[str, Json]) -> Score:
    """Cited of findable, in percent, with shares and ratios as parts; a ratio of nothing is None.

    stages: of the relevant pages, of which there is at least one.
    """
    findable = stages.findable or 0
    parts = {
        "found": percent_of(stages.found, findable),
        "opened": percent_of(stages.opened, findable),
        "cited": percent_of(stages.cited, findable),
        "opened of found": percent_of(stages.opened, stages.found),
        "cited of opened": percent_of(stages.cited, stages.opened),
    }
    value = 100.0 * stages.cited / findable
    return Score(value, BOUNDS, parts, (stages.cited, findable), details)


class RetrievalDetails(ScoreDetails):
    """What is kept of a score. funnel: what became of pages between search and report."""

    funnel: Funnel | None = None


def evidence(
    trace: Trace, relevant: tuple[str, ...], pages: Mapping[str, Page | NoPage]
) -> tuple[Funnel, dict[str, Json]]:
    """What became of every relevant page, and every citation that rests on no page.

    pages: what came back of each page that is cited or relevant.
    """
    lost = {
        url: page
        for url, page in pages.items()
        if isinstance(page, NoPage) and page.failure in LOST
    }
    closed = tuple(url for url in relevant if url in lost and url not in trace.opened)
    funnel = Funnel(
        pages=trace.stages(),
        relevant=trace.stages(set(relevant) - set(closed)) if relevant else None,
        unopened=trace.unopened,
        lost=tuple(url for url in trace.cited if url in lost),
        closed=closed,
    )
    visits = tuple(
        PageVisit(url=url, state=state_of(pages[url]), detail=getattr(pages[url], "detail", ""))
        for url in trace.cited
    )
    details = RetrievalDetails(
        funnel=funnel,
        summary=_summary(funnel, lost),
        items=(*_of_relevant(trace, relevant, lost), *_of_others(trace, relevant, lost)),
        pages=visits,
        page_classes=classes_of(each.state for each in visits),
    )
    return funnel, details.to_json()


def _of_relevant(
    trace: Trace, relevant: Iterable[str], lost: Mapping[str, NoPage]
) -> Iterator[EvidenceItem]:
    """How far each relevant page came."""
    for number, url in enumerate(relevant, start=1):
        came = "opened, not cited" if url in trace.opened else "found, not opened"
        verdict = came if url in trace.found else "not found"
        if url in trace.cited:
            verdict = _cited(url, trace, lost)
        elif url in lost and url not in trace.opened:
            verdict = ", ".join(["not findable", *_state(url, lost)])
        met = url in trace.cited and url in trace.opened
        yield _item(f"r{number}", url, verdict, lost, score=int(met))


def _of_others(
    trace: Trace, relevant: Collection[str], lost: Mapping[str, NoPage]
) -> Iterator[EvidenceItem]:
    """Other pages that are cited and were never opened, or are dead or blocked."""
    unopened = trace.unopened
    named = [url for url in trace.cited if url not in relevant and (url in lost or url in unopened)]
    for number, url in enumerate(named, start=1):
        yield _item(f"c{number}", url, _cited(url, trace, lost), lost)


def _cited(url: str, trace: Trace, lost: Mapping[str, NoPage]) -> str:
    """`cited, never opened, blocked`: what is to be said of a page that is cited."""
    unopened = [] if url in trace.opened else ["never opened"]
    return ", ".join(["cited", *unopened, *_state(url, lost)])


def _state(url: str, lost: Mapping[str, NoPage]) -> list[str]:
    return [state_of(lost[url]).replace("_", " ")] if url in lost else []


def _item(
    key: str, url: str, verdict: str, lost: Mapping[str, NoPage], **given: Json
) -> EvidenceItem:
    if url in lost:
        given["justification"] = lost[url].detail
    return EvidenceItem(key=key, item=url, verdict=verdict, url=url, **given)


def _summary(funnel: Funnel, lost: Mapping[str, NoPage]) -> str:
    """The counts in a sentence, then the citations that rest on no page."""
    of = funnel.relevant or funnel.pages
    which = "Pages" if of.findable is None else f"Of {of.findable} relevant pages"
    told = [f"{which}: {of.found} found, {of.opened} opened, {of.cited} of these cited."]
    if funnel.unopened:
        told.append(f"Cited and never opened: {', '.join(funnel.unopened)}.")
    closed = "Relevant, and dead or blocked, so not findable"
    for what, urls in (("Cited, and dead or blocked", funnel.lost), (closed, funnel.closed)):
        if named := [f"{url} ({', '.join(_state(url, lost))})" for url in urls]:
            told.append(f"{what}: {', '.join(named)}.")
    return " ".join(told)
