"""The one rule for ties."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from deepassay.stats.ranks import TIE, mean_ranks, place, tied


@given(st.lists(st.integers(-5, 5), max_size=30), st.randoms(use_true_random=False))
def test_mean_ranks_are_scipys_whatever_the_last_digits(values, chance):
    blurred = [value + chance.uniform(-TIE, TIE) / 40 for value in values]
    assert mean_ranks(blurred).tolist() == stats.rankdata(values).tolist()


def test_steps_within_the_rule_are_joined_and_one_beyond_is_not():
    assert tied([0.0, 0.9 * TIE, 1.8 * TIE, 4 * TIE]).tolist() == [0, 0, 0, 1]
    assert tied([]).tolist() == []


def test_what_counts_several_times_takes_several_ranks():
    assert mean_ranks([5.0, 1.0, 5.0], np.array([1.0, 2.0, 2.0])).tolist() == [4.0, 1.5, 4.0]


def test_equal_values_share_the_better_place():
    means = [0.5, 0.3, 0.1 + 0.2, 0.1]
    assert [place(mean, means) for mean in means] == [1, 2, 2, 4]
