"""Words in whose stead a passage has another of the same kind, and claims that go beyond it."""

from __future__ import annotations

import pytest

from deepassay.protocols.alignment.passages import Stretch
from deepassay.protocols.alignment.rivals import generalised, rivals, stronger
from deepassay.protocols.alignment.synonyms import LEXICON, canonical, members


def found(statement: str, passage: str) -> list[tuple[str, str]]:
    return list(rivals(Stretch(statement), Stretch(passage)))


def test_another_month_is_a_rival() -> None:
    assert found("It opened in March.", "It opened in April.") == [("march", "april")]


def test_a_chinese_rival_is_found() -> None:
    assert found("该物种为一级保护动物。", "该物种为二级保护动物。") == [("一级", "二级")]


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("It opened in March.", "It opened in spring."),
        ("It opened in March.", "It was built in April and opened in March."),
        ("It lasts 2 weeks.", "It lasts 14 days."),
    ],
)
def test_no_rival_where_the_word_stands_or_a_number_counts(statement: str, passage: str) -> None:
    assert not found(statement, passage)


def test_all_where_the_passage_has_some_is_a_generalisation() -> None:
    some, every = "Some hives were lost.", "All hives were lost."
    assert generalised(every, some, some)
    assert not generalised(some, every, every)
    assert not generalised(every, every, every)


def test_a_claim_of_proof_needs_one_in_the_passage() -> None:
    assert stronger("It was proved that salt helps.", "Salt may help.") == "proved"
    assert not stronger("It was proved that salt helps.", "The trial confirmed that salt helps.")


def test_synonyms_are_compared_by_one_word_that_has_them_all() -> None:
    assert canonical("purchas") == canonical("acquir")
    assert {"purchas", "acquir"} <= set(members(canonical("acquir")))
    assert members("zebra") == (canonical("zebra"),) == ("zebra",)


def test_no_word_is_twice_in_a_group_and_no_member_of_a_kind_in_two() -> None:
    for line in (*LEXICON["same"], *LEXICON["same_han"]):
        assert len(line.split()) == len(set(line.split())) > 1, line
    for line in (*LEXICON["rivals"], *LEXICON["rivals_han"]):
        words = line.replace("|", " ").split()
        assert len(words) == len(set(words)), line
        assert "|" in line
