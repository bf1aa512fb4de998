"""What people are shown at each step of the verification, and who is not asked."""

from __future__ import annotations

import pytest

from deepassay.wings.build.experts.asking import (
    APPROVE,
    agreeing,
    approving,
    rating,
    resolving,
    sampling,
    told_otherwise,
)
from deepassay.wings.build.experts.quality import quality_of
from deepassay.wings.build.experts.verification import PersonAnswer, disputes, settled_draft
from tests.wings.build.verified import SAMPLE, WHEN, agreed, rated, said, unrated

CHANGED = {"c1": ("needs modification", "Is a fee given?"), "c2": ("not appropriate", "", "beside")}


def test_the_first_group_rates_the_query_once_and_every_item_and_may_append():
    item = rating(unrated())
    assert [each.key for each in item.questions] == [
        "query", "checklist/c1", "checklist/c2", "append",
    ]  # fmt: skip
    query, first, _, append = item.questions
    assert [each.value for each in query.menu if each.version == "must"] == [
        "appropriate with modification"
    ]
    assert [each.value for each in first.menu if each.comment == "must"] == [
        "valid but not necessary",
        "not appropriate",
    ]
    assert first.original == {"text": "Is a price given?"} and append.least == 0


def test_the_second_group_sees_what_was_said_and_not_by_whom():
    item = agreeing(rated(**CHANGED))
    assert item is not None and item.barred == ("ana",)
    shown = {each.item: [(s.label, s.text) for s in each.shown] for each in item.questions}
    assert shown["c1"][1:] == [("Modified version", "Is a fee given?")]
    assert shown["c2"][1:] == [("Comment", "beside")]
    assert "needs modification" in shown["c1"][0][1].lower()
    assert "ana" not in str([each.model_dump() for each in item.questions])


def test_nobody_is_asked_twice_about_what_is_seen():
    assert agreeing(agreed(rated())) is None
    later = said(agreed(rated()), ("append", "ana", "query", "Is a map there?"))
    item = agreeing(later)
    assert item is not None and [each.item for each in item.questions] == ["c3"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_disputes_show_all_that_was_said_and_bar_whoever_said_it(language):
    draft = settled_draft(agreed(rated(**CHANGED), c1="was fine"))
    draft = said(draft, (SAMPLE, "fay", "c2", "wrong", "", "it matters"))
    draft = draft.model_copy(update={"language": language})
    item = resolving(draft, [part for _, part in disputes([draft])])
    assert item.barred == ("ana", "bo", "fay")
    texts = {each.item: [s.text for s in each.shown] for each in item.questions}
    assert "Is a fee given?" in texts["c1"] and texts["c1"][-1] == "Is a price given?"
    assert "it matters" in texts["c2"]
    assert item.questions[1].original == {"text": "Is a wage given?"}  # it was taken out
    assert item.questions[0].menu[0].zh == "采用框中的文本（可修改）"


def test_the_sample_bars_both_groups_and_shows_the_outcome():
    draft = settled_draft(agreed(rated(**CHANGED)))
    item = sampling(draft, [part for _, part in quality_of([draft], 1).order])
    assert item.barred == ("ana", "bo")
    outcomes = {each.item: each.shown[-1].text for each in item.questions}
    assert outcomes["c1"] == "Is a fee given?" and outcomes["c2"] == "taken out"


def test_experts_see_their_own_draft_beside_the_refined_one():
    draft = unrated().changed("m", "refine", {"query": "What exactly?"})
    (question,) = approving(draft).questions
    assert question.shown[0].text == "What of d1 as of {{date}}?"
    assert question.original == {"text": "What exactly?"}


def told(who, value, text="", **more):
    texts = (text,) if text else ()
    return PersonAnswer(
        "d1", APPROVE, "query", who, WHEN, value, texts, original="Which fee?", **more
    )


@pytest.mark.parametrize(
    ("answers", "refused"),
    [
        ([told("ana", "keep"), told("bo", "change", "Which toll?")], True),
        ([told("ana", "keep"), told("bo", "drop")], True),
        ([told("ana", "keep"), told("bo", "change", "Which fee?")], False),
        ([told("ana", "keep"), told("ana", "change", "Which toll?")], False),
        ([told("ana", "keep"), told("bo", "drop", counts=False)], False),
        ([told("ana", "keep"), told("bo", "drop", taken_back_at=WHEN)], False),
    ],
)
def test_two_experts_who_give_a_part_different_texts_are_found(answers, refused):
    assert (told_otherwise(answers) == tuple(answers)) is refused
