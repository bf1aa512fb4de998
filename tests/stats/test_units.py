"""The mean over clusters, its standard error and its interval."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deepassay.stats.intervals import Units

VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=30)


def units(values, clusters=None):
    return Units.of(
        dict(enumerate(values)), None if clusters is None else dict(enumerate(clusters))
    )


@settings(deadline=None, max_examples=30)
@given(VALUES)
def test_units_of_one_task_give_students_interval(values):
    found = units(values).interval()
    error = stats.sem(values)
    if error > 1e-9:
        low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), error)
        assert found == pytest.approx((low, high), abs=1e-9)


def test_clusters_of_one_size_give_students_interval_of_their_means():
    values = np.random.default_rng(1).normal(size=(7, 4))
    found = units(values.ravel(), np.repeat(range(7), 4)).interval()
    means = values.mean(axis=1)
    expected = stats.t.interval(0.95, 6, means.mean(), stats.sem(means))
    assert found == pytest.approx(expected, abs=1e-9)


def test_error_is_that_of_least_squares_with_the_third_correction_for_clusters():
    """CR3 as Bell and McCaffrey print it, with the hat matrix of a regression on a constant."""
    generator = np.random.default_rng(2)
    clusters = generator.integers(0, 5, 23)
    values = generator.normal(size=23) + clusters
    residuals = values - values.mean()
    total = 0.0
    for cluster in range(5):
        inside = clusters == cluster
        hat = np.full((inside.sum(), inside.sum()), 1 / 23)
        total += np.linalg.solve(np.eye(inside.sum()) - hat, residuals[inside]).sum() ** 2
    expected = sqrt(4 / 5 * total) / 23
    assert units(values, clusters).error == pytest.approx(expected, abs=1e-9)


def test_one_unit_has_no_error_and_no_interval():
    assert units([1.0, 2.0], ["a", "a"]).error is None
    assert units([1.0]).interval() is None


def test_clustered_interval_covers_where_the_plain_one_does_not():
    """12 clusters of unequal size, half of the variance between them; 3,000 experiments."""
    generator = np.random.default_rng(20260504)
    sizes = generator.integers(2, 12, 12)
    clusters = np.repeat(np.arange(12), sizes)
    covered = {"clustered": 0, "plain": 0}
    for _ in range(3000):
        values = generator.normal(size=12)[clusters] + generator.normal(size=len(clusters))
        for name, found in (
            ("clustered", units(values, clusters).interval()),
            ("plain", units(values).interval()),
        ):
            covered[name] += found.low <= 0 <= found.high
    assert covered["clustered"] / 3000 >= 0.94
    assert covered["plain"] / 3000 < 0.75


def share_of(shares):
    return Units(np.asarray(shares, dtype=float), np.ones(len(shares))).share_interval()


def test_a_share_of_clusters_of_one_trial_is_near_the_exact_interval():
    values = np.array([1.0] * 12 + [0.0] * 88)
    low, high = share_of(values)
    exact = stats.binomtest(12, 100).proportion_ci(method="exact")
    assert (low, high) == (
        pytest.approx(exact.low, abs=0.003),
        pytest.approx(exact.high, abs=0.004),
    )


def test_a_share_of_clusters_is_wide_where_nothing_failed_and_at_either_end():
    low, high = share_of(np.zeros(20))
    assert (low, high) == (0.0, pytest.approx(0.19, abs=0.01))
    assert share_of(np.ones(20)) == (pytest.approx(1 - high), 1.0)


def test_clusters_that_differ_count_for_fewer_trials():
    alike, unlike = np.full(30, 0.2) + np.tile([0.01, -0.01], 15), np.tile([0, 0, 0, 0, 1.0], 6)
    narrow, wide = (share_of(each) for each in (alike, unlike))
    assert narrow.low <= 0.2 <= narrow.high
    assert (wide.high - wide.low) > 10 * (narrow.high - narrow.low)


@pytest.mark.parametrize("lean, share", [(0.3, 0.25), (2, 0.1), (2, 0.25)])
def test_a_share_of_clusters_holds_the_truth(lean, share):
    chance = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        own = chance.beta(lean, lean / share - lean, 30)
        low, high = share_of(chance.binomial(8, own) / 8)
        held += low <= share <= high
    assert held / 400 >= 0.93


def test_a_unit_with_more_trials_weighs_more():
    few = Units(np.array([1.0, 0.0, 0.0]), np.array([1.0, 50.0, 60.0]))
    assert few.mean == pytest.approx(1 / 111)
    assert few.share_interval().high < 0.5
