"""Effective numbers of judges: by hand, by their limits, and in small worlds of known errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.stats.panels import JudgesTogether, beyond


def together(*rows):
    said = np.array(rows, dtype=float)
    return JudgesTogether(said, np.arange(len(said)))


def test_two_judges_by_hand():
    # Variances 1 and 1 (of four), covariance 1/2: rho = .5, and 2 / 1.5 independent judges.
    found = together((1, 1), (1, 1), (-1, -1), (-1, 1), (1, -1), (1, 1), (-1, -1), (-1, -1))
    assert found.correlation() == pytest.approx(0.5)
    assert found.effective() == pytest.approx(2 / 1.5)


def test_the_same_judge_thrice_is_one():
    row = np.array([0, 1, 0, 0, -1.0])
    found = JudgesTogether(np.column_stack([row] * 3), np.arange(5))
    assert found.correlation() == pytest.approx(1)
    assert found.effective() == pytest.approx(1)


def test_judges_without_an_error_have_no_number():
    found = together((0, 0), (0, 0), (0, 0))
    assert (found.correlation(), found.effective()) == (None, None)


def test_a_judge_that_never_errs_halves_what_the_other_does():
    # The mean of one error and none has a quarter of its variance, of which the mean is a half:
    # two independent ones.
    found = together((1, 0), (-1, 0), (1, 0), (-1, 0))
    assert found.effective() == pytest.approx(2)


def test_a_bias_that_all_share_is_no_correlation():
    found = together((3, 3), (3, 5), (5, 3), (5, 5))
    assert found.correlation() == pytest.approx(0)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_it_is_the_variance_of_one_by_that_of_the_mean(seed, judges):
    chance = np.random.default_rng(seed)
    said = chance.normal(size=(30, judges)) + chance.normal(size=(30, 1))
    counts = chance.integers(0, 3, 30).astype(float)
    drawn = np.repeat(said, counts.astype(int), axis=0)
    if len(drawn) < 2:
        return
    found = JudgesTogether(said, np.arange(30)).effective(counts)
    assert found == pytest.approx(drawn.var(axis=0).mean() / drawn.mean(axis=1).var())


@pytest.mark.parametrize("judges, rho, mistaken", [(2, 0.0, 0.2), (3, 0.3, 0.15), (5, 0.6, 0.3)])
def test_worlds_of_known_errors_and_correlation(judges, rho, mistaken):
    """Each judge errs as a common coin says, with a chance of the root of rho, else as its own."""
    chance = np.random.default_rng(7)
    found = []
    for _ in range(60):
        wrong = errors(chance, 400, judges, rho, mistaken)
        found.append(JudgesTogether(wrong, np.arange(400)).effective())
    assert np.mean(found) == pytest.approx(judges / (1 + (judges - 1) * rho), rel=0.05)


def test_what_judges_say_gives_a_floor():
    chance = np.random.default_rng(3)
    truth = (chance.random(2000) < 0.5).astype(float)[:, None]
    wrong = errors(chance, 2000, 3, 0.2, 0.15)
    said = np.abs(truth - wrong)
    unit = np.arange(2000)
    by_errors = JudgesTogether(wrong, unit)
    by_words = JudgesTogether(said, unit)
    assert by_words.effective() < by_errors.effective()
    # The difference of the coefficients is (1 - rho) (1 - 2 p)^2.
    rise = by_words.correlation() - by_errors.correlation()
    assert rise == pytest.approx(0.8 * 0.7**2, abs=0.05)


def test_beyond_is_what_no_line_of_the_peoples_explains():
    theirs = np.array([1.0, 2, 3, 4])
    assert beyond(0.3 + 0.1 * theirs, theirs) == pytest.approx(np.zeros(4))
    left = beyond(np.array([1.0, -1, -1, 1]) + 5 * theirs, theirs)
    assert left == pytest.approx([1, -1, -1, 1])
    assert beyond(np.array([1.0, 3]), np.array([2.0, 2])) == pytest.approx([-1, 1])


def errors(chance, items, judges, rho, mistaken):
    common = chance.random((items, 1)) < mistaken
    own = chance.random((items, judges)) < mistaken
    shares = chance.random((items, judges)) < rho**0.5
    return np.where(shares, common, own).astype(float)
