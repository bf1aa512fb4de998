"""What a weight means, and what tells criteria apart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deepassay.tasks.rubric import Criterion, rubric_digest
from deepassay.tasks.task import Task
from deepassay.weighing import Level


def of_weight(weight: float) -> Criterion:
    return Criterion(criterion="Names the year", weight=weight)


def task(*rubric: dict) -> Task:
    return Task(id="a", prompt="Why?", rubric=rubric)


@pytest.mark.parametrize(
    ("weight", "level", "mandatory"),
    [
        (5, "Critically Important", True),
        (4, "Critically Important", True),
        (3.9, "Important", False),
        (2, "Important", False),
        (1.5, "Slightly Important", False),
        (0.5, "Slightly Important", False),
        (-1, "Slightly Detrimental", False),
        (-2, "Detrimental", False),
        (-3.5, "Detrimental", False),
        (-4, "Critically Detrimental", True),
        (-5, "Critically Detrimental", True),
    ],
)
def test_level_and_mandatory_follow_from_the_weight(weight, level, mandatory):
    criterion = of_weight(weight)
    assert (criterion.level, criterion.mandatory) == (level, mandatory)


@settings(deadline=None)
@given(st.floats(min_value=-5, max_value=5).filter(bool))
def test_mandatory_criteria_are_those_of_the_critical_levels(weight):
    criterion = of_weight(weight)
    critical = (Level.CRITICALLY_IMPORTANT, Level.CRITICALLY_DETRIMENTAL)
    assert criterion.mandatory == (criterion.level in critical)
    assert (weight > 0) == criterion.level.endswith("Important")


@pytest.mark.parametrize("weight", [0, -0.0, 5.01, -6, float("nan"), float("inf"), "4", True, None])
def test_other_weights_are_refused(weight):
    with pytest.raises(ValidationError):
        of_weight(weight)


def test_criteria_without_an_identifier_are_named_by_their_order():
    rubric = task(
        {"criterion": "Names it", "weight": 1},
        {"id": "year", "criterion": "Dates it", "weight": 2},
        {"id": 7, "criterion": "Counts it", "weight": 3},
        {"criterion": "Cites it", "weight": 4},
    ).rubric
    assert [each.id for each in rubric] == ["c1", "year", "7", "c4"]


@pytest.mark.parametrize(
    ("rubric", "said"),
    [
        (
            (
                {"id": "x", "criterion": "p", "weight": 1},
                {"id": "x", "criterion": "q", "weight": 1},
            ),
            "criterion 2 has the identifier 'x' of criterion 1",
        ),
        (
            ({"criterion": "p", "weight": 1}, {"id": "c1", "criterion": "q", "weight": 1}),
            "criterion 2 has the identifier 'c1' of criterion 1",
        ),
        (
            ({"criterion": "p  q", "weight": 1}, {"criterion": "p q", "weight": -1}),
            "criterion 2 repeats criterion 1 word for word",
        ),
        (({"id": "a b", "criterion": "p", "weight": 1},), "must be one word"),
        (({"id": True, "criterion": "p", "weight": 1},), "valid string"),
    ],
)
def test_duplicates_and_odd_identifiers_are_refused(rubric, said):
    with pytest.raises(ValidationError, match=said):
        task(*rubric)


def test_the_same_words_may_stand_under_two_identifiers():
    """As they may in a published file, whose criteria are named before they are compared."""
    same = {"criterion": "p", "weight": 1}
    assert len(task({"id": "x", **same}, {"id": "y", **same}).rubric) == 2


def test_the_digest_tells_what_decides_a_score_and_nothing_else():
    base = {"id": "x", "criterion": "p", "weight": 1, "axis": "Explicit"}
    first = rubric_digest(task(base).rubric)
    assert rubric_digest(task({**base, "weight": 1.0}).rubric) == first
    for change in ({"id": "y"}, {"criterion": "q"}, {"weight": 2}, {"axis": "Implicit"}):
        assert rubric_digest(task({**base, **change}).rubric) != first
