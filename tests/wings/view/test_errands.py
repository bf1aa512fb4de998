"""Ten errands of issue 29, each as a reader would go about it, and how many clicks it takes.

The reader knows what stands on the screen, and nothing of how it is made. A click is a click with
the mouse; typing is none. What is right is worked out of the run files, and not from views.
"""

from __future__ import annotations

import csv
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from deepassay.results.evidence import single_outcomes
from deepassay.results.records import Judged
from deepassay.run.showing.records import Judgements
from deepassay.runfile import RunFile
from deepassay.score import Score
from deepassay.wings.view.costs import costs_of
from tests.browser import PATIENCE, Browser, needs_chromium
from tests.wings.view.harbour import (
    TASKS,
    claim,
    figure,
    harbour_runs,
    is_false,
    page,
    sentence,
)
from tests.wings.view.reader import Reader
from tests.wings.view.rooms import faults, served

pytestmark = [needs_chromium, pytest.mark.slow]

LATER = ("table", "after.assay")
"""The table of agents of the later run, which bears its name."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return harbour_runs(tmp_path_factory.mktemp("harbour"))


@pytest.fixture(scope="module")
def records(runs: tuple[Path, Path]) -> list[list[Judged]]:
    found = []
    for path in runs:
        with RunFile.read(path) as run:
            found.append([*Judgements(run).every()])
    return found


@pytest.fixture(scope="module")
def address(runs: tuple[Path, Path]) -> Iterator[str]:
    with served(*runs, options=["--rater", "ana"]) as found:
        yield found


@pytest.fixture(scope="module")
def reader(address: str) -> Iterator[Reader]:
    with Browser() as browser:
        browser.screen(1440, 900)
        yield Reader(browser)


@pytest.fixture(scope="module")
def other() -> Iterator[Reader]:
    """A colleague: clicks nowhere, and has nothing but the links that were sent."""
    with Browser() as browser:
        browser.screen(1440, 900)
        yield Reader(browser)


@pytest.fixture
def colleague(other: Reader, address: str) -> Reader:
    """The same, who keeps nothing of what was looked at before."""
    other.browser.send("Storage.clearDataForOrigin", origin=address, storageTypes="all")
    return other


def worst_of(agent: str, records: list[list[Judged]]) -> str:
    """The task of the report of the later run that ranks lowest, as a mean over protocols."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    own: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for number, run in enumerate(records):
        for each in run:
            if isinstance(each.outcome, Score):
                values[each.protocol].append(each.outcome.value)
                if number == 1 and each.agent == agent:
                    own[each.task].append((each.protocol, each.outcome.value))

    def rank(protocol: str, value: float) -> float:
        others = values[protocol]
        below, level = (sum(o < value for o in others), sum(o <= value for o in others))
        return (below / (len(others) - 1) + level / len(others)) / 2

    return min(own, key=lambda task: fmean(rank(*each) for each in own[task]))


def task_number(name: str) -> int:
    return next(place for place, each in enumerate(TASKS) if each.name == name)


def test_the_worst_report_of_an_agent(
    reader: Reader, address: str, records: list[list[Judged]]
) -> None:
    worst = worst_of("larch", records)
    reader.begin(address)
    reader.click("link", "larch", within=LATER)
    assert "8 reports worst first" in reader.text()
    (first,) = reader.all("link", worst)
    assert reader.is_in_window(first), "nothing seems to have happened"
    names = {each.name for each in TASKS}
    listed = [each.name for each in reader.all("link", "") if each.name in names]
    assert len(listed) == 8 and listed[0] == worst
    reader.click("link", worst)
    assert reader.heading() == f"larch after.assay on {worst}"
    assert reader.clicks <= 2


