"""A report held against what its agent was seen to do."""

from __future__ import annotations

import asyncio
import json

import pytest

from deepassay.errors import BadReports
from deepassay.protocols.process.protocol import Process
from deepassay.protocols.protocol import Case, RoleAskers, Sources
from deepassay.protocols.registry import GROUPS, parse
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.results.evidence import reading_of
from deepassay.runfile import AgentRun, TraceEvent
from deepassay.score import Cause, Score
from deepassay.tasks.task import Task
from tests.reports.traces.building import CALLS, cut, lines, spans

A, B, C, D = (f"https://{name}.example/page" for name in "abcd")

TEXT = f"""# Pumps

Pumps save 43 % of it [1]. It covers 212 homes [1].
They cost 70 million crowns. Critics doubt it [2]. A study agrees [3]. Tenants do not [4].

## Sources

[1] {A}
[2] {B}
[3] {C}
[4] {D}
"""


def search(query, *urls, text="", **more):
    return TraceEvent("search", query, urls, 200, text, span=f"s-{query}", tool="find", **more)


def page(url, text="", status=200, **more):
    return TraceEvent("page", "", (url,), status, text, span=f"p-{url}", tool="visit", **more)


EVENTS = (
    search("pumps", A, B, D),
    page(A, "It covers 212 homes. Pumps save 34 % of it."),
    page(D, "404 Not Found", 404),
    page("https://x.leaks.example/answer", "34 %"),
    search("Pumps"),
)


def written(*events, text=TEXT, whole=True, **record):
    run = AgentRun(text, "done", record={"trace": "t", **record})
    return Report(text, "heron", "t", run=run.watched(events, whole=whole))


def scored(report, **task):
    given = Task(id="t", prompt="How much do pumps save?", **task)
    case = Case(given, report)
    return asyncio.run(Process().score(case, RoleAskers.alone(None), Sources(None, None)))


def found(outcome):
    return {(item.verdict, item.item) for item in reading_of(outcome).evidence.items}


def kinds(outcome):
    return {verdict for verdict, _ in found(outcome)}


def test_every_finding():
    outcome = scored(written(*EVENTS), blocked=["leaks.example"], relevant=[A])

    assert found(outcome) == {
        ("cited, never opened", B),
        ("cited, never opened", C),
        ("cited, never found", C),
        ("cited, opening failed", D),
        ("opened, on the blocked list", "https://x.leaks.example/answer"),
        ("opened, not cited", "https://x.leaks.example/answer"),
        ("repeated search", "Pumps"),
        ("figure in nothing that was read", "43 %"),
        ("figure in nothing that was read", "70 million"),
        ("figure not on the cited page, though read", "43 %"),
        ("claim without a source of its own", "They cost 70 million crowns."),
    }
    assert isinstance(outcome, Score)
    assert (outcome.value, outcome.tally, outcome.bounds) == (25.0, (1, 4), (0.0, 100.0))
    assert {
        name: outcome.parts[name] for name in ("faults", "dropped", "searches", "repeated")
    } == {
        "faults": 10,
        "dropped": 50.0,
        "searches": 2,
        "repeated": 1,
    }
    assert (outcome.parts["opened"], outcome.parts["failed"], outcome.parts["cost"]) == (2, 1, None)


@pytest.mark.parametrize(
    ("text", "read", "faults"),
    [
        ("Es kostet 2,4 Milliarden Euro [1]. Es sinkt um 43 % [1].", "Es sind 2400 Mio.", {"43 %"}),
        ("Cela coûte 2,4 milliards [1], soit 25 km [1].", "2 400 millions d'euros.", {"25"}),
        ("It costs 2.4 billion euros, and the loss is 31 towns [1].", "2400 Mio. Euro", {"31"}),
        ("出口1亿2千万吨，共有37.4万人 [1]。", "出口一亿二千万吨，三十七万四千人。", set()),
        ("出口1亿2千万吨，共有37.4万人 [1]。", "出口二亿一千万吨，三十七万四千人。", {"1亿2千万"}),
    ],
)
def test_what_may_be_there_in_other_words_is_not_named_as_missing(text, read, faults):
    outcome = scored(written(page(A, read), text=f"# R\n\n{text}\n\n[1] {A}\n"))
    assert {what for _, what in found(outcome)} == faults


