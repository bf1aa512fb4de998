import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.race.arithmetic import (
    Marked,
    absolute_score,
    overall_score,
    parity,
    relative_score,
    relative_share,
    totals,
    weighted,
)
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria
from tests.protocols.race.marks import criteria_of

CRITERIA = criteria_of()
NUMBER = 8

marks = st.lists(st.floats(0, 10, allow_subnormal=False), min_size=NUMBER, max_size=NUMBER)
positive = st.lists(st.floats(0.5, 10), min_size=NUMBER, max_size=NUMBER)
few = settings(max_examples=30, deadline=None)


def reading(target, reference, position="first"):
    return Marked(target, reference, [f"why {n}" for n in range(len(target))], position)


def score(target, reference, criteria=CRITERIA):
    return relative_score(criteria, [reading(target, reference)])


def test_equation_two_by_hand():
    # comprehensiveness .75*8+.25*4 = 7, insight .75*4+.25*8 = 5, the others 6 and 2
    target = [8, 4, 4, 8, 6, 6, 2, 2]
    reference = [6, 6, 8, 8, 6, 6, 4, 8]
    # reference: 6, 8, 6, .75*4+.25*8 = 5
    found = score(target, reference)
    t = 0.4 * 7 + 0.3 * 5 + 0.2 * 6 + 0.1 * 2
    r = 0.4 * 6 + 0.3 * 8 + 0.2 * 6 + 0.1 * 5
    assert found.value == pytest.approx(t / (t + r), abs=1e-15)
    assert found.parts == pytest.approx(
        {
            "comprehensiveness": 7 / 13,
            "insight": 5 / 13,
            "instruction_following": 0.5,
            "readability": 2 / 7,
        },
        abs=1e-15,
    )
    assert found.bounds == (0, 1)
    assert found.details["totals"]["target"]["overall"] == pytest.approx(t)
    assert found.details["totals"]["reference"]["insight"] == pytest.approx(8)
    assert found.details["dimension_weight"]["insight"] == 0.3
    assert found.details["position"] == ["first"]


def test_the_evidence_names_every_criterion_with_both_marks_and_its_weight():
    items = score([8, 4, 4, 8, 6, 6, 2, 2], [6, 6, 8, 8, 6, 6, 4, 8]).details["items"]
    assert [item["key"] for item in items] == [f"c{n}" for n in range(1, 9)]
    assert items[3] == {
        "key": "c4",
        "item": "insight 2",
        "dimension": "insight",
        "weight": 0.25,
        "score": 8,
        "justification": "why 3",
        "reference": 8,
    }


def test_two_readings_count_by_the_mean_of_their_weighted_totals():
    found = relative_score(
        CRITERIA, [reading([8] * 8, [6] * 8), reading([4] * 8, [6] * 8, "second")]
    )
    assert found.value == pytest.approx(0.5)
    assert found.details["position"] == ["first", "second"]
    assert found.details["items"][0]["score"] == 6
    assert found.details["items"][0]["justification"] == "why 0 / why 0"
    # The mean of totals is not the mean of ratios.
    uneven = relative_score(CRITERIA, [reading([8] * 8, [2] * 8), reading([4] * 8, [4] * 8)])
    assert uneven.value == pytest.approx(6 / 9)
    assert uneven.value != pytest.approx((0.8 + 0.5) / 2)


def test_nothing_on_both_sides_is_parity():
    assert relative_share(0, 0) == 0.5
    found = score([0] * 8, [0] * 8)
    assert (found.value, set(found.parts.values())) == (0.5, {0.5})


def test_a_report_that_is_its_own_reference_has_parity_and_says_why():
    found = parity("the same text")
    assert (found.value, found.details["not_asked"]) == (0.5, "the same text")
    assert found.parts == dict.fromkeys(DIMENSIONS, 0.5)


def test_marked_alone_a_report_gets_a_tenth_of_its_weighted_mark():
    found = absolute_score(CRITERIA, reading([8, 4, 4, 8, 6, 6, 2, 2], (), "alone"))
    assert found.value == pytest.approx((0.4 * 7 + 0.3 * 5 + 0.2 * 6 + 0.1 * 2) / 10)
    assert found.parts["comprehensiveness"] == pytest.approx(0.7)
    assert "reference" not in found.details["items"][0]
    assert "reference" not in found.details["totals"]


