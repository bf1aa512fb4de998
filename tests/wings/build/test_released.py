"""Weights and criteria as the released program read, checked, averaged and rounded them."""

import json
import math
from itertools import chain, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.wings.build.yardsticks.race_criteria import (
    Abandoned,
    criteria_as_released,
    released_fit,
    released_mean,
    released_reading,
    released_rounding,
    weights_as_released,
)

ATTEMPTS = 5


@pytest.fixture(scope="module")
def vectors(shared):
    return json.loads((shared / "golden/bench/clean_and_criteria.json").read_text("utf-8"))


def test_answers_are_read_as_the_program_reads_them(vectors):
    assert len(vectors["parse"]) == 13
    for vector in vectors["parse"]:
        official = vector["official"]
        if isinstance(official, dict) and "EXC" in official:
            with pytest.raises(ValueError, match=r"line 1"):
                released_reading(vector["text"])
            continue
        found = released_reading(vector["text"])
        kind = {"dict": dict, "list": list}[vector["expected_type"]]
        assert (found if isinstance(found, kind) and found else None) == official


def test_only_the_sum_of_weights_is_checked(vectors):
    assert len(vectors["validate_weights"]) == 12
    for vector in vectors["validate_weights"]:
        assert released_fit(vector["data"]) is vector["official"], vector["case"]


def test_rounding_leaves_the_rest_to_readability(vectors):
    assert len(vectors["round"]) == 6
    for vector in vectors["round"]:
        if "EXC" in vector["official"]:
            with pytest.raises(Abandoned, match="readability"):
                released_rounding(vector["in"])
        else:
            assert released_rounding(vector["in"]) == vector["official"]


def accepted(responses):
    """The samples that the program's five times five attempts come to, from these responses."""
    answers = chain(responses, repeat(responses[-1]))
    samples = []
    for _ in range(5):
        for attempt in range(1, ATTEMPTS + 1):
            text = next(answers)
            try:
                found = released_reading(text)
            except ValueError:
                if attempt == ATTEMPTS:
                    raise
                continue
            if isinstance(found, dict) and released_fit(found):
                samples.append(found)
                break
    return samples


def test_samples_are_averaged_as_the_program_averages_them(vectors):
    assert len(vectors["weights_avg"]) == 10
    for vector in vectors["weights_avg"]:
        official = vector["official"]
        if official is None or "EXC" in official:
            with pytest.raises((Abandoned, ValueError)):
                released_mean(accepted(vector["responses"]))
        else:
            assert released_mean(accepted(vector["responses"])) == official, vector["case"]


def test_our_envelope_is_opened():
    assert weights_as_released('{"analysis": "x", "weights": {"insight": 1}}') == {"insight": 1}
    assert criteria_as_released('```json\n{"analysis": "x", "criteria": [1]}\n```') == [1]
    assert criteria_as_released("[1]") == [1]


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["comprehensiveness", "insight", "readability"]),
            st.one_of(st.floats(), st.integers(), st.text(max_size=3), st.none()),
        ),
        max_size=4,
    )
)
def test_whatever_the_samples_hold_a_mean_comes_out_or_a_reason(samples):
    try:
        mean = released_mean(samples)
    except Abandoned as stop:
        assert str(stop)
    else:
        assert all(math.isfinite(weight) for weight in mean.values())
