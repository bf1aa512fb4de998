import pytest

from deepassay.results.reading import GradedRubrics
from deepassay.results.rubric_items import readings
from deepassay.results.weighing import GradedCriterion
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.yardsticks import Criterion

from .judgements import make
from .rubrics import EXPLICIT, N, P, S, graded, panel, rubric


def line(weight, verdict="Satisfied"):
    return GradedCriterion("c1", EXPLICIT, weight, abs(weight) >= 4, verdict)


@pytest.mark.parametrize("weight", [5, 4, 3.5, 3, 2, 1.5, 1, 0.5, -0.5, -1, -2, -3, -3.5, -4, -5])
def test_levels_are_those_of_the_tasks(weight):
    criterion = Criterion(criterion="Says so.", weight=weight)
    assert line(weight).level == criterion.level


@pytest.mark.parametrize(
    ("weight", "verdict", "passed"),
    [(5, S, True), (5, P, False), (5, N, False), (-5, N, True), (-5, P, False), (-5, S, False)],
)
def test_a_merit_passes_when_it_is_there_and_a_fault_when_it_is_not(weight, verdict, passed):
    assert line(weight, verdict).passed is passed
    assert line(weight, None).passed is None


def test_each_judge_of_a_panel_has_a_reading_of_its_own():
    outcome = panel(one=rubric((EXPLICIT, 5, S)), two=rubric((EXPLICIT, 5, N)))
    found = readings([graded("heron", "a", outcome)])
    assert [(each.judge, each.lines[0].verdict) for each in found] == [("one", S), ("two", N)]


def test_a_failed_judgement_is_read_too_if_it_kept_its_lines():
    details = rubric((EXPLICIT, 5, None, "timeout")).details
    (found,) = readings([graded("heron", "a", Unscored(Cause.TIMEOUT, "late", details))])
    assert (found.lines[0].verdict, found.lines[0].cause) == (None, "timeout")


def test_a_verdict_that_no_one_offered_is_none():
    """Edition `code` keeps what judges write."""
    (found,) = readings([graded("heron", "a", rubric((EXPLICIT, 5, "satisfied")))])
    assert (found.lines[0].verdict, found.lines[0].cause) == (None, "verdict off the scale")


def test_items_of_other_protocols_are_no_rubric():
    checklist = Score(
        50.0, (0.0, 100.0), details={"items": [{"key": "q1", "item": "?", "score": 1}]}
    )
    assert not readings([make("heron", "a", checklist)])
    assert not GradedRubrics([make("heron", "a", checklist)]).of_one_recipe


def test_two_recipes_are_not_one_rubric():
    records = [graded("heron", "a", rubric((EXPLICIT, 5, S)), judge=judge) for judge in "mn"]
    assert GradedRubrics(records[:1]).of_one_recipe
    assert not GradedRubrics(records).of_one_recipe


def test_what_is_missing_is_told_with_its_causes():
    records = [
        graded("heron", "a", rubric((EXPLICIT, 5, S), (EXPLICIT, 1, None, "timeout"))),
        graded("heron", "b", Cause.MISSING_INPUT),
        graded("cuckoo", "a", rubric((EXPLICIT, 5, S))),
    ]
    assert GradedRubrics(records).missing == (
        "heron: 1 of 2 criteria have no verdict (timeout 1).",
        "heron: 1 of 2 reports not graded at all (missing_input 1).",
    )
