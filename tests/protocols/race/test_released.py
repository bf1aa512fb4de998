import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.race.released import Ungraded, released_race, released_score
from deepassay.score import Score, Unscored
from deepassay.tasks.criteria import DIMENSIONS

CRITERIA = {
    "dimension_weight": dict.fromkeys(DIMENSIONS, 0.25),
    "criterions": {
        name: [
            {"criterion": f"{name} of causes", "explanation": "", "weight": 0.7},
            {"criterion": f"{name} of effects", "explanation": "", "weight": 0.3},
        ]
        for name in DIMENSIONS
    },
}


def answer(target=8, reference=6, **changed):
    """Every criterion with the same two scores; `changed` replaces whole dimensions."""
    full = {
        name: [
            {
                "criterion": each["criterion"],
                "article_1_score": target,
                "article_2_score": reference,
            }
            for each in own
        ]
        for name, own in CRITERIA["criterions"].items()
    }
    return full | changed


def test_the_score_is_the_targets_part_of_both_totals():
    outcome = released_score(answer(8, 6), CRITERIA)
    assert outcome.value == pytest.approx(8 / 14)
    assert outcome.details["quirks"] == []
    assert [item["score"] for item in outcome.details["items"]] == [8.0] * 8


@pytest.mark.parametrize("analysis", ["half \ud83d", {"note": "half \ud83d"}, None])
def test_evidence_is_text_that_can_be_written_down_whatever_a_judge_says(analysis):
    said = {"criterion": "half \ud83d", "article_1_score": 8, "article_2_score": 6}
    outcome = released_score(answer(insight=[{**said, "analysis": analysis}]), CRITERIA)
    for item in outcome.details["items"]:
        (item["item"] + item["justification"]).encode()


def test_a_criterion_left_out_is_renormalised_away():
    given_ = answer()
    given_["insight"] = [
        {"criterion": "insight of effects", "article_1_score": 2, "article_2_score": 8}
    ]
    released = released_race(given_, CRITERIA)
    assert released.parts["insight"] == pytest.approx(0.2)
    assert released.quirks == ("missing-criterion",)


def test_an_unknown_criterion_gets_the_mean_weight():
    given_ = answer()
    given_["insight"].append({"criterion": "xyz", "article_1_score": 0, "article_2_score": 6})
    released = released_race(given_, CRITERIA)
    assert released.target.dimensions["insight"] == pytest.approx(8 * 1.0 / 1.5)
    assert set(released.quirks) == {"unmatched-criterion", "extra-criterion"}


def test_the_first_criterion_that_holds_the_text_wins_though_it_is_the_wrong_one():
    given_ = answer(insight=[{"criterion": "of", "article_1_score": 1, "article_2_score": 1}])
    (item,) = (
        each for each in released_race(given_, CRITERIA).items if each["dimension"] == "insight"
    )
    assert item["weight"] == 0.7


def test_the_reference_vanishes_where_its_last_score_is_missing():
    given_ = answer()
    given_["insight"][-1]["article_2_score"] = None
    assert released_race(given_, CRITERIA).parts["insight"] == 1.0
    given_["insight"].reverse()
    assert released_race(given_, CRITERIA).parts["insight"] == pytest.approx(8 / (8 + 6 * 0.7))


def test_a_ratio_out_of_range_declares_no_bounds():
    outcome = released_score(answer(5, -1), CRITERIA)
    assert outcome.value == pytest.approx(1.25)
    assert outcome.bounds is None


@pytest.mark.parametrize("score", [math.nan, math.inf, "nan", "-Infinity", 10**200 * 1.0e200])
def test_what_is_not_finite_is_unscored(score):
    outcome = released_score(answer(score, 6), CRITERIA)
    assert isinstance(outcome, Unscored)
    assert "nan" in outcome.details["quirks"]


@pytest.mark.parametrize("odd", ["a text", [], None, 7])
def test_an_answer_that_is_no_object_stops_the_program(odd):
    with pytest.raises(Ungraded):
        released_race(odd, CRITERIA)


@pytest.mark.parametrize(
    "row",
    [{}, {"dimension_weight": None}, {**CRITERIA, "criterions": {}}, {**CRITERIA, "criterions": 3}],
)
def test_a_task_without_criteria_stops_the_program(row):
    assert isinstance(released_score(answer(), row), Unscored)


scores = st.one_of(
    st.none(), st.integers(), st.floats(), st.booleans(), st.text(max_size=4), st.just([])
)
items = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {},
        optional={
            "criterion": st.one_of(st.text(max_size=6), st.just("insight of causes"), st.none()),
            "article_1_score": scores,
            "article_2_score": scores,
            "target_score": scores,
        },
    ),
)


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from([*DIMENSIONS, "style"]), st.lists(items, max_size=4)))
def test_whatever_a_judge_answers_comes_to_a_score_or_a_reason(given_):
    outcome = released_score(given_, CRITERIA)
    if isinstance(outcome, Score):
        assert math.isfinite(outcome.value)
        assert outcome.bounds is None or 0 <= outcome.value <= 1
    else:
        assert outcome.detail
