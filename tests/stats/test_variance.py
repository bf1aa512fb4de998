"""The standard deviation is the one of the standard library, to the last bit."""

import statistics

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deepassay.stats.variance import stdev

NUMBER = st.one_of(
    st.floats(-1e9, 1e9), st.sampled_from([0.0, -0.0, 0.1, 1 / 3, 1e-300, 5e-324, 1e150])
)


@given(st.lists(NUMBER, min_size=2, max_size=40))
def test_it_is_that_of_the_library(values):
    assert stdev(np.array(values)) == statistics.stdev(values)


@given(st.floats(-1e9, 1e9), st.integers(2, 9))
def test_equal_numbers_have_none(value, count):
    assert stdev(np.full(count, value)) == 0.0
