"""BCa and the permutation test against SciPy's, and against what chance does."""

import numpy as np
import pytest
from scipy import stats

from deepassay.stats.intervals import Interval, Units
from deepassay.stats.resampling import (
    bca_each,
    drawn_counts,
    rank_intervals,
    ratio,
    resampled,
    resampled_figure,
    sign_flip,
    sign_flip_each,
)


def known(agents):
    """Tasks of which both ends are one value."""
    return {
        agent: {task: Interval(value, value) for task, value in own.items()}
        for agent, own in agents.items()
    }


def skewed(count, seed=3):
    """In 64ths, so that sums are exact and equal means are equal for SciPy too."""
    return np.round(64 * (np.random.default_rng(seed).lognormal(size=count) - 1.2)) / 64


def plain(values):
    return Units(np.asarray(values, dtype=float), np.ones(len(values)))


@pytest.mark.parametrize("count", [8, 30, 100])
def test_bca_is_that_of_scipy(count):
    values = skewed(count)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(7)
    ).confidence_interval
    (found,) = bca_each([plain(values)], seed=7)
    assert found == pytest.approx(tuple(theirs), abs=1e-9)


def test_bca_of_clusters_is_that_of_scipy_for_a_ratio():
    sums, sizes = skewed(15) * 5, np.arange(15.0) + 1
    theirs = stats.bootstrap(
        (sums, sizes),
        lambda sums, sizes, axis=-1: sums.sum(axis=axis) / sizes.sum(axis=axis),
        n_resamples=9999, method="BCa", paired=True, vectorized=True, rng=np.random.default_rng(7),
    ).confidence_interval  # fmt: skip
    (found,) = bca_each([Units(sums, sizes)], seed=7)
    assert found == pytest.approx(tuple(theirs), abs=1e-9)


def test_draws_in_portions_are_draws_of_units():
    """More cells than are held at a time: every draw still takes as many units as there are."""
    sums = resampled(np.ones((3000, 1)), seed=0, draws=2000)
    assert sums.shape == (2000, 1)
    assert set(sums.ravel()) == {3000.0}


def test_bca_of_few_values_has_the_ends_of_scipy():
    """A sample in which two differences are equal and few: the interval exists."""
    values = [1.0, 2.0, 3.0, 2.0]
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(0)
    ).confidence_interval
    (found,) = bca_each([plain(values)], seed=0)
    assert found == pytest.approx(tuple(theirs), abs=1e-9)
    assert found.low < 2.0 < found.high


def test_bca_is_undefined_without_spread():
    assert bca_each([plain([0.1, 0.1, 0.1]), plain([0.1])], seed=0) == [None, None]


@pytest.mark.parametrize("count", [2, 5, 12])
def test_exact_permutation_is_that_of_scipy(count):
    ours, theirs = skewed(count), skewed(count, seed=4)
    expected = stats.permutation_test(
        (ours, theirs),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples", vectorized=True, n_resamples=np.inf,
    ).pvalue  # fmt: skip
    found = sign_flip(plain(ours - theirs), seed=0)
    assert found.exact
    assert found.p == pytest.approx(expected, abs=1e-9)


def test_what_is_tested_together_comes_out_as_it_does_alone():
    several = [plain(skewed(count, seed)) for seed, count in enumerate([40, 12, 40, 1, 41, 12, 40])]
    assert sign_flip_each(several, 7) == [sign_flip(each, 7) for each in several]
    assert sign_flip_each([], 7) == []


def test_sampled_permutation_comes_near_the_exact_one_and_is_never_zero():
    far = sign_flip(plain(np.ones(40)), seed=0)
    assert (far.p, far.exact) == (1 / 10000, False)
    values = skewed(16)
    bits = np.arange(2**16)[:, None] >> np.arange(16) & 1
    exact = np.mean(np.abs((1 - 2 * bits) @ values) >= abs(values.sum()) - 1e-12)
    assert sign_flip(plain(values), seed=0).p == pytest.approx(exact, abs=0.02)


