import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.race.released import released_race, released_score
from deepassay.protocols.released import Ungraded
from deepassay.score import Score, Unscored
from deepassay.tasks.yardsticks import DIMENSIONS

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


UNEQUAL = {
    "dimension_weight": dict(zip(DIMENSIONS, (0.4, 0.3, 0.2, 0.1), strict=True)),
    "criterions": {
        name: [
            {"criterion": f"{name} first", "explanation": "", "weight": 0.75},
            {"criterion": f"{name} other", "explanation": "", "weight": 0.25},
        ]
        for name in DIMENSIONS
    },
}


def entry(criterion, *scores):
    named = zip(("article_1_score", "article_2_score"), scores, strict=False)
    return {"criterion": criterion, **dict(named)}


def sheet(**changed):
    """Weighted means 7, 6, 10, 1.5 against 6, 4, 0, 3.5: in all 6.75 against 3.95."""
    marks = {
        "comprehensiveness": ((8, 6), (4, 6)),
        "insight": ((5, 2), (9, 10)),
        "instruction_following": ((10, 0), (10, 0)),
        "readability": ((1, 3), (3, 5)),
    }
    plain = {
        name: [entry(f"{name} first", *first), entry(f"{name} other", *other)]
        for name, (first, other) in marks.items()
    }
    return plain | changed


def wide(*entries):
    """Entries of the first dimension; the others come to 3.95 against 1.55."""
    return sheet(comprehensiveness=[entry(f"comprehensiveness {e[0]}", *e[1:]) for e in entries])


BY_HAND = {
    # answer: the two totals, the part of the first dimension, quirks
    "plain": (sheet(), (6.75, 3.95), 7 / 13, []),
    "one left out": (wide(("other", 4, 6)), (5.55, 3.95), 0.4, ["missing-criterion"]),
    "one unknown, of mean weight .5": (
        sheet(comprehensiveness=[*sheet()["comprehensiveness"], entry("xyz", 10, 0)]),
        (7.15, 3.15), 8 / 12, ["extra-criterion", "unmatched-criterion"],
    ),
    "one twice": (
        wide(("first", 8, 6), ("first", 8, 6), ("other", 4, 6)),
        (3.95 + 0.4 * 13 / 1.75, 3.95), (13 / 1.75) / (13 / 1.75 + 6),
        ["extra-criterion", "duplicate-criterion"],
    ),
    "in capitals": (
        sheet(comprehensiveness=[
            entry("COMPREHENSIVENESS FIRST", 8, 6), entry("comprehensiveness other", 4, 6)]),
        (6.75, 3.95), 7 / 13, ["case-match"],
    ),
    "a part of both: the first": (
        sheet(comprehensiveness=[entry("comprehensiveness", 8, 6), entry("other", 4, 6)]),
        (6.75, 3.95), 7 / 13, ["substring-match"],
    ),
    "blanks around": (
        sheet(comprehensiveness=[
            entry("  comprehensiveness first\n", 8, 6), entry("comprehensiveness other", 4, 6)]),
        (6.75, 3.95), 7 / 13, [],
    ),
    "a score in quotes": (wide(("first", " 8 ", 6), ("other", 4, 6)), (6.75, 3.95), 7 / 13,
                          ["string-score"]),
    "true for 1": (wide(("first", 8, 6), ("other", True, 6)), (6.45, 3.95), 6.25 / 12.25,
                   ["truth-score"]),
    "another field for the mark, where there is none": (
        sheet(comprehensiveness=[
            entry("comprehensiveness first", None, 6) | {"target_score": 8},
            entry("comprehensiveness other", 4, 6) | {"target_score": 9}]),
        (6.75, 3.95), 7 / 13, ["target-score-only"],
    ),
    "first reference missing: its weight stays": (
        wide(("first", 8), ("other", 4, 6)), (6.75, 2.15), 7 / 8.5, ["missing-reference-score"]),
    "last reference missing: all of them": (
        wide(("first", 8, 6), ("other", 4)), (6.75, 1.55), 1.0,
        ["missing-reference-score", "last-reference-score"]),
    "last item skipped, the one before decides": (
        sheet(comprehensiveness=[*sheet()["comprehensiveness"], None]), (6.75, 3.95), 7 / 13,
        ["skipped-item"]),
    "last item without criterion decides too": (
        sheet(comprehensiveness=[*sheet()["comprehensiveness"], entry("", 1)]),
        (6.75, 1.55), 1.0, ["skipped-item", "last-reference-score"]),
    "nothing but skipped items": (
        wide(("first", "8/10", 6)), (3.95, 1.55), 0.0,
        ["missing-dimension", "missing-criterion", "skipped-item"]),
    "no list": (sheet(comprehensiveness={}), (3.95, 1.55), 0.0, ["missing-dimension"]),
    "another dimension": (sheet(style=[entry("a", 1, 1)]), (6.75, 3.95), 7 / 13,
                          ["extra-dimension"]),
    "off the scale": (wide(("first", 16, -2), ("other", 8, 2)), (9.55, 1.15), 14 / 13,
                      ["score-out-of-range", "ratio-out-of-range"]),
}  # fmt: skip


