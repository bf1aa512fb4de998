"""The published rows of RACE, averaged again: the figures that everything here is held against."""

import json
from statistics import fmean, stdev, variance

import pytest

NUMBERS = (
    "overall_score",
    "comprehensiveness",
    "insight",
    "instruction_following",
    "readability",
)


def rows(path):
    return {row["id"]: row for row in map(json.loads, path.read_text("utf-8").splitlines())}


@pytest.fixture(scope="module")
def claude(shared):
    return rows(shared / "data/bench/race/claude-3-7-sonnet.jsonl")


@pytest.fixture(scope="module")
def runs(shared):
    """Overall scores of ten runs of one judge over the same reports: task -> score, by run."""
    files = sorted((shared / "data/bench/race").glob("onyx.run*.jsonl"))
    return [{task: row["overall_score"] for task, row in rows(file).items()} for file in files]


@pytest.fixture(scope="module")
def onyx(runs):
    """Ten scores for each of the tasks that every run has."""
    common = sorted(set.intersection(*map(set, runs)))
    return {task: [run[task] for run in runs] for task in common}


def test_the_rows_of_claude_average_to_the_known_figures(claude):
    means = [fmean(row[name] for row in claude.values()) for name in NUMBERS]
    assert means == pytest.approx([0.42281, 0.41297, 0.40743, 0.46230, 0.41609], abs=5e-6)


def test_ten_runs_of_one_judge_differ_by_so_much(runs):
    means = [fmean(run.values()) for run in runs]
    assert len(means) == 10
    assert (min(means), max(means)) == pytest.approx((0.5423, 0.5450), abs=5e-5)
    assert stdev(means) == pytest.approx(0.00093, abs=5e-6)


def test_tasks_differ_by_more_than_repeats_of_one_task(onyx):
    within = fmean(variance(scores) for scores in onyx.values()) ** 0.5
    between = stdev(fmean(scores) for scores in onyx.values())
    assert within == pytest.approx(0.0104, abs=5e-5)
    assert between == pytest.approx(0.0196, abs=5e-5)


def test_onyx_is_ahead_of_claude_on_every_task(onyx, claude):
    assert len(onyx) == 49
    assert sum(fmean(scores) > claude[task]["overall_score"] for task, scores in onyx.items()) == 49
