from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.panel import combine
from deepassay.protocols.depth.comparison import DIMENSIONS
from deepassay.protocols.depth.protocol import VALUES, Depth
from deepassay.results.aggregate import aggregate
from deepassay.results.judge_pairs import judge_pairs, judge_tables, panel_worth
from deepassay.results.ranking import rank
from deepassay.score import Cause, Score, Unscored

from .judgements import make


def scored(value, **parts):
    return Score(
        float(value), (0.0, 100.0), parts={name: float(each) for name, each in parts.items()}
    )


def judged(task, **said):
    outcomes = {
        name: Unscored(each, "why") if isinstance(each, Cause) else each
        for name, each in said.items()
    }
    combined = combine(outcomes)
    record = make("heron", task, 0)
    return replace(record, outcome=combined)


def test_two_judges_are_compared_over_what_both_scored():
    values = [(10, 20), (30, 30), (50, 40), (90, 80)]
    (pair,) = judge_pairs(
        [judged(str(i), x=scored(a), y=scored(b)) for i, (a, b) in enumerate(values)]
    )
    assert (pair.one, pair.other, pair.both) == ("x", "y", 4)
    assert pair.difference == pytest.approx(2.5)
    assert pair.absolute == pytest.approx(7.5)
    assert pair.same == 0.25
    assert (pair.spearman, pair.kendall) == (pytest.approx(1), pytest.approx(1))


def test_ties_count_as_in_tau_b():
    values = [(1, 1), (2, 2), (2, 3), (3, 2)]
    (pair,) = judge_pairs(
        [judged(str(i), x=scored(a), y=scored(b)) for i, (a, b) in enumerate(values)]
    )
    # of 6 pairs: 3 in the same order, 1 in the other, 1 tied in each judge alone
    assert pair.kendall == pytest.approx((3 - 1) / 5)


def test_a_judge_that_never_varies_has_no_rank_correlation():
    records = [judged(str(i), x=scored(50), y=scored(i)) for i in range(3)]
    (pair,) = judge_pairs(records)
    assert (pair.spearman, pair.kendall) == (None, None)
    (table,) = judge_tables(records, None)
    assert table.rows[0][9:11] == ("–", "–")


def test_what_only_one_judge_scored_is_counted_and_not_compared():
    records = [
        judged("1", x=scored(10), y=Cause.TIMEOUT),
        judged("2", x=Cause.JUDGE_REFUSED, y=scored(20)),
        judged("3", x=Cause.JUDGE_REFUSED, y=Cause.TIMEOUT),
        judged("4", x=scored(40), y=scored(40)),
    ]
    (pair,) = judge_pairs(records)
    assert (pair.both, pair.only_one, pair.only_other, pair.neither) == (1, 1, 1, 1)
    assert (pair.difference, pair.same) == (0, 1)


def test_verdicts_are_compared_one_by_one_with_kappa():
    records = [
        judged("1", x=scored(50, P1=100, P2=0), y=scored(100, P1=100, P2=100)),
        judged("2", x=scored(50, P1=0, P2=100), y=scored(50, P1=0, P2=100)),
    ]
    (pair,) = judge_pairs(records)
    assert (pair.verdicts, pair.agreement) == (4, 0.75)
    assert pair.kappa == pytest.approx((0.75 - 0.5) / (1 - 0.5))


def test_who_wins_is_the_one_verdict_where_pairs_are_compared():
    depth = Depth(baseline="cuckoo")

    def said(winner):
        marks = {"own": {"own": 5, "tie": 3, "baseline": 1}[winner], "baseline": 3}
        sheets = {side: dict.fromkeys(DIMENSIONS, mark) for side, mark in marks.items()}
        totals = {side: 5 * mark for side, mark in marks.items()}
        details = {"winner": winner, "totals": totals, "dimensions": sheets}
        return Score(VALUES[winner], (0.0, 100.0), details=details)

    said_of = [("own", "own"), ("own", "baseline"), ("tie", "tie"), ("own", "own")]
    records = [
        replace(record, outcome=depth.combine({"x": said(a), "y": said(b)}))
        for number, (a, b) in enumerate(said_of)
        if (record := make("heron", str(number), 0))
    ]
    (pair,) = judge_pairs(records)
    assert (pair.verdicts, pair.agreement) == (4, 0.75)
    # Chance: both say "own" 3/4 * 2/4, both "tie" 1/4 * 1/4.
    assert pair.kappa == pytest.approx((0.75 - 7 / 16) / (1 - 7 / 16))


def test_grades_are_no_verdicts():
    records = [judged("1", x=scored(50, a=10, b=20), y=scored(50, a=10, b=30))]
    (pair,) = judge_pairs(records)
    assert (pair.verdicts, pair.agreement, pair.kappa) == (0, None, None)


