from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.panel import combine
from deepassay.score import Cause, Score, Unscored, from_json, to_json


def score(value: float, **parts: float | None) -> Score:
    return Score(value, (0.0, 100.0), parts)


def test_the_mean_is_reported_and_the_spread_kept() -> None:
    outcome = combine({"a": score(50.0, p1=1, p2=0), "b": score(100.0, p1=1, p2=1)})
    assert isinstance(outcome, Score)
    assert outcome.value == 75.0
    assert outcome.bounds == (0.0, 100.0)
    assert outcome.parts == {"p1": 1.0, "p2": 0.5}
    assert outcome.details["spread"] == {
        "min": 50.0, "max": 100.0, "sd": pytest.approx(35.355339), "scored": 2, "expected": 2,
    }  # fmt: skip
    assert outcome.details["agreement"] == [{"judges": ["a", "b"], "verdicts": 2, "agreed": 1}]


@pytest.mark.parametrize(
    ("bounds", "together"),
    [
        (((0.0, 1.0), (-1.0, 1.0), (-0.5, 0.8)), (-1.0, 1.0)),
        (((0.0, 1.0), None, (0.0, 1.0)), None),
        ((None, None, None), None),
    ],
)
def test_judges_with_other_bounds_come_to_a_mean_within_all_of_them(bounds, together) -> None:
    values = (0.2, -0.9, -0.5)
    found = {str(n): Score(v, b) for n, (v, b) in enumerate(zip(values, bounds, strict=True))}
    for order in permutations(found):
        outcome = combine({name: found[name] for name in order})
        assert isinstance(outcome, Score)
        assert outcome.bounds == together
        assert together is None or together[0] <= outcome.value <= together[1]


def test_a_judge_that_failed_is_counted_and_no_zero() -> None:
    failed = Unscored(Cause.JUDGE_REFUSED, "no")
    outcome = combine({"a": score(80.0, p1=1), "b": failed, "c": score(60.0, p1=None)})
    assert isinstance(outcome, Score)
    assert outcome.value == 70.0
    assert outcome.parts == {"p1": 1.0}
    assert outcome.details["judges"]["b"]["cause"] == "judge_refused"
    assert outcome.details["spread"]["scored"] == 2
    assert outcome.details["spread"]["expected"] == 3
    assert outcome.details["agreement"] == []


def test_if_all_judges_failed_the_first_cause_stands_and_all_are_listed() -> None:
    outcome = combine({"a": Unscored(Cause.TIMEOUT, "x"), "b": Unscored(Cause.JUDGE_REFUSED)})
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.TIMEOUT
    assert "a: timeout; b: judge_refused" in outcome.detail
    assert set(outcome.details["judges"]) == {"a", "b"}


def test_grades_have_a_spread_and_no_agreement() -> None:
    outcome = combine({"a": score(5.0, depth=3, style=5), "b": score(6.0, depth=4, style=5)})
    assert outcome.details["agreement"] == []


def test_tallies_are_averaged() -> None:
    one, two = Score(50.0, tally=(3, 6)), Score(100.0, tally=(6, 6))
    outcome = combine({"a": one, "b": two, "c": Score(1.0)})
    assert isinstance(outcome, Score)
    assert outcome.tally == (4.5, 6.0)


def test_a_panel_of_one_has_no_deviation() -> None:
    outcome = combine({"a": score(50.0)})
    assert isinstance(outcome, Score)
    assert outcome.details["spread"]["sd"] is None


def test_a_panel_of_none_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="needs a judge"):
        combine({})


OUTCOMES = st.one_of(
    st.builds(
        Score,
        st.floats(0, 100),
        st.just((0.0, 100.0)),
        st.dictionaries(st.sampled_from("pqr"), st.one_of(st.none(), st.floats(0, 1))),
    ),
    st.builds(Unscored, st.sampled_from(Cause), st.text(max_size=5)),
)


@settings(deadline=None, max_examples=80)
@given(st.dictionaries(st.sampled_from("abcde"), OUTCOMES, min_size=1))
def test_the_mean_lies_within_the_spread_and_survives_json(
    outcomes: dict[str, Score | Unscored],
) -> None:
    outcome = combine(outcomes)
    assert from_json(to_json(outcome)) == outcome
    scores = [each.value for each in outcomes.values() if isinstance(each, Score)]
    if isinstance(outcome, Score):
        assert min(scores) - 1e-9 <= outcome.value <= max(scores) + 1e-9
    else:
        assert scores == []
