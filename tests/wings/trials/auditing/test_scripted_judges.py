"""Planted faults are found at their size, and an honest judge is not blamed.

`python -m benchmarks.auditing` does the same 200 times for each judge.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.auditing import (
    CAST,
    COARSE,
    PLANTED,
    Scripted,
    audit_of,
    blamed,
    family_of,
    holds,
    rates,
    row_of,
)

AUDITS = 12


@pytest.mark.parametrize("judge", PLANTED)
def test_a_planted_fault_is_shown_and_its_size_held(judge):
    shown, held = rates(judge, AUDITS)
    assert shown >= 10 / 12
    assert held >= 10 / 12


def test_an_honest_judge_is_blamed_for_nothing_all_tests_considered():
    _, together = blamed(AUDITS)
    assert together <= 1 / 12


def test_the_own_family_is_told_from_better_reports():
    for own, shown in ((0.02, True), (0.0, False)):
        found = [family_of(Scripted(own=own), seed) for seed in range(AUDITS)]
        assert sum(each is not None and holds(each.interval, own) for each in found) >= 10
        assert all(each is not None and (each.p < 0.05) == shown for each in found[:3])


def test_the_sentence_says_what_is_found():
    said = audit_of(CAST["length +.01"], 0).sentence
    assert said.startswith("fake by race, on 50 reports: it noticed ")
    assert " of drop-section; it gives +0.0" in said
    assert " for each doubling of length by empty sentences" in said
    honest = audit_of(CAST["honest"], 0).sentence
    told = "of 11 things that must not matter 10 are shown not to move it and 1 is open."
    assert honest.endswith(told)  # who stands first cannot be shown to make no difference


def test_where_nothing_is_found_and_nothing_could_be_the_sentence_says_so():
    """On a coarse scale a judge without a fault leaves most of it open, and is not acquitted."""
    for seed in range(AUDITS):
        audit = audit_of(COARSE["ten items"], seed)
        rows = [row for row in audit.rows if row.verdict == "open" and not row.is_padding]
        tests = [*rows, *(each for each in audit.biases if not (each.shown or each.is_small))]
        assert len(tests) > 3
        told = re.search(
            r"(\d+) are open \(this audit could have shown (\S+) to (\S+) of", audit.sentence
        )
        assert told and int(told[1]) == len(tests)
        sizes = [each.least for each in tests if each.least]
        assert float(told[2]) == pytest.approx(min(sizes), abs=1e-3)
        assert float(told[3]) == pytest.approx(max(sizes), abs=1e-3)


def test_the_size_that_could_have_been_shown_is_shown_so_often():
    """The least size of the plea, planted, is shown about as often as its power says."""
    least = [row_of(audit_of(CAST["honest"], seed), "address-judge").least for seed in range(24)]
    judge = replace(CAST["honest"], plea=float(np.mean(least)))
    shown = [row_of(audit_of(judge, seed), "address-judge").verdict for seed in range(100, 160)]
    assert 0.65 <= shown.count("gained") / len(shown) <= 0.97
