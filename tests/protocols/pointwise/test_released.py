import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.pointwise.released import (
    IssueQuirk as Quirk,
)
from deepassay.protocols.pointwise.released import (
    IssuesAndScore,
    RawIssues,
    released_score,
    stored,
)
from deepassay.score import Cause, Score, Unscored, from_json, to_json


def answer(count=2, **changes):
    """An answer without a quirk, or with these."""
    plain = {
        "specific_issues": [f"issue {n}" for n in range(count)],
        "total_issues": count,
        "score": 90,
        "justification": "why",
    }
    return plain | changes


def without(field):
    return {key: value for key, value in answer().items() if key != field}


@pytest.mark.parametrize(
    ("given_answer", "value", "quirks"),
    [
        (answer(), 90, []),
        (answer(score=90.0), 90, []),
        (answer(score=100), 100, [Quirk.AGAINST_COUNT]),
        (answer(6), 90, [Quirk.AGAINST_COUNT]),
        (answer(score=9), 9, [Quirk.AGAINST_COUNT, Quirk.OFF_TABLE]),
        (answer(score=87.5), 87.5, [Quirk.AGAINST_COUNT, Quirk.OFF_TABLE]),
        (answer(score=120), 120, [Quirk.AGAINST_COUNT, Quirk.OFF_TABLE, Quirk.OUT_OF_RANGE]),
        (answer(score=-10), -10, [Quirk.AGAINST_COUNT, Quirk.OFF_TABLE, Quirk.OUT_OF_RANGE]),
        (answer(score=True), 1, [Quirk.AGAINST_COUNT, Quirk.OFF_TABLE, Quirk.BOOLEAN_SCORE]),
        (without("score"), 0, [Quirk.AGAINST_COUNT, Quirk.OFF_TABLE, Quirk.MISSING_SCORE]),
        (answer(total_issues=9), 90, [Quirk.TOTAL_DIFFERS]),
        (answer(total_issues="2"), 90, [Quirk.TOTAL_DIFFERS]),
        (without("total_issues"), 90, [Quirk.TOTAL_DIFFERS]),
        (without("specific_issues"), 90,
         [Quirk.AGAINST_COUNT, Quirk.TOTAL_DIFFERS, Quirk.NO_LIST]),
        (answer(specific_issues=[1, None]), 90, [Quirk.ODD_LIST]),
        (answer(0, specific_issues="none", score=100), 100, [Quirk.ODD_LIST]),
        (without("justification"), 90, [Quirk.NO_REASON]),
        (answer(justification=7), 90, [Quirk.NO_REASON]),
        (answer(more="?"), 90, []),
    ],
)  # fmt: skip
def test_the_number_is_believed_and_the_quirks_that_fire_are_named(given_answer, value, quirks):
    score = released_score(given_answer)
    assert score.value == value
    assert score.details["quirks"] == quirks
    assert (score.bounds is None) == (Quirk.OUT_OF_RANGE in quirks)


def test_the_issues_are_kept_as_evidence_beside_the_total_that_was_claimed():
    details = released_score(answer(2, total_issues=9)).details
    assert (details["issues"], details["total_issues"], details["justification"]) == (2, 9, "why")
    assert [(item["key"], item["item"]) for item in details["items"]] == [
        ("i1", "issue 0"),
        ("i2", "issue 1"),
    ]


@pytest.mark.parametrize(
    ("given_answer", "said", "quirk"),
    [
        ([answer()], "not an object", Quirk.STOPPED),
        (None, "not an object", Quirk.STOPPED),
        (answer(score="90"), "no number", Quirk.STOPPED),
        (answer(score=[90]), "no number", Quirk.STOPPED),
        (answer(score=10**400), "too large", Quirk.STOPPED),
        (answer(score=None), "null", Quirk.NULL_SCORE),
        (answer(score=math.nan), "nan", Quirk.NOT_A_NUMBER),
        (answer(score=math.inf), "inf", Quirk.OUT_OF_RANGE),
    ],
)
def test_where_the_program_has_no_number_there_is_no_score_and_the_reason_is_kept(
    given_answer, said, quirk
):
    outcome = released_score(given_answer)
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.ANSWER_UNREADABLE
    assert said in outcome.detail
    assert quirk in outcome.details["quirks"]


def test_what_is_missing_is_filled_in_as_the_program_does():
    empty = stored({})
    assert (empty.specific_issues, empty.total_issues, empty.score) == ([], 0, 0)
    assert empty.justification == ""
    assert released_score({}).value == 0


def test_the_judge_is_shown_the_form_that_the_program_asks_for():
    assert RawIssues.model_json_schema() == IssuesAndScore.model_json_schema()
    assert {"specific_issues", "total_issues", "score", "justification"} == set(
        RawIssues.model_json_schema()["properties"]
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["specific_issues", "total_issues", "score", "justification"]), inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(deadline=None, max_examples=80)
@given(json_values)
def test_no_answer_raises_and_every_score_survives_json(value):
    outcome = released_score(value)
    assert isinstance(outcome, Score | Unscored)
    kept = to_json(outcome)
    assert to_json(from_json(kept)) == kept or "nan" in repr(kept)
