"""The rates of LiveResearchBench, appendix C, counted by hand."""

from __future__ import annotations

import pytest

from deepassay.wings.people.agreement.decisions import MET, NOT_MET, word_of
from deepassay.wings.people.agreement.verdicts import ALL, EITHER, DecidedItem, verdict_figures

YES, NO = MET, NOT_MET


def line(item: int, person: str, *said: str, rater: str = "p", task: str = "t") -> DecidedItem:
    return DecidedItem(task, item, rater, person, dict(zip("xy", said, strict=False)))


LINES = [
    line(1, YES, YES, YES),
    line(2, NO, YES, YES),
    line(3, YES, YES, NO),
    line(4, NO, NO, YES, task="u"),
    line(5, YES, YES, task="u"),  # y gave no verdict
]


def found(lines: list[DecidedItem]) -> dict[str, tuple[float | None, int]]:
    return {each.name: (each.value, each.n) for each in verdict_figures(lines, seed=1)}


def test_rates_of_one_judge_of_either_and_of_all() -> None:
    rates = found(LINES)
    assert rates["agreement with x"] == (4 / 5, 5)
    assert rates["agreement with y"] == (1 / 4, 4)
    assert rates[EITHER] == (3 / 4, 4)
    assert rates[ALL] == (1 / 4, 4)


def test_items_on_which_judges_agree_are_told_apart_from_the_others() -> None:
    rates = found(LINES)
    assert rates["judges say the same (agreement set)"] == (1 / 2, 4)
    assert rates["agreement set: agreement with the judges"] == (1 / 2, 2)
    assert rates["disagreement set: agreement with at least one"] == (1.0, 2)
    assert rates["disagreement set: agreement with x"] == (1.0, 2)
    assert rates["disagreement set: agreement with y"] == (0.0, 2)


def test_precision_and_classes() -> None:
    rates = found(LINES)
    assert rates["precision of x where it says met"] == (3 / 4, 4)
    assert rates["agreement with x where people say not met"] == (1 / 2, 2)
    assert rates["Cohen's kappa, x"][0] == pytest.approx((4 / 5 - 14 / 25) / (1 - 14 / 25))


def test_people_are_held_against_each_other_where_two_decided() -> None:
    rates = found([*LINES, line(1, YES, YES, YES, rater="q"), line(2, YES, YES, YES, rater="q")])
    assert rates["agreement of people with each other"] == (1 / 2, 2)
    assert "agreement of people with each other" not in found(LINES)


def test_one_task_has_no_interval() -> None:
    assert all(each.interval is None for each in verdict_figures(LINES[:3], seed=1))


@pytest.mark.parametrize(
    ("written", "word"),
    [("Yes", MET), (" Satisfied ", MET), ("0", NOT_MET), ("不支持", NOT_MET), ("tie", "tie")],
)
def test_verdicts_are_compared_by_what_they_mean(written: str, word: str) -> None:
    assert word_of(written) == word
