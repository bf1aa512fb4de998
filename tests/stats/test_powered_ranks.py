"""Ranks by people: shown differences alone put an agent behind another."""

import numpy as np
import pytest

from deepassay.stats.powered_ranks import powered_gaps, powered_ranks
from deepassay.stats.prediction_powered import powered

TASKS = np.arange(40)


def agent(chance, mean, shared):
    theirs = mean + shared + chance.normal(0, 0.3, 40)
    ours = theirs + chance.normal(0, 0.2, 40)
    return powered(ours, np.where(TASKS < 25, theirs, np.nan), TASKS)


def three(seed, means=(1.0, 1.0, 4.0)):
    chance = np.random.default_rng(seed)
    shared = chance.normal(0, 1, 40)  # some tasks are easy for all
    return [agent(chance, mean, shared) for mean in means]


def test_two_that_are_close_share_their_ranks_and_the_third_is_first():
    ranks = powered_ranks(three(1), seed=0)
    assert ranks == [(2, 3), (2, 3), (1, 1)]


def test_differences_know_that_tasks_are_shared():
    found = three(2)
    (pair, *_) = powered_gaps(found)
    alone = found[0].found.interval
    assert pair.value == pytest.approx(found[0].found.value - found[1].found.value)
    # What both have in common goes out: the interval is narrower than that of one of them.
    assert pair.interval.high - pair.interval.low < alone.high - alone.low
    assert 0.02 < pair.flip < 0.98
    last = powered_gaps(found)[2]
    assert (last.one, last.other) == (1, 2)
    assert last.flip > 0.999


def test_an_agent_on_fewer_tasks_is_compared_over_all_that_there_are():
    chance = np.random.default_rng(4)
    few = powered(chance.normal(0, 1, 20), chance.normal(0, 1, 20), np.arange(20))
    (pair,) = powered_gaps([few, three(1)[2]])
    assert pair.flip > 0.99


def test_few_labels_of_one_agent_are_not_made_surer_by_many_of_the_other():
    held = 0
    for seed in range(600):
        chance = np.random.default_rng(seed)
        few, many = (
            powered(np.zeros(count), chance.normal(0, 1, count), start + np.arange(count))
            for start, count in ((0, 5), (5, 200))
        )
        ((_, _, _, interval, _),) = powered_gaps([few, many])
        held += interval.low <= 0 <= interval.high
    assert held / 600 > 0.93  # .89 with the degrees of freedom of 205 tasks


def test_true_ranks_are_within():
    held = 0
    for seed in range(200):
        ranks = powered_ranks(three(seed, (1.0, 1.15, 1.3)), seed=0)
        held += sum(low <= true <= high for (low, high), true in zip(ranks, (3, 2, 1), strict=True))
    assert held / 600 >= 0.95


def test_what_is_shown_no_longer_widens_the_ranks_of_what_is_close():
    """Beside agents that are far apart, two that differ are told as well as if they were alone."""
    told = {"alone": 0, "beside others": 0}
    for seed in range(150):
        means = (1.0, 1.16, 3.0, 5.0, 7.0)
        for name, own in (("alone", means[:2]), ("beside others", means)):
            ranks = powered_ranks(three(seed, own), seed=0)
            told[name] += ranks[0].low > ranks[1].high
    assert told["beside others"] == pytest.approx(told["alone"], abs=15)
    assert told["alone"] > 30


def test_equal_agents_share_all_ranks_in_95_of_100_worlds():
    held = 0
    for seed in range(200):
        ranks = powered_ranks(three(seed, (1.0, 1.0, 1.0)), seed=0)
        held += sum(each == (1, 3) for each in ranks)
    assert 0.93 <= held / 600 < 0.98
