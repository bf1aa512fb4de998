"""Prediction-powered means against the formulas as printed, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.calibration import JUDGES, scores, tried, verdicts
from hypothesis import given
from hypothesis import strategies as st

from deepassay.stats.intervals import t_interval
from deepassay.stats.prediction_powered import Powered, powered

TASKS = np.arange(60)


def reports(seed=0, shown=25):
    """A score of a judge and one of people for each task; people's are shown for the first."""
    chance = np.random.default_rng(seed)
    theirs = 6 + chance.standard_normal(60)
    ours = 0.3 + 0.02 * theirs + chance.normal(0, 0.01, 60)
    return ours, np.where(shown > TASKS, theirs, np.nan)


def mean(*given) -> Powered | None:
    """The mean alone, without what each task does to it."""
    influenced = powered(*given)
    return influenced.found if influenced else None


def test_with_one_report_a_task_it_is_the_formula_of_the_paper() -> None:
    ours, theirs = reports()
    shown, n, others = TASKS < 25, 25, 35
    y, near, far = theirs[shown], ours[shown], ours[~shown]
    variance = ((near - near.mean()) @ (near - near.mean())) / n**2 * (n / (n - 1))
    variance += ((far - far.mean()) @ (far - far.mean())) / others**2 * (others / (others - 1))
    covariance = ((y - y.mean()) @ (near - near.mean())) / n**2 * (n / (n - 1))
    weight = covariance / variance
    found = mean(ours, theirs, TASKS)
    assert found is not None
    assert found.weight == pytest.approx(weight)
    assert found.value == pytest.approx(y.mean() + weight * (far.mean() - near.mean()))


def test_labels_on_everything_are_a_plain_mean_with_an_interval_next_to_students() -> None:
    ours, theirs = reports(shown=60)
    found = mean(ours, theirs, TASKS)
    plain = t_interval(theirs.tolist())
    assert found is not None
    assert found.interval is not None
    assert plain is not None
    assert (found.value, found.weight) == (pytest.approx(theirs.mean()), 0.0)
    assert found.interval == pytest.approx(plain, abs=0.002)  # one degree of freedom fewer


@given(slope=st.floats(0.01, 100), shift=st.floats(-100, 100))
def test_the_scale_of_the_judge_makes_no_difference(slope: float, shift: float) -> None:
    ours, theirs = reports()
    one = mean(ours, theirs, TASKS)
    other = mean(slope * ours + shift, theirs, TASKS)
    assert one is not None
    assert other is not None
    assert other.value == pytest.approx(one.value, rel=1e-6)
    assert other.interval == pytest.approx(one.interval, rel=1e-6)


def test_items_that_repeat_inside_their_task_add_nothing() -> None:
    ours, theirs = reports()
    once = mean(ours, theirs, TASKS)
    thrice = mean(*(np.repeat(each, 3) for each in (ours, theirs, TASKS)))
    assert once is not None
    assert thrice is not None
    assert thrice.interval == pytest.approx(once.interval)
    assert (thrice.labels, thrice.labelled) == (75, 25)


def test_labels_on_two_tasks_or_all_the_same_give_no_interval() -> None:
    ours, theirs = reports(shown=2)
    assert mean(ours, theirs, TASKS) is None
    same = mean(np.ones(60), np.where(TASKS < 25, 7.0, np.nan), TASKS)
    assert same is not None
    assert same.interval is None


def test_as_many_more_labels_as_it_says_bring_the_interval_that_was_wanted() -> None:
    """On average over 60 sets of labels, within a tenth."""
    tasks, wanted, widths = np.arange(400), 0.15, []
    for seed in range(60):
        chance = np.random.default_rng(seed)
        theirs = chance.standard_normal(400)
        ours = theirs + chance.standard_normal(400)
        found = mean(ours, np.where(tasks < 40, theirs, np.nan), tasks)
        assert found is not None
        more = found.more_labels(wanted)
        assert more is not None
        now = mean(ours, np.where(tasks < 40 + more, theirs, np.nan), tasks)
        assert now is not None
        assert now.interval is not None
        widths.append((now.interval.high - now.interval.low) / 2)
    assert np.mean(widths) == pytest.approx(wanted, rel=0.1)


def test_no_labels_are_missing_where_it_is_narrow_and_tasks_where_all_would_not_do() -> None:
    found = mean(*reports(), TASKS)
    assert found is not None
    assert (found.more_labels(2.0), found.more_labels(0.01)) == (0, None)


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("kind", [scores, verdicts])
def test_intervals_hold_the_truth_as_often_as_they_say(kind, judge) -> None:
    """400 simulations: 95 % within three standard errors; benchmarks.calibration has more."""
    ways = dict(tried(kind(judge), 25, 60, 400, rates=False))
    found, alone = ways["people"], ways["labels alone"]
    assert found.held / found.given == pytest.approx(0.95, abs=0.033)
    if judge == "good":
        assert found.width < 0.75 * alone.width
