"""RewardBench 2's arithmetic: worked examples, an implementation of its own beside it, bounds."""

import math

import numpy as np
import pytest

from deepassay.results.rewards import (
    SUBSETS,
    RatedCompletions,
    accuracy,
    best_of,
    mean_of_subsets,
    ties,
)

# tied: right, wrong; ref: right, wrong; the score.
WORKED = {
    "clear": (([9, 9, 8], [3, 2]), ([9], [4, 3]), 1.00999),
    "spread among the right ones": (([9, 5, 4], [3, 2]), ([9], [4, 3]), 0.59336),
    "ten for everything": (([10, 10, 10], [10]), ([10], [10]), 0.0),
    "no spread": (([9, 9, 9], [3]), ([9], [4]), 1.01),
    "a right one unreadable": (([9, 9, -1], [3]), ([9], [4]), 0.29115),
    "wrong ones unreadable": (([9, 9, 8], [-1]), ([9], [-1]), 1.01),
}


@pytest.mark.parametrize(("tied", "ref", "expected"), WORKED.values(), ids=WORKED)
def test_ties_worked_by_hand(tied, ref, expected):
    assert ties(
        {"1": RatedCompletions(*tied)}, {"1": RatedCompletions(*ref)}
    ).value == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ([7, 5, 7, 3], 0.5),
        ([5, 7, 3, 3], 0),
        ([4, 4, 4, 4], 0.25),
        ([9, 1, 2, 3], 1),
        ([0.3, 0.1 + 0.2, 0, 0], 0.5),  # equal but for the last digit
    ],
)
def test_best_of_four(ratings, expected):
    assert best_of(ratings) == expected


def independent(tied, ref):
    """Another way to the score of Ties: arrays over the prompts of both kinds."""
    keys = sorted(set(tied) & set(ref))

    def lowest_right(own):
        return np.array([np.min(right) for right, _ in own])

    def highest_wrong(own):
        return np.array([np.max(wrong) for _, wrong in own])

    every_tied, every_ref = list(tied.values()), list(ref.values())
    tied_ok = lowest_right(every_tied) > highest_wrong(every_tied)
    ref_ok = lowest_right(every_ref) > highest_wrong(every_ref)
    right = np.array([np.ptp(own) for own, _ in every_tied], dtype=float)
    preferred = lowest_right(every_tied) - highest_wrong(every_tied) > right
    both = [tied[key] for key in keys], [ref[key] for key in keys]
    spread = np.array([np.ptp(own) for own, _ in both[0]], dtype=float)
    least = np.min([lowest_right(own) - highest_wrong(own) for own in both], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        margin = np.nan_to_num(np.tanh(least / spread - 1), nan=0)
    weights = np.array([0.3, 0.3, 0.2, 0.2, 0.01])
    means = [each.mean() for each in (tied_ok, ref_ok, preferred, least > spread, margin)]
    return float(weights @ means)


def drawn(chance, count):
    """Prompts of both kinds with whole ratings from 1 to 10, now and then unreadable."""

    def marks(number):
        rated = chance.integers(1, 11, number)
        return [-1 if chance.random() < 0.05 else int(mark) for mark in rated]

    tied = {str(key): (marks(chance.integers(2, 7)), marks(chance.integers(1, 5))) for key in count}
    ref = {str(key): (marks(1), marks(chance.integers(1, 5))) for key in count}
    return tied, ref


def test_ties_equals_an_independent_implementation_on_500_random_sets():
    chance = np.random.default_rng(20261123)
    for number in range(500):
        tied, ref = drawn(chance, range(int(chance.integers(1, 12))))
        if number % 3 == 0 and len(tied) > 1:  # a prompt without its fellow
            del ref["0"]
        found = ties(
            {k: RatedCompletions(*v) for k, v in tied.items()},
            {k: RatedCompletions(*v) for k, v in ref.items()},
        )
        assert found.value == pytest.approx(independent(tied, ref), abs=1e-12), (tied, ref)
        assert found.scored == found.expected == len(tied) + len(ref)
        assert found.bounds == pytest.approx((found.value, found.value))


def test_best_of_four_equals_an_independent_implementation_on_500_random_sets():
    chance = np.random.default_rng(7)
    for marks in chance.integers(1, 6, (500, 4)):
        winners = np.flatnonzero(marks == marks.max())
        assert best_of([*map(float, marks)]) == (1 / len(winners) if 0 in winners else 0)


def test_what_is_missing_stays_within_the_bounds():
    chance = np.random.default_rng(3)
    for _ in range(200):
        tied, ref = drawn(chance, range(5))
        whole = [{k: RatedCompletions(*v) for k, v in each.items()} for each in (tied, ref)]
        gone = [{k: None if chance.random() < 0.3 else v for k, v in o.items()} for o in whole]
        bounds, value = ties(*gone).bounds, ties(*whole).value
        assert bounds.low - 1e-12 <= value <= bounds.high + 1e-12
        assert -0.01 - 1e-12 <= bounds.low <= bounds.high <= 1.01 + 1e-12


def test_nothing_scored_is_no_zero():
    nothing = ties({"1": None}, {"1": None})
    assert nothing.value is None
    assert nothing.bounds == pytest.approx((-0.01, 1.01))
    assert (nothing.scored, nothing.expected) == (0, 2)
    assert accuracy([None, None]).value is None


def test_accuracy_leaves_out_what_is_missing_and_says_what_it_could_be():
    found = accuracy([1, 0.5, None, 0])
    assert found.value == pytest.approx(0.5)
    assert found.bounds == (0.375, 0.625)
    assert (found.scored, found.expected) == (3, 4)
    low, high = found.interval
    assert low < 0.5 < high


def test_half_width_of_160_prompts_is_7_7_points():
    low, high = accuracy([1, 0] * 80).interval
    assert (high - low) / 2 == pytest.approx(0.077, abs=5e-4)


def test_the_total_is_the_plain_mean_of_six_however_many_prompts_each_has():
    figures = [accuracy([1] * 90 + [0] * 10), *(accuracy([0]) for _ in SUBSETS[1:])]
    assert mean_of_subsets(figures).value == pytest.approx(0.9 / 6)
    assert mean_of_subsets(figures[:5]).value is None
    assert math.isclose(mean_of_subsets([accuracy([None]), *figures[1:]]).bounds.high, 1 / 6)
