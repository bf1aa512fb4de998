"""One report beside another, one run after another, a judge against another and against people."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deepassay.run.asking.evaluate import aevaluate
from deepassay.run.showing.records import Judgements
from deepassay.runfile import RunFile
from deepassay.score import Score
from deepassay.wings.view import changes
from deepassay.wings.view.changes import run_changes
from deepassay.wings.view.judges import where_judges_differ
from deepassay.wings.view.links import to
from deepassay.wings.view.pair import ReportPair
from deepassay.wings.view.reading import read_report
from deepassay.wings.view.room import Place
from tests.asked import asked
from tests.judging import FakeJudge, verdicts
from tests.wings.view.rooms import DEMO, Visitor, demo_run

TERRACE = {"agent": "magpie", "task": "terrace-heat"}


def pair_of(visitor: Visitor, one: Place, other: Place) -> ReportPair:
    sides = [read_report(visitor.room.runs[each.run - 1], each) for each in (one, other)]
    assert sides[0] and sides[1]
    return ReportPair(sides[0], sides[1])


def scores(path: Path) -> dict[tuple[str, str, str], float]:
    with RunFile.read(path) as run:
        return {
            (each.protocol, each.agent, each.task): each.outcome.value
            for each in Judgements(run).every()
            if isinstance(each.outcome, Score)
        }


def test_criteria_of_two_reports_are_aligned_most_points_first(visitor: Visitor) -> None:
    one, other = (Place(1, agent, "terrace-heat", 1) for agent in ("magpie", "heron"))
    pair = pair_of(visitor, one, other)
    gaps = [abs(each.first.share - each.second.share) for each in pair.criteria]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.1
    for each in pair.criteria:
        assert (each.first.key, each.first.said) == (each.second.key, each.second.said)
        less = each.first if each.better == 1 else each.second
        if each.better:
            assert less.share == min(each.first.share, each.second.share)
    text = visitor.get("/pair", **TERRACE, **{"with": "heron"}).text
    assert "not met −14.3" in text
    assert "+28.6" in text


def test_what_is_no_criterion_of_the_other_stands_by_itself(visitor: Visitor) -> None:
    one, other = (Place(1, agent, "terrace-heat", 1) for agent in ("magpie", "cuckoo"))
    pair = pair_of(visitor, one, other)
    assert {each.protocol for each in pair.alone(1)} == {"fact"}
    assert all(each.verdict == "unsupported" for each in pair.alone(2))


def test_of_one_agent_in_two_runs_the_text_that_is_other_is_shown(both: Visitor) -> None:
    one, other = (Place(run, "magpie", "terrace-heat", 1) for run in (1, 2))
    pair = pair_of(both, one, other)
    assert pair.changes
    assert all("£16,900" in "".join(each.before) for each in pair.changes)
    assert all("£61,900" in "".join(each.after) for each in pair.changes)
    asked_ = {**TERRACE, "with_run": "2", "with": "magpie"}
    assert "£61,900" in both.get("/pair", **asked_).text
    same = pair_of(both, Place(1, "heron", "terrace-heat", 1), Place(2, "heron", "terrace-heat", 1))
    assert same.same_text
    assert (same.changes, same.criteria) == ([], [])


@pytest.mark.parametrize(
    "other", [{}, {"with": "nobody"}, {"with": "heron", "with_run": "7"}, {"with_sample": "0"}]
)
def test_a_pair_of_which_one_is_missing_is_said_to_be_none(visitor: Visitor, other: dict) -> None:
    assert visitor.get("/pair", **TERRACE, **other).status == 404


def test_what_changed_between_two_runs_is_what_their_scores_say(
    both: Visitor, demo: Path, later: Path
) -> None:
    found = run_changes(both.side, 1, 2)
    before, after = scores(demo), scores(later)
    other = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    assert {(each.protocol, *each.after[1:3]) for each in found.scores} == other
    assert found.common == len(before.keys() & after.keys())
    assert found.unchanged == found.common - len(other)
    for each in found.scores:
        key = (each.protocol, *each.after[1:3])
        assert each.better == (after[key] > before[key])
    for mean in found.means:
        own = [key for key in before if key[:2] == (mean.protocol, mean.agent)]
        gap = sum(after[key] - before[key] for key in own) / len(own)
        assert float(mean.difference) == pytest.approx(gap, abs=0.06)
        assert mean.reports == len(own)
    assert {each.text for each in found.scores if each.after.task == "compost-yard"} == {True}
    assert not any(each.reference for each in found.scores)
    assert found.only == (0, 0)


def test_a_score_that_is_held_against_another_reference_is_told_so(
    demo: Path, tmp_path: Path
) -> None:
    reports = tmp_path / "reports"
    shutil.copytree(DEMO / "reports", reports)
    (reports / "heron" / "swift-boxes.md").write_text("Swifts nest in boxes.\n", encoding="utf-8")
    found = Visitor([demo, demo_run(tmp_path / "run.assay", reports, ["race"], limit=2)])
    changes = run_changes(found.side, 1, 2)
    told = {(each.after.agent, each.text, each.reference) for each in changes.scores}
    assert told == {("magpie", False, True), ("cuckoo", False, True)}
    assert {each.after.task for each in changes.scores} == {"swift-boxes"}
    assert found.get("/changes").text.count("other reference") == 2
    asked_ = {"agent": "magpie", "task": "swift-boxes", "with_run": "2", "with": "magpie"}
    assert "other reference" in found.get("/pair", **asked_).text
    found.close()


def test_verdicts_that_turned_lead_to_where_they_are(both: Visitor) -> None:
    found = run_changes(both.side, 1, 2)
    assert sum(found.turned) == len(found.verdicts) > 5
    assert all(each.was_said == each.now_said == () for each in found.verdicts)
    for each in found.verdicts[:6]:
        report = read_report(both.room.runs[1], each.after)
        assert report is not None
        finding = report.finding(each.name)
        assert finding is not None
        assert (finding.key, finding.said, finding.verdict) == (each.key, each.said, each.now)


def test_turned_round_the_changes_are_the_opposite(both: Visitor) -> None:
    there, back = run_changes(both.side, 1, 2), run_changes(both.side, 2, 1)
    assert there.turned == (back.turned[1], back.turned[0], back.turned[2])
    assert {(each.was, each.now) for each in there.scores} == {
        (each.now, each.was) for each in back.scores
    }


@pytest.mark.parametrize("query", [{"old": "1", "new": "1"}, {"old": "3"}, {"new": "x" * 30}])
def test_changes_need_two_runs(visitor: Visitor, query: dict) -> None:
    assert visitor.get("/changes", **query).status == 404


# ------------------------------------------------------------------ judges


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports judged by a panel of two, who differ by what they are asked."""
    path = tmp_path_factory.mktemp("panel") / "panel.assay"
    with FakeJudge(verdicts) as judge:
        request: Any = asked(
            DEMO / "tasks.jsonl",
            DEMO / "reports",
            protocols=["coverage"],
            judge=["offline", "openai:one"],
            base_url=judge.base_url,
            allow_unpriced=True,
            run=path,
        )
        asyncio.run(aevaluate(*request))
    return path


