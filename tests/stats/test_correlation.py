"""Correlations against SciPy's and against pairs that are counted one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deepassay.stats import correlation
from deepassay.stats.correlation import (
    Kendall,
    pearson,
    pearson_with_interval,
    spearman,
    spearman_with_interval,
)

VALUES = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])), min_size=3, max_size=25
)


def columns(pairs):
    one, other = np.array(pairs, dtype=float).T
    return one, other


@given(VALUES)
@settings(deadline=None, max_examples=40)
def test_correlations_are_scipys_also_with_ties(pairs):
    one, other = columns(pairs)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert pearson(one, other) is None
        assert spearman(one, other) is None
        assert Kendall(one, other).tau_b() is None
        return
    assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-9)
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-9)
    assert Kendall(one, other).tau_b() == pytest.approx(
        stats.kendalltau(one, other).statistic, abs=1e-9
    )


@pytest.mark.parametrize("values", [[], [1.0]])
def test_fewer_than_two_pairs_have_no_coefficient(values):
    assert pearson(values, values) is None
    assert spearman(values, values) is None
    assert Kendall(values, values).tau_a() is None
    assert Kendall(values, values).tau_b() is None


def test_means_that_differ_by_rounding_are_tied():
    """0.1 + 0.2 is not 0.3: the order of a sum does not untie two means."""
    ours, theirs = [0.3, 0.1 + 0.2, 0.7, 0.9], [2.0, 1.0, 3.0, 4.0]
    exact = stats.spearmanr([0.3, 0.3, 0.7, 0.9], theirs).statistic
    assert stats.spearmanr(ours, theirs).statistic != pytest.approx(exact)
    assert spearman(ours, theirs) == pytest.approx(exact)
    assert Kendall(ours, theirs).tau_b() == pytest.approx(
        stats.kendalltau([0.3, 0.3, 0.7, 0.9], theirs).statistic
    )
    assert pearson([0.3, 0.1 + 0.2], [1.0, 2.0]) is None


def by_hand(observations, counts):
    """Tau-a and tau-b, pair by pair; a task with its own copy is no pair."""
    drawn = [
        (task, copy, one, other)
        for task, one, other in observations
        for copy in range(counts[task])
    ]
    lead = pairs = ours = theirs = 0
    for (task, copy, a, b), (same, again, c, d) in combinations(drawn, 2):
        if task == same and copy != again:
            continue
        lead += np.sign((a - c) * (b - d))
        pairs, ours, theirs = pairs + 1, ours + (a != c), theirs + (b != d)
    return (lead / pairs if pairs else None), (
        lead / np.sqrt(ours * theirs) if ours and theirs else None
    )


TASKS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=3),
    ),
    min_size=2,
    max_size=7,
)


@given(TASKS, st.sampled_from([0, correlation.FEW]))
@settings(deadline=None, max_examples=40)
def test_kendalls_coefficients_of_drawn_tasks_are_those_by_hand(tasks, few):
    """Counts from 0 to 3, one to three observations a task."""
    observations = [(at, one, other) for at, (_, own) in enumerate(tasks) for one, other in own]
    counts = [count for count, _ in tasks]
    task, one, other = (np.array(side) for side in zip(*observations, strict=True))
    weights = np.array(counts, dtype=float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correlation, "FEW", few)
        kendall = Kendall(one, other, task)
        found = kendall.tau_a(weights), kendall.tau_b(weights)
    for value, wanted in zip(found, by_hand(observations, counts), strict=True):
        assert value is None if wanted is None else value == pytest.approx(wanted, abs=1e-12)


def test_pairs_count_as_often_as_their_weight_says():
    one, other = np.array([1.0, 2.0, 4.0, 3.0]), np.array([2.0, 1.0, 7.0, 7.0])
    weights = np.array([2, 1, 0, 3])
    for coefficient in (pearson, spearman):
        again = coefficient(np.repeat(one, weights), np.repeat(other, weights))
        assert coefficient(one, other, weights.astype(float)) == pytest.approx(again, abs=1e-12)


def test_the_interval_is_for_so_many_trials():
    ours, theirs = [1.0, 2, 3, 4, 5, 6], [1.0, 3, 2, 5, 4, 6]
    wide, narrow = (pearson_with_interval(ours, theirs, trials).interval for trials in (4, 6))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert pearson_with_interval(ours, theirs, 3).interval is None
    ranks = spearman_with_interval(ours, theirs, 6).interval
    assert ranks.low < narrow.low
    assert spearman_with_interval([1.0, 1.0], [1.0, 2.0], 2) is None
