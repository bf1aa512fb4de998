"""What a run is likely to take is said before it is asked for, beside the limits."""

from __future__ import annotations

import pytest

from deepassay.wings.research.deerflow.researcher import Researcher

LESS = [
    {"rounds": 1},
    {"ledger": False},
    {"sections": False},
    {"check": False},
    {"caps": {"reader": (2_000, 600)}},
    {"budget": {"calls": 10, "tokens": 9_000}},
    {"edition": "paper"},
]


def test_the_likely_stands_before_the_limits():
    """5 calls of the planner, 12 of the researcher, 16 of the reader, 7 and 5 of the others."""
    said = Researcher(search="corpus:x", model="openai:m").outlook()
    assert said == (
        "likely about 45 calls of openai:m and 190,000 tokens each (5 questions, pages of 4,000 "
        "tokens), at most 300 calls, 2,000,000 tokens"
    )


@pytest.mark.parametrize("settings", LESS, ids=str)
def test_it_follows_from_the_settings_and_is_no_more_than_the_budget_has(settings):
    calls, tokens = Researcher(**settings).likely
    most = Researcher().likely
    assert (calls, tokens) != most and calls <= most[0] and tokens <= most[1]
    budget = Researcher(**settings).budget
    assert calls <= budget.calls and tokens <= budget.tokens


def test_thoughts_count():
    assert Researcher(thinking=2_000).likely == (45, 280_000)