@pytest.fixture
def panelled(panel: Path) -> Iterator[Visitor]:
    found = Visitor([panel])
    yield found
    found.close()


def test_where_judges_of_a_panel_differ_is_listed_with_what_each_says(panelled: Visitor) -> None:
    found = where_judges_differ(panelled.side)
    assert found.count > 3
    for each in found.shown:
        assert {judge for judge, *_ in each.said} == {"offline", "openai:one"}
        assert len({verdict for _, verdict, _ in each.said}) == 2
    text = panelled.get("/judges").text
    assert f"{found.count} verdicts on which judges say different things" in text
    assert "coverage: judges, pair by pair" in text


def test_a_report_on_which_judges_differ_shows_each_with_its_reason(panelled: Visitor) -> None:
    first = where_judges_differ(panelled.side).shown[0]
    html = panelled.get("/report", agent=first.at.agent, task=first.at.task).html
    own = html.partition(f'id="{first.name}"')[2].partition("</section>")[0]
    assert own.count('class="judge"') == 2
    assert "judges differ" in own
    rows = panelled.get("/", mode="differ").html
    assert f"agent={first.at.agent}&amp;task={first.at.task}" in rows


def test_what_items_cost_in_a_panel_adds_up_to_what_the_mean_of_its_judges_lacks(
    panelled: Visitor,
) -> None:
    run = panelled.room.run(1)
    assert run is not None
    disputed = 0
    for place in panelled.side.rows("SELECT run, agent, task, sample FROM reports"):
        report = read_report(run, Place(*place))
        assert report is not None
        (judgement,) = report.judgements
        outcome = judgement.record.outcome
        assert isinstance(outcome, Score)
        lacking = (outcome.bounds[1] - outcome.value) / 100
        assert sum(each.share for each in judgement.findings) == pytest.approx(lacking)
        for each in judgement.findings:
            if each.differ:
                disputed += 1
                assert each.verdict in ("met / not met", "not met / met")
                assert each.reason == next(v.reason for v in each.voices if v.verdict == "not met")
        if lacking:
            assert "What cost it most" in panelled.follow(to("report", Place(*place))).text
    assert disputed > 3


