"""Denials and opposites, in English and Chinese."""

from __future__ import annotations

import pytest

from deepassay.protocols.alignment.passages import terms
from deepassay.protocols.alignment.polarity import denied, directions


def denied_words(text: str) -> set[str]:
    found = list(terms(text))
    return {text[found[i].start : found[i].end] for i in denied(text, found)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The drug did not reduce mortality.", {"reduce", "mortality"}),
        ("It failed to reduce demand.", {"reduce", "demand"}),
        ("It is not only safe.", set()),
        ("It was never found, and costs rose.", {"found"}),
        ("失业率没有上升。", {"上升"}),
        ("这是不同的方法。", set()),
    ],
)
def test_a_denial_reaches_the_next_words_of_its_clause(text: str, words: set[str]) -> None:
    assert denied_words(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prices rose.", "Prices declined."),
        ("Profit was higher.", "Profit was lower."),
        ("The court accepted it.", "The court rejected it."),
        ("进口额上升。", "进口额下降。"),
        ("产量高于去年。", "产量低于去年。"),
    ],
)
def test_opposites_point_in_different_directions(one: str, other: str) -> None:
    first, second = directions(one), directions(other)
    assert any(first[pair] != second[pair] for pair in first.keys() & second.keys())


def test_words_of_one_direction_agree() -> None:
    rise, grow = directions("Prices rose."), directions("Prices are growing.")
    assert rise.keys() & grow.keys()
    assert all(rise[pair] == grow[pair] for pair in rise.keys() & grow.keys())
