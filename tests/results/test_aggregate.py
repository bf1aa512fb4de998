import math
from dataclasses import replace
from statistics import fmean
from string import ascii_lowercase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.panel import combine
from deepassay.results.aggregate import Count, PartMean, aggregate, nested_mean
from deepassay.results.ranges import ranges_of
from deepassay.results.ranking import rank
from deepassay.score import Cause, Metric, Score, Unscored
from deepassay.stats.intervals import Interval

from .judgements import make

PERCENT = Interval(0.0, 100.0)
ANY = dict.fromkeys(ascii_lowercase, PERCENT)

values = st.floats(0, 100, allow_nan=False)
outcomes = st.one_of(values, st.sampled_from([Cause.TIMEOUT, Cause.JUDGE_REFUSED]))
designs = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(1, 2), st.integers(0, 2), outcomes),
    min_size=1,
    max_size=14,
    unique_by=lambda each: each[:3],
)


def records_of(design):
    return [make("x", task, value, sample=s, repeat=r) for task, s, r, value in design]


def test_repeats_and_samples_are_averaged_within_a_task_before_tasks_are():
    records = [
        make("x", "a", 0, repeat=0),
        make("x", "a", 100, repeat=1),
        make("x", "a", 100, sample=2),
        make("x", "b", 25),
    ]
    assert aggregate(records).mean == fmean([fmean([50, 100]), 25])


def test_missing_judgements_are_counted_with_their_causes_and_never_as_zero():
    records = [
        make("x", "a", 80),
        make("x", "b", Cause.TIMEOUT),
        make("x", "c", 60, repeat=0),
        make("x", "c", Cause.JUDGE_REFUSED, repeat=1),
    ]
    summary = aggregate(records, ANY)
    assert summary.mean == 70
    assert summary.tasks == Count(2, 3)
    assert summary.judgements == Count(2, 4)
    assert summary.causes == {"judge_refused": 1, "timeout": 1}
    assert summary.bounds == Interval((80 + 0 + 30) / 3, (80 + 100 + 80) / 3)


def test_nothing_scored_gives_no_mean_but_the_whole_range():
    summary = aggregate([make("x", "a", Cause.TIMEOUT)], ANY)
    assert (summary.mean, summary.interval, summary.pooled) == (None, None, None)
    assert summary.bounds == PERCENT


def test_a_metric_without_a_range_has_no_bounds():
    free = make("x", "a", Score(125.0, None))
    records = [free, make("x", "b", 50)]
    assert ranges_of(records) == {"b": PERCENT}
    assert aggregate(records, ranges_of(records)).bounds is None


def test_a_task_without_a_score_has_the_range_of_all_the_others():
    records = [make("x", "b", 50), make("x", "c", Cause.TIMEOUT)]
    assert ranges_of(records) == {"b": PERCENT, "c": PERCENT}


def test_every_task_may_have_a_range_of_its_own():
    """As rubrics have: what is missing is as bad or good as its own rubric allows."""
    records = [
        make("heron", "a", Score(0.5, (-1.0, 1.0))),
        make("heron", "b", Cause.TIMEOUT),
        make("cuckoo", "b", Score(0.2, (-3.0, 1.0))),
    ]
    ranges = ranges_of(records)
    assert ranges == {"a": (-1, 1), "b": (-3, 1)}
    assert aggregate(records[:2], ranges).bounds == ((0.5 - 3) / 2, (0.5 + 1) / 2)
    assert ranges_of([*records[:2], make("heron", "c", Score(0.1, (0.0, 1.0)))]).keys() == {
        "a",
        "c",
    }


def test_the_interval_is_cut_where_the_mean_of_the_ranges_ends():
    records = [
        make("heron", "a", Score(1.0, (0.0, 1.0))),
        make("heron", "b", Score(-1.0, (-2.0, 1.0))),
    ]
    assert aggregate(records, ranges_of(records)).interval == (-1, 1)


def test_the_pooled_share_weighs_every_item_the_same():
    records = [
        make("x", "a", 100, tally=(1.0, 1.0)),
        make("x", "b", 25, tally=(2.0, 8.0)),
    ]
    summary = aggregate(records)
    assert summary.mean == 62.5
    assert summary.pooled == pytest.approx(3 / 9)


PER_CENT = {"a": (300.0, 5.0), "b": (100.0, 3.0), "c": (0.0, 2.0)}
"""What reports of a set that pools have met, in the unit of its score, of how many items."""


def pooling(tallies, high=100.0, lost=()):
    """Judgements of one agent by a metric that pools, on 0 to `high`."""
    scored = [
        make("x", task, Score(met / of, high and (0.0, high), tally=(met, of)))
        for task, (met, of) in tallies.items()
    ]
    every = [*scored, *(make("x", task, Cause.TIMEOUT) for task in lost)]
    return [replace(each, metric=Metric("coverage", pools=True)) for each in every]


def test_a_pooled_share_and_its_bounds_are_on_the_scale_of_the_score():
    records = pooling(PER_CENT)
    summary = aggregate(records, ranges_of(records))
    assert (summary.mean, summary.bounds) == (40, (40, 40))
    assert summary.pooled == pytest.approx(0.4)
    missing = pooling(PER_CENT, lost="de")
    assert aggregate(missing, ranges_of(missing)).bounds == (0, 100)
    shares = pooling({"a": (3.0, 5.0), "b": (1.0, 5.0)}, high=1.0, lost="c")
    summary = aggregate(shares, ranges_of(shares))
    assert (summary.mean, summary.pooled, summary.bounds) == (0.4, 0.4, (0, 1))


