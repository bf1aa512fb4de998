"""The funnel: what was findable, found, opened and cited."""

from __future__ import annotations

import asyncio
from math import isclose
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.protocols.protocol import Case, RoleAskers, Sources
from deepassay.protocols.registry import GROUPS, parse
from deepassay.protocols.retrieval import Retrieval, Trace, score_of
from deepassay.reports.report import Report
from deepassay.results.evidence import reading_of
from deepassay.runfile import AgentRun, RunFile, TraceEvent
from deepassay.score import Cause, Score, Unscored
from deepassay.sources.page import Failure, NoPage, Page
from deepassay.sources.snapshots import Snapshots
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.wings.research.search.corpus import open_corpus

A, B, C, D, X = (f"https://{name}.example/" for name in "abcdx")


class Web:
    """Pages by address; every other one has a text."""

    def __init__(self, **lost: NoPage) -> None:
        self.lost = {page.url: page for page in lost.values()}

    async def get(self, url):
        return self.lost.get(url) or Page(url, "Text.")


def report(*cited, found=(), opened=(), seen=True):
    """A report that cites these pages, by an agent that found and opened those."""
    cites = " ".join(f"It is so [{number}]." for number in range(1, len(cited) + 1))
    entries = "\n".join(f"[{number}] {url}" for number, url in enumerate(cited, start=1))
    text = f"# Tides\n\nThe tide is high. {cites}\n\n## Sources\n\n{entries}\n"
    run = AgentRun(text, "done", found=tuple(found), opened=tuple(opened))
    return Report(text, "heron", "t", run=run if seen else None)


def scored(written, *relevant, pages=None):
    task = Task(id="t", prompt="How high?", relevant=relevant)
    sources = Sources(pages or Web(), None)
    return asyncio.run(Retrieval().score(Case(task, written), RoleAskers.alone(None), sources))


def verdicts(outcome):
    return {item.item: item.verdict for item in reading_of(outcome).evidence.items}


def test_the_score_is_the_share_of_relevant_pages_that_were_opened_and_are_cited():
    """Of 4 relevant pages 3 are found, 2 opened, 1 cited; 50 % of those opened, 67 % of found."""
    outcome = scored(report(A, X, found=[A, B, C, X], opened=[A, B, X]), A, B, C, D)
    assert (outcome.value, outcome.bounds, outcome.tally) == (25.0, (0.0, 100.0), (1, 4))
    assert outcome.parts == {
        "found": 75.0,
        "opened": 50.0,
        "cited": 25.0,
        "opened of found": pytest.approx(200 / 3),
        "cited of opened": 50.0,
    }
    assert verdicts(outcome) == {
        A: "cited",
        B: "opened, not cited",
        C: "found, not opened",
        D: "not found",
    }
    funnel = reading_of(outcome).evidence.funnel
    assert (funnel.pages.found, funnel.pages.opened, funnel.pages.cited) == (4, 3, 2)
    assert (funnel.unopened, funnel.lost) == ((), ())


def test_a_page_that_was_cited_and_never_opened_is_named_and_does_not_count():
    outcome = scored(report(A, X, found=[A, X], opened=[]), A)
    assert outcome.value == 0.0 and outcome.parts["cited of opened"] is None
    assert verdicts(outcome) == {A: "cited, never opened", X: "cited, never opened"}
    assert reading_of(outcome).evidence.funnel.unopened == (A, X)
    assert f"Cited and never opened: {A}, {X}." in reading_of(outcome).evidence.summary


def test_dead_and_blocked_pages_that_are_cited_are_named_with_their_class():
    web = Web(
        gone=NoPage(A, Failure.GONE, "The server says 404.", 404),
        blocked=NoPage(X, Failure.BLOCKED, "The server says 403.", 403),
        large=NoPage(B, Failure.TOO_LARGE, "It has 90 MB."),
    )
    outcome = scored(report(A, X, B, found=[A, X, B], opened=[A, B]), A, B, pages=web)
    assert outcome.value == 100.0  # what the agent opened it had; a reader has it no more
    assert verdicts(outcome) == {
        A: "cited, gone",
        B: "cited",  # it is there, though not for us
        X: "cited, never opened, blocked",
    }
    evidence = reading_of(outcome).evidence
    assert evidence.funnel.lost == (A, X)
    assert f"dead or blocked: {A} (gone), {X} (blocked)." in evidence.summary
    assert evidence.page_classes == {"blocked": 1, "gone": 1, "too_large": 1}
    assert [item.reason for item in evidence.items if item.item == X] == ["The server says 403."]


