"""Drawn evenly: every item by its chance, no task far from its mean, and nothing is taken back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.stats.spread import SpreadDraw

PARTS = 20
EVERY = (np.arange(PARTS) + 0.5) / PARTS
"""Chances are whole parts, so that these numbers stand for all that a task may keep."""


def rounds_of(seed, items, rounds):
    """Chances that rise from round to round, shape (rounds, items)."""
    steps = np.random.default_rng(seed).integers(0, 6, (rounds, items))
    return np.minimum(np.cumsum(steps, axis=0), PARTS) / PARTS


def drawn_by_all(chances, agent):
    """What each number would draw after each round; shape (rounds, numbers, items)."""
    task = np.zeros(len(agent), dtype=int)
    draw = SpreadDraw(agent, task, np.arange(len(agent)).astype(float))
    found = []
    for each in chances:
        draw.rise(each)
        found.append(np.stack([draw.drawn(np.array([number])) for number in EVERY]))
    return np.stack(found)


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 5))
def test_every_item_is_drawn_by_its_chance_and_stays_drawn(seed, items, rounds):
    chances = rounds_of(seed, items, rounds)
    found = drawn_by_all(chances, np.arange(items) % 2)
    assert found.mean(axis=1) == pytest.approx(chances)
    assert (found[1:] >= found[:-1]).all()


@given(st.integers(0, 10**6), st.integers(2, 12))
def test_a_task_gets_as_many_as_its_chances_add_up_to(seed, items):
    chances = rounds_of(seed, items, 1)
    counts = drawn_by_all(chances, np.arange(items) % 2)[0].sum(axis=1)
    mean = chances.sum()
    assert np.floor(mean - 1e-6) <= counts.min()
    assert counts.max() <= np.ceil(mean + 1e-6)


def test_two_labels_of_a_task_are_one_of_each_agent():
    agent = np.repeat([0, 1], 5)
    found = drawn_by_all(np.full((1, 10), 0.2), agent)[0]
    assert (found[:, agent == 0].sum(axis=1) == 1).all()
    assert (found[:, agent == 1].sum(axis=1) == 1).all()


def test_tasks_are_drawn_each_by_its_own_number():
    agent, task = np.zeros(6, dtype=int), np.array([0, 1, 0, 1, 0, 1])
    draw = SpreadDraw(agent, task, np.arange(6.0))
    draw.rise(np.full(6, 1 / 3))
    first = draw.drawn(np.array([0.1, 0.9]))
    assert first[task == 0].tolist() == draw.drawn(np.array([0.1, 0.1]))[task == 0].tolist()
    assert first[task == 1].tolist() == draw.drawn(np.array([0.9, 0.9]))[task == 1].tolist()
    assert np.flatnonzero(first).tolist() == [0, 5]