def test_why_it_lost(reader: Reader, address: str, records: list[list[Judged]]) -> None:
    """Of a panel too: what it cost in the mean over its judges."""
    (outcome,) = (
        each.outcome
        for each in records[1]
        if (each.protocol, each.agent, each.task) == ("fact", "maple", "ferry")
    )
    assert isinstance(outcome, Score)
    reader.begin(f"{address}/report?run=2&agent=maple&task=ferry")
    assert "What cost it most" in reader.text()
    lost = reader.all("link", "fact", within=("region", "What cost it most"))
    false = [side for side in range(3) if is_false("maple", 0, side)]
    assert [each.name for each in lost[: len(false)]] == [
        f"−{1 / 3:.4f} fact {claim('maple', 0, side)}" for side in false
    ]
    assert sum(1 / 3 for _ in false) == pytest.approx(1 - outcome.value)
    reader.click("link", lost[0].name, within=("region", "What cost it most"))
    told = reader.led_to()
    assert "openai:ash, openai:birch unsupported" in told
    assert reader.clicks <= 2


def test_the_page_behind_a_claim(reader: Reader, address: str) -> None:
    reader.begin(f"{address}/report?run=2&agent=maple&task=night-bus")
    reader.click("link", "source-1.example")
    said = reader.text()
    assert claim("maple", 3, 1) in said and sentence(3, 1, figure(3, 1)) in said
    assert reader.browser.run("document.querySelector('mark').innerText").startswith(
        sentence(3, 1, figure(3, 1))
    )
    assert reader.is_in_window(reader.all("mark", "")[0])
    assert reader.clicks <= 3


def test_the_false_citation_that_cost_most(
    reader: Reader, address: str, records: list[list[Judged]]
) -> None:
    most = max(
        fmean(cost or 0.0 for cost in costs)
        for run in records
        for each in run
        if each.protocol == "fact" and isinstance(each.outcome, Score)
        for costs in zip(*map(costs_of, single_outcomes(each)), strict=True)
    )
    reader.begin(address)
    assert most == 0.5
    chosen = reader.click("link", "−0.5000 fact", within=("region", "False citations"))
    told = reader.led_to()
    assert "unsupported" in told and f"−{most:.4f}" in told
    said = chosen.name.partition("fact ")[2]
    task, side = next(
        (task, side)
        for task in range(len(TASKS))
        for side in range(4)
        if claim("rowan", task, side) == said
    )
    assert is_false("rowan", task, side)
    (link,) = {each.name for each in reader.all("link", f"source-{side}.example")}
    reader.click("link", link)
    assert sentence(task, side, figure(task, side)) in reader.text()
    assert page(task, side) in reader.text()
    assert reader.clicks <= 3


def test_what_changed_between_two_runs(reader: Reader, address: str) -> None:
    reader.begin(address)
    reader.click("link", "What changed")
    assert reader.heading() == "before.assay → after.assay"
    text = reader.text()
    assert "larch\tcoverage\t40.0\t70.0\t+30.0\t8" in text
    assert "rowan\tcoverage\t60.0\t40.0\t-20.0\t7" in text
    chosen = reader.click("link", "larch on", within=("region", "Scores that changed"))
    assert "What is other in the text" in reader.text()
    assert claim("larch", task_number(chosen.name.removeprefix("larch on ")), 3) in reader.text()
    assert reader.clicks <= 2


def test_where_two_judges_differ(reader: Reader, address: str, records: list[list[Judged]]) -> None:
    """They do on what larch is vague about: once by each of three protocols for each task."""
    differ = sum(
        len({str(item.verdict if item.verdict is not None else item.score) for item in items}) > 1
        for run in records
        for each in run
        if each.protocol in ("coverage", "fact", "rubrics") and isinstance(each.outcome, Score)
        for items in zip(*(one.evidence.items for one in single_outcomes(each)), strict=True)
    )
    assert differ == 3 * len(TASKS)
    reader.begin(address)
    reader.click("link", "Judges")
    text = reader.text()
    assert f"{differ} verdicts on which judges say different things" in text
    assert "openai:ash satisfied openai:birch not satisfied" in text
    reader.click("link", "larch after.assay on 电梯加装", place=1)
    assert "judges differ" in reader.led_to()
    assert reader.clicks <= 2


