"""Elo: worked numbers, what is conserved, and how well it finds a known order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from deepassay.curate.arena.elo import (
    K_FACTOR,
    START,
    expected,
    intervals,
    ratings,
    rounds_of,
)
from deepassay.curate.arena.pairing import draw_rounds

# Tasks 0, 1, 2. Round, first, second, outcome of the first.
FOUR = [(1, 0, 1, 0.8), (2, 1, 2, 0.55), (3, 0, 2, 0.0), (4, 0, 1, 0.7)]


def one_by_one(compared, tasks):
    """The same by the book, one comparison after the other."""
    reckoned = [START] * tasks
    for _, first, second, outcome in compared:
        promised = 1 / (1 + 10 ** ((reckoned[second] - reckoned[first]) / 400))
        gained = K_FACTOR * (outcome - promised)
        reckoned[first] += gained
        reckoned[second] -= gained
    return reckoned


def test_first_comparison_moves_both_by_k_times_what_was_not_expected():
    # Equal ratings promise one half: 32 x (0.8 - 0.5) = 9.6 points.
    assert ratings(rounds_of(FOUR[:1]), 3).tolist() == [1209.6, 1190.4, 1200.0]


def test_three_tasks_and_four_comparisons_by_hand():
    # 2: 1190.4 against 1200 promises 1 / (1 + 10^0.024) = 0.48619: +-2.0420
    # 3: 1209.6 against 1197.958 promises 1 / (1 + 10^-0.029105) = 0.51675: +-16.5360
    # 4: 1193.064 against 1192.442 promises 1 / (1 + 10^-0.001555) = 0.50090: +-6.3714
    found = ratings(rounds_of(FOUR), 3)
    assert found == pytest.approx([1199.4354, 1186.0706, 1214.4940], abs=0.001)


def test_expected_outcomes():
    assert expected(np.array(1600.0), np.array(1200.0)) == pytest.approx(10 / 11)
    assert expected(np.array(1200.0), np.array(1600.0)) == pytest.approx(1 / 11)


@st.composite
def rounds(draw):
    """Tasks and some rounds of disjoint pairs of them."""
    tasks = draw(st.integers(2, 12))
    rows = []
    for number in range(1, draw(st.integers(1, 6)) + 1):
        order = draw(st.permutations(range(tasks)))
        for first, second in zip(order[0::2], order[1::2], strict=False):
            rows.append((number, first, second, draw(st.floats(0, 1))))
    return tasks, rows


@settings(deadline=None, max_examples=80)
@given(rounds())
def test_sum_of_ratings_is_conserved(case):
    tasks, rows = case
    assert ratings(rounds_of(rows), tasks).sum() == pytest.approx(START * tasks, abs=1e-8)


@settings(deadline=None, max_examples=80)
@given(rounds())
def test_a_round_at_once_is_the_same_as_one_by_one(case):
    tasks, rows = case
    assert ratings(rounds_of(rows), tasks) == pytest.approx(one_by_one(rows, tasks))


def test_intervals_are_those_of_resampled_comparisons():
    drawn = np.random.default_rng(5).integers(0, 4, (4, 40))
    resampled = [
        one_by_one([FOUR[place] for place in sorted(column)], 3) for column in drawn.T.tolist()
    ]
    ends = intervals(rounds_of(FOUR), 3, np.random.default_rng(5), resamples=40, level=1.0)
    assert ends[:, 0] == pytest.approx(np.min(resampled, axis=0), abs=0.01)
    assert ends[:, 1] == pytest.approx(np.max(resampled, axis=0), abs=0.01)


def test_intervals_hold_about_the_share_that_they_claim():
    rounds = rounds_of(FOUR)
    drawn = np.random.default_rng(2).integers(0, 4, (4, 1000))
    resampled = np.array([one_by_one([FOUR[p] for p in sorted(c)], 3) for c in drawn.T.tolist()])
    ends = intervals(rounds, 3, np.random.default_rng(2))
    inside = (resampled >= ends[:, 0] - 0.01) & (resampled <= ends[:, 1] + 0.01)
    assert (inside.mean(axis=0) >= 0.95).all()
    assert (ends[:, 0] < ends[:, 1]).all()


def test_intervals_depend_on_the_seed_alone():
    rounds = rounds_of(FOUR)
    once, again, other = (intervals(rounds, 3, np.random.default_rng(n), 30) for n in (1, 1, 2))
    assert (once == again).all()
    assert (once != other).any()


def test_more_comparisons_narrow_no_interval_to_nothing_and_none_leaves_the_start():
    assert intervals([], 2, np.random.default_rng(1)).tolist() == [[START, START]] * 2
    assert ratings([], 2).tolist() == [START, START]


@pytest.fixture(scope="module")
def taus():
    """Mean Kendall tau of 20 seeds after so many rounds: 200 tasks, the better wins 4 of 5."""
    tasks, found = 200, {2: [], 8: [], 32: []}
    for seed in range(20):
        judge = np.random.default_rng([seed, 1])
        rows = []
        for number, pairs in draw_rounds({f"{n:03}": 0 for n in range(tasks)}, 32, seed):
            for pair in pairs:
                first, second = int(pair.first), int(pair.second)
                prefers_first = (first > second) == (judge.random() < 0.8)
                rows.append((number, first, second, 0.8 if prefers_first else 0.2))
            if number in found:
                rated = ratings(rounds_of(rows), tasks)
                found[number].append(kendalltau(rated, range(tasks)).statistic)
    return {number: float(np.mean(values)) for number, values in found.items()}


@pytest.mark.parametrize(("after", "tau"), [(2, 0.34), (8, 0.53), (32, 0.72)])
def test_a_judge_that_is_right_four_times_of_five_finds_the_order(taus, after, tau):
    assert taus[after] == pytest.approx(tau, abs=0.04)
