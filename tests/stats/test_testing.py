"""Power against published figures, SciPy's noncentral t, and experiments."""

import numpy as np
import pytest
from scipy import stats

from deepassay.stats.testing import holm, needed, power, smallest_effect


@pytest.mark.parametrize(("effect", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_needed_is_what_the_known_tables_say(effect, n):
    """Cohen's small, medium and large effect; as G*Power gives it for a paired t test."""
    assert needed(effect) == n
    assert power(effect, n) >= 0.8 > power(effect, n - 1)


@pytest.mark.parametrize("n", [2, 5, 30, 400])
@pytest.mark.parametrize("effect", [0.0, 0.1, 0.5, 1.3])
def test_power_is_that_of_the_noncentral_t(n, effect):
    limit = stats.t.ppf(0.975, n - 1)
    center = effect * np.sqrt(n)
    wrong = stats.nct.cdf(-limit, n - 1, center) if center < 6 else 0.0  # there SciPy has nan
    expected = stats.nct.sf(limit, n - 1, center) + wrong
    assert power(effect, n) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n", [2, 3, 7, 50, 2000])
def test_power_rises_without_gaps(n):
    found = [power(step / 50, n) for step in range(1500)]
    assert found[0] == pytest.approx(0.05)
    assert found == sorted(found)
    assert found[-1] > 0.99


def test_power_is_how_often_experiments_succeed():
    samples = np.random.default_rng(5).normal(0.6, size=(20000, 20))
    found = np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05)
    assert power(0.6, 20) == pytest.approx(found, abs=0.01)


@pytest.mark.parametrize("n", [2, 6, 50, 1000])
def test_smallest_effect_has_the_power_that_is_asked_for(n):
    assert power(smallest_effect(n), n) == pytest.approx(0.8, abs=1e-9)


def test_effects_too_small_need_no_number():
    assert needed(0.0) is None
    assert needed(1e-6) is None
    assert needed(1e6) == 2


def test_holm_multiplies_and_never_falls():
    """The worked example of Holm's procedure with p .01, .04, .03, .005."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
