"""Pairs: disjoint, drawn by the seed, and new tasks against rated ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.curate.arena.pairing import draw_round, draw_rounds


def names(count, start=0):
    return [f"t{n}" for n in range(start, start + count)]


def members(pairs):
    return [name for pair in pairs for name in pair if name is not None]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 99))
def test_every_task_that_owes_a_round_is_in_it_once(owing, rated, seed):
    new, old = names(owing), names(rated, 100)
    pairs = draw_round(new, old, np.random.default_rng(seed))
    found = members(pairs)
    assert len(found) == len(set(found))
    assert set(new) <= set(found) <= {*new, *old}
    assert sum(pair.second is None for pair in pairs) == (max(0, owing - rated) % 2)


@settings(deadline=None, max_examples=60)
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