def test_a_relevant_page_that_is_dead_or_blocked_is_not_findable():
    """Of 5 relevant pages one is gone and one blocked; a third is gone, but was read before."""
    web = Web(
        gone=NoPage(A, Failure.GONE, "The server says 404.", 404),
        blocked=NoPage(B, Failure.BLOCKED, "The server says 403.", 403),
        lately=NoPage(C, Failure.GONE, "The server says 404.", 404),
        unknown=NoPage(D, Failure.NOT_ARCHIVED, "Nobody kept it."),
    )
    outcome = scored(report(C, B, found=[A, B, C], opened=[C]), A, B, C, D, X, pages=web)
    assert outcome.tally == (1, 3) and outcome.parts["found"] == pytest.approx(100 / 3)
    evidence = reading_of(outcome).evidence
    assert evidence.funnel.closed == (A, B) and evidence.funnel.lost == (C, B)
    assert verdicts(outcome) == {
        A: "not findable, gone",
        B: "cited, never opened, blocked",
        C: "cited, gone",
        D: "not found",
        X: "not found",
    }
    assert f"so not findable: {A} (gone), {B} (blocked)." in evidence.summary
    assert evidence.page_classes == {"blocked": 1, "gone": 1}  # of the cited


def test_where_no_relevant_page_is_findable_there_is_no_score():
    web = Web(gone=NoPage(A, Failure.GONE, "The server says 404.", 404))
    outcome = scored(report(X, found=[A, X], opened=[X]), A, pages=web)
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.PAGE_DEAD
    assert A in outcome.detail and reading_of(outcome).evidence.funnel.relevant.findable == 0


def test_a_page_that_was_reached_by_a_link_was_found():
    outcome = scored(report(A, found=[], opened=[A]), A, B)
    assert outcome.parts["found"] == 50.0 and outcome.value == 50.0


def test_addresses_are_compared_in_their_canonical_spelling():
    seen = report("https://A.example:443/#top", found=["HTTPS://a.example"], opened=[f"{A}#end"])
    assert scored(seen, "https://a.example/?utm_source=x").value == 100.0


@pytest.mark.parametrize(
    "written",
    [
        report(A, seen=False),
        Report(report(A).text, run=AgentRun(report(A).text, "done")),
        Report(report(A).text, run=AgentRun(report(A).text, "done", found=(A,))),
    ],
    ids=["from a folder", "nobody saw it search", "nobody saw what it opened"],
)
def test_where_nobody_saw_the_agent_search_it_is_told_how_to_see_it(written):
    outcome = scored(written, A)
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.MISSING_INPUT
    assert "deepassay research" in outcome.detail and "--sandbox" in outcome.detail


SEARCH = TraceEvent("search", "how high", (A, B))
BARE = TraceEvent("search", "how deep", listed=False)
OPENED = TraceEvent("page", urls=(A,))
UNTOLD = TraceEvent("page", urls=(B,), status=None)


@pytest.mark.parametrize(
    ("events", "whole", "said"),
    [
        ((BARE, SEARCH, BARE, OPENED), True, "what its searches found: the hits of 2 of 3 "),
        ((SEARCH, OPENED, UNTOLD), True, "which pages it opened: of 1 of 2 pages "),
        ((BARE, UNTOLD), True, "what its searches found and which pages it opened: the hits of 1"),
        ((SEARCH, OPENED), False, "which pages it opened: some of it is missing"),
        ((), False, "which pages it opened: some of it is missing"),
    ],
)
def test_of_a_trace_it_is_told_what_it_does_not_hold(events, whole, said):
    run = AgentRun(report(A).text, "done").watched(events, whole=whole)
    outcome = scored(Report(report(A).text, run=run), A)
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.MISSING_INPUT
    assert said in outcome.detail
    assert "nobody saw" not in outcome.detail and "--traces" not in outcome.detail


