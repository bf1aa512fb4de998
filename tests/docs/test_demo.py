"""The example set is what its guide says it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.results.aggregate import aggregate
from deepassay.results.records import Judged
from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.settings import Settings
from deepassay.run.showing.records import records_of
from deepassay.score import Score
from deepassay.tasks.criteria import CRITERIA_FILE

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo"
AGENTS = ("heron", "magpie", "cuckoo")
TASKS = [json.loads(line) for line in (DEMO / "tasks.jsonl").read_text("utf-8").splitlines()]
ROW = re.compile(r"^\| (\w+/[\w-]+) \| (.+) \| (DA\d+)? ?\|$", re.MULTILINE)
FLAWS = ROW.findall((DEMO / "README.md").read_text("utf-8"))
PAGES = {
    row["url"]: row["text"]
    for row in map(json.loads, (DEMO / "pages.jsonl").read_text("utf-8").splitlines())
}
FAILED = {
    "https://privacy-office.example/cameras": "403",
    "https://producer-levy.example/prices": "404",
}
NOT_ARCHIVED = {
    "https://linlan-finance.example/waste-fees",
    "https://neighbours.example/agreements",
    "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZIYQExq7v0-fund-report",
}
HAN = re.compile(r"[\u4e00-\u9fff]")
RESERVED = re.compile(r"https?://(?:[\w.-]+\.example|(?:[\w-]+\.)*example\.(?:org|com|net))/")
PROVIDER = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"


def report(name: str) -> Report:
    return Report((DEMO / "reports" / f"{name}.md").read_text("utf-8"))


INVENTED = "DA403"
"""Found wherever an address is cited: see RESERVED."""


def codes(name: str) -> set[str]:
    return {finding.code for finding in lint(report(name))} - {INVENTED}


def every_report() -> list[str]:
    return [f"{agent}/{task['id']}" for agent in AGENTS for task in TASKS]


def test_there_are_six_tasks_in_two_languages_with_checklists() -> None:
    assert [task["language"] for task in TASKS] == ["en"] * 4 + ["zh"] * 2
    assert all(5 <= len(task["checklist"]) <= 8 for task in TASKS)
    assert sum("{{current_year}}" in task["prompt"] for task in TASKS) == 1


def test_every_agent_answers_every_task_and_no_other() -> None:
    there = {str(path.relative_to(DEMO / "reports")) for path in DEMO.rglob("reports/*/*.md")}
    assert there == {f"{name}.md" for name in every_report()}


@pytest.mark.parametrize("name", every_report())
def test_reports_have_the_length_of_reports(name: str) -> None:
    text = report(name).text
    if name.endswith(("lift-retrofit", "compost-yard")):
        assert 880 <= len(HAN.findall(text)) <= 1800
    else:
        assert 600 <= len(text.split()) <= 1200


@pytest.mark.parametrize("name", every_report())
def test_addresses_are_reserved_ones(name: str) -> None:
    addresses = re.findall(r"https?://[^\s)\]>]+", report(name).text)
    odd = [each for each in addresses if not RESERVED.match(each) and not each.startswith(PROVIDER)]
    assert not odd


@pytest.mark.parametrize(("name", "flaw", "code"), [flaw for flaw in FLAWS if flaw[2]])
def test_flaw_of_the_table_is_found(name: str, flaw: str, code: str) -> None:
    assert code in codes(name), flaw


@pytest.mark.parametrize("name", [name for name in every_report() if not name.startswith("cuckoo")])
def test_nothing_is_found_that_the_table_does_not_name(name: str) -> None:
    assert codes(name) == {code for report, _, code in FLAWS if report == name and code}


@pytest.mark.parametrize("name", every_report())
def test_lint_says_of_every_address_of_the_example_that_it_is_invented(name: str) -> None:
    found = report(name)
    cites = {url for each in found.resolved for url in each.urls}
    cites |= {url for entry in found.references for url in entry.urls}
    invented = any(map(RESERVED.match, cites))
    assert (INVENTED in {each.code for each in lint(found)}) == invented


def test_pages_are_those_that_the_reports_cite_but_for_three() -> None:
    cited = {url for name in every_report() for each in report(name).resolved for url in each.urls}
    assert cited - PAGES.keys() == NOT_ARCHIVED
    assert PAGES.keys() <= cited
    guide = (DEMO / "README.md").read_text("utf-8")
    assert f"{len(PAGES)} of the {len(cited)} pages" in guide


@pytest.mark.parametrize("url", sorted(PAGES.keys() - FAILED.keys()))
def test_pages_have_the_length_of_short_pages(url: str) -> None:
    text = PAGES[url]
    assert 80 <= (len(HAN.findall(text)) or len(text.split())) <= 250


def test_two_pages_failed_as_the_readme_says() -> None:
    failures = {url: text for url, text in PAGES.items() if text.startswith("scrape failed")}
    assert failures.keys() == FAILED.keys()
    assert all(FAILED[url] in text for url, text in failures.items())


def test_every_task_has_three_to_five_criteria_a_dimension_in_its_language() -> None:
    loaded = CRITERIA_FILE.load(DEMO / "criteria.yaml")
    assert list(loaded) == [task["id"] for task in TASKS]
    for task in TASKS:
        for own in loaded[task["id"]].criteria.criterions.values():
            assert 3 <= len(own) <= 5
            for each in own:
                assert each.explanation
                assert bool(HAN.search(each.criterion)) == (task["language"] == "zh")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[Judged]:
    run = tmp_path_factory.mktemp("demo") / "demo.assay"
    import_pages([DEMO / "pages.jsonl"], run, url=None)
    evaluate(
        DEMO / "tasks.jsonl",
        [DEMO / "reports"],
        Settings(
            protocols=["presentation", "coverage", "race", "fact", "rubrics"],
            reference="heron",
            criteria=DEMO / "criteria.yaml",
            rubric=DEMO / "rubrics.yaml",
            offline_sources=True,
            date="2026-05-04",
            run=run,
        ),
    )
    return records_of([run])


@pytest.mark.parametrize(
    ("protocol", "margin"),
    [("presentation", 10), ("coverage", 10), ("race", 0.02), ("fact", 0.05), ("rubrics", 0.1)],
)
def test_agents_rank_as_they_were_written_by_a_clear_margin(
    judged: list[Judged], protocol: str, margin: float
) -> None:
    own = [each for each in judged if each.protocol == protocol]
    heron, magpie, cuckoo = (
        aggregate([each for each in own if each.agent == agent]).mean for agent in AGENTS
    )
    assert heron is not None and magpie is not None and cuckoo is not None
    assert heron - magpie > margin
    assert magpie - cuckoo > margin


def test_the_baseline_takes_talk_about_costs_for_costs_as_the_readme_says(
    judged: list[Judged],
) -> None:
    place = ("coverage", "cuckoo", "terrace-heat")
    outcome = next(r.outcome for r in judged if (r.protocol, r.agent, r.task) == place)
    assert isinstance(outcome, Score)
    assert outcome.details["items"][0]["score"] == 1


def test_the_baseline_lets_the_boreholes_pass_as_the_readme_says(judged: list[Judged]) -> None:
    place = ("fact", "magpie", "terrace-heat")
    outcome = next(r.outcome for r in judged if (r.protocol, r.agent, r.task) == place)
    assert isinstance(outcome, Score)
    boreholes = [item for item in outcome.details["items"] if "the boreholes are" in item["item"]]
    assert [item["verdict"] for item in boreholes] == ["supported"]