def test_what_is_pooled_on_a_scale_that_nobody_declared_has_no_share_and_no_bounds():
    records = pooling(PER_CENT, high=None, lost="d")
    summary = aggregate(records, ranges_of(records))
    assert (summary.mean, summary.pooled, summary.bounds) == (40, None, None)


def test_parts_have_their_own_means_and_numbers_of_tasks():
    records = [
        make("x", "a", 100, parts={"P10": 100.0, "P2": 100.0}),
        make("x", "b", 0, parts={"P10": None, "P2": 0.0}),
    ]
    parts = aggregate(records).parts
    assert list(parts) == ["P2", "P10"]
    assert parts == {"P2": PartMean(50.0, 2), "P10": PartMean(100.0, 1)}


def panel(task, **said):
    """A judgement of two judges, each a value or a cause."""
    outcomes = {
        name: Unscored(value) if isinstance(value, Cause) else Score(value, (0.0, 100.0))
        for name, value in said.items()
    }
    return make("x", task, combine(outcomes))


def test_judges_of_a_panel_are_kept_apart_and_their_spread_is_shown():
    summary = aggregate([panel("a", one=80.0, two=60.0), panel("b", one=90.0, two=90.0)])
    assert summary.mean == 80
    assert summary.judges == {"one": PartMean(85.0, 2), "two": PartMean(75.0, 2)}
    assert summary.judge_spread == 10.0


def test_agreement_between_judges_is_pooled_over_their_verdicts():
    def said(one, two):
        outcomes = {"one": Score(0.0, parts=one), "two": Score(0.0, parts=two)}
        return make("x", "a", combine(outcomes))

    first = said({"P1": 100.0, "P2": 0.0}, {"P1": 100.0, "P2": 100.0})
    second = said({"P1": 0.0, "P2": 100.0}, {"P1": 0.0, "P2": 100.0})
    assert aggregate([first, second]).judge_agreement == 3 / 4
    assert aggregate([make("x", "a", 50)]).judge_agreement is None


def test_a_judge_that_is_missing_from_a_panel_is_counted_and_widens_the_bounds():
    summary = aggregate([panel("a", one=80.0, two=Cause.TIMEOUT)], ANY)
    assert summary.mean == 80
    assert summary.tasks == Count(1, 1)
    assert summary.judgements == Count(1, 2)
    assert summary.causes == {"timeout": 1}
    assert summary.bounds == Interval(40, 90)


def test_one_task_has_no_interval():
    assert aggregate([make("x", "a", 50, repeat=r) for r in range(3)]).interval is None


@settings(deadline=None, max_examples=80)
@given(designs, st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(design, shuffler):
    records = records_of(design)
    shuffled = list(records)
    shuffler.shuffle(shuffled)
    assert aggregate(shuffled, ANY) == aggregate(records, ANY)


@settings(deadline=None, max_examples=80)
@given(designs, st.data())
def test_losing_a_score_never_narrows_the_bounds(design, data):
    scored = [i for i, (*_, value) in enumerate(design) if not isinstance(value, Cause)]
    before = aggregate(records_of(design), ANY).bounds
    if scored:
        i = data.draw(st.sampled_from(scored))
        design[i] = (*design[i][:3], Cause.TIMEOUT)
    after = aggregate(records_of(design), ANY).bounds
    assert after.low <= before.low + 1e-9
    assert after.high >= before.high - 1e-9


@settings(deadline=None, max_examples=80)
@given(designs)
def test_the_mean_lies_within_the_bounds_and_meets_them_when_nothing_is_missing(design):
    summary = aggregate(records_of(design), ANY)
    if summary.mean is not None:
        assert summary.bounds.low - 1e-9 <= summary.mean <= summary.bounds.high + 1e-9
    if summary.judgements.scored == summary.judgements.expected:
        assert summary.bounds == pytest.approx((summary.mean, summary.mean))


@given(st.lists(values, min_size=1, max_size=8))
def test_a_nested_mean_of_one_level_is_the_mean(numbers):
    leaves = [((), number) for number in numbers]
    assert math.isclose(nested_mean(leaves), fmean(numbers))


def clipping(agent, *values):
    """Judgements by a metric whose mean is kept within 0 and 1, a task each."""
    return [
        replace(
            make(agent, f"t{n}", Cause.TIMEOUT if each is None else Score(each, (-1.0, 1.0))),
            metric=Metric("coverage", clips=True),
        )
        for n, each in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("values", "mean", "bounds"),
    [((-0.3, -0.2), 0.0, (0.0, 0.0)), ((0.5, None), 0.5, (0.0, 0.75)), ((1.0, 1.0), 1.0, (1, 1))],
)
def test_a_mean_within_0_and_1_has_its_interval_and_bounds_there_too(values, mean, bounds):
    records = clipping("a", *values)
    found = aggregate(records, ranges_of(records))
    assert (found.mean, found.bounds) == (mean, bounds)
    interval = found.interval or (0, 1)
    assert 0 <= interval[0] <= interval[1] <= 1


def test_places_go_by_the_kept_mean_also_where_tasks_are_unscored():
    # Whatever the missing task had scored, both means end at 0.
    low, lower = (-0.9,) * 4, (-1.0,) * 4
    (board,) = rank([*clipping("a", *low, None), *clipping("b", *lower, -1.0)])
    assert {row.agent: str(row.ranks) for row in board.standings} == {"a": "1", "b": "1"}
