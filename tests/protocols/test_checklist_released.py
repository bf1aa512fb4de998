import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.checklist import ChecklistAnswer
from deepassay.protocols.checklist_released import (
    ChecklistQuirk as Quirk,
)
from deepassay.protocols.checklist_released import (
    RawVerdicts,
    released_rate,
    released_score,
)
from deepassay.protocols.released import Ungraded
from deepassay.score import Cause, Score, Unscored, from_json, to_json

KEYS = ["q1", "q2", "q3", "q4"]
ITEMS = {key: f"item {key}" for key in KEYS}


def answer(**scores):
    entries = {key: {"score": score, "justification": "why"} for key, score in scores.items()}
    return {"evaluations": entries}


@pytest.mark.parametrize(
    ("given_answer", "rate", "quirks"),
    [
        (answer(q1=1, q2=1, q3=1, q4=0), 75.0, []),
        (answer(q1=1, q2=1, q3=1), 75.0, [Quirk.MISSING_ITEM]),
        (
            answer(q1=1, q2=1, q3=1, q4=1, q5=1),
            125.0,
            [Quirk.UNASKED_ITEM, Quirk.OUT_OF_RANGE],
        ),
        (answer(q1=0.5, q2=1, q3=1, q4=1), 87.5, [Quirk.OFF_MENU_SCORE]),
        (
            answer(q1=-1, q2=0, q3=0, q4=0),
            -25.0,
            [Quirk.OFF_MENU_SCORE, Quirk.OUT_OF_RANGE],
        ),
        (answer(q1=True, q2=False, q3=1, q4=1), 75.0, [Quirk.BOOLEAN_SCORE]),
        (answer(q1=1.0, q2=1, q3=1, q4=0.0), 75.0, []),
        ({"q1": {"score": 1}}, 0.0, [Quirk.NO_EVALUATIONS, Quirk.MISSING_ITEM]),
    ],
)
def test_the_released_arithmetic_and_the_quirks_that_fire(given_answer, rate, quirks):
    released = released_rate(given_answer, KEYS)
    assert released.rate == rate
    assert list(released.quirks) == quirks


def test_entries_without_score_or_reason_count_as_they_do_there():
    entries = {"q1": {"justification": "why"}, "q2": {"score": 1}, "q3": {"score": 1}, "q4": {}}
    released = released_rate({"evaluations": entries}, KEYS)
    assert released.rate == 50.0
    assert released.quirks == (Quirk.MISSING_SCORE, Quirk.MISSING_REASON)


def test_floats_are_added_one_by_one_as_the_program_does():
    tenths = answer(q1=0.1, q2=0.2, q3=0.3, q4=0.4)
    assert released_rate(tenths, KEYS).total == 0.1 + 0.2 + 0.3 + 0.4


def test_nan_is_the_released_number_and_no_score_of_ours():
    odd = answer(q1=math.nan, q2=1, q3=1, q4=1)
    assert math.isnan(released_rate(odd, KEYS).rate)
    outcome = released_score(odd, ITEMS)
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.ANSWER_UNREADABLE
    assert Quirk.NOT_A_NUMBER in outcome.details["quirks"]
    assert "nan" in outcome.detail


@pytest.mark.parametrize(
    ("given_answer", "said"),
    [
        ([], "a list"),
        ({"evaluations": None}, "null"),
        ({"evaluations": []}, "a list"),
        ({"evaluations": {"q1": 1}}, "a number"),
        (answer(q1="1"), "a text"),
        (answer(q1=None), "null"),
        (answer(q1=10**400), "too large"),
        (answer(q1=0.5, q2=10**400), "too large"),
        (answer(q1=10**400, q2=0.5), "too large"),
    ],
)
def test_where_the_program_stops_there_is_no_score_and_the_reason_is_kept(given_answer, said):
    with pytest.raises(Ungraded, match=said):
        released_rate(given_answer, KEYS)
    outcome = released_score(given_answer, ITEMS)
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.ANSWER_UNREADABLE
    assert outcome.details["quirks"] == ["wrong-type"]


def test_a_score_keeps_quirks_evidence_and_a_range_only_within_it():
    within = released_score(answer(q1=1, q2=1, q3=1), ITEMS)
    assert within.bounds == (0, 100)
    assert within.details["quirks"] == ["missing-item"]
    assert within.parts == {"Q1": 100.0, "Q2": 100.0, "Q3": 100.0, "Q4": None}
    beyond = released_score(answer(q1=2, q2=1, q3=1, q4=1, zz=1), ITEMS)
    assert beyond.bounds is None
    assert beyond.tally == (6, 4)
    assert beyond.details["items"][4]["item"] == "(not asked)"


def test_a_sum_that_no_float_can_hold_is_no_score():
    keys = [f"q{number}" for number in range(300)]
    odd = answer(q1=10**308, q2=10**308, q3=-(10**300))
    assert isinstance(released_score(odd, dict.fromkeys(keys, "item")), Unscored)


def test_a_part_that_no_float_can_hold_stays_empty():
    outcome = released_score(answer(q1=1e308, q2=-1e308, q3=1), ITEMS)
    assert outcome.parts == {"Q1": None, "Q2": None, "Q3": 100.0, "Q4": None}
    assert outcome.value == 25.0


def test_the_judge_is_shown_the_same_form_as_in_edition_paper():
    assert RawVerdicts.model_json_schema() == ChecklistAnswer.model_json_schema()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["q1", "q2", "score", "justification"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=80)
@given(json_values | st.builds(lambda inner: {"evaluations": inner}, json_values))
def test_no_answer_raises_and_every_score_survives_json(value):
    outcome = released_score(value, ITEMS)
    assert isinstance(outcome, Score | Unscored)
    assert from_json(to_json(outcome)) == outcome


@given(st.lists(st.sampled_from([0, 1]), min_size=4, max_size=4))
def test_on_the_menu_both_editions_agree(scores):
    whole = answer(**dict(zip(KEYS, scores, strict=True)))
    assert released_rate(whole, KEYS).rate == pytest.approx(100 * sum(scores) / 4)
    assert released_rate(whole, KEYS).quirks == ()
