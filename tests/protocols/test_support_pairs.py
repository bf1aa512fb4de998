"""The claim-page pairs that measure the support check are what they say they are.

Every pair was written by hand for this project, before and apart from the rule that it tests. A
claim is "supported" when the page states it or when it follows by plain arithmetic or conversion
of units from figures of the page; all else is "unsupported". The held-out files are on other
pages, and no threshold may be chosen on them.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FIXTURES = Path(__file__).parent / "fixtures" / "support"
DEVELOPMENT = ("en", "zh")
HELD_OUT = ("en_heldout", "zh_heldout")
FILES = DEVELOPMENT + HELD_OUT

LABELS = {"supported", "unsupported"}
# Ways of restating a page, and ways of departing from it; the other kinds occur with both labels.
RESTATING = {"verbatim", "paraphrase", "summary"}
DEPARTING = {"partial", "negation", "swap", "entity", "absent", "overclaim"}
EITHER = {"number", "unit", "date", "cause", "comparison"}


class Pair(NamedTuple):
    page: str
    claim: str
    label: str
    kind: str


def rows(name: str) -> list[dict[str, Any]]:
    text = (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def pairs(*names: str) -> list[Pair]:
    return [
        Pair(row["page"], claim["claim"], claim["label"], claim["kind"])
        for name in names
        for row in rows(name)
        for claim in row["claims"]
    ]


def pages(*names: str) -> list[str]:
    return [row["page"] for name in names for row in rows(name)]


def supported_share(some: list[Pair]) -> float:
    return sum(pair.label == "supported" for pair in some) / len(some)


def without_spaces(text: str) -> str:
    return "".join(text.split())


def is_copied(pair: Pair) -> bool:
    """Whether the page holds the claim word for word; its last full stop may differ."""
    return without_spaces(pair.claim).rstrip(".。") in without_spaces(pair.page)


def is_chinese(text: str) -> bool:
    """Whether more than half of the letters are Chinese characters."""
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum("\u4e00" <= letter <= "\u9fff" for letter in letters) > len(letters)


@pytest.mark.parametrize("name", FILES)
def test_every_line_is_a_page_with_its_claims(name):
    for row in rows(name):
        assert row.keys() == {"page", "claims"}
        assert row["page"].strip()
        assert 5 <= len(row["claims"]) <= 13
        for claim in row["claims"]:
            assert claim.keys() == {"claim", "label", "kind"}
            assert claim["claim"] == claim["claim"].strip() != ""


@pytest.mark.parametrize("name", FILES)
def test_labels_and_kinds_are_on_the_menu(name):
    some = pairs(name)
    assert {pair.label for pair in some} == LABELS
    assert {pair.kind for pair in some} <= RESTATING | DEPARTING | EITHER


def test_a_kind_that_restates_is_supported_and_one_that_departs_is_not():
    for pair in pairs(*FILES):
        if pair.kind in RESTATING:
            assert pair.label == "supported", pair.claim
        if pair.kind in DEPARTING:
            assert pair.label == "unsupported", pair.claim


def test_every_kind_occurs():
    assert {pair.kind for pair in pairs(*FILES)} == RESTATING | DEPARTING | EITHER


def test_there_are_enough_pairs_in_both_languages():
    assert len(pairs("en", "en_heldout")) >= 260
    assert len(pairs("zh", "zh_heldout")) >= 160


def test_about_two_fifths_are_held_out():
    share = len(pairs(*HELD_OUT)) / len(pairs(*FILES))
    assert 0.33 <= share <= 0.45


@pytest.mark.parametrize("name", FILES)
def test_about_half_of_each_file_is_supported(name):
    assert 0.45 <= supported_share(pairs(name)) <= 0.65


@pytest.mark.parametrize("name", FILES)
def test_every_page_has_claims_of_both_labels(name):
    for row in rows(name):
        assert {claim["label"] for claim in row["claims"]} == LABELS


def test_no_page_occurs_twice():
    seen = Counter(without_spaces(page) for page in pages(*FILES))
    assert max(seen.values()) == 1


def test_no_claim_occurs_twice():
    seen = Counter(pair.claim for pair in pairs(*FILES))
    assert max(seen.values()) == 1


def test_only_verbatim_claims_are_copies_of_the_page():
    for pair in pairs(*FILES):
        assert is_copied(pair) == (pair.kind == "verbatim"), pair.claim


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_in_the_language_of_its_name(name):
    for pair in pairs(name):
        assert is_chinese(pair.claim) == name.startswith("zh"), pair.claim
        assert is_chinese(pair.page) == name.startswith("zh"), pair.page
