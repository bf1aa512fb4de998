"""What ratings require, and what follows from them (Tables 12 and 13)."""

from __future__ import annotations

import pytest

from deepassay.wings.build.experts.quality import finished_tasks, quality_of
from deepassay.wings.build.experts.verification import (
    RESOLVE,
    TABLE_12,
    TABLE_13,
    PersonAnswer,
    answer_flaw,
    disputes,
    in_question,
    lacking,
    rated_parts_of,
    settled_draft,
    settled_otherwise,
    with_ratings,
)
from tests.wings.build.verified import (
    AGREE,
    APPEND,
    RATE,
    SAMPLE,
    WHEN,
    agreed,
    rated,
    said,
    unrated,
)


@pytest.mark.parametrize(
    ("menu", "value", "version", "comment", "flaw"),
    [
        (TABLE_12, "appropriate", "", "", ""),
        (TABLE_12, "appropriate", "Other?", "", "takes no modified version"),
        (TABLE_12, "appropriate with modification", "", "so", "needs a modified version"),
        (TABLE_12, "appropriate with modification", "Other?", "", ""),
        (TABLE_12, "not appropriate", "", "", ""),
        (
            TABLE_12,
            "needs modification",
            "Other?",
            "",
            "is no answer here; there are",
        ),
        (TABLE_13, "appropriate", "", "", ""),
        (TABLE_13, "valid but not necessary", "", "", "needs a comment"),
        (TABLE_13, "valid but not necessary", "", "too fine", ""),
        (TABLE_13, "valid but not necessary", "Other?", "too fine", ""),
        (TABLE_13, "needs modification", "", "bad", "needs a modified version"),
        (TABLE_13, "not appropriate", "Other?", "", "needs a comment"),
        (TABLE_13, "not appropriate", "", "beside it", ""),
    ],
)
def test_what_a_rating_needs(menu, value, version, comment, flaw):
    found = answer_flaw(menu, value, version, comment)
    assert flaw in found and bool(found) == bool(flaw)


@pytest.mark.parametrize(
    ("rating", "expected"),
    [
        (("appropriate",), "Is a wage given?"),
        (("needs modification", "Is a wage of 2025 given?"), "Is a wage of 2025 given?"),
        (("valid but not necessary", "", "too fine"), None),
        (("valid but not necessary", "Is pay given?", "too fine"), "Is pay given?"),
        (("not appropriate", "", "beside it"), None),
        (("not appropriate", "Is pay given?", "beside it"), "Is pay given?"),
    ],
)
def test_what_becomes_of_an_item_that_both_groups_rate_so(rating, expected):
    draft = settled_draft(agreed(rated(c2=rating)))
    assert draft.checklist.get("c2") == expected
    changes = [each for each in draft.history if each.step == "verified"]
    assert len(changes) == (expected != "Is a wage given?")
    for each in changes:
        assert (each.who, each.said, each.note) == ("ana", rating[0], "agreed: bo")
    assert settled_draft(draft) == draft


@pytest.mark.parametrize(
    "rating", [("appropriate",), ("needs modification", "Is a wage given?"), ("not appropriate",)]
)
@pytest.mark.parametrize(
    ("resolution", "expected"), [(("drop",), None), (("take", "Is pay given?"), "Is pay given?")]
)
def test_what_the_third_group_settled_stays_though_the_first_two_agreed(
    rating, resolution, expected
):
    draft = settled_draft(agreed(rated(c2=rating)))
    wrong = (SAMPLE, "fay", "c2", "wrong", "", "no")
    draft = said(draft, wrong, (RESOLVE, "gil", "c2", *resolution))
    assert settled_draft(draft) == draft
    assert draft.checklist.get("c2") == expected
    (task,) = finished_tasks([draft])
    assert task.checklist == ("Is a price given?", *filter(None, [expected]))


def test_an_item_that_somebody_took_out_of_the_file_does_not_come_back_empty():
    draft = rated()
    draft = agreed(draft.changed("eva", "edited", {"c2": None}))
    assert [*settled_draft(draft).checklist] == ["c1"]


def test_a_query_that_is_not_appropriate_drops_the_task():
    draft = settled_draft(agreed(rated(query=("not appropriate",), c1=("appropriate",))))
    assert draft.dropped and [*in_question(draft)] == ["query"]
    assert [*finished_tasks([draft])] == []


def test_appended_items_are_part_of_the_checklist_once_both_groups_agree():
    draft = said(rated(), (APPEND, "ana", "query", "Is a map there?"))
    assert "c3" not in settled_draft(draft).checklist
    assert lacking(draft) == "4 to agree on"
    assert settled_draft(agreed(draft)).checklist["c3"] == "Is a map there?"


def test_nothing_changes_before_a_second_person_has_seen_it():
    draft = rated(c1=("not appropriate", "", "beside it"))
    assert settled_draft(draft) == draft
    assert lacking(unrated()) == "3 to rate"


def test_a_disagreement_and_different_ratings_are_for_the_third_group():
    first = agreed(rated(c1=("needs modification", "Is a fee given?")), c1="was fine")
    second = said(rated(), (RATE, "cy", "c2", "not appropriate", "", "no"))
    found = [(draft.history[-1].who, part.of) for draft, part in disputes([first, second])]
    assert found == [("bo", "c1"), ("cy", "c2")]
    assert settled_draft(first).checklist["c1"] == "Is a price given?"


