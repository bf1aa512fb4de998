"""Mappings against NumPy's and SciPy's."""

import numpy as np
import pytest
from scipy.stats import linregress

from deepassay.stats.mappings import (
    FITS,
    isotonic,
    left_out,
    linear,
)


def judges(count=60, seed=0):
    generator = np.random.default_rng(seed)
    old = np.round(generator.uniform(0, 100, count))
    return old, 20 + 0.6 * old + generator.normal(0, 8, count)


def test_linear_is_that_of_scipy():
    old, new = judges()
    expected = linregress(old, new)
    found = linear(old, new)
    assert (found.slope, found.intercept) == pytest.approx(
        (expected.slope, expected.intercept), abs=1e-9
    )
    assert linear(np.ones(3), np.array([1.0, 2.0, 6.0])).slope == 0.0


def test_isotonic_averages_equal_scores_first_and_is_level_outside():
    found = isotonic(np.array([2.0, 1.0, 2.0, 3.0]), np.array([6.0, 1.0, 4.0, 4.0]))
    assert found.old.tolist() == [1.0, 2.0, 3.0]
    assert found.new == pytest.approx([1, 14 / 3, 14 / 3])
    assert found(np.array([0.0, 1.5, 9.0])) == pytest.approx([1, 17 / 6, 14 / 3])


@pytest.mark.parametrize("name", list(FITS))
def test_no_report_has_a_hand_in_its_own_error(name):
    old, new = judges(12)
    found = left_out(FITS[name], old, new, [str(place) for place in range(12)])
    for place in range(12):
        rest = np.arange(12) != place
        mapping = FITS[name](old[rest], new[rest])
        assert found[place] == pytest.approx(new[place] - mapping(old[[place]])[0], abs=1e-9)


def test_left_out_errors_of_a_line_are_those_of_the_hat_matrix():
    old, new = judges()
    design = np.column_stack([np.ones(60), old])
    hat = design @ np.linalg.pinv(design)
    expected = (new - hat @ new) / (1 - np.diag(hat))
    found = left_out(linear, old, new, [str(place) for place in range(60)])
    assert found == pytest.approx(expected, abs=1e-9)