def test_findings_lead_to_their_span_and_their_sentence():
    items = {i.item: i for i in reading_of(scored(written(*EVENTS))).evidence.items}

    assert "span s-pumps, find" in items[B].reason
    assert f"span p-{D}, visit: {D}, failed (404)" in items[D].reason
    places = [(each.line, each.column, each.message) for each in items[B].places]
    assert places == [(4, 30, "Critics doubt it.")]
    assert [TEXT.split("\n")[3][29:][:16]] == ["Critics doubt it"]


def test_a_report_that_rests_on_what_was_read_has_no_finding():
    text = f"# Pumps\n\nPumps save 34 % of it [1], in 212 homes [1].\n\n## Sources\n\n[1] {A}/\n"
    events = (search("pumps", A), page(A, "It covers 212 homes. Pumps save 34 % of it."))

    outcome = scored(written(*events, text=text))

    assert (outcome.value, found(outcome)) == (100.0, set())


@pytest.mark.parametrize(
    ("cited", "opened"),
    [
        ("https://a.example/page/", "http://www.a.example/page"),
        ("https://arxiv.org/abs/2501.01234", "https://arxiv.org/pdf/2501.01234v2"),
        ("https://a.example/page?utm_source=x", "https://a.example/page#part"),
    ],
)
def test_spellings_that_lead_to_one_page_are_one(cited, opened):
    text = f"# Pumps\n\nPumps save it [1].\n\n## Sources\n\n[1] {cited}\n"

    assert scored(written(page(opened, "Words."), text=text)).value == 100.0


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        ({"whole": False}, {"cited, never opened", "cited, never found"}),
        ({"events": (search("q", listed=False), *EVENTS[1:])}, {"cited, never found"}),
        ({"events": (search("q", text=None), *EVENTS[1:])}, {"figure in nothing that was read"}),
        ({"events": (page(A, "It", whole=False), *EVENTS[2:])}, {
            "figure in nothing that was read",
            "figure not on the cited page, though read",
        }),
        ({"events": (page(A, None, status=None), *EVENTS[2:])}, {
            "cited, never opened",
            "figure in nothing that was read",
        }),
    ],
)  # fmt: skip
def test_what_is_not_known_is_not_absent(change, gone):
    all_of_them = kinds(scored(written(*EVENTS)))
    events = change.get("events", EVENTS)

    outcome = scored(written(*events, whole=change.get("whole", True)))

    assert gone <= all_of_them
    assert not gone & kinds(outcome)
    if "cited, never opened" in gone:
        assert outcome.cause is Cause.MISSING_INPUT and "cannot be told" in outcome.detail
        assert reading_of(outcome).evidence.items  # what is known stands beside


def test_what_other_tools_brought_and_what_was_asked_was_read_too():
    table = TraceEvent("other", text="70,000,000 crowns", tool="budget")
    outcome = scored(written(*EVENTS, table, asked="Pumps save 43 %, people say."))

    assert "figure in nothing that was read" not in kinds(outcome)
    assert "figure not on the cited page, though read" in kinds(outcome)


def test_a_search_that_is_made_again_after_it_failed_is_no_repeat():
    failed = TraceEvent("search", "pumps", (), 500, "error")

    assert "repeated search" not in kinds(scored(written(failed, search("pumps", A), page(A, "x"))))


def test_searches_in_other_words_are_counted_and_no_finding():
    events = (search("heat pumps saving electricity"), search("heat pump electricity savings"))
    chinese = (search("阿尔德比热泵节电率"), search("阿尔德比热泵的节电率"))

    outcome = scored(written(*events, *chinese, page(A, "x")))

    assert (outcome.parts["nearly repeated"], outcome.parts["repeated"]) == (2, 0)
    assert "repeated search" not in kinds(outcome)


def test_a_page_that_is_blocked_and_cited_says_so():
    outcome = scored(written(*EVENTS), blocked=[A])

    (item,) = [i for i in reading_of(outcome).evidence.items if "blocked" in i.verdict]
    assert (item.url, "the report cites it" in item.reason) == (A, True)
    assert item.places


def test_a_report_that_its_trace_does_not_end_with_is_told():
    assert "report is not what its trace ends with" in kinds(
        scored(written(*EVENTS, differs=True, report_by="model x"))
    )


def test_what_was_asked_for_after_the_report_was_written():
    late = search("again", at=9.0)
    outcome = scored(written(*EVENTS, late, written_at=5.0))

    assert ("asked for after the report was written", "again") in found(outcome)


