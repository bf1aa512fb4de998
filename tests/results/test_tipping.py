"""How bad unscored tasks would have to be, against changes of sign that are all written out."""

from __future__ import annotations

from itertools import product
from statistics import fmean

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deepassay.results.comparing import compare
from deepassay.results.comparison_tables import to_csv, write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.tipping import LEVEL, tipping_points
from deepassay.score import Cause
from deepassay.stats.intervals import Interval

from .judgements import make, unfolded
from .test_unscored import less_nothing

STEP = 2 / 2**10


def p_of(values):
    """Of all changes of sign: in how many the sum is as far from zero."""
    total = abs(sum(values))
    signs = list(product((1, -1), repeat=len(values)))
    sums = [abs(sum(s * v for s, v in zip(each, values, strict=True))) for each in signs]
    return sum(each >= total - 1e-9 for each in sums) / len(signs)


def shows(values, scored):
    """Whether the values show what the scored ones do."""
    return p_of(values) < LEVEL and sum(values) * sum(scored) > 0


def ends_of(scored, missing):
    """Scored tasks, and others that may have anything between -1 and 1."""
    known = {f"s{n}": Interval(value, value) for n, value in enumerate(scored)}
    return known | {f"m{n}": Interval(-1.0, 1.0) for n in range(missing)}


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.sampled_from([-0.2, 0.1, 0.2, 0.3, 0.4]), min_size=6, max_size=8),
    st.integers(1, 3),
    st.sampled_from([1, -1]),
)
def test_it_is_where_the_scored_tasks_stop_showing_it(values, missing, sign):
    scored = [sign * value for value in values]
    (found,) = tipping_points([less_nothing(ends_of(scored, missing))], None, 0)
    if p_of(scored) >= LEVEL:
        assert found is None
        return
    assert found.p == pytest.approx(p_of(scored))
    worst = -1.0 if sum(scored) > 0 else 1.0
    if found.at is None:
        assert shows([*scored, *[worst] * missing], scored)
        return
    start = fmean(scored)
    assert not shows([*scored, *[found.at] * missing], scored)
    before = found.at + (STEP if worst < 0 else -STEP)
    assume(min(start, worst) < before < max(start, worst))
    assert shows([*scored, *[before] * missing], scored)


def test_pairs_without_a_gap_or_an_end_have_none():
    whole = {f"s{n}": Interval(0.5, 0.5) for n in range(8)}
    endless = {**whole, "m": Interval(float("-inf"), float("inf"))}
    assert tipping_points([*map(less_nothing, (whole, endless, {}))], None, 0) == [None, None, None]


def test_unscored_tasks_that_cannot_matter_never_tip_it():
    narrow = {f"s{n}": Interval(0.5, 0.5) for n in range(9)} | {"m": Interval(-0.1, 0.1)}
    ((_, at),) = tipping_points([less_nothing(narrow)], None, 0)
    assert at is None


def test_tasks_of_one_cluster_change_sign_together():
    scored = [0.2, 0.1, 0.15, 0.2, 0.1, 0.3]
    clusters = {task: task[1:] for task in ends_of(scored, 1)} | {"m0": "own"}
    doubled = ends_of(scored, 1) | {f"t{n}": Interval(v, v) for n, v in enumerate(scored)}
    both = clusters | {f"t{n}": str(n) for n in range(len(scored))}
    ((_, at),) = tipping_points([less_nothing(doubled)], both, 0)
    values = [*(2 * v for v in scored), at]
    assert p_of(values) >= LEVEL
    assert p_of([*(2 * v for v in scored), at + STEP]) < LEVEL


def contests():
    """Eighteen tasks of eighteen won by ten points, and two that one agent has no score for."""
    records = [
        make(agent, f"t{n}", value)
        for n in range(18)
        for agent, value in (("heron", 60 + n % 3), ("cuckoo", 50.0))
    ]
    for task in ("t18", "t19"):
        records += [make("heron", task, Cause.TIMEOUT), make("cuckoo", task, 50.0)]
    return compare(records, ("heron", "cuckoo"), ComparisonTerms())


def test_a_comparison_says_it_beside_the_largest_p():
    (contest,) = contests()
    (row,) = contest.differences
    assert row.permutation.p > LEVEL > row.tipping.p
    assert -50 <= row.tipping.at < 0
    text = unfolded(write_contests([contest], "text", ranked=False))
    assert "tips at" in text
    assert f"{row.tipping.at:.1f}" in text
    assert "until the unscored tasks differ by this on average" in text
    assert "tips_at" in to_csv([contest])
