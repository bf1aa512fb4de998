"""What stands of a cheap judge: nothing that is not shown, and the risk is kept."""

import numpy as np
import pytest

from deepassay.stats.cascading import what_stands


def world(chance, pairs, units=None):
    """Grades that are right as often as they say."""
    grades = chance.beta(0.5, 0.5, pairs)
    truth = (chance.random(pairs) < grades).astype(float)
    return grades, truth, np.arange(pairs) if units is None else np.arange(pairs) % units


def test_what_is_sure_stands_on_both_sides_and_the_middle_does_not():
    grades, truth, units = world(np.random.default_rng(1), 2000)
    found = what_stands(grades, truth, units, 0.1)
    assert 0.5 < found.high < 0.95
    assert 0.05 < found.low < 0.5
    assert found.stands > 0.5
    assert found.wrong <= 0.1
    assert found.covers(np.array([0.0, 0.5, 1.0])).tolist() == [True, False, True]


def test_a_smaller_risk_lets_less_stand():
    own = world(np.random.default_rng(2), 2000)
    wide, narrow = (what_stands(*own, risk) for risk in (0.1, 0.02))
    assert narrow.stands < wide.stands


@pytest.mark.parametrize("pairs, stands", [(20, False), (500, True)])
def test_with_few_pairs_nothing_is_shown(pairs, stands):
    grades = np.tile([0.0, 1.0], pairs // 2)
    found = what_stands(grades, grades.copy(), np.arange(pairs), 0.05)
    assert (found.stands > 0) is stands


def test_a_judge_that_is_wrong_where_it_is_sure_stands_for_nothing():
    chance = np.random.default_rng(3)
    grades = chance.random(500)
    found = what_stands(grades, (grades < 0.5).astype(float), np.arange(500), 0.1)
    assert (found.low, found.high, found.stands) == (None, None, 0.0)


@pytest.mark.parametrize("units", [None, 60])
def test_the_risk_is_kept_in_95_of_100_learnings(units):
    chance = np.random.default_rng(4)
    grades, truth, _ = world(chance, 100_000)
    kept = 0
    for _ in range(150):
        found = what_stands(*world(chance, 300, units), 0.1)
        wrong = np.where(grades >= 0.5, 1 - truth, truth)
        kept += float((found.covers(grades) * wrong).mean()) <= 0.1
    assert kept / 150 >= 0.95
