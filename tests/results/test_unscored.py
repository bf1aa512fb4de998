"""What unscored tasks could have scored, and the largest p that they could lead to."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.unscored import Possible, causes_of, possible_scores, sign_flips
from deepassay.score import Cause
from deepassay.stats.intervals import Interval, Units
from deepassay.stats.resampling import sign_flip

from .judgements import make

NOTHING = Interval(0.0, 0.0)


def less_nothing(ends):
    """A pair whose differences have these ends."""
    return Possible.of(ends), Possible.of(dict.fromkeys(ends, NOTHING))


VALUE = st.integers(-20, 20).map(float)
TASK = st.tuples(VALUE, VALUE).map(lambda ends: Interval(min(ends), max(ends)))


@settings(deadline=None, max_examples=100)
@given(st.lists(TASK, min_size=2, max_size=9), st.data())
def test_no_values_within_the_ends_have_a_larger_p(intervals, data):
    ends = {str(place): each for place, each in enumerate(intervals)}
    clusters = data.draw(st.sampled_from([None, {task: str(int(task) // 2) for task in ends}]))
    drawn = {
        task: low + data.draw(st.sampled_from([0, 0.25, 0.5, 1])) * (high - low)
        for task, (low, high) in ends.items()
    }
    ((largest, lowest),) = sign_flips([less_nothing(ends)], clusters, 0)
    assert sign_flip(Units.of(drawn, clusters), 0).p <= largest.p
    lows = {task: low for task, (low, _) in ends.items()}
    assert lowest == sign_flip(Units.of(lows, clusters), 0)


@settings(deadline=None, max_examples=30)
@given(st.lists(VALUE, min_size=13, max_size=20), st.integers(0, 5))
def test_where_all_is_scored_p_is_that_of_the_differences(values, seed):
    gaps = {f"{place:02}": value for place, value in enumerate(values)}
    ends = {task: Interval(value, value) for task, value in gaps.items()}
    expected = sign_flip(Units.of(gaps), seed)
    assert sign_flips([less_nothing(ends)], None, seed) == [(expected, expected)]


@settings(deadline=None, max_examples=30)
@given(st.lists(TASK, min_size=13, max_size=20), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1]))
def test_p_of_drawn_changes_of_sign_is_the_largest_too(intervals, seed, share):
    ends = {f"{place:02}": each for place, each in enumerate(intervals)}
    some = {task: low + share * (high - low) for task, (low, high) in ends.items()}
    assert sign_flip(Units.of(some), seed).p <= sign_flips([less_nothing(ends)], None, seed)[0][0].p


def test_an_unscored_task_reaches_as_far_as_its_range():
    ours = possible_scores({"a": 60.0}, ["a", "b"], {"b": Interval(0, 10)})
    theirs = possible_scores({"b": 4.0}, ["a", "b", "c"], {"a": Interval(0, 100)})
    found = Possible.of(ours).less(Possible.of(theirs))
    assert (found.tasks, [*found.low], [*found.high]) == (("a", "b"), [-40, -4], [60, 6])


def test_a_task_of_no_known_range_leaves_nothing_to_test():
    ends = possible_scores({"a": 1.0}, ["a", "b"], {})
    assert sign_flips([less_nothing(ends)], None, 0) == [(None, None)]


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([make("x", "a", 5), make("x", "b", Cause.TIMEOUT)], {"timeout": 1}),
        ([make("x", "a", Cause.TIMEOUT), make("x", "a", 5, repeat=1)], {}),
        (
            [make("x", "a", Cause.TIMEOUT, repeat=n) for n in range(2)]
            + [
                make("x", "b", cause, repeat=n)
                for n, cause in enumerate((Cause.TIMEOUT, Cause.BUDGET))
            ],
            {"budget/timeout": 1, "timeout": 1},
        ),
    ],
    ids=["unscored", "scored again", "several judgements"],
)
def test_causes_are_counted_by_tasks(records, told):
    scored = {"a"} if len(records) == 2 else set()
    assert causes_of(records, scored) == told


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_many_pairs_have_the_p_that_each_has_alone(data):
    # Values of no exact sums, in tasks that not all were asked.
    value = st.integers(0, 10).map(lambda tenths: tenths / 10)
    asked = data.draw(st.lists(st.sampled_from([14, 14, 14, 15]), min_size=4, max_size=5))
    agents = [
        Possible.of({f"{place:02}": Interval(*sorted(data.draw(ends))) for place in range(tasks)})
        for tasks in asked
        for ends in [st.one_of(st.tuples(value, value), value.map(lambda both: (both, both)))]
    ]
    pairs = [*combinations(agents, 2)]
    together = sign_flips(pairs, None, 0)
    assert together == [sign_flips([pair], None, 0)[0] for pair in pairs]
    for (one, other), (largest, _) in zip(pairs, together, strict=True):
        gaps = one.less(other)
        low, high = gaps.sums
        ends = [gaps.low, gaps.high]
        alone = [sign_flip(Units(each, np.ones(len(each))), 0) for each in ends]
        assert largest.p == (1.0 if low < 0 < high else max(each.p for each in alone))
