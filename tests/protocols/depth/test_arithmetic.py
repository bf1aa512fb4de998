import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.panel import combine
from deepassay.protocols.depth.comparison import Comparison, winner_of
from deepassay.protocols.depth.protocol import Order, panel_score, score_of, total
from deepassay.results.aggregate import aggregate
from deepassay.results.records import Judged
from deepassay.score import Cause, Signature, Unscored
from deepassay.stats.intervals import Interval
from tests.protocols.depth.marked import answer, sheet

FIVE = st.tuples(*[st.integers(0, 5)] * 5)


def order(own_first, own, baseline, **more):
    a, b = (own, baseline) if own_first else (baseline, own)
    flaws = more.pop("flaws", {"A": [], "B": []})
    said = json.dumps(answer(a, b, major_flaws=flaws, **more))
    return Order(own_first, Comparison.model_validate_json(said))


def scored(own, baseline, own_again=None, baseline_again=None):
    """The score by marks of the first order and of the second, by default the same."""
    second = order(False, own_again or own, baseline_again or baseline)
    return score_of([order(True, own, baseline), second])


@pytest.mark.parametrize(
    ("own", "baseline", "winner"),
    [
        ([20], [19], "tie"),
        ([20.5], [19], "own"),
        ([19], [20.5], "baseline"),
        ([19], [20], "tie"),
        ([0], [25], "baseline"),
        ([20, 17], [18, 17], "tie"),
        ([20, 17], [18, 16.5], "own"),
    ],
)
def test_only_a_lead_of_more_than_1_wins(own, baseline, winner):
    assert winner_of(own, baseline) == winner


def test_a_lead_of_exactly_1_over_three_judges_stays_a_tie():
    assert winner_of([8, 9, 5], [7, 9, 3]) == "tie"
    assert winner_of([8, 9, 5.5], [7, 9, 3]) == "own"


def test_a_win_a_tie_and_a_loss_are_100_50_and_0_and_ties_are_no_decisive_game():
    win, tie, loss = scored((5,), (4,)), scored((3,), (3,)), scored((1,), (2,))
    assert [each.value for each in (win, tie, loss)] == [100, 50, 0]
    assert [each.tally for each in (win, tie, loss)] == [(1, 1), (0, 0), (0, 1)]
    assert win.details["totals"] == {"own": 25, "baseline": 20}
    assert win.details["summary"] == "A win: on average 25 against 20 of 25."


def test_a_judge_who_prefers_the_first_report_is_evened_out_and_found_out():
    score = scored((5,), (3,), (3,), (5,))
    assert score.value == 50
    assert score.details["totals"] == {"own": 20, "baseline": 20}
    assert score.details["games"] == ["own", "baseline"]
    assert not score.details["consistent"]
    assert scored((5,), (3,)).details["consistent"]


def test_marks_of_both_orders_are_averaged_by_dimension():
    score = scored((5, 4, 3, 2, 1), (0,), (4, 4, 4, 4, 4), (1,))
    assert score.details["dimensions"]["own"] == sheet(4.5, 4, 3.5, 3, 2.5)
    assert score.details["dimensions"]["baseline"] == sheet(0.5)
    assert [item["verdict"] for item in score.details["items"][:2]] == [
        "4.5 against 0.5 of 5",
        "4 against 0.5 of 5",
    ]


def test_flaws_go_to_the_report_and_not_to_the_place():
    flaws = {"A": ["only lists"], "B": []}
    first = order(True, (3,), (3,), flaws=flaws).evidence.flaws.model_dump(mode="json")
    second = order(False, (3,), (3,), flaws=flaws).evidence.flaws.model_dump(mode="json")
    assert first == {"own": ["only lists"], "baseline": []}
    assert second == {"own": [], "baseline": ["only lists"]}
    items = score_of([order(place, (3,), (3,), flaws=flaws) for place in (True, False)])
    assert "[Shallow: only lists]" in items.details["items"][-2]["justification"]
    assert "[Shallow in the baseline's: only lists]" in items.details["items"][-1]["justification"]


@settings(deadline=None, max_examples=40)
@given(FIVE, FIVE, FIVE, FIVE)
def test_what_one_report_wins_the_other_one_loses(own, baseline, own_again, baseline_again):
    score = scored(own, baseline, own_again, baseline_again)
    mirrored = score_of([order(True, baseline_again, own_again), order(False, baseline, own)])
    assert score.value + mirrored.value == 100
    assert score.tally[1] == mirrored.tally[1]
    assert score.details["totals"]["own"] == mirrored.details["totals"]["baseline"]
    assert score.details["totals"]["own"] == total(score.details["dimensions"]["own"])


# ------------------------------------------------------------------ panels


def by_panel(**outcomes):
    judges = {name: each for name, each in outcomes.items() if not isinstance(each, Unscored)}
    return panel_score(combine(outcomes), judges)


def test_totals_are_averaged_over_judges_before_anyone_wins():
    """One judge sees a narrow win, the other a tie: together their totals are a tie."""
    narrow, none = scored((4, 4, 4, 4, 2), (4, 4, 4, 4, 0)), scored((3,), (3,))
    score = by_panel(one=narrow, two=none)
    assert (narrow.value, none.value, score.value) == (100, 50, 50)
    assert score.tally == (0, 0)
    assert score.details["totals"] == {"own": 16.5, "baseline": 15.5}


def test_a_clear_win_by_one_judge_outweighs_a_narrow_loss_by_another():
    score = by_panel(one=scored((5,), (1,)), two=scored((2, 2, 2, 2, 1), (2, 2, 2, 2, 3)))
    assert (score.value, score.tally) == (100, (1, 1))
    assert [score.details["judges"][name]["value"] for name in ("one", "two")] == [100, 0]
    assert score.details["spread"]["min"] == 0
    assert score.details["agreement"] == [{"judges": ["one", "two"], "verdicts": 1, "agreed": 0}]


def test_a_judge_that_failed_is_counted_and_leaves_the_others_standing():
    score = by_panel(one=scored((5,), (1,)), two=Unscored(Cause.TIMEOUT), three=scored((4,), (1,)))
    assert score.value == 100
    assert score.details["totals"] == {"own": 22.5, "baseline": 5}
    assert score.details["spread"]["scored"] == 2
    assert score.details["spread"]["expected"] == 3
    assert score.details["judges"]["two"]["cause"] == "timeout"


def bounds_of(score):
    record = Judged("depth", "heron", "tea", 1, 0, {}, score, Signature({}))
    return aggregate([record], {"tea": Interval(0, 100)}).bounds


def test_the_bounds_of_a_panel_are_those_of_its_joint_verdict():
    won, tied = scored((3, 3, 3, 3, 5), (3, 3, 3, 3, 1)), scored((3,), (3,))
    assert bounds_of(by_panel(one=won, two=tied)) == (100, 100)


def test_a_judge_that_failed_might_have_turned_the_verdict():
    clear, narrow = scored((5,), (0,)), scored((2,), (1,))
    assert bounds_of(by_panel(one=narrow, two=Unscored(Cause.TIMEOUT))) == (0, 100)
    assert bounds_of(by_panel(one=clear, two=clear, three=Unscored(Cause.TIMEOUT))) == (100, 100)
