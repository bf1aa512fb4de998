"""Answers of judges to the released program of RACE, and what it made of them."""

import json

import pytest

from deepassay.protocols.race.released import released_race, released_score
from deepassay.protocols.race.released_answers import extracted_json, released_json
from deepassay.protocols.released import Ungraded
from deepassay.score import Cause, Unscored
from deepassay.tasks.yardsticks import DIMENSIONS

NO_ANSWER = {"none_response", "api_exception"}
"""Vectors in which the model wrote nothing at all: a matter of clients, not of reading."""


def rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def criteria(shared):
    return {row["id"]: row for row in rows(shared / "data/bench/criteria.jsonl")}


@pytest.fixture(scope="module")
def awkward(shared):
    return rows(shared / "golden/bench/race_awkward.jsonl")


def agrees(released, official, internal):
    numbers = {**released.parts, "overall_score": released.overall}
    expected = {name: official[name] for name in numbers}
    assert numbers == pytest.approx(expected, abs=1e-12, nan_ok=True)
    for side in ("target", "reference"):
        totals, wanted = getattr(released, side), internal[side]
        dimensions = {f"{name}_weighted_avg": mean for name, mean in totals.dimensions.items()}
        assert dimensions == pytest.approx(wanted["dims"], abs=1e-12, nan_ok=True)
        assert totals.total == pytest.approx(wanted["total"], abs=1e-12, nan_ok=True)


def test_a_hundred_ordinary_answers_give_the_numbers_of_the_program(shared, criteria):
    vectors = rows(shared / "golden/bench/race_100.jsonl")
    known = [vector for vector in vectors if vector["id"] in criteria]
    assert len(known) == len(criteria) > 50
    for vector in known:
        released = released_race(vector["judge"], criteria[vector["id"]])
        agrees(released, vector["official"], vector["internal"])
        assert not released.quirks


def test_awkward_answers_are_read_as_the_program_reads_them(awkward):
    assert len(awkward) == 127
    for vector in awkward:
        if vector["case"] in NO_ANSWER:
            continue
        if vector["extracted"] is None:
            with pytest.raises(ValueError, match="no JSON"):
                extracted_json(vector["response"])
            continue
        same = vector["extracted"] == "same-as-stripped"
        wanted = json.loads(vector["response"].strip() if same else vector["extracted"])
        # NaN is not equal to itself, but its spelling is.
        assert json.dumps(extracted_json(vector["response"])) == json.dumps(wanted)


def test_awkward_answers_give_the_numbers_of_the_program_or_its_refusal(awkward, criteria):
    for vector in awkward:
        case, result = vector["case"], vector["result"]
        own = vector.get("criteria") or criteria.get(vector["task_id"])
        if case in NO_ANSWER or own is None:
            continue
        if "error" in result:
            with pytest.raises((ValueError, Ungraded)):
                released_race(released_json(vector["response"]), own)
            continue
        agrees(released_race(released_json(vector["response"]), own), result, vector["internal"])


@pytest.mark.parametrize(
    ("case", "quirks"),
    [
        ("plain_json_en", []),
        ("json_output_tags", []),
        ("score1_int", []),
        ("trailing_commas", ["salvaged"]),
        ("two_fenced_blocks", ["first-of-two"]),
        ("two_objects_bare", ["first-of-two"]),
        ("dimension_is_null", ["missing-dimension"]),
        ("extra_dimension", ["extra-dimension"]),
        ("swapped_dimension_keys", ["missing-criterion", "extra-criterion", "unmatched-criterion"]),
        ("criterion_missing_first", ["missing-criterion"]),
        ("criterion_upper", ["case-match"]),
        ("criterion_prefixed", ["substring-match"]),
        ("extra_criterion", ["extra-criterion", "unmatched-criterion"]),
        ("duplicate_criterion", ["extra-criterion", "duplicate-criterion"]),
        ("item_null", ["missing-criterion", "skipped-item"]),
        ("score1_string_spaces", ["string-score"]),
        ("score2_true", ["truth-score"]),
        ("score1_huge_1e9", ["score-out-of-range"]),
        ("ref_negative_dim", ["score-out-of-range", "ratio-out-of-range"]),
        ("score2_null", ["missing-reference-score"]),
        ("score2_null_LAST_item", ["missing-reference-score", "last-reference-score"]),
        ("all_zero", ["zero-total"]),
        ("json_NaN", ["nan"]),
        ("tiny_weight_string", ["program-stops"]),
    ],
)
def test_an_outcome_tells_what_was_odd_about_the_answer(awkward, criteria, case, quirks):
    (vector,) = (each for each in awkward if each["case"] == case)
    own = vector.get("criteria") or criteria[vector["task_id"]]
    outcome = released_score(released_json(vector["response"]), own)
    assert outcome.details["quirks"] == quirks


def test_nan_and_infinity_are_no_scores(awkward, criteria):
    for case in ("json_NaN", "json_Infinity", "score1_string_nan", "score2_string_nan"):
        (vector,) = (each for each in awkward if each["case"] == case)
        outcome = released_score(released_json(vector["response"]), criteria[51])
        assert isinstance(outcome, Unscored)
        assert outcome.cause is Cause.ANSWER_UNREADABLE
        assert "nan" in outcome.details["quirks"]
        json.dumps(outcome.details, allow_nan=False)


def test_the_four_parts_are_named_as_in_the_published_files(awkward, criteria):
    (vector,) = (each for each in awkward if each["case"] == "plain_json_en")
    outcome = released_score(released_json(vector["response"]), criteria[51])
    assert tuple(outcome.parts) == DIMENSIONS
    assert outcome.value == pytest.approx(0.411423, abs=5e-7)
    assert outcome.bounds == (0.0, 1.0)
