"""Means by a new judge from anchors: against formulas written out, and on boards made up."""

import numpy as np
import pytest
from benchmarks.rescue import board, case
from scipy import stats

from deepassay.wings.trials.rescue.arithmetic import (
    AGENTS,
    FEWEST,
    BothScores,
    rescued,
)


def only(found, name):
    return next(each for each in found.agents if each.agent == name)


def test_what_was_scored_in_full_is_known():
    scores, full = board(np.random.default_rng(1), anchors=100, without=0)
    found = rescued(scores)
    for at, name in enumerate(scores.agents):
        each = only(found, name)
        assert each.basis == "in full" and each.interval is None
        assert each.new == pytest.approx(full[at].mean())
    for pair in found.pairs:
        assert pair.order in ("as before", "reversed")


def test_an_agent_alone_has_the_regression_estimate_of_survey_sampling():
    scores, _ = board(np.random.default_rng(2), agents=1, without=0, anchors=25)
    (each,) = rescued(scores).agents
    there = scores.anchors[0]
    old, new = scores.old[0], scores.new[0]
    fit = stats.linregress(old[there], new[there])
    assert each.new == pytest.approx(fit.intercept + fit.slope * old.mean())
    off = new[there] - fit.intercept - fit.slope * old[there]
    by_residuals = np.sqrt(0.75 * (off @ off) / 23 / 25)
    assert each.error == pytest.approx(by_residuals, rel=0.05)  # and a little by the slope
    assert each.error > by_residuals and each.freedom == 23


def test_an_agent_without_anchors_has_the_prediction_interval_of_least_squares():
    scores, full = board(np.random.default_rng(3), agents=7, anchors=100, without=1)
    each = only(rescued(scores), "a0")
    x, y = scores.old[1:].mean(axis=1), full[1:].mean(axis=1)
    fit = stats.linregress(x, y)
    at = scores.old[0].mean()
    spread = np.sqrt(((y - fit.intercept - fit.slope * x) ** 2).sum() / 4)
    error = spread * np.sqrt(1 + 1 / 6 + (at - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum())
    assert each.basis == "other agents"
    assert each.new == pytest.approx(fit.intercept + fit.slope * at)
    half = stats.t.ppf(0.975, 4) * error
    assert each.interval == pytest.approx((each.new - half, each.new + half))


@pytest.mark.parametrize(("agents", "known"), [(AGENTS, False), (AGENTS + 1, True)])
def test_of_too_few_others_nothing_is_said(agents, known):
    scores, _ = board(np.random.default_rng(4), agents=agents, without=1)
    each = only(rescued(scores), "a0")
    assert (each.new is not None) == known
    if not known:
        assert each.basis == "not known" and each.interval is None


@pytest.mark.parametrize(("anchors", "basis"), [(FEWEST - 1, "not known"), (FEWEST, "own anchors")])
def test_of_too_few_anchors_nothing_is_said(anchors, basis):
    scores, _ = board(np.random.default_rng(5), anchors=anchors, agents=2, without=0)
    assert {each.basis for each in rescued(scores).agents} == {basis}


def test_an_agent_of_which_nothing_is_known_may_stand_anywhere():
    scores, _ = board(np.random.default_rng(6), agents=3, without=1, anchors=60)
    found = rescued(scores)
    best = found.ranks()[found.agents[0].agent]
    assert best[0] == 1 and best[1] >= 2 and "a0" not in found.ranks()


def test_more_anchors_narrow_the_interval_to_nothing():
    widths = []
    for anchors in (10, 30, 90, 99):
        scores, _ = board(np.random.default_rng(7), agents=4, without=0, anchors=anchors)
        interval = rescued(scores).agents[0].interval
        widths.append(interval.high - interval.low)
    assert widths == sorted(widths, reverse=True) and widths[-1] < widths[0] / 10


def test_pairs_are_oriented_by_the_old_judge_and_reversals_are_found():
    chance = np.random.default_rng(8)
    old = 0.5 + np.array([[0.02], [0.0]]) + chance.normal(0, 0.01, (2, 60))
    new = 0.5 + np.array([[-0.05], [0.05]]) + chance.normal(0, 0.01, (2, 60))
    new[:, 20:] = np.nan
    (pair,) = rescued(BothScores(("x", "y"), old, new)).pairs
    assert (pair.one, pair.other, pair.order) == ("x", "y", "reversed")
    assert pair.old_gap > 0 > pair.interval.high


def test_constant_scores_are_no_division_by_zero():
    flat = np.full((5, 30), 0.5)
    new = flat.copy()
    new[:, 10:] = np.nan
    found = rescued(BothScores(tuple("abcde"), flat, new))
    assert all(each.new == pytest.approx(0.5) for each in found.agents)
    assert all(pair.order == "not known" for pair in found.pairs)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"anchors": 10},
        {"agents": 10, "without": 3},
        {"kind": "leaning"},
        {"agents": 1, "without": 0},
        {"missing": 0.1},
    ],
    ids=str,
)
def test_intervals_hold_the_truth_as_often_as_they_say(options):
    """Two hundred boards each; a thousand stand in docs/studies/rescue.md."""
    found = case(200, **options)
    assert found["own anchors"] > 0.92
    assert found.get("other agents", 1.0) > 0.90  # one or a few a board
    assert found.get("pairs", 1.0) > 0.92
    assert found["false"] < 0.05
