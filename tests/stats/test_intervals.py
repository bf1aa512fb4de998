import random
from math import comb
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deepassay.stats.intervals import (
    Units,
    fisher_interval,
    for_skewed,
    t_interval,
    trials_for,
    upper_limit,
    wilson_interval,
)


@pytest.mark.parametrize("n", [2, 3, 10, 80])
def test_the_interval_of_a_mean_is_the_one_of_scipy(n):
    numbers = random.Random(n)
    sample = [numbers.uniform(0, 100) for _ in range(n)]
    wanted = stats.t.interval(0.95, n - 1, loc=fmean(sample), scale=stats.sem(sample))
    assert t_interval(sample) == pytest.approx(wanted, rel=1e-9)


def test_equal_values_have_no_interval():
    assert t_interval([100.0] * 4) is None
    assert Units.of(dict.fromkeys("abcd", 100.0)).interval() is None


def test_one_value_has_no_interval():
    assert t_interval([50.0]) is None


@pytest.mark.parametrize(
    ("met", "n", "low", "high"),
    [
        # Newcombe (1998, Statistics in Medicine 17, table I), Wilson's method without correction.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_a_share_is_the_published_one(met, n, low, high):
    assert wilson_interval(met / n, n) == pytest.approx((low, high), abs=5e-5)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 500), st.floats(0, 1))
def test_the_interval_holds_the_share_and_mirrors_it(n, share):
    ends, mirrored = wilson_interval(share, n), wilson_interval(1 - share, n)
    assert 0 <= ends.low <= share + 1e-12
    assert share - 1e-12 <= ends.high <= 1
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx(ends)


def test_the_interval_of_a_correlation_is_the_one_of_scipy():
    numbers = random.Random(5)
    ours = [numbers.random() for _ in range(30)]
    theirs = [each + numbers.random() for each in ours]
    found = stats.pearsonr(ours, theirs)
    wanted = found.confidence_interval(0.95)
    assert fisher_interval(found.statistic, 30) == pytest.approx(tuple(wanted))


def test_the_interval_of_a_rank_correlation_is_wider():
    plain, ranks = fisher_interval(0.5, 40), fisher_interval(0.5, 40, ranks=True)
    assert ranks.low < plain.low < 0.5 < plain.high < ranks.high
    # Bonett and Wright (2000): z = 0.5493, standard error sqrt(1.125 / 37) = 0.1744.
    assert ranks == pytest.approx((0.2046, 0.7119), abs=1e-4)


@pytest.mark.parametrize(("coefficient", "n"), [(0.5, 3), (1.0, 30), (-1.0, 30)])
def test_three_pairs_or_a_perfect_correlation_have_no_interval(coefficient, n):
    assert fisher_interval(coefficient, n) is None


def test_without_skewness_the_interval_is_that_of_student():
    values = np.array([1.0, 2.0, 4.0, 6.0, 7.0])
    assert for_skewed(values) == pytest.approx(t_interval(values.tolist()))
    assert for_skewed(np.array([3.0, 3.0, 3.0])) == (3.0, 3.0)
    assert for_skewed(np.array([3.0, 4.0])) is None


def test_the_interval_of_skewed_values_is_halls_worked_by_hand():
    """Hall (1992): T + (g/3)T^2/sqrt(n) + (g^2/27)T^3/n + g/(6 sqrt(n)) = t at either end."""
    values = np.array([0.0, 0.0, 0.0, 1.0, 9.0])
    low, high = for_skewed(values)
    mean, error = 2.0, values.std(ddof=1) / 5**0.5
    g = float(((values - mean) ** 3).mean() / values.std() ** 3) / 5**0.5
    reach = stats.t.ppf(0.975, 4)
    for end, quantile in ((low, reach), (high, -reach)):
        t = (mean - end) / error
        assert t + g / 3 * t**2 + g**2 / 27 * t**3 + g / 6 == pytest.approx(quantile)
    assert low < mean < high


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(-100, 100), min_size=3, max_size=30))
def test_values_that_are_mirrored_have_a_mirrored_interval(values):
    ends, mirrored = for_skewed(np.array(values)), for_skewed(-np.array(values))
    assert (-mirrored.high, -mirrored.low) == pytest.approx(ends, abs=1e-6)
    assert ends.low <= np.mean(values) + 1e-9
    assert ends.high >= np.mean(values) - 1e-9


@pytest.mark.parametrize(("errors", "n"), [(0, 59), (1, 93), (2, 124), (5, 208)])
def test_trials_that_show_a_rate_of_errors_of_five_in_a_hundred(errors, n):
    assert trials_for(errors, 0.05) == n


@given(st.integers(0, 12), st.sampled_from([0.01, 0.05, 0.2, 0.5, 0.9]))
def test_the_fewest_trials_are_those_of_the_binomial_distribution(errors, most):
    def tail(n: int) -> float:
        return sum(comb(n, k) * most**k * (1 - most) ** (n - k) for k in range(errors + 1))

    n = trials_for(errors, most)
    assert tail(n) <= 0.05 + 1e-9
    assert n == errors + 1 or tail(n - 1) > 0.05 - 1e-9


@given(st.integers(1, 400), st.data())
def test_at_its_limit_so_few_errors_have_the_stated_probability(n, data):
    errors = data.draw(st.integers(0, n - 1))
    limit = upper_limit(errors, n)
    tail = sum(comb(n, k) * limit**k * (1 - limit) ** (n - k) for k in range(errors + 1))
    assert tail == pytest.approx(0.05, abs=1e-6)


def test_where_all_trials_are_errors_nothing_is_known_of_the_rate():
    assert upper_limit(3, 3) == 1.0
