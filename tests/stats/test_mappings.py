"""Mappings against NumPy's and SciPy's."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import linregress

from deepassay.stats.mappings import (
    FITS,
    constant,
    differences_left_out,
    held_out,
    isotonic,
    linear,
    youden_cut,
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
    found = differences_left_out(FITS[name], old, new, [str(place) for place in range(12)])
    for place in range(12):
        rest = np.arange(12) != place
        mapping = FITS[name](old[rest], new[rest])
        assert found[place] == pytest.approx(new[place] - mapping(old[[place]])[0], abs=1e-9)


def test_left_out_errors_of_a_line_are_those_of_the_hat_matrix():
    old, new = judges()
    design = np.column_stack([np.ones(60), old])
    hat = design @ np.linalg.pinv(design)
    expected = (new - hat @ new) / (1 - np.diag(hat))
    found = differences_left_out(linear, old, new, [str(place) for place in range(60)])
    assert found == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.sampled_from([0.0, 0.5, 1.0])), min_size=2, max_size=20
    )
)
def test_a_cut_is_where_sensitivity_and_specificity_are_highest(pairs):
    old, new = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    assume(0 < new.sum() < len(new) and len(set(old)) > 1)

    def index(at):
        said = (old >= at).astype(float)
        return (new @ said) / new.sum() + ((1 - new) @ (1 - said)) / (1 - new).sum()

    between = [at for at in np.arange(0.5, 6) if min(old) < at < max(old)]
    assert index(youden_cut(old, new).at) == pytest.approx(max(map(index, between)))


def test_a_cut_of_what_never_varies_is_there():
    assert youden_cut(np.array([2.0, 2.0]), np.array([1.0, 0.0])).at == 2.0


def test_no_half_has_a_hand_in_what_is_made_of_it():
    """A mapping that says 1 of what it was fitted to says 0 of everything."""
    old = np.repeat(np.arange(1.0, 9.0), 2)
    groups = [str(each) for each in old]
    seen = []

    def spy(fitted, new):
        seen.append(set(fitted))
        return lambda held: np.array([each in set(fitted) for each in held], dtype=float)

    mapped = held_out(spy, old, old, groups, seed=4, splits=5)
    assert mapped.shape == (5, 16)
    assert not mapped.any()
    assert {len(each) for each in seen} == {4}
    assert len({frozenset(each) for each in seen}) > 2


def test_a_constant_is_the_mean_of_the_other_half():
    old, new = judges(8)
    mapped = held_out(constant, old, new, [str(each) for each in range(8)], seed=0, splits=1)
    halves = sorted(set(np.round(mapped[0], 9)))
    assert len(halves) == 2
    assert np.mean(halves) == pytest.approx(new.mean())
