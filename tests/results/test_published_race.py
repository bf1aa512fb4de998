"""Ten passes of a judge over one agent's reports, as published by others: real noise."""

from pathlib import Path
from statistics import fmean, stdev

import pytest

from deepassay.results.aggregate import answers_of, passes_of
from deepassay.results.comparing import compare
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.records import Judged
from deepassay.run.showing.boards import scores_of
from deepassay.score import Score
from deepassay.stats.variance import noise_of
from tests.results.judgements import unfolded


@pytest.fixture(scope="module")
def race(shared: Path) -> list[Judged]:
    files = sorted((shared / "data" / "bench" / "race").glob("*.jsonl"))
    return scores_of(files, ["gemini-2.5-pro"])


def test_run_means_and_their_spread(race):
    passes = passes_of([each for each in race if each.agent == "onyx"])
    assert len(passes) == 10
    assert (round(min(passes), 4), round(max(passes), 4)) == (0.5423, 0.5450)
    assert round(stdev(passes), 5) == 0.00093


def test_noise_within_a_task_and_spread_between_tasks(race):
    onyx = [each for each in race if each.agent == "onyx"]
    lacking = {each.task for each in onyx if not isinstance(each.outcome, Score)}
    common = noise_of(answers_of([each for each in onyx if each.task not in lacking]))
    assert common.tasks == 49
    assert round(common.judge, 4) == 0.0104
    assert round(common.observed, 4) == 0.0196
    whole = noise_of(answers_of(onyx))
    assert (whole.tasks, whole.judgements, round(whole.judge, 4)) == (50, (9, 10), 0.0104)


def test_judging_again_buys_less_than_more_tasks(race):
    (contest,) = compare(race, None, ComparisonTerms())
    onyx = contest.contestants[0]
    assert onyx.noise.share(1) == pytest.approx(0.227, abs=0.001)
    assert onyx.noise.share(10) == pytest.approx(0.0285, abs=0.001)
    said = unfolded(write_contests([contest], "text", ranked=True))
    assert "10 passes of the judge gave means from 0.5423 to 0.5450" in said
    assert "would narrow the interval by 6 %, as much as 13 % more tasks would." in said


def test_onyx_against_claude(race):
    (contest,) = compare(race, ("onyx", "claude-3-7-sonnet"), ComparisonTerms(difference=0.01))
    (found,) = contest.differences
    means = {
        agent: fmean(each.mean for each in contest.contestants if each.agent == agent)
        for agent in ("onyx", "claude-3-7-sonnet")
    }
    assert found.mean == pytest.approx(means["onyx"] - means["claude-3-7-sonnet"])
    assert found.mean == pytest.approx(0.1213, abs=0.0001)
    assert found.interval == pytest.approx((0.1131, 0.1295), abs=0.0001)
    assert found.bootstrap == pytest.approx(found.interval, abs=0.001)
    assert found.permutation.p == 1e-4
    assert (found.wins, found.losses, found.ties) == (50, 0, 0)
    assert found.shown == pytest.approx(0.0117, abs=0.0001)
    assert found.needed == 68
