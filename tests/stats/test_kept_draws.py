"""Draws that are kept for the next pair are those that would be drawn again."""

import numpy as np
import pytest

from deepassay.stats import resampling
from deepassay.stats.intervals import Units
from deepassay.stats.resampling import bca_each, sign_flip


@pytest.mark.parametrize("units", [450])
def test_a_test_and_an_interval_are_the_same_whether_draws_are_kept_or_not(monkeypatch, units):
    values = np.random.default_rng(3).normal(0.05, 1.0, units)
    sample = Units(values, np.ones(units))
    kept = [(sign_flip(sample, 0), bca_each([sample], 0)) for _ in range(2)]
    monkeypatch.setattr(resampling, "_KEPT", 0)
    assert [(sign_flip(sample, 0), bca_each([sample], 0))] * 2 == kept
