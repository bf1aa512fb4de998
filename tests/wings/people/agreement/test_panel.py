"""A panel against people, counted by hand."""

import pytest

from deepassay.wings.people.agreement.consistency import RatedReport, ScoresByTask
from deepassay.wings.people.agreement.decisions import MET, NOT_MET, PARTLY
from deepassay.wings.people.agreement.panel import (
    EFFECTIVE,
    MOST,
    TOGETHER,
    panel_figures,
    panel_of_scores,
)
from deepassay.wings.people.agreement.verdicts import DecidedItem

YES, NO = MET, NOT_MET


def line(item, person, *said, task="t", rater="p"):
    return DecidedItem(task, item, rater, person, dict(zip("xyz", said, strict=False)))


def test_what_most_say_beside_the_best_alone():
    lines = [
        line(1, YES, YES, YES, NO),
        line(2, YES, YES, NO, NO),
        line(3, NO, NO, YES, NO, task="u"),
        line(4, NO, YES, NO, NO, task="u"),
        line(5, NO, YES, NO, task="u"),  # z said nothing
    ]
    found = {each.name: each for each in panel_figures(lines, seed=1)}
    assert (found[MOST].value, found[MOST].n) == (3 / 4, 4)
    # x agrees in three of four, and is named before others that do as well.
    assert found["the same less that of x, the best alone"].value == 0
    # Mistakes: (0 0 1), (0 1 1), (0 1 0), (1 0 0): variances 3/16, 4/16, 4/16.
    # Covariances: x y -1/8, x z -1/8, y z 0. rho: 2 (-1/4) / (2 * 11/16).
    assert found[TOGETHER].value == pytest.approx(-4 / 11)
    assert found[EFFECTIVE.format(3)].value == pytest.approx(3 / (1 - 8 / 11))


def test_of_a_draw_half_counts_and_people_are_averaged():
    lines = [line(1, YES, YES, NO), line(1, NO, YES, NO, rater="q"), line(2, PARTLY, YES, YES)]
    found = {each.name: each for each in panel_figures(lines, seed=1)}
    assert found[MOST].value == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    # Two items: both are half off in each, so that no error varies.
    assert found[TOGETHER].value is None


def test_a_single_judge_is_no_panel():
    assert not [*panel_figures([line(1, YES, YES)], seed=1)]


def test_scores_on_different_scales_err_together():
    people = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
    off = {"a": 1.0, "b": -1.0, "c": -1.0, "d": 1.0}

    def judge(scale, sign):
        return ScoresByTask(
            {
                task: [
                    RatedReport(
                        name, scale * (people[name] + sign * off[name]), {"p": people[name]}
                    )
                    for name in people
                ]
                for task in ("t", "u")
            }
        )

    together = {e.name: e.value for e in panel_of_scores({"x": judge(1, 1), "y": judge(9, 1)}, 1)}
    assert together[TOGETHER] == pytest.approx(1)
    assert together[EFFECTIVE.format(2)] == pytest.approx(1)
    against = {e.name: e.value for e in panel_of_scores({"x": judge(1, 1), "y": judge(9, -1)}, 1)}
    assert against[TOGETHER] == pytest.approx(-1)
    assert against[EFFECTIVE.format(2)] is None
    assert panel_of_scores({"x": judge(1, 1)}, 1) == ()
