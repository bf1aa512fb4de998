"""Pairs: disjoint, drawn by the seed, and new tasks against rated ones."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from deepassay.wings.build.arena.elo import (
    K_FACTOR,
    START,
    expected_outcome,
    intervals,
    ratings,
    rounds_of,
)
from deepassay.wings.build.arena.rank_eval import TaskPair, drawn_comparisons
from deepassay.wings.build.arena.ranking import (
    draw_round,
    draw_rounds,
    task_standings,
    write_ranking,
)
from tests.wings.build.duels import comparison, task


def names(count, start=0):
    return [f"t{n}" for n in range(start, start + count)]


def members(pairs):
    return [name for pair in pairs for name in pair if name is not None]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 99))
def test_every_task_that_owes_a_round_is_in_it_once(owing, rated, seed):
    new, old = names(owing), names(rated, 100)
    pairs = draw_round(new, old, np.random.default_rng(seed))
    found = members(pairs)
    assert len(found) == len(set(found))
    assert set(new) <= set(found) <= {*new, *old}
    assert sum(pair.second is None for pair in pairs) == (max(0, owing - rated) % 2)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 99))
def test_new_tasks_play_against_rated_ones_as_long_as_there_are_any(owing, rated, seed):
    new, old = set(names(owing)), set(names(rated, 100))
    pairs = draw_round(sorted(new), sorted(old), np.random.default_rng(seed))
    mixed = [pair for pair in pairs if len(new & set(pair)) == 1 and pair.second is not None]
    assert len(mixed) == min(owing, rated)
    assert not any(old >= set(pair) for pair in pairs)


def test_rounds_are_as_many_as_wanted_and_the_odd_one_rests():
    rounds = list(draw_rounds(dict.fromkeys(names(7), 0), 3, seed=4))
    assert [number for number, _ in rounds] == [1, 2, 3]
    for _, pairs in rounds:
        assert sorted(members(pairs)) == names(7)
        assert [pair.second for pair in pairs].count(None) == 1


def test_pairs_depend_on_the_seed_and_not_on_the_order_of_the_tasks():
    def drawn(order, seed):
        return list(draw_rounds(dict.fromkeys(order, 0), 2, seed))

    assert drawn(names(40), 1) == drawn(names(40)[::-1], 1)
    assert drawn(names(40), 1) != drawn(names(40), 2)


def test_a_round_is_the_same_whether_drawn_with_those_before_or_alone():
    whole = list(draw_rounds(dict.fromkeys(names(9), 0), 2, seed=3))
    later = list(draw_rounds(dict.fromkeys(names(9), 1), 2, seed=3, begin=2))
    assert whole[1:] == later


def test_new_tasks_join_without_the_rated_ones_playing_among_themselves():
    played = dict.fromkeys(names(50), 2) | dict.fromkeys(names(6, 50), 0)
    rounds = list(draw_rounds(played, 2, seed=1, begin=3))
    new = set(names(6, 50))
    assert [number for number, _ in rounds] == [3, 4]
    for _, pairs in rounds:
        assert len(pairs) == 6
        assert all(len(new & set(pair)) == 1 for pair in pairs)


@pytest.mark.parametrize("played", [{}, {"only": 0}, {"a": 2, "b": 3}])
def test_nothing_is_drawn_where_nobody_owes_a_round_or_there_is_no_opponent(played):
    assert list(draw_rounds(played, 2, seed=1)) == []


def test_who_is_shown_first_is_drawn():
    new, old = names(400), names(400, 1000)
    pairs = draw_round(new, old, np.random.default_rng(8))
    first = sum(pair.first in set(new) for pair in pairs)
    assert 150 < first < 250


# ------------------------------------------------------------------ elo


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
    assert expected_outcome(np.array(1600.0), np.array(1200.0)) == pytest.approx(10 / 11)
    assert expected_outcome(np.array(1200.0), np.array(1600.0)) == pytest.approx(1 / 11)


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


@settings(deadline=None, max_examples=40)
@given(rounds())
def test_sum_of_ratings_is_conserved(case):
    tasks, rows = case
    assert ratings(rounds_of(rows), tasks).sum() == pytest.approx(START * tasks, abs=1e-8)


@settings(deadline=None, max_examples=40)
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


def test_ends_lie_outward_of_the_share_that_is_asked_for():
    drawn = np.random.default_rng(5).integers(0, 4, (4, 41))
    resampled = [
        one_by_one([FOUR[place] for place in sorted(column)], 3) for column in drawn.T.tolist()
    ]
    ordered = np.sort(resampled, axis=0)
    # Of the 40 gaps between 41 lie a quarter, 10, or an eighth, 5, or 2.5 beyond each end.
    for level, low, high in ((0.5, 10, 30), (0.75, 5, 35), (0.875, 2, 38)):
        chance = np.random.default_rng(5)
        ends = intervals(rounds_of(FOUR), 3, chance, resamples=41, level=level)
        assert ends[:, 0] == pytest.approx(ordered[low], abs=0.01)
        assert ends[:, 1] == pytest.approx(ordered[high], abs=0.01)


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


# ------------------------------------------------------------------ standings


TASKS = [task(name) for name in "abc"]
# The four comparisons of test_elo, with their outcomes: a is 0, b is 1, c is 2.
FOUR_RANKED = [
    comparison(1, "a", "b", 0.8),
    comparison(2, "b", "c", 0.55),
    comparison(3, "c", "a", 1.0),
    comparison(4, "a", "b", 0.7),
]


def ranked(comparisons, tasks=TASKS, seed=1):
    return task_standings(tasks, comparisons, np.random.default_rng(seed))


def test_the_best_stands_first_with_what_its_rating_rests_on():
    found = ranked(FOUR_RANKED)
    assert [(each.rank, each.task.id, each.compared, each.won) for each in found] == [
        (1, "c", 2, 1),
        (2, "a", 3, 2),
        (3, "b", 3, 1),
    ]
    ratings = [each.rating for each in found]
    assert ratings == pytest.approx([1214.4940, 1199.4354, 1186.0706], abs=0.001)
    assert all(each.low <= each.rating <= each.high for each in found)


def test_lines_may_stand_in_any_order():
    assert ranked(FOUR_RANKED[::-1]) == ranked(FOUR_RANKED)


def test_tasks_without_comparisons_keep_the_start_in_their_order():
    waiting = drawn_comparisons(
        5, [TaskPair("a", "b"), TaskPair("c", None)], {each.id: each for each in TASKS}
    )
    found = ranked(waiting)
    assert [(each.task.id, each.rating, each.low, each.high) for each in found] == [
        (name, 1200.0, None, None) for name in "abc"
    ]


def test_tasks_that_are_gone_still_count_for_those_they_met():
    found = ranked(FOUR_RANKED, TASKS[:2])
    assert [each.task.id for each in found] == ["a", "b"]
    assert [each.rating for each in found] == pytest.approx([1199.4354, 1186.0706], abs=0.001)


def test_table_has_every_task_and_no_formula(tmp_path):
    formula = [task("=1+1"), task("b")]
    write_ranking(tmp_path / "r.csv", ranked([comparison(1, "=1+1", "b")], formula))
    with (tmp_path / "r.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["id"] for row in rows] == ["'=1+1", "b"]
    assert rows[0] | {"low": "", "high": ""} == {
        "rank": "1", "id": "'=1+1", "rating": "1209.6", "low": "", "high": "",
        "compared": "1", "won": "1",
    }  # fmt: skip