def test_three_judges_make_three_pairs_beneath_the_board():
    records = [judged("1", x=scored(1), y=scored(2), z=scored(3))]
    (board,) = rank(records)
    (table,) = board.tables
    assert [row[:2] for row in table.rows] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert not rank([make("heron", "1", 1)])[0].tables


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8))
def test_a_pair_is_the_same_seen_from_either_side(values):
    (pair,) = judge_pairs(
        [judged(str(i), x=scored(a), y=scored(b)) for i, (a, b) in enumerate(values)]
    )
    (turned,) = judge_pairs(
        [judged(str(i), x=scored(b), y=scored(a)) for i, (a, b) in enumerate(values)]
    )
    assert turned.difference == pytest.approx(-pair.difference)
    assert turned.absolute == pytest.approx(pair.absolute)
    assert turned.kendall == (None if pair.kendall is None else pytest.approx(pair.kendall))
    assert abs(pair.difference) <= pair.absolute + 1e-9


def test_beneath_the_pairs_stands_for_how_many_independent_judges_they_count():
    def alike(a, b):
        return [judged(str(i), x=scored(a(i), P1=a(i)), y=scored(b(i), P1=b(i))) for i in range(12)]

    (same,) = judge_tables(alike(lambda i: 100 * (i % 2), lambda i: 100 * (i % 2)), None)
    assert "The 2 judges count for 1.0 independent ones at least" in same.notes[-1]
    assert "correlates by 1.00 on 12 verdicts" in same.notes[-1]
    (apart,) = judge_tables(alike(lambda i: 100 * (i % 2), lambda i: 100 * (i // 2 % 2)), None)
    assert "count for 2.0 independent ones at least" in apart.notes[-1]
    (few,) = judge_tables(alike(lambda i: 100 * (i % 2), lambda i: 100 * (i % 2))[:9], None)
    assert "independent" not in few.notes[-1]


def of_reference(record):
    """The same as the report that others are scored against, of which nobody is asked."""
    same = {name: scored(50, a=50, b=50) for name in ("x", "y")}
    return replace(record, outcome=combine(same), is_reference=True)


def test_reports_that_others_are_scored_against_are_no_judgements_of_a_panel():
    values = [(10 + i, 90 - 7 * i % 50) for i in range(12)]
    asked = [
        judged(str(i), x=scored(a, a=a, b=a + 1), y=scored(b, a=b, b=b + 2))
        for i, (a, b) in enumerate(values)
    ]
    unasked = [of_reference(each) for each in asked]
    assert judge_pairs(asked + unasked) == judge_pairs(asked)
    assert panel_worth(asked + unasked) == panel_worth(asked)
    assert "on 12 scores" in panel_worth(asked)
    assert judge_tables(unasked, None) == ()
    summary = aggregate(unasked)
    assert (summary.judge_spread, summary.judge_agreement) == (None, None)


def graded(verdicts):
    """A score of a rubric: verdicts on the criteria c1, c2 and so on, None where one is open."""
    items = [
        {"key": f"c{at}", "item": "?", "axis": "Depth", "weight": 1, "score": merit}
        for at, merit in enumerate(verdicts, start=1)
    ]
    return Score(0.3, (0.0, 1.0), parts={"Depth": 0.3}, details={"items": items})


def test_judges_agree_on_criteria_of_rubrics_by_those_on_which_both_have_a_verdict():
    records = [
        judged("1", x=graded([1, 0.5, 0, 1]), y=graded([1, 0, 0, None]), z=Cause.TIMEOUT),
        judged("2", x=graded([0, 1]), y=graded([1, 1]), z=graded([0, 0.5])),
    ]
    pairs = {(each.one, each.other): each for each in judge_pairs(records)}
    assert {names: (each.verdicts, each.agreement) for names, each in pairs.items()} == {
        ("x", "y"): (5, 3 / 5),
        ("x", "z"): (2, 1 / 2),
        ("y", "z"): (2, 0),
    }
    # Chance of x and y: "1" 2/5 * 3/5, "0.5" 1/5 * 0, "0" 2/5 * 2/5.
    assert pairs["x", "y"].kappa == pytest.approx((0.6 - 0.4) / (1 - 0.4))
    assert aggregate(records).judge_agreement == 4 / 9


def test_a_panel_is_worth_what_its_verdicts_on_criteria_say():
    records = [judged(str(i), x=graded([i % 2, 1]), y=graded([i % 2, 1])) for i in range(12)]
    assert "correlates by 1.00 on 24 verdicts" in panel_worth(records)