def test_equal_differences_are_reached_in_spite_of_rounding():
    assert sign_flip(plain([0.1, 0.2, -0.3]), seed=0).p == 1.0
    assert sign_flip(plain([0.0, 0.0]), seed=0).p == 1.0
    assert sign_flip(plain([5.0]), seed=0).p == 1.0


@pytest.mark.parametrize("count", [12, 25])
def test_p_is_uniform_where_there_is_no_difference(count):
    generator = np.random.default_rng(11)
    values = [
        sign_flip(plain(generator.standard_t(4, size=count)), seed=trial, draws=999).p
        for trial in range(800)
    ]
    assert stats.kstest(values, "uniform").pvalue > 0.01


def test_p_of_clusters_keeps_its_level_where_that_of_tasks_does_not():
    generator = np.random.default_rng(12)
    clustered, alone = [], []
    for trial in range(400):
        values = generator.normal(size=10).repeat(6) + generator.normal(size=60) / 2
        clustered.append(sign_flip(Units(values.reshape(10, 6).sum(axis=1), np.full(10, 6.0)), 0).p)
        alone.append(sign_flip(plain(values), seed=trial, draws=199).p)
    assert np.mean(np.array(clustered) <= 0.05) < 0.08
    assert np.mean(np.array(alone) <= 0.05) > 0.3


def test_ranks_are_those_of_means_over_drawn_tasks():
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(4, 30)) + np.array([[0.8], [0.4], [0.3], [-2.0]])
    agents = {
        name: {f"{i:02}": x for i, x in enumerate(scores[j])} for j, name in enumerate("abcd")
    }
    found = rank_intervals(known(agents), None, seed=3, draws=2000)
    drawn = np.random.default_rng(3).integers(0, 30, (2000, 30))
    ranks = np.array([stats.rankdata(-scores[:, each].mean(axis=1)) for each in drawn])
    for place, name in enumerate("abcd"):
        ordered = np.sort(ranks[:, place])
        assert tuple(found[name]) == (ordered[49], ordered[1949])
    assert tuple(found["d"]) == (4, 4)


def test_only_shared_tasks_count_and_equal_agents_share_the_better_rank():
    agents = {"a": {"1": 5.0, "2": 6.0, "3": 99.0}, "b": {"1": 5.0, "2": 6.0}}
    assert set(rank_intervals(known(agents), None, seed=0).values()) == {(1, 1)}
    assert rank_intervals(known({"a": {"1": 5.0}, "b": {"1": 6.0}}), None, seed=0) == {}
    assert rank_intervals(known(agents), {"1": "x", "2": "x", "3": "x"}, seed=0) == {}


def test_a_value_between_two_ends_opens_the_ranks_that_it_decides():
    """One of ten values of a is anything from 0 to 100, so its mean lies between 54 and 64."""
    agents = known(
        {
            name: {str(i): at for i in range(10)}
            for name, at in zip("abc", (60, 58, 20), strict=True)
        }
    )
    assert rank_intervals(agents, None, seed=0) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    agents["a"]["9"] = Interval(0.0, 100.0)
    assert rank_intervals(agents, None, seed=0) == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}


def test_a_figure_that_most_draws_leave_undefined_has_no_interval():
    counts = drawn_counts(2, 0, 200)
    share = resampled_figure(
        "share", ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])), counts, 2, "items"
    )
    assert (share.value, share.interval) == (0.5, None)
    assert (
        resampled_figure("none", ratio(np.zeros(2), np.zeros(2)), counts, 0, "items").value is None
    )


def test_a_share_of_tasks_has_percentiles_of_drawn_tasks():
    part, whole = np.array([1.0, 0.0, 2.0]), np.array([2.0, 1.0, 2.0])
    counts = drawn_counts(3, 4, 500)
    found = resampled_figure("share", ratio(part, whole), counts, 5, "items")
    wanted = np.quantile((counts @ part) / (counts @ whole), [0.025, 0.975])
    assert found.interval == pytest.approx(tuple(wanted))
