import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.stats.correlation import spearman
from deepassay.stats.distributions import (
    association,
    by_chance,
    jensen_shannon,
    top_overlap,
    total_variation,
)

# DeepResearch Bench, table 4, in per cent: 11 topics, and what is left of 100.
LOG = [17.80, 14.45, 11.59, 8.38, 8.02, 5.01, 4.23, 3.68, 3.4, 3.24, 3.22, 16.98]
ARENA = [13.68, 17.74, 15.81, 4.97, 10.47, 4.54, 4.42, 3.19, 4.1, 1.54, 2.57, 16.97]

counts = st.lists(st.integers(0, 1000), min_size=1, max_size=22)
pairs = st.integers(1, 22).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 1000), min_size=n, max_size=n)] * 2)
)


def test_table_4_of_deepresearch_bench():
    """Worked from the printed shares, independently: .109, .013, .945, and all five in common."""
    assert total_variation(LOG, ARENA) == pytest.approx(0.109, abs=5e-4)
    assert jensen_shannon(LOG, ARENA) == pytest.approx(0.013, abs=5e-4)
    assert spearman(LOG[:11], ARENA[:11]) == pytest.approx(0.945, abs=5e-4)
    assert top_overlap(LOG[:11], ARENA[:11], 5) == 5


@pytest.mark.parametrize(("size", "v"), [(5_000, 0.08), (10_000, 0.10)])
def test_v_of_table_4_for_the_sizes_that_the_other_set_may_have(size, v):
    found = association(np.array(LOG) * 440.19, np.array(ARENA) * size / 100)
    assert found.v == pytest.approx(v, abs=0.005)
    assert found.freedom == 11


def test_association_agrees_with_scipy():
    from scipy.stats import chi2_contingency
    from scipy.stats.contingency import association as peer

    table = np.array([[30, 12, 0, 7], [21, 19, 0, 2]])
    found = association(*table)
    expected = chi2_contingency(table[:, [0, 1, 3]])
    assert (found.chi_square, found.freedom) == (
        pytest.approx(expected.statistic),
        expected.dof,
    )
    assert found.v == pytest.approx(peer(table[:, [0, 1, 3]], method="cramer"))


def test_jensen_shannon_agrees_with_scipy():
    from scipy.spatial.distance import jensenshannon

    assert jensen_shannon(LOG, ARENA) == pytest.approx(jensenshannon(LOG, ARENA, base=2) ** 2)


def test_two_sets_with_nothing_in_common_are_as_far_apart_as_can_be():
    ours, theirs = [3, 0, 1, 0], [0, 2, 0, 9]
    assert total_variation(ours, theirs) == pytest.approx(1)
    assert jensen_shannon(ours, theirs) == pytest.approx(1)
    assert association(ours, theirs).v == pytest.approx(1)
    assert top_overlap(ours, theirs, 2) == 0


@pytest.mark.parametrize("ours", [[0, 0], [0.0, 0.0]])
def test_what_is_compared_with_nothing_is_undefined(ours):
    assert total_variation(ours, [1, 2]) is None
    assert jensen_shannon(ours, [1, 2]) is None
    assert association(ours, [1, 2]) is None
    assert list(by_chance(ours, [1, 2], np.random.default_rng(1))) == []


def test_one_class_alone_has_no_association():
    assert association([4, 0], [2, 0]) is None


@given(pairs)
def test_distances_are_symmetric_and_within_their_range(pair):
    ours, theirs = pair
    for distance in (total_variation, jensen_shannon):
        value = distance(ours, theirs)
        if value is not None:
            assert -1e-12 <= value <= 1 + 1e-12
            assert value == pytest.approx(distance(theirs, ours), abs=1e-12)
    found = association(ours, theirs)
    if found is not None:
        assert 0 <= found.v <= 1 + 1e-12


@given(counts, st.integers(1, 9))
def test_a_set_and_its_multiple_are_not_apart(ours, times):
    theirs = [times * count for count in ours]
    if any(ours):
        assert total_variation(ours, theirs) == pytest.approx(0, abs=1e-12)
        assert jensen_shannon(ours, theirs) == pytest.approx(0, abs=1e-12)
        assert top_overlap(ours, theirs, 5) == min(5, len(ours))


def test_what_chance_makes_of_two_samples_of_500():
    """An independent simulation of table 4's first row: below .112 in 95 of 100 pairs."""
    law = np.array(LOG) * 5
    draws = list(by_chance(law, law, np.random.default_rng(7), draws=2000))
    assert all(one.sum() == other.sum() == 500 for one, other in draws)
    found = np.quantile([total_variation(*pair) for pair in draws], 0.95)
    assert found == pytest.approx(0.112, abs=0.003)
