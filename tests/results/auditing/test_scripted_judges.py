"""Planted faults are found at their size, and an honest judge is not blamed.

`python -m benchmarks.auditing` does the same 200 times for each judge.
"""

from __future__ import annotations

import pytest
from benchmarks.auditing import CAST, PLANTED, Scripted, audit_of, blamed, family_of, holds, rates

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
    assert honest.endswith("things that must not matter is shown to move it.")