def test_all_reports_that_fail_a_criterion(
    reader: Reader, address: str, records: list[list[Judged]]
) -> None:
    asked = "Is the maintenance stated?"
    failing = sum(
        any(item.item == asked and not item.score for item in one.evidence.items)
        for run in records
        for each in run
        for one in single_outcomes(each)[:1]
    )
    reader.begin(address)
    reader.click("link", asked)
    assert f"Reports that fail “{asked}”" in reader.text()
    assert f"{failing} reports worst first" in reader.text()
    assert reader.is_in_window(reader.all("columnheader", "report")[0])
    assert reader.clicks <= 2


@pytest.mark.parametrize(
    ("words", "found", "said"),
    [
        ("zeppelin", "rowan on market-hall in after.assay", "The zeppelin hangar nearby"),
        ("蓄水池 许可", "alder on 雨水花园 in before.assay", "雨水花园与地下蓄水池相比如何"),
    ],
)
def test_a_word_of_a_report_is_found(
    reader: Reader, address: str, words: str, found: str, said: str
) -> None:
    reader.begin(address)
    reader.click("searchbox", "Search reports")
    reader.type(words, enter=True)
    assert found in reader.text() and said in reader.text()
    assert reader.clicks <= 1
    reader.click("link", found)
    assert said in reader.text()


def test_a_comment_is_given_and_exported(reader: Reader, address: str, tmp_path: Path) -> None:
    where = {"downloadPath": str(tmp_path), "browserContextId": reader.browser.context}
    reader.browser.send("Browser.setDownloadBehavior", behavior="allow", **where)
    reader.begin(f"{address}/report?run=2&agent=rowan&task=自行车道")
    reader.click("link", "☆ note")
    reader.type("写得太短。")
    reader.click("button", "Save")
    assert "on 自行车道" in reader.heading()
    reader.click("link", "export")
    until = time.monotonic() + PATIENCE
    while not (tmp_path / "notes.csv").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    with (tmp_path / "notes.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["note"], row["agent"], row["task"]) == ("写得太短。", "rowan", "自行车道")
    assert (row["rater"], row["saw_judge"]) == ("ana", "yes")
    assert reader.clicks <= 3


STATES = (
    "/?agent=larch&sort=fact&turned=1#all",
    "/?mode=differ",
    "/?mode=failed",
    "/map?protocol=fact&run=2",
    "/report?run=2&agent=maple&task=street+trees%3F&colour=rubrics",
    "/pair?agent=larch&task=ferry&with_run=2&with=larch",
    "/changes?old=2&new=1",
    "/judges",
    "/search?q=%22quiet+harbour%22",
    "/search?q=气候",
)


@pytest.mark.parametrize("state", STATES)
def test_the_link_that_a_colleague_gets_opens_the_same(
    reader: Reader, colleague: Reader, address: str, state: str
) -> None:
    reader.begin(address + state)
    seen = reader.text(), reader.browser.run("Math.round(scrollY)")
    colleague.begin(reader.where())
    assert (colleague.text(), colleague.browser.run("Math.round(scrollY)")) == seen
    assert not faults(colleague.browser)
    assert reader.clicks == 0


def test_a_finding_and_its_page_open_the_same(
    reader: Reader, colleague: Reader, address: str
) -> None:
    """What was reached by clicks stands in the address as well."""
    reader.begin(address)
    reader.click("link", "−0.5000 fact", within=("region", "False citations"))
    for _ in range(2):
        here, seen = reader.where(), reader.led_to()
        colleague.begin(here)
        assert (colleague.text(), colleague.led_to()) == (reader.text(), seen)
        if "/report" in here:
            links = [each.name for each in reader.all("link", "source-")]
            reader.click("link", next(each for each in links if each.endswith(".example")))