@pytest.mark.parametrize(
    ("report", "told"),
    [
        (Report(TEXT), "nobody saw"),
        (Report(TEXT, run=AgentRun(TEXT, "done", record={"unseen": "no content"})), "no content"),
        (written(*EVENTS, text="# Pumps\n\nPumps save.\n"), "cites no address"),
        (written(*EVENTS).but(run=AgentRun(
            TEXT, "truncated", found=(), opened=(), record={"trace": "t"}
        )), "only the beginning"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_says_why(report, told):
    outcome = scored(report)

    assert outcome.cause is Cause.MISSING_INPUT
    assert told in outcome.detail


def test_runs_of_ours_of_which_only_addresses_are_known_are_scored():
    run = AgentRun(TEXT, "done", found=(A, B), opened=(A,))

    outcome = scored(Report(TEXT, run=run))

    assert outcome.value == 25.0
    assert kinds(outcome) == {"cited, never opened", "cited, never found"}
    assert outcome.parts["searches"] is None


def test_what_was_read_is_a_part_of_the_basis():
    task = Task(id="t", prompt="How much?")
    first = Process().basis(Case(task, written(*EVENTS)))
    other = Process().basis(Case(task, written(*EVENTS[:1], page(A, "Other."), *EVENTS[2:])))

    assert first["run"] != other["run"]
    assert Process().basis(Case(task, Report(TEXT))) == {}


def test_it_runs_by_its_name_only():
    assert parse("process") == (Process(),)
    assert "process" not in GROUPS["all"]


# ------------------------------------------------------------------ from files

ABSENT = {
    "cited, never opened",
    "cited, never found",
    "figure in nothing that was read",
    "figure not on the cited page, though read",
    "claim without a source of its own",
}


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
@pytest.mark.parametrize("vocabulary", ["openinference", "genai"])
def test_a_trace_that_was_cut_at_any_length_makes_no_new_finding(tmp_path, vocabulary):
    def of(text):
        (tmp_path / "x.otlp.jsonl").write_text(text)
        try:
            run = load_reports([tmp_path / "x.otlp.jsonl"])[0].run
        except BadReports:  # nothing is left that is a run
            run = None
        return scored(Report(REPORT, run=run))

    written_down = spans(vocabulary, calls=[*CALLS, ("note", {"x": 1}, "The toll is 77 %.")])
    whole = found(of(lines(written_down)))
    longest = max(len(json.dumps(each)) for each in written_down)
    assert {verdict for verdict, _ in whole} & ABSENT
    for most in [*range(1, 400, 3), *range(400, longest, 53)]:
        now = {each for each in found(of(lines(cut(written_down, most)))) if each[0] in ABSENT}
        assert now <= whole, most


REPORT = TEXT.replace(A, "https://tides.example/high").replace("43 %", "77 %")


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
@pytest.mark.parametrize(
    "name",
    [
        *(f"{each}.otlp.jsonl" for each in ("smolagents-tools", "openai-agents", "langgraph")),
        *("pydantic-ai.otlp.jsonl", "openai-agents.native.jsonl", "alderby.atif.json"),
        *("openai-agents.items.json", "smolagents-tools.memory.json", "inspect.eval"),
    ],
)
def test_real_traces_have_what_was_planted_and_nothing_else(shared, name):
    folder = shared / "data" / "traces"
    planted = json.loads((folder / "planted.json").read_text())
    task = {key: planted["task"][key] for key in ("relevant",)} | {"blocked": planted["blocked"]}

    outcome = scored(load_reports([folder / name])[0], **task)

    there = planted["planted"]
    assert outcome.value == 25.0
    assert found(outcome) == {
        *((kind, url) for kind in KINDS for url in there[kind]),
        *(("figure in nothing that was read", each) for each in there[UNREAD]),
        *(("figure not on the cited page, though read", each) for each, _ in there[NOT_THERE]),
        *(("claim without a source of its own", each) for each in there[INHERITED]),
    }


KINDS = (
    *("cited, never opened", "cited, never found", "cited, opening failed", "opened, not cited"),
    *("opened, on the blocked list", "repeated search"),
)
UNREAD = "figure in the report, in nothing that was read"
NOT_THERE = "figure not on the page cited, though read"
INHERITED = "statement whose citation is only inherited"