def turning(later: bool) -> Any:
    """What a panel of three answers. Later one and two have changed places, and three is content
    with all, where it was of one mind with one.
    """
    places = {"one": later, "two": not later, "three": False}

    def answer(body: dict[str, Any]) -> str:
        said = json.loads(verdicts(body))
        for each in said["evaluations"].values():
            if later and body["model"] == "three":
                each["score"] = 1
            elif places[body["model"]]:
                each["score"] = 1 - each["score"]
        return json.dumps(said)

    return answer


@pytest.fixture(scope="module")
def turned(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Two runs of two reports by one panel, which says other things in the second."""
    folder, runs = tmp_path_factory.mktemp("turned"), []
    for later in (False, True):
        with FakeJudge(turning(later)) as judge:
            given = {"base_url": judge.base_url, "allow_unpriced": True, "reference": None}
            judges = [f"openai:{name}" for name in ("one", "two", "three")]
            path = folder / f"{later}.assay"
            protocols = ["coverage", "presentation"]
            runs.append(demo_run(path, made / "shorter", protocols, judge=judges, **given))
    found = Visitor(runs)
    yield found
    found.close()


def test_of_verdicts_on_which_judges_differ_it_is_said_whose_turned(turned: Visitor) -> None:
    found = run_changes(turned.side, 1, 2)
    items = turned.side.one("SELECT count(*) FROM items") // 2
    assert items == sum(found.turned) == len(found.verdicts) > 20
    better, worse, level = found.turned
    assert better > 3 < level and worse == 0
    for each in found.verdicts:
        was, now = (
            {judge.removeprefix("openai:"): verdict for judge, verdict, _ in said}
            for said in (each.was_said, each.now_said)
        )
        assert [*was] == [*now] == ["one", "three", "two"]
        assert was["one"] == now["two"] == was["three"] != was["two"] == now["one"]
        assert each.tone == ("" if now["three"] == was["three"] else "good")
    page = turned.get("/changes")
    told = f"{better} for the better, 0 for the worse, {level} at the same cost."
    assert f"Verdicts that turned: {told}" in page.text
    hits = re.findall(r"<li>.*?</li>", page.html.partition("Verdicts that turned</h2>")[2], re.S)
    assert len(hits) == items
    assert all("<b>openai:two</b>" in before and "<b>openai:two</b>" in after
               for before, _, after in (each.partition("→") for each in hits))  # fmt: skip


def test_a_list_of_turned_verdicts_that_is_cut_says_of_how_many(
    turned: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "ROWS", 3)
    count = sum(run_changes(turned.side, 1, 2).turned)
    again = Visitor(turned.room.paths)
    assert f"Verdicts that turned the 3 of {count} that weigh most" in again.get("/changes").text
    again.close()


def test_a_run_without_panel_says_how_judges_can_be_compared(visitor: Visitor) -> None:
    assert "deepassay view ONE OTHER" in visitor.get("/judges").text


def test_judges_are_held_against_people_as_agree_does(
    demo: Path, made: Path, tmp_path: Path
) -> None:
    index = Path(shutil.copy(made / "demo.db", tmp_path))
    found = Visitor([demo], index=index, human=DEMO / "people.csv")
    text = found.get("/judges").text
    assert "Against people" in text
    assert re.search(r"judge offline: scores against people|verdicts against people", text)
    found.close()
    wrong = tmp_path / "people.csv"
    wrong.write_text("nothing,here\n1,2\n", encoding="utf-8")
    found = Visitor([demo], index=index, human=wrong)
    answer = found.get("/judges")
    assert answer.status == 200
    assert "Against people" in answer.text
    found.close()


def test_a_score_that_moved_with_the_reference_says_so(demo: Path, tmp_path: Path) -> None:
    other = demo_run(
        tmp_path / "other.assay", protocols=("race", "presentation"), reference="magpie", limit=2
    )
    visitor = Visitor([demo, other])
    found = run_changes(visitor.side, 1, 2)
    assert {each.protocol for each in found.scores} == {"race"}
    assert {each.because for each in found.scores} == {"other reference"}
    asked = {"agent": "cuckoo", "task": "terrace-heat", "with_run": 2, "with": "cuckoo"}
    text = visitor.get("/pair", **asked).text
    assert "other reference" in text and "other text" not in text
    visitor.close()
