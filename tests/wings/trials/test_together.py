"""Figures of asking about criteria at once, on verdicts of which the truth is known."""

from collections import Counter

import numpy as np
import pytest

from deepassay.results.weighing import NOT, PARTIAL, SATISFIED
from deepassay.wings.people.agreement.rubrics import CriterionPlace
from deepassay.wings.trials import together
from deepassay.wings.trials.together import TogetherArm, TogetherStudy


def arm(size, verdicts, **numbers):
    """verdicts: by report, a list of tuples, one verdict for each repeat."""
    own = {
        CriterionPlace("a", f"t{report}", 1, f"c{n}"): tuple(words)
        for report, those in enumerate(verdicts)
        for n, words in enumerate(those)
    }
    given = {"calls": 0, "tokens_in": 0, "tokens_out": 0, "spent": 0.0} | numbers
    repeats = len(next(iter(own.values())))
    return TogetherArm(size, repeats, own, Counter(), **given)


def people(labels):
    return {
        CriterionPlace("a", f"t{report}", 1, f"c{n}"): word
        for report, those in enumerate(labels)
        for n, word in enumerate(those)
    }


S, P, N = SATISFIED, PARTIAL, NOT


def test_every_figure_by_hand():
    alone = arm(1, [[(S, S), (S, N), (N, N), (N, N)]] * 4)
    five = arm(5, [[(S,), (N,), (S,), (N,)]] * 4)
    study = TogetherStudy([alone, five], people([[S, S, N, N]] * 4), 0)
    base, own = study.figures(alone), study.figures(five)
    assert base.same.value == 0.75 and base.again.value == 0.75
    assert own.same.value == 0.5 and own.changed.value == 0.25
    assert own.again.value is None
    assert (base.met.value, own.met.value) == (0.375, 0.5)
    assert (base.accuracy.value, own.accuracy.value) == (0.875, 0.5)
    assert base.balanced.value == pytest.approx((0.75 + 1) / 2)
    assert own.better.value == pytest.approx(0.5 - 0.875)


def test_what_has_no_verdict_is_left_out_of_shares_and_counted():
    alone = arm(1, [[(S, S), (N, N)]] * 3)
    five = arm(5, [[(None,), (N,)]] * 3)
    study = TogetherStudy([alone, five], people([[S, N]] * 3), 0)
    own = study.figures(five)
    assert (five.lost, five.judgements) == (3, 6)
    assert own.same.value == 1.0 and own.same.n == 3
    assert own.accuracy.n == 3 and own.better.n == 3


def test_partly_met_is_not_met_where_people_had_two_words():
    alone = arm(1, [[(P, P)], [(S, S)]])
    two = TogetherStudy([alone], people([[N], [S]]), 0).figures(alone)
    three = TogetherStudy([alone], people([[P], [N]]), 0).figures(alone)
    assert two.accuracy.value == 1.0
    assert three.accuracy.value == 0.5


def world(seed, reports, harm):
    """A judge with noise .1; asked at once it is wrong on another share `harm` of criteria.

    Reports differ in how hard they are, so that criteria of one are not independent.
    """
    rng = np.random.default_rng(seed)
    labels, alone, five = [], [], []
    for _ in range(reports):
        hard = rng.uniform(0.0, 0.2)
        truth = rng.random(6) < 0.5
        views = [truth ^ (rng.random(6) < hard) for _ in range(2)]
        batch = truth ^ (rng.random(6) < hard) ^ (rng.random(6) < harm * hard * 10)
        words = np.array([N, S])
        labels.append(words[truth.astype(int)].tolist())
        alone.append(list(zip(*(words[v.astype(int)].tolist() for v in views), strict=True)))
        five.append([(w,) for w in words[batch.astype(int)].tolist()])
    return TogetherStudy([arm(1, alone), arm(5, five)], people(labels), seed)


def test_harm_that_is_there_is_found_and_none_is_seldom_claimed(monkeypatch):
    """A fifth of the draws tell the same of each study."""
    monkeypatch.setattr(together, "FEWER_DRAWS", 199)
    found = dict.fromkeys((0.0, 0.2), 0)
    for harm in found:
        for seed in range(20):
            study = world(seed, 40, harm)
            changed = study.figures(study.arms[1]).changed.interval
            found[harm] += changed is not None and changed.low > 0
    assert found[0.2] >= 16
    assert found[0.0] <= 2
