"""Changes of the same units, against scipy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from deepassay.stats.intervals import Units
from deepassay.stats.paired import (
    area_above,
    detection,
    equivalence,
    mean_test,
    noise_of_pairs,
)
from deepassay.stats.testing import sign_needed, sign_test

VALUES = st.lists(st.integers(-40, 40).map(lambda n: n / 8), min_size=3, max_size=25).filter(
    lambda values: len(set(values)) > 1
)


def units(values):
    return Units.of({str(at): value for at, value in enumerate(values)})


@given(VALUES, st.integers(-8, 8).map(lambda n: n / 4))
def test_a_mean_is_tested_as_scipy_does(values, against):
    ours = mean_test(units(values), against)
    theirs = [
        stats.ttest_1samp(values, against, alternative=side).pvalue for side in ("greater", "less")
    ]
    assert ours == pytest.approx(theirs)


@given(VALUES)
def test_two_one_sided_tests_agree_with_the_interval_of_90_per_cent(values):
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    inside = low > -1 and high < 1
    assert (equivalence(units(values), 1.0) < 0.05) == inside


def test_values_that_are_all_alike_go_by_their_signs():
    assert mean_test(units([0.0] * 5)) == (1.0, 1.0)
    assert mean_test(units([0.2] * 5)) == (1 / 32, 1.0)
    assert mean_test(units([0.2] * 2)) == (1 / 4, 1.0), "two that agree show nothing"
    assert equivalence(units([0.0] * 5), 0.01) == 1 / 32
    assert equivalence(units([0.0] * 3), 0.01) == 1 / 8
    assert equivalence(units([0.2] * 5), 0.01) == 1.0
    assert mean_test(units([0.2])) == (1.0, 1.0)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_that_of_a_fair_coin(better, worse):
    n = better + worse
    wanted = stats.binomtest(better, n).pvalue if n else 1.0
    assert sign_test(better, worse) == pytest.approx(wanted)


def test_how_many_changes_show_a_direction():
    shares = (0.6, 0.65, 0.7, 0.75, 0.8, 0.9)
    assert [sign_needed(share) for share in shares] == [199, 90, 49, 30, 20, 12]
    assert sign_needed(0.5) is None


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=20),
    st.lists(st.integers(0, 6), min_size=1, max_size=20),
)
def test_the_area_is_that_of_mann_and_whitney(ours, theirs):
    statistic = stats.mannwhitneyu(ours, theirs).statistic
    wanted = statistic / (len(ours) * len(theirs))
    assert area_above(np.array(ours), np.array(theirs)) == pytest.approx(wanted)


def test_what_stands_out_fell_by_more_than_untouched_twins_differ():
    twins = np.array([0.01, -0.02, 0.0, 0.01, -0.01])
    found = detection(np.array([0.02, 0.03, 0.5, -0.4]), twins)
    assert found is not None
    assert found.band == pytest.approx(0.02)
    assert (found.found, found.n, found.false_alarm) == (2, 4, 0.0)
    assert detection(np.array([]), twins) is None
    assert area_above(np.array([]), twins) is None


def test_noise_of_a_judgement_is_a_root_of_two_below_that_of_differences():
    random = np.random.default_rng(1)
    one, other = random.normal(0, 0.3, (2, 20_000))
    assert noise_of_pairs(one, other) == pytest.approx(0.3, rel=0.02)
    assert noise_of_pairs(np.array([]), np.array([])) is None