@pytest.mark.parametrize(
    ("value", "version", "expected"),
    [
        ("take", "", "Is a price given?"),
        ("take", "Is a fee given?", "Is a fee given?"),
        ("drop", "", None),
    ],
)
def test_what_the_third_group_decides_stands(value, version, expected):
    draft = settled_draft(agreed(rated(c1=("needs modification", "Is a toll given?")), c1="fine"))
    draft = said(draft, (RESOLVE, "gil", "c1", value, version))
    assert draft.checklist.get("c1") == expected
    assert [*disputes([draft])] == []


@pytest.mark.parametrize(
    ("who", "value", "texts", "overruled"),
    [
        ("hal", "drop", (), True),
        ("hal", "take", ("Is a fee given?",), True),
        ("hal", "take", ("Is a toll given?",), False),
        ("gil", "drop", (), False),
    ],
)
def test_nobody_overrules_what_another_has_settled(who, value, texts, overruled):
    draft = settled_draft(agreed(rated(c1=("needs modification", "Is a fee given?")), c1="fine"))
    draft = said(draft, (RESOLVE, "gil", "c1", "take", "Is a toll given?"))
    later = PersonAnswer("d1", RESOLVE, "c1", who, WHEN, value, texts)
    assert (settled_otherwise(rated_parts_of(draft)["c1"], later) is not None) is overruled


def test_an_outcome_that_the_sample_finds_wrong_is_for_the_third_group_too():
    draft = settled_draft(agreed(rated(c2=("not appropriate", "", "beside it"))))
    draft = said(draft, (SAMPLE, "fay", "c2", "wrong", "", "it matters"))
    assert [part.of for _, part in disputes([draft])] == ["c2"]
    draft = said(draft, (RESOLVE, "gil", "c2", "take", "Is a wage given?"))
    assert draft.checklist["c2"] == "Is a wage given?"
    assert quality_of([draft], 1).wrong == 1


def test_the_last_rating_of_a_rater_counts_and_the_first_stays_in_the_history():
    draft = said(rated(), (RATE, "ana", "c1", "not appropriate", "", "no"))
    part = rated_parts_of(draft)["c1"]
    assert part.rating is not None and part.rating.said == "not appropriate"
    own = [each.said for each in draft.history if each.step == RATE and each.of == "c1"]
    assert own == ["appropriate", "not appropriate"]


def test_an_agreement_with_what_was_rated_before_still_needs_a_rating():
    draft = said(unrated(), (AGREE, "bo", "c1", "agree"))
    assert rated_parts_of(draft)["c1"].state == "unrated"


def test_a_rating_that_was_taken_back_is_in_the_history_and_does_not_count():
    mistake = PersonAnswer(
        "d1", RATE, "c1", "ana", WHEN, "appropriate", counts=False, taken_back_at="2026-01-06"
    )
    draft = with_ratings(unrated(), mistake)
    assert rated_parts_of(draft)["c1"].state == "unrated"
    assert [(each.said, each.when) for each in draft.history[-2:]] == [
        ("appropriate", WHEN),
        ("taken back", "2026-01-06"),
    ]


@pytest.mark.parametrize(
    ("first", "then", "state"),
    [
        (("not appropriate", ()), ("appropriate", ()), "unseen"),
        (("needs modification", ("Is pay given?",)), ("needs modification", ("Pay?",)), "unseen"),
        (("appropriate", ()), ("appropriate", ()), "agreed"),
    ],
)
def test_an_agreement_with_a_rating_that_was_changed_after_it_does_not_count(first, then, state):
    hours = [f"2026-01-05T{hour}:00:00+00:00" for hour in (10, 11, 12, 13, 14)]
    draft = unrated()
    for (value, texts), at, back in ((first, hours[0], hours[2]), (then, hours[3], "")):
        rating = PersonAnswer("d1", RATE, "c1", "ana", at, value, texts, "why", taken_back_at=back)
        draft = with_ratings(draft, rating)
    draft = with_ratings(draft, PersonAnswer("d1", AGREE, "c1", "bo", hours[1], "agree"))
    assert rated_parts_of(draft)["c1"].state == state
    draft = with_ratings(draft, PersonAnswer("d1", AGREE, "c1", "bo", hours[4], "agree"))
    assert rated_parts_of(draft)["c1"].state == "agreed"


def test_what_was_appended_otherwise_before_is_no_item():
    before = PersonAnswer("d1", APPEND, "query", "ana", WHEN, texts=("Is a map?",), counts=False)
    after = PersonAnswer("d1", APPEND, "query", "ana", WHEN, texts=("Is a map there?",))
    draft = with_ratings(with_ratings(unrated(), before), after)
    appended = [(each.of, each.proposed) for each in draft.history if each.said == APPEND]
    assert appended == [("c3", "Is a map there?")]


def test_a_task_that_is_taken_up_again_brings_its_verified_items_with_it():
    draft = settled_draft(
        agreed(rated(query=("not appropriate",), c1=("not appropriate", "", "no")))
    )
    draft = said(draft, (SAMPLE, "fay", "query", "wrong", "", "it is fine"))
    draft = said(draft, (RESOLVE, "gil", "query", "take", "What of towns?"))
    again = settled_draft(draft)
    assert again.query == "What of towns?" and again.checklist == {"c2": "Is a wage given?"}
    assert settled_draft(again) == again
