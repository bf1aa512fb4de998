"""The types that every room shares."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.score import (
    Cause,
    Score,
    Signature,
    Unscored,
    canonical_json,
    digest,
    from_json,
    to_json,
)

PAIRS = st.tuples(st.floats(-5, 0), st.floats(0, 5))
SCORES = st.builds(
    Score,
    value=st.floats(allow_nan=False, allow_infinity=False),
    bounds=st.none() | PAIRS,
    parts=st.dictionaries(st.text(max_size=5), st.none() | st.floats(0, 1), max_size=3),
    tally=st.none() | PAIRS,
    details=st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3),
)
FAILURES = st.builds(Unscored, cause=st.sampled_from(Cause), detail=st.text(max_size=9))


@given(SCORES | FAILURES)
def test_an_outcome_survives_json(outcome):
    assert from_json(json.loads(canonical_json(to_json(outcome)))) == outcome


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_score_is_a_finite_number(value):
    with pytest.raises(ValueError, match="use Unscored"):
        Score(value)


@pytest.mark.parametrize("cause", ["no idea", "", "TIMEOUT", None, 3])
def test_a_score_that_is_not_there_has_a_cause_of_the_list(cause):
    with pytest.raises(ValueError, match=r"is no cause: give one of deepassay\.Cause"):
        Unscored(cause, "why")


@pytest.mark.parametrize("cause", [Cause.BUDGET, Cause.PAGE_DEAD, Cause.MISSING_INPUT])
def test_the_text_of_a_cause_stands_for_it(cause):
    assert Unscored(str(cause)).cause is cause


def test_digest_does_not_depend_on_the_order_of_keys():
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})


def test_digest_takes_lone_surrogates():
    assert digest("a\ud800") != digest("a?")


def test_a_signature_prints_its_recipe_and_only_identity_decides():
    recipe = {"protocol": "coverage", "edition": "paper", "judges": [{"model": "offline"}]}
    one = Signature(recipe, {"version": "1"})
    other = Signature(recipe, {"version": "2"})
    assert str(one) == "protocol:coverage|edition:paper|judges:model=offline"
    assert one.digest == other.digest
    assert one.digest != Signature({**recipe, "edition": "code"}).digest
