"""Depth from files to tables: all pairs, one baseline among the agents, one in a file."""

import json

import pytest

from deepassay.errors import BadReports, BadSetting
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.showing.records import judged
from deepassay.run.showing.replay import replay
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from tests.asked import asked as asking
from tests.judging import verdicts
from tests.loopback import FakeJudge

TASKS = {"a": "Why are electric ferries quiet?", "b": "Why is ferry ice slippery?"}
AGENTS = {"cuckoo": 0, "heron": 12, "magpie": 8}
SENTENCE = (
    "Electric ferry {n} is quiet on ferry ice because its electric motor {n} has no exhaust, "
    "which means less ferry noise."
)


@pytest.fixture
def given(tmp_path):
    """What is asked for two tasks and three agents, of which heron says most."""
    tasks = tmp_path / "tasks.jsonl"
    rows = [json.dumps({"id": task, "prompt": prompt}) for task, prompt in TASKS.items()]
    tasks.write_text("\n".join(rows), "utf-8")
    for agent, size in AGENTS.items():
        folder = tmp_path / ("other" if agent == "magpie" else "reports") / agent
        folder.mkdir(parents=True)
        for task in TASKS:
            said = [SENTENCE.format(n=n) for n in range(size)]
            text = "\n\n".join([f"# Ferries by {agent}", "Ferries are boats.", *said])
            (folder / f"{task}.md").write_text(text, "utf-8")

    def request(*folders, **options):
        options = {"protocols": ["depth"], "run": tmp_path / "r", "date": "2026-05-04"} | options
        return asking(tasks, [tmp_path / each for each in folders], **options)

    return request


def records(run):
    """What the run file holds, after a replay of all of it."""
    with RunFile.read(run) as file:
        assert replay(file).different == ()
        return list(judged(file))


def test_without_a_baseline_every_agent_is_held_against_every_other(given, tmp_path):
    evaluate(*given("reports", "other"))
    found = records(tmp_path / "r")
    assert len(found) == 3 * 2 * len(TASKS)
    values = {(r.protocol, r.agent, r.task): r.outcome.value for r in found}
    for (protocol, agent, task), value in values.items():
        other = protocol.split("'")[1]
        assert other != agent
        assert value + values[f"depth(baseline='{agent}')", other, task] == 100
    text = write(rank(found))
    table = text[text.index("win rates of all pairs") :].splitlines()
    assert table[5].split() == ["heron", "100.0", "%", "–", "100.0", "%"]


@pytest.mark.parametrize("edition", ["paper", "code"])
def test_a_pair_is_asked_twice_by_each_judge_whoever_is_scored(
    given, tmp_path, edition, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with FakeJudge(verdicts) as judge:
        options = {"judge": ["openai:one", "openai:two"], "base_url": judge.base_url}
        evaluate(*given("reports", "other", edition=edition, **options))
        assert len(judge.requests) == 3 * 2 * 2 * len(TASKS)
        evaluate(*given("reports", "other", edition=edition, **options))
        assert len(judge.requests) == 3 * 2 * 2 * len(TASKS)
    found = records(tmp_path / "r")
    assert not any(isinstance(each.outcome, Unscored) for each in found)
    assert all(set(each.outcome.details["judges"]) == set(options["judge"]) for each in found)


def test_a_baseline_may_be_one_of_the_agents_or_a_file(given, tmp_path):
    evaluate(*given("reports", baseline="heron"))
    evaluate(*given("reports", baseline=str(tmp_path / "other"), run=tmp_path / "s"))
    assert {(r.protocol, r.agent) for r in records(tmp_path / "r")} == {
        ("depth(baseline='heron')", "cuckoo")
    }
    against = {r.agent: r.outcome.value for r in records(tmp_path / "s")}
    assert against == {"cuckoo": 0, "heron": 100}


def test_a_baseline_that_lacks_a_report_leaves_that_task_unscored(given, tmp_path):
    (tmp_path / "reports" / "heron" / "b.md").unlink()
    evaluate(*given("reports", baseline="heron"))
    ends = {each.task: each.outcome for each in records(tmp_path / "r")}
    assert ends["a"].value == 0
    assert ends["b"].cause is Cause.MISSING_INPUT
    assert "heron" in ends["b"].detail


def test_an_unknown_baseline_is_refused(given):
    with pytest.raises(BadSetting, match="--baseline wren"):
        evaluate(*given("reports", baseline="wren"))


def test_a_baseline_that_the_protocol_names_may_be_any_agent(given, tmp_path):
    evaluate(*given("reports", "other", protocols=["depth(baseline='magpie')"], baseline="heron"))
    found = records(tmp_path / "r")
    assert {r.agent for r in found} == {"cuckoo", "heron"}
    assert not any(isinstance(r.outcome, Unscored) for r in found)


def test_a_file_with_other_reports_of_an_agent_is_no_baseline(given, tmp_path):
    given("reports")
    before = tmp_path / "before" / "heron"
    before.mkdir(parents=True)
    (before / "a.md").write_text("# Before\n\nFerries are boats.", "utf-8")
    with pytest.raises(BadReports, match="heron-before"):
        evaluate(*given("reports", baseline=str(before)))
    evaluate(*given("reports", baseline=str(tmp_path / "reports" / "heron")))
    assert len(records(tmp_path / "r")) == 2


def test_one_agent_alone_makes_no_pair(given):
    with pytest.raises(BadSetting, match="no other agent"):
        evaluate(*given("other"))
