"""Rates corrected for a judge's errors, against the equation solved by hand, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.calibration import tried, verdicts

from deepassay.stats.error_rates import BEYOND, CHANCE, ONE_SIDED, true_rate


def items(tables, unlabelled, repeat=40):
    """Items on `repeat` tasks alike. tables: (judge, person) of those with label.

    unlabelled: what the judge says of the others.
    """
    ours = [judge for judge, _ in tables] + list(unlabelled)
    theirs = [person for _, person in tables] + [np.nan] * len(unlabelled)
    task = np.repeat(np.arange(repeat), len(ours))
    return np.tile(np.array(ours, float), repeat), np.tile(np.array(theirs, float), repeat), task


def of_all(ours, theirs, task):
    return true_rate(ours, theirs, task, np.ones(len(ours), dtype=np.bool_))


def test_it_is_the_equation_of_rogan_and_gladen() -> None:
    """Sensitivity 3/4, specificity 2/3; the judge says yes to 4 of 7 and to 2 of 5 others."""
    labelled = [(1, 1), (1, 1), (1, 1), (0, 1), (1, 0), (0, 0), (0, 0)]
    found = of_all(*items(labelled, [1, 1, 0, 0, 0]))
    assert found.value == pytest.approx((6 / 12 + 2 / 3 - 1) / (3 / 4 + 2 / 3 - 1))


def test_people_who_disagree_count_as_the_share_that_says_yes() -> None:
    found = of_all(*items([(1, 0.5), (1, 1), (0, 0)], [1, 0]))
    sensitivity, specificity = 1.5 / 1.5, 1 / 1.5
    assert found.value == pytest.approx((3 / 5 + specificity - 1) / (sensitivity + specificity - 1))


@pytest.mark.parametrize(
    ("labelled", "unlabelled", "why"),
    [
        ([(1, 1), (0, 1), (1, 0), (0, 0)], [1], CHANCE),
        ([(0, 1), (1, 0)], [1], CHANCE),
        ([(1, 1), (0, 1)], [1], ONE_SIDED),
        ([(1, 1), (1, 1), (1, 0), (0, 0)], [0, 0, 0, 0, 0, 0], BEYOND),
    ],
)
def test_without_a_figure_there_is_the_reason(labelled, unlabelled, why) -> None:
    found = of_all(*items(labelled, unlabelled))
    assert (found.value, found.interval, found.why) == (None, None, why)


def test_it_stays_inside_the_range_of_a_rate() -> None:
    chance = np.random.default_rng(1)
    theirs = (chance.random(400) < 0.97).astype(float)
    ours = np.where(theirs > 0, chance.random(400) < 0.98, chance.random(400) < 0.3).astype(float)
    task = np.arange(400) // 4
    found = of_all(ours, np.where(task < 60, theirs, np.nan), task)
    assert found.interval is not None
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1


def test_items_that_repeat_inside_their_task_add_nothing() -> None:
    sample = verdicts("biased")(np.random.default_rng(3), 60)
    theirs = np.where(sample.task < 25, sample.theirs, np.nan)
    once = of_all(sample.ours, theirs, sample.task)
    twice = of_all(*(np.repeat(each, 2) for each in (sample.ours, theirs, sample.task)))
    assert once.interval is not None
    assert twice.interval == pytest.approx(once.interval)


@pytest.mark.parametrize("judge", ["good", "biased", "useless"])
def test_intervals_hold_the_truth_as_often_as_they_say(judge) -> None:
    """400 simulations: 95 % within three standard errors; hardly any where the judge is useless."""
    rate = dict(tried(verdicts(judge), 25, 60, 400, rates=True))["without errors"]
    if judge == "useless":
        assert rate.given <= 0.06 * rate.tried
    else:
        assert rate.given >= 0.98 * rate.tried
        assert rate.held / rate.given == pytest.approx(0.95, abs=0.033)
