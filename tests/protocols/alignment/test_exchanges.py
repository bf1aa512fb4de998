"""Things of a statement that stand in each other's places in a passage."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.alignment.exchanges import exchanged
from deepassay.protocols.alignment.passages import Stretch

COURTS = "The small hall holds 300 guests and the garden holds 80 guests."
CREW = "Last May Anna Berg sold the mill to Carl Lund for 5 million euros."
ODDS = "甲组有70人出现头痛，乙组有25人。"


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("The small hall holds 80 guests and the garden holds 300 guests.", COURTS),
        ("Last May Carl Lund sold the mill to Anna Berg for 5 million euros.", CREW),
        ("甲组有25人出现头痛，乙组有70人。", ODDS),
    ],
)
def test_two_things_in_each_others_places_are_found(statement: str, passage: str) -> None:
    assert exchanged(Stretch(statement), Stretch(passage))


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        (COURTS, COURTS),
        ("The garden holds 80 guests and the small hall holds 300 guests.", COURTS),
        ("For 5 million euros Anna Berg sold the mill to Carl Lund last May.", CREW),
        ("乙组有25人，甲组有70人出现头痛。", ODDS),
    ],
)
def test_clauses_moved_about_are_no_exchange(statement: str, passage: str) -> None:
    assert not exchanged(Stretch(statement), Stretch(passage))


@settings(deadline=None, max_examples=50)
@given(st.text("Ab c1 2,.%年人", max_size=120))
def test_a_text_has_nothing_exchanged_with_itself(text: str) -> None:
    assert not exchanged(Stretch(text), Stretch(text))
