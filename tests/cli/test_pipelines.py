"""Gates, quiet commands, lines of progress and a limit of time."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from deepassay.cli import terminal
from tests.judging import verdicts
from tests.loopback import FakeJudge

ONE = ("--protocol", "presentation", "--run", "r")


@pytest.fixture
def run(deepassay, small):
    Path(small[1], "heron", "b.md").unlink()
    deepassay("evaluate", *small, *ONE, "--limit", "1")
    return "r"


def test_a_floor_that_an_agent_misses_ends_with_one_and_a_sentence(deepassay, run):
    good = deepassay("leaderboard", run, "--fail-under", "presentation=1")
    assert good.returncode == 0
    assert good.stderr.startswith("Passed: 2 agents reach 1 under presentation, the lowest ")
    assert deepassay("leaderboard", run, "--fail-under", "presentation=1", "--quiet").stderr == ""
    bad = deepassay("leaderboard", run, "--fail-under", "presentation=101")
    assert bad.returncode == 1 and good.stdout == bad.stdout
    told = [line for line in bad.stderr.splitlines() if not line.startswith("  ")]
    assert len(told) < len(bad.stderr.splitlines()) and "below 101" in bad.stderr
    assert [line.split()[0] for line in told] == ["cuckoo", "heron"]
    assert all("under presentation; 101 is asked for." in line for line in told)


@pytest.mark.parametrize(
    ("floor", "told"),
    [("presentation", "does not say what to reach"), ("race=1", "Nobody was judged by 'race'")],
)
def test_a_floor_that_is_none_is_refused(deepassay, run, floor, told):
    done = deepassay("leaderboard", run, "--fail-under", floor)
    assert done.returncode == 2 and told in done.stderr


def test_a_gate_on_worse_needs_two_agents(deepassay, run):
    done = deepassay("compare", run, "--fail-if-worse")
    assert done.returncode == 2 and "Name two agents" in done.stderr
    done = deepassay("compare", run, "cuckoo", "heron", "--fail-if-worse")
    assert (done.returncode, "cannot be told: 1 task can show" in done.stderr) == (1, True)
    assert "or if nobody can tell" in " ".join(deepassay("compare", "--help").stdout.split())


def test_a_lower_mean_by_the_difference_that_was_named_ends_with_one(deepassay, small):
    def judged(body):
        met = int("Scattering is named" in body["messages"][-1]["content"])
        return json.dumps({"evaluations": {"q1": {"score": met, "justification": "so"}}})

    with FakeJudge(judged) as judge:
        asked = ("--judge", "openai:m", "--base-url", judge.base_url, "--limit", "1")
        deepassay("evaluate", *small, "--protocol", "coverage", *asked, "--run", "r")
    named = ("--difference", "0.1", "--fail-if-worse")
    bad = deepassay("compare", "r", "cuckoo", "heron", *named)
    assert bad.returncode == 1 and "cuckoo is worse than heron under coverage" in bad.stderr
    assert "  cuckoo by coverage: 0.0 on a, heron has 100.0\n" in bad.stderr
    good = deepassay("compare", "r", "heron", "cuckoo", *named)
    assert good.returncode == 0 and good.stderr.startswith("Passed: not shown to be worse: heron ")


def test_outcomes_are_exported_as_junit(deepassay, run):
    done = deepassay("export", run, "--format", "junit", "--fail-under", "presentation=101")
    assert done.returncode == 0
    (suite,) = ElementTree.fromstring(done.stdout)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "2")
    written = deepassay("export", run, "--format", "junit", "-o", "out.xml")
    assert written.stderr == "Wrote out.xml.\n"
    assert ElementTree.parse("out.xml").getroot().tag == "testsuites"
    refused = deepassay("export", run, "--fail-under", "presentation=1")
    assert refused.returncode == 2
    told = " ".join(deepassay("export", "--help").stdout.split())
    assert "a failure there; the exit status stays 0." in told


@pytest.mark.parametrize("at", [0, 1, -1])
def test_quiet_leaves_results_and_problems(deepassay, small, at):
    command = ["evaluate", *small, *ONE]
    command.insert(at if at >= 0 else len(command), "--quiet")
    done = deepassay(*command)
    assert (done.stderr, done.stdout, done.returncode) == ("", "", 0)
    bad = deepassay(*command, "--min-coverage", "1")
    assert bad.returncode == 1 and "less than --min-coverage" in bad.stderr
    assert deepassay("leaderboard", "nothing.assay", "--quiet").stderr.startswith("deepassay: ")
    assert "heron" in deepassay("leaderboard", "r", "--quiet").stdout
    told = " ".join(deepassay("--help").stdout.replace("│", " ").split())
    assert "evaluate, whose result is the run file, prints problems alone." in told
    assert not terminal.is_quiet()  # of the next command nobody said so
    assert deepassay("evaluate", *small, *ONE).stderr


def test_off_a_terminal_progress_is_a_line_now_and_then(capsys):
    times = iter([0.0, 1.0, 15.0, 15.0, 16.0, 40.0, 40.0])
    with terminal.ProgressBar(lambda: next(times)) as progress:
        for done in (1, 2, 3, 4):
            progress.show(done, 1_000, ["$0.10"] if done == 2 else [])
    assert capsys.readouterr().err.splitlines() == ["2 of 1,000 ($0.10)", "4 of 1,000"]


def test_a_limit_of_time_ends_the_run_in_good_order_and_it_goes_on(deepassay, small):
    def stopping(body):
        return verdicts(body)

    with FakeJudge(stopping, latency=0.3) as judge:
        asked = ("evaluate", *small, *ONE, "--judge", "openai:m", "--base-url", judge.base_url)
        done = deepassay(*asked, "--max-connections", "1", "--time-limit", "0.1")
        assert done.returncode == 4
        assert "Stopped by the time limit. What is done is kept" in done.stderr
        assert "not yet asked: " in done.stderr
        assert deepassay(*asked).returncode == 0
        assert judge.count("m") == 3
