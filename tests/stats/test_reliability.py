"""Agreement of raters against published worked examples and other programs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.stats.reliability import LEVELS, MOST_VALUES, Alpha, OneWay, intraclass, one_way

# Shrout and Fleiss 1979, table 2: six targets, four judges.
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
# Krippendorff 2011, section C: four observers, twelve units, gaps.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
UNITS = [[value for value in unit if value is not None] for unit in zip(*OBSERVERS, strict=True)]


def test_intraclass_correlations_are_those_of_shrout_and_fleiss() -> None:
    found = intraclass(SHROUT_FLEISS)
    assert [round(value or 0, 2) for value in found] == [0.17, 0.29, 0.71]


def test_intraclass_correlations_follow_from_the_mean_squares_to_the_last_digit() -> None:
    table = np.array(SHROUT_FLEISS, dtype=float)
    between, within = 4 * table.mean(1).var(ddof=1), table.var(axis=1, ddof=1).mean()
    judges = 6 * table.mean(0).var(ddof=1)
    error = (within * 18 - judges * 3) / 15
    found = intraclass(SHROUT_FLEISS)
    assert found.one_one == pytest.approx((between - within) / (between + 3 * within), abs=1e-12)
    two = (between - error) / (between + 3 * error + 4 * (judges - error) / 6)
    assert found.two_one == pytest.approx(two, abs=1e-12)
    assert found.three_one == pytest.approx((between - error) / (between + 3 * error), abs=1e-12)


def test_one_way_takes_gaps_and_says_nothing_without_a_second_rating() -> None:
    between, within, k = 355.25 / 12, 1 / 3, 11 / 6  # mean squares, and n0 of sizes 2, 1 and 3
    expected = (between - within) / (between + (k - 1) * within)
    assert one_way([[1.0, 2.0], [5.0], [9.0, 8.0, 8.5]]) == pytest.approx(expected)
    assert one_way([[1.0], [2.0], [3.0]]) is None
    assert one_way([[4.0, 4.0], [4.0, 4.0]]) is None


def test_a_target_that_counts_twice_is_a_target_that_stands_there_twice() -> None:
    weights = np.array([2.0, 0, 1, 1, 3, 1])
    twice = np.repeat(np.array(SHROUT_FLEISS, dtype=float), weights.astype(int), axis=0)
    assert intraclass(SHROUT_FLEISS, weights) == pytest.approx(intraclass(twice), abs=1e-12)
    gaps = [[1.0, 2.0], [5.0], [], [9.0, 8.0, 8.5]]
    again = one_way([*gaps, gaps[0], gaps[3], gaps[3]])
    assert OneWay(gaps)(np.array([2.0, 1, 5, 3])) == pytest.approx(again, abs=1e-12)


@pytest.mark.parametrize(
    ("level", "printed"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_alpha_is_that_of_krippendorffs_example(level, printed) -> None:
    assert round(Alpha(UNITS, level)(), 3) == printed


def by_coincidences(units: list[list[int]], level: str) -> float | None:
    """Alpha the long way: Krippendorff's table of coincidences and his metric differences."""
    pairable = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in pairable for value in unit})
    table = np.zeros((len(values), len(values)))
    for unit in pairable:
        for at, one in enumerate(unit):
            for beside, other in enumerate(unit):
                if at != beside:
                    table[values.index(one), values.index(other)] += 1 / (len(unit) - 1)
    own, n = table.sum(axis=0), table.sum()

    def difference(one: int, other: int) -> float:
        low, high = sorted((one, other))
        if level == "ordinal":
            return (own[low : high + 1].sum() - (own[low] + own[high]) / 2) ** 2
        if level == "nominal":
            return float(one != other)
        apart, whole = values[one] - values[other], values[one] + values[other]
        return (apart / whole if level == "ratio" and whole else apart) ** 2

    places = range(len(values))
    metric = np.array([[difference(one, other) for other in places] for one in places])
    chance = (np.outer(own, own) * metric).sum()
    return 1 - (n - 1) * (table * metric).sum() / chance if chance else None


def test_alpha_of_ratios_is_that_by_hand() -> None:
    """Two raters, two units, (1, 3) and (2, 2): every step on paper.

    Coincidences of 1 with 3: both ways once, with ((3 - 1) / (3 + 1))^2 = 1/4 each: 1/2. Expected:
    1 with 2 twice (1 * 2), 3 with 2 (1 * 2), 1 with 3 (1 * 1), both ways:
    2 * (2 * 1/9 + 2 * 1/25 + 1 * 1/4) = 497/450. n - 1 = 3, so alpha = 1 - 3 * 1/2 * 450/497.
    """
    assert Alpha([(1, 3), (2, 2)], "ratio")() == pytest.approx(1 - 675 / 497, abs=1e-12)
    assert Alpha([(0, 0), (1, 1)], "ratio")() == 1
    assert Alpha([(-1, 1), (2, 2)], "ratio")() is None
    assert Alpha([(n, n + 0.5) for n in range(MOST_VALUES)], "ratio")() is None


@given(st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=2, max_size=9))
@settings(deadline=None, max_examples=30)
def test_alpha_by_sums_is_alpha_by_coincidences(units: list[list[int]]) -> None:
    for level in LEVELS:
        expected = by_coincidences(units, level) if any(len(unit) > 1 for unit in units) else None
        found = Alpha(units, level)()
        assert found is None if expected is None else found == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.lists(st.integers(1, 4), max_size=4), min_size=2, max_size=6))
@settings(deadline=None, max_examples=30)
def test_a_unit_that_counts_twice_is_a_unit_that_stands_there_twice(units) -> None:
    for level in LEVELS:
        weighed = Alpha(units, level)(np.array([2.0] + [1.0] * (len(units) - 1)))
        assert weighed == pytest.approx(Alpha([units[0], *units], level)(), abs=1e-9)
