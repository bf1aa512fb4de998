"""One product for a column in place of one for a pair: the same p, also where sums are equal."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.stats.intervals import Units
from deepassay.stats.paired_signs import flips_on_ways, sign_flip_pairs
from deepassay.stats.resampling import sign_flip


def every_pair(columns):
    return [*permutations(range(columns), 2)]


def alone(columns, pair):
    """P of one pair by its own differences."""
    return sign_flip(
        Units(columns[:, pair[0]] - columns[:, pair[1]], np.ones(len(columns))), 3, 999
    )


def columns_of(kind, units, columns):
    drawn = np.random.default_rng(units)
    if kind == "of few values":
        return drawn.integers(0, 4, (units, columns)) * 12.5
    if kind == "nearly the same":  # differences in two units, a thousandth of what rounding moves
        values = np.repeat(drawn.random((units, 1)) * 1e6, columns, axis=1)
        values[:2] += drawn.integers(0, 3, (2, columns)) * 1e-6
        return values
    return drawn.random((units, columns))


@pytest.mark.parametrize("kind", ["of few values", "nearly the same", "of all values"])
@pytest.mark.parametrize("units", [5, 12, 13, 60])
def test_every_pair_has_the_p_of_its_own_differences(kind, units):
    columns = columns_of(kind, units, 6)
    pairs = every_pair(6)
    assert len(pairs) > columns.shape[1], "the products of columns are not used"
    assert sign_flip_pairs(columns, pairs, 3, 999) == [alone(columns, pair) for pair in pairs]


def test_few_pairs_are_tested_by_themselves():
    columns = columns_of("of all values", 40, 3)
    pairs = every_pair(3)[:2]
    assert sign_flip_pairs(columns, pairs, 3, 999) == [alone(columns, pair) for pair in pairs]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=5, max_size=5), min_size=2, max_size=15))
def test_whatever_the_numbers_are(rows):
    columns = np.array(rows)
    pairs = every_pair(5)
    assert sign_flip_pairs(columns, pairs, 3, 999) == [alone(columns, pair) for pair in pairs]


@pytest.mark.parametrize("kind", ["of few values", "nearly the same", "of all values"])
def test_on_its_way_a_value_has_the_p_of_where_it_is(kind):
    ways = []
    for units in (5, 13, 60, 13):
        values = columns_of(kind, units, 3)
        moved = values[:, 0] - values[:, 1] + np.where(np.arange(units) < 3, values[:, 2], 0)
        ones = np.ones(units)
        ways.append((Units(values[:, 0] - values[:, 1], ones), Units(moved, ones)))
    found = dict(flips_on_ways(ways, 3))
    assert found.keys() == {*range(len(ways))}
    for place, (first, last) in enumerate(ways):
        for part in (0.0, 0.25, 0.5, 1.0):
            between = Units(first.sums + part * (last.sums - first.sums), first.sizes)
            assert found[place](part, between) == sign_flip(between, 3).p