def test_full_marks_are_one_and_never_more():
    thirds = criteria_of(insight=[0.1] * 10, readability=[0.7, 0.1, 0.1, 0.1])
    count = sum(len(thirds.criterions[name]) for name in DIMENSIONS)
    found = absolute_score(weighted(thirds), reading([10.0] * count, (), "alone"))
    assert found.value <= 1
    assert max(found.parts.values()) <= 1
    assert found.value == pytest.approx(1)


def test_the_baseline_is_a_tenth_of_its_one_mark():
    found = overall_score(7.5, "fair")
    assert found.value == 0.75
    assert found.details["items"] == [
        {"key": "overall", "item": "the whole article", "score": 7.5, "justification": "fair"}
    ]


def test_weights_that_people_edited_are_brought_to_a_sum_of_one():
    edited = criteria_of({**dict.fromkeys(DIMENSIONS, 0.2495)}, insight=[0.5, 0.502])
    counted = weighted(edited)
    assert sum(counted.dimension_weight.values()) == pytest.approx(1, abs=1e-15)
    assert [each.weight for each in counted.criterions["insight"]] == pytest.approx(
        [0.5 / 1.002, 0.502 / 1.002], abs=1e-15
    )
    full = absolute_score(counted, reading([10] * NUMBER, (), "alone"))
    assert full.value == pytest.approx(1, abs=1e-15)


def test_without_weights_every_criterion_and_every_dimension_counts_alike():
    uneven = criteria_of(insight=[0.2, 0.3, 0.5])
    counted = weighted(uneven, criteria_weights=False, dimension_weights=False)
    assert set(counted.dimension_weight.values()) == {0.25}
    assert {each.weight for each in counted.criterions["insight"]} == {1 / 3}
    assert weighted(uneven, criteria_weights=False).dimension_weight == uneven.dimension_weight
    kept = weighted(uneven, dimension_weights=False).criterions["insight"]
    assert [each.weight for each in kept] == pytest.approx([0.2, 0.3, 0.5])


def test_totals_are_dimension_means_and_their_weighted_sum():
    found = totals(CRITERIA, [8, 4, 4, 8, 6, 6, 2, 2])
    assert found.dimensions == pytest.approx(
        {"comprehensiveness": 7, "insight": 5, "instruction_following": 6, "readability": 2}
    )
    assert found.overall == pytest.approx(5.7)


@few
@given(marks, marks)
def test_a_score_is_a_share(target, reference):
    found = score(target, reference)
    assert 0 <= found.value <= 1
    assert all(0 <= part <= 1 for part in found.parts.values())


@few
@given(marks, marks)
def test_target_and_reference_exchanged_make_the_complement(target, reference):
    found, exchanged = score(target, reference), score(reference, target)
    assert found.value + exchanged.value == pytest.approx(1)
    for name in DIMENSIONS:
        assert found.parts[name] + exchanged.parts[name] == pytest.approx(1)


@few
@given(positive, positive, st.floats(0.01, 1))
def test_the_scale_of_the_marks_does_not_matter(target, reference, factor):
    smaller = score([factor * m for m in target], [factor * m for m in reference])
    assert smaller.value == pytest.approx(score(target, reference).value)


@few
@given(positive, positive, st.integers(0, NUMBER - 1), st.floats(0.1, 5))
def test_a_better_mark_on_one_criterion_makes_a_better_score(target, reference, place, gain):
    better = [mark + gain if at == place else mark for at, mark in enumerate(target)]
    assert score(better, reference).value > score(target, reference).value


@few
@given(marks, marks)
def test_ablations_change_nothing_where_weights_are_equal_already(target, reference):
    even = criteria_of(dict.fromkeys(DIMENSIONS, 0.25), **{name: [0.5, 0.5] for name in DIMENSIONS})
    full = score(target, reference, weighted(even))
    for flags in ({"criteria_weights": False}, {"dimension_weights": False}):
        assert score(target, reference, weighted(even, **flags)).value == pytest.approx(full.value)


@few
@given(st.lists(st.integers(1, 50), min_size=1, max_size=9))
def test_normalised_weights_keep_their_proportions(parts):
    own = [part / sum(parts) for part in parts]
    counted = weighted(criteria_of(insight=own)).criterions["insight"]
    assert isinstance(weighted(criteria_of(insight=own)), Criteria)
    assert [each.weight for each in counted] == pytest.approx(own)
