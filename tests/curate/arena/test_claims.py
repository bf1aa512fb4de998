"""The words of an inspiration that a template quotes."""

from __future__ import annotations

import pytest

from deepassay.curate.arena.claims import claim_of


@pytest.mark.parametrize(
    ("text", "kind", "claim"),
    [
        (
            "We have large models of districts. The problem is that nobody measured bedrooms.",
            "Limitation",
            "The problem is that nobody measured bedrooms",
        ),
        (
            "So, I think that loud streets lead to warm bedrooms.",
            "Hypothesis",
            "loud streets lead to warm bedrooms",
        ),
        (
            "As the speaker said, open windows cool a courtyard flat.",
            "Hypothesis",
            "open windows cool a courtyard flat",
        ),
        ("The speaker snores loudly.", "Limitation", "snores loudly"),
        ("I like “warm” flats; “cold” flats rust.", "Limitation", "'cold' flats rust"),
    ],
)
def test_the_claim_is_what_can_stand_alone(text, kind, claim):
    assert claim_of(text, kind, "en") == claim


def test_a_chinese_claim_is_without_its_lead_in():
    text = "所以我觉得，临街的窗户因为噪声而关闭，卧室就更热。"
    assert claim_of(text, "Hypothesis", "zh") == "临街的窗户因为噪声而关闭，卧室就更热"


def test_a_long_sentence_is_cut_where_a_clause_ends():
    text = "Bedrooms stay warm at night, " + "walls and floors give off heat until dawn, " * 6
    claim = claim_of(text, "Limitation", "en")
    assert len(claim.split()) <= 28
    assert claim.endswith("until dawn")
