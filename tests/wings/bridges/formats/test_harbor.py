"""Rewards of Harbor: the task in examples/harbor is verified as Harbor verifies one.

Harbor copies `tests/` to `/tests`, runs `test.sh` in the container, does not look at its exit
status, and reads `/logs/verifier/reward.json`: a flat object of finite numbers.
"""

import json
import math
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from deepassay.results.ranking import rank
from deepassay.run.showing.boards import read_scores
from tests.wings.bridges.formats.random_runs import random_run


@pytest.fixture
def verified(repository, tmp_path):
    """Run the verifier of the example on a report; the reward, what is told, the status."""
    example = repository / "examples" / "harbor"

    def verify(report):
        tests, logs = tmp_path / "tests", tmp_path / "logs"
        shutil.copytree(example / "tests", tests, dirs_exist_ok=True)
        (logs / "artifacts").mkdir(parents=True, exist_ok=True)
        if report is not None:
            (logs / "artifacts" / "report.md").write_text(report, encoding="utf-8")
        script = tests / "test.sh"  # in a container these folders stand at the root
        text = script.read_text("utf-8")
        script.write_text(text.replace(" /logs", f" {logs}").replace(" /tests", f" {tests}"))
        done = subprocess.run([script], capture_output=True, text=True, check=False)
        found = [logs / "verifier" / name for name in ("reward.json", "deepassay.json")]
        return *(json.loads(p.read_text("utf-8")) if p.exists() else None for p in found), done

    return verify


def test_a_report_earns_its_reward(verified, repository):
    report = repository / "examples" / "demo" / "reports" / "heron" / "terrace-heat.md"
    rewards, told, done = verified(report.read_text("utf-8"))
    assert done.returncode == 0, done.stderr
    assert list(rewards) == ["reward", "coverage", "presentation"]
    assert all(type(each) is float and math.isfinite(each) for each in rewards.values())
    assert rewards["reward"] == rewards["presentation"] / 100
    assert told["rewards"] == rewards and told["parts"]["presentation"]["P1"] is not None


def test_a_report_that_cannot_be_scored_leaves_no_reward_and_says_why(verified):
    rewards, told, done = verified("")
    assert (rewards, done.returncode) == (None, 1)
    assert "presentation is unscored: missing_input" in told["why"][0]
    assert "nobody takes it for 0" in done.stderr


def test_a_report_that_is_not_there_leaves_nothing(verified):
    rewards, told, done = verified(None)
    assert (rewards, told) == (None, None)
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_the_example_is_a_task_of_harbor(repository):
    folder = repository / "examples" / "harbor"
    about = tomllib.loads((folder / "task.toml").read_text("utf-8"))
    assert about["verifier"]["timeout_sec"] > 500
    assert os.access(folder / "tests" / "test.sh", os.X_OK)
    task = json.loads((folder / "tests" / "task.jsonl").read_text("utf-8"))
    assert task["prompt"] in (folder / "instruction.md").read_text("utf-8")
    assert f"{task['id']}.md" in (folder / "tests" / "test.sh").read_text("utf-8")


@pytest.fixture
def run(deepassay, small, tmp_path):
    """One report by two protocols, `coverage` and `presentation`."""
    tasks, reports = small
    shutil.rmtree(Path(reports) / "cuckoo")
    (Path(reports) / "heron" / "b.md").unlink()
    Path(tasks).write_text(Path(tasks).read_text("utf-8").splitlines()[0], "utf-8")
    words = ("--protocol", "coverage", "--protocol", "presentation")
    assert deepassay("evaluate", tasks, reports, *words).returncode == 0
    return "run.assay"


def test_whose_score_is_the_reward_is_asked_where_there_are_several(deepassay, run):
    done = deepassay("export", run, "--format", "harbor", "-o", "v")
    assert done.returncode == 2 and "--reward, of coverage, presentation" in done.stderr
    done = deepassay("export", run, "--format", "harbor", "-o", "v", "--reward", "race")
    assert done.returncode == 2 and "no score by race" in done.stderr
    assert not Path("v").exists()
    done = deepassay("export", run, "--format", "harbor", "-o", "v", "--reward", "coverage")
    assert done.returncode == 0 and "reward 1" in done.stderr
    again = deepassay("export", run, "--format", "harbor", "-o", "v", "--reward", "coverage")
    assert again.returncode == 2 and "--force" in again.stderr


def test_an_earlier_reward_does_not_outlive_a_report_without_one(deepassay, run, small):
    deepassay("export", run, "--format", "harbor", "-o", "v", "--reward", "coverage")
    Path(small[1], "heron", "a.md").write_text("")
    deepassay("evaluate", *small, "--protocol", "coverage", "--run", "s")
    done = deepassay("export", "s", "--format", "harbor", "-o", "v", "--force")
    assert done.returncode == 1 and not Path("v/reward.json").exists()


def test_several_reports_are_no_trial(deepassay, small):
    deepassay("evaluate", *small, "--protocol", "coverage")
    done = deepassay("export", "run.assay", "--format", "harbor", "-o", "v")
    assert done.returncode == 2 and "has 4" in done.stderr
    assert "Name the folder" in deepassay("export", "run.assay", "--format", "harbor").stderr


@pytest.mark.parametrize("seed", range(6))
def test_rewards_of_random_trials_keep_every_bit(deepassay, tmp_path, seed):
    random_run(tmp_path / "r", seed, alone=True)
    for board in rank(read_scores([tmp_path / "r"])):
        words = ("--format", "harbor", "-o", "v", "--force", "--reward", board.protocol)
        done = deepassay("export", tmp_path / "r", *words)
        mean, limits = board.standings[0].summary.mean, board.limits
        there = mean is not None and limits is not None
        assert done.returncode == (0 if there else 1), done.stderr
        assert Path("v/reward.json").exists() is there
        if there:
            rewards = json.loads(Path("v/reward.json").read_text("utf-8"))
            assert 0 <= rewards["reward"] <= 1
            assert mean.hex() in {float(each).hex() for each in rewards.values()}