@pytest.mark.parametrize(("given_", "totals", "part", "quirks"), BY_HAND.values(), ids=BY_HAND)
def test_answers_worked_by_hand(given_, totals, part, quirks):
    released = released_race(given_, UNEQUAL)
    assert (released.target.total, released.reference.total) == pytest.approx(totals)
    assert released.overall == pytest.approx(totals[0] / sum(totals))
    others = {"insight": 0.6, "instruction_following": 1.0, "readability": 0.3}
    assert released.parts == pytest.approx({"comprehensiveness": part, **others})
    assert list(released.quirks) == quirks


@pytest.mark.parametrize(
    ("weights", "overall"),
    [
        ((0.01, 0, 0, 0), 7 / 13),
        ((4, 3, 2, 1), 6.75 / 10.7),
        ((1, 0, 0, 0), 7 / 13),
        ((0, 0, 0, 0), 0),
        ((-1, 0, 0, 0), 0),
    ],
)
def test_weights_of_dimensions_count_as_they_stand(weights, overall):
    row = UNEQUAL | {"dimension_weight": dict(zip(DIMENSIONS, weights, strict=True))}
    released = released_race(sheet(), row)
    assert released.overall == pytest.approx(overall)
    assert released.parts["comprehensiveness"] == pytest.approx(7 / 13)
    assert ("zero-total" in released.quirks) == (overall == 0)


@pytest.mark.parametrize(
    "broken",
    [
        {"dimension_weight": dict.fromkeys(DIMENSIONS, "heavy")},
        {"criterions": {name: [{"criterion": "a"}] for name in DIMENSIONS}},
        {"criterions": {name: [{"weight": 1}] for name in DIMENSIONS}},
        {"criterions": {name: [3] for name in DIMENSIONS}},
    ],
)
def test_criteria_that_the_program_cannot_count_with_stop_it(broken):
    with pytest.raises(Ungraded, match="cannot count"):
        released_race(sheet(), UNEQUAL | broken)


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
        each for each in released_race(given_, CRITERIA).items if each.dimension == "insight"
    )
    assert item.weight == 0.7


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


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.sampled_from([*DIMENSIONS, "style"]), st.lists(items, max_size=4)))
def test_whatever_a_judge_answers_comes_to_a_score_or_a_reason(given_):
    outcome = released_score(given_, CRITERIA)
    released = released_race(given_, CRITERIA)
    target, reference = released.target.total, released.reference.total
    if not all(map(math.isfinite, (target, reference, *released.parts.values()))):
        assert isinstance(outcome, Unscored) and outcome.detail
        return
    assert isinstance(outcome, Score)
    assert outcome.value == (target / (target + reference) if target + reference > 0 else 0)
    within = all(0 <= each <= 1 for each in (outcome.value, *outcome.parts.values()))
    assert outcome.bounds == ((0, 1) if within else None)