def test_without_relevant_pages_there_is_no_score_and_the_counts_are_kept():
    outcome = scored(report(A, found=[A, B], opened=[A]))
    assert isinstance(outcome, Unscored) and "`relevant`" in outcome.detail
    funnel = reading_of(outcome).evidence.funnel
    assert funnel.relevant is None
    assert (funnel.pages.found, funnel.pages.opened, funnel.pages.cited) == (2, 1, 1)
    assert reading_of(outcome).evidence.summary == "Pages: 2 found, 1 opened, 1 of these cited."


def test_what_the_agent_did_and_what_is_relevant_decide_the_key_of_a_score():
    def basis(written, *relevant):
        task = Task(id="t", prompt="How high?", relevant=relevant)
        return Retrieval().basis(Case(task, written))

    first = basis(report(A, found=[A], opened=[A]), A)
    assert basis(report(A, found=[A, B], opened=[A]), A) != first
    assert basis(report(A, found=[A], opened=[]), A) != first
    assert basis(report(A, found=[A], opened=[A]), B) != first
    assert basis(report(A, found=[A], opened=[A]), A) == first
    assert basis(Report(""), A) == {"relevant": first["relevant"]}  # the same for all agents
    assert basis(Report("")) == {}


def test_it_is_run_by_its_name_only():
    assert parse("retrieval") == (Retrieval(),)
    assert "retrieval" not in GROUPS["all"]


SOME = st.lists(st.sampled_from([A, B, C, D, X]), max_size=8).map(tuple)


@given(found=SOME, opened=SOME, cited=SOME, relevant=SOME.filter(bool))
def test_the_stages_are_nested_and_the_ratios_multiply_to_the_score(found, opened, cited, relevant):
    trace = Trace.of(report(*cited, found=found, opened=opened))
    every, stages = trace.stages(), trace.stages(set(relevant))
    for each in (every, stages):
        assert each.found >= each.opened >= each.cited >= 0
    assert stages.findable >= stages.found
    assert (stages.found, stages.opened) <= (every.found, every.opened)
    score = score_of(stages, {})
    ratios = [score.parts[name] for name in ("found", "opened of found", "cited of opened")]
    known = [each / 100 for each in ratios if each is not None]
    assert all(0 <= each <= 1 for each in known)
    product = known[0] * known[1] * known[2] if len(known) == 3 else 0.0
    assert isclose(product, score.value / 100)
    assert set(trace.unopened) == set(trace.cited) - set(trace.opened)


CORPUS = Path(__file__).parents[2] / "examples" / "demo" / "research"


def test_over_the_corpus_of_the_demonstration():
    """An agent that opens the first three hits of one query, and cites a blocked page besides."""
    task = next(each for each in load_tasks(CORPUS / "tasks.jsonl") if each.id == "on-call-buses")
    blocked = "https://bus-weekly.example/marle-cost-per-ride"

    async def answered():
        async with open_corpus(CORPUS / "corpus") as corpus:
            with RunFile.in_memory() as run:
                pages = Snapshots(run.captures, reader=corpus)
                found = await corpus.search("on-call buses Marle car journeys replaced", count=8)
                hits = [hit.url for hit in found.hits]
                came = [await pages.get(url) for url in hits[:3]]
                opened = [page.url for page in came if isinstance(page, Page)]
                written = report(*opened, blocked, found=hits, opened=opened)
                sources = Sources(pages, None)
                outcome = await Retrieval().score(
                    Case(task, written), RoleAskers.alone(None), sources
                )
                return hits, opened, outcome

    hits, opened, outcome = asyncio.run(answered())
    assert isinstance(outcome, Score)
    relevant = set(task.relevant)
    counts = reading_of(outcome).evidence.funnel.relevant
    assert counts.findable == 4
    assert counts.found == len(relevant & set(hits)) > 0
    assert counts.opened == counts.cited == len(relevant & set(opened))
    assert verdicts(outcome)[blocked] == "cited, never opened, blocked"
