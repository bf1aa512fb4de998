"""Labels where they count: chances add up, none falls, and it is learnt where the judge errs."""

import numpy as np
import pytest
from benchmarks.saved_labels import WHERE, WITH_JUDGE, Drawable, gap_of, people_world
from hypothesis import given
from hypothesis import strategies as st

from deepassay.stats.active import (
    EVEN,
    DrawnLabels,
    TwoAgents,
    chances_for,
    doubt_of,
    expected_errors,
    kinds_of,
    raised,
)

NAN = float("nan")


@given(
    st.lists(st.floats(0, 10), min_size=5, max_size=60).filter(lambda own: sum(own) > 1e-3),
    st.integers(1, 40),
)
def test_chances_add_up_to_the_labels_that_are_wanted(errors, labels):
    found = chances_for(np.array(errors), labels)
    there = np.array(errors) > 0
    assert found.sum() == pytest.approx(min(labels, there.sum()), rel=1e-6)
    assert (found <= 1).all()
    assert not found[~there].any()
    if labels < there.sum():  # everything that counts has an even part of them
        assert (found[there] >= EVEN * labels / there.sum() * (1 - 1e-9)).all()


def test_what_errs_twice_as_far_is_drawn_more_often():
    found = chances_for(np.array([1.0] * 50 + [2.0] * 50), 10)
    even = EVEN / 100
    assert found[-1] / found[0] == pytest.approx(
        (even + (1 - EVEN) * 2 / 150) / (even + (1 - EVEN) / 150)
    )


@given(st.integers(0, 1000), st.integers(1, 30))
def test_a_further_round_lowers_no_chance_and_adds_what_was_asked(seed, more):
    chance = np.random.default_rng(seed)
    before = chances_for(chance.random(100), 20)
    after = raised(before, chance.random(100), more)
    assert (after >= before).all()
    assert after.sum() - before.sum() == pytest.approx(more, abs=1e-3)


def test_kinds_are_the_verdicts_or_bins_of_as_many():
    assert kinds_of(np.array([0.0, 1, 0.5, 1])).tolist() == [0, 2, 1, 2]
    sizes = np.bincount(kinds_of(np.arange(60) / 60))
    assert sizes.tolist() == [10] * 6


def test_without_labels_a_divided_panel_is_what_is_in_doubt():
    doubt = doubt_of(np.array([0, 1 / 3, 1]))
    assert doubt[1] > doubt[0] == doubt[2] > 0


def test_labels_show_where_the_judge_errs():
    chance = np.random.default_rng(1)
    task = np.repeat(np.arange(60), 10)
    ours = (chance.random(600) < 0.5).astype(float)
    # Where it says no, it is right; where it says yes, as often as not.
    theirs = np.where(ours > 0, chance.random(600) < 0.5, False).astype(float)
    shown = np.where(chance.random(600) < 0.3, theirs, NAN)
    labels = DrawnLabels(shown, np.full(600, 0.3))
    found = expected_errors(TwoAgents(ours, task % 2, task), labels, 0)
    assert found[ours > 0].mean() > 3 * found[ours == 0].mean()
    assert found[ours > 0].mean() == pytest.approx(0.5, abs=0.1)


def test_what_is_learnt_of_a_task_comes_from_others():
    chance = np.random.default_rng(2)
    task = np.repeat(np.arange(40), 5)
    ours, theirs = chance.random(200), chance.random(200)
    labels = DrawnLabels(theirs, np.ones(200))
    of = TwoAgents(ours, np.arange(200) % 2, task)
    first = expected_errors(of, labels, 0)[task == 3]
    other = theirs.copy()
    other[task == 3] = 1 - other[task == 3]
    after = expected_errors(of, DrawnLabels(other, np.ones(200)), 0)[task == 3]
    assert after == pytest.approx(first)


def test_labels_show_that_the_judge_errs_of_one_agent_and_not_of_the_other():
    chance = np.random.default_rng(4)
    task, agent = np.repeat(np.arange(60), 10), np.arange(600) % 2
    ours = (chance.random(600) < 0.5).astype(float)
    theirs = np.where(agent == 0, ours, chance.random(600) < 0.5)
    shown = np.where(chance.random(600) < 0.3, theirs, NAN)
    labels = DrawnLabels(shown, np.full(600, 0.3))
    found = expected_errors(TwoAgents(ours, agent, task), labels, 0)
    assert found[agent == 1].mean() > 2 * found[agent == 0].mean()
    assert found[agent == 1].mean() == pytest.approx(0.5, abs=0.1)


def test_while_the_judge_is_right_on_every_label_more_are_drawn():
    chance = np.random.default_rng(3)
    ours = (chance.random(400) < 0.6).astype(float)
    before = np.full(400, 0.05)
    theirs = np.where(chance.random(400) < before, ours, NAN)
    of = TwoAgents(ours, np.arange(400) % 2, np.repeat(np.arange(40), 10))
    after = raised(before, of.errors(DrawnLabels(theirs, before), 0), 20)
    assert after.sum() == pytest.approx(40, abs=1e-3)
    assert (after >= before).all()


def test_an_agent_with_fewer_items_counts_more_for_each():
    of = TwoAgents(np.full(30, 0.5), np.array([0] * 10 + [1] * 20), np.arange(30))
    found = of.errors(DrawnLabels(np.full(30, NAN), np.ones(30)), 0)
    assert found[0] == pytest.approx(2 * found[-1])


def test_the_interval_is_narrower_than_by_chance_and_holds_the_truth():
    """A panel that errs where it is divided; benchmarks.saved_labels has more."""
    large, met = people_world(np.random.default_rng(1), "panel", 20_000)
    truth = float(met[large.agent == 0].mean() - met[large.agent == 1].mean())
    held, widths = 0, {WITH_JUDGE: 0.0, WHERE: 0.0}
    for seed in range(30):
        world = Drawable(*people_world(np.random.default_rng([5, seed]), "panel", 100), truth)
        for way in widths:
            gap, _ = gap_of(world, way, 240, seed)
            widths[way] += gap.interval.high - gap.interval.low
        held += gap.interval.low <= truth <= gap.interval.high
    assert widths[WHERE] < 0.93 * widths[WITH_JUDGE]
    assert held >= 25  # of 30 at 95 %, three standard errors
