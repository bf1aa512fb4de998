"""Asking back, refining, dividing: what may be answered, and the rules for lack of a model."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.operation import OffMenu
from deepassay.models.reading import Unreadable, read_reply
from deepassay.score import Cause, Unscored
from deepassay.wings.build.experts.clarifying import (
    CLARIFY,
    DIVIDE,
    REFINE,
    QueryAndAnswers,
    refined,
    with_checklist,
    with_questions,
)
from deepassay.wings.build.experts.query_drafts import QueryDraft
from deepassay.wings.build.yardsticks.criteria import Query
from tests.wings.build.seminars import Scripted

QUERY = "Compare tram lines in three European cities as of {{date}}. Give a table for managers."
DRAFT = QueryDraft(id="d", language="en", domain="Transport", category="review").changed(
    "eva", "draft", {"query": QUERY}
)
ANSWERED = DRAFT.changed("m", "clarify", {"k1": "Which cities?", "k2": "Why?"}).changed(
    "eva", "answer", {"k1/answer": "Bern, Graz\nand Nice.", "k2/answer": "-"}
)


@pytest.mark.parametrize("operation", [CLARIFY, REFINE, DIVIDE])
def test_the_prompt_files_fit_the_question(operation):
    operation.verify()


@pytest.mark.parametrize(
    ("title", "questions", "said"),
    [
        ("seven", [f"Which of {n}?" for n in range(7)], "there are 7 questions"),
        ("no question", ["Which?", "Say more."], "entry 2 is no question"),
        ("twice", ["Which years?", "which  years ?"], "entry 2 asks what an earlier one asks"),
    ],
)
def test_what_may_not_be_asked_back(title, questions, said):
    with pytest.raises((OffMenu, Unreadable), match=said):
        read_reply(CLARIFY, Query(language="en", query=QUERY), json.dumps({"questions": questions}))


def test_questions_one_year_apart_are_two_questions():
    asked = [("m1", ["In 2024?", "For whom?"]), ("m2", ["In 2025?", "for whom ?"])]
    found = with_questions(DRAFT, asked)
    assert [each.question for each in found.questions.values()] == [
        "In 2024?",
        "For whom?",
        "In 2025?",
    ]
    assert [each.who for each in found.history[1:]] == ["m1", "m1", "m2"]


@pytest.mark.parametrize(
    ("title", "query", "said"),
    [
        ("a date filled in", QUERY.replace("{{date}}", "2026"), r"\{\{date\}\} is gone"),
        ("a date of its own", QUERY + " {{last_year}}", r"\{\{last_year\}\} stood neither"),
        ("another language", "比较三座城市在{{date}}的电车线路。", "in another language"),
    ],
)
def test_what_may_not_become_of_a_query(title, query, said):
    inputs = QueryAndAnswers(language="en", query=QUERY, answers="Q: Which?\nA: Bern.")
    with pytest.raises((OffMenu, Unreadable), match=said):
        read_reply(REFINE, inputs, json.dumps({"query": query}))


@pytest.mark.parametrize(
    ("title", "items", "said"),
    [
        ("too few", ["Is it?", "Is it so?"], "there are 2 items; give 3 to 20"),
        ("a date", [*"Ab", "In {{last_year}}?"], "is no question"),
        ("a strange date", ["A?", "B?", "In {{last_year}}?"], r"item 3 has \{\{last_year\}\}"),
    ],
)
def test_what_is_no_checklist(title, items, said):
    with pytest.raises((OffMenu, Unreadable), match=said):
        read_reply(DIVIDE, Query(language="en", query=QUERY), json.dumps({"items": items}))


def test_a_query_is_refined_by_what_was_answered_and_not_by_what_was_passed_over():
    shown = []

    def rewrite(inputs):
        shown.append(inputs.answers)
        return json.dumps({"query": f"{inputs.query} In Bern."})

    found = asyncio.run(refined(ANSWERED, Scripted(refine=rewrite)))
    assert shown == ["Q: Which cities?\nA: Bern, Graz and Nice."]
    assert found.query.endswith("In Bern.")
    assert found.history[-1].before == QUERY


def test_without_an_answer_nobody_is_asked():
    found = asyncio.run(refined(DRAFT, Scripted()))
    assert found == DRAFT


def test_what_a_model_cannot_do_leaves_the_draft_as_it_was():
    found = asyncio.run(with_checklist(DRAFT, Scripted(checklist=lambda inputs: "no")))
    assert isinstance(found, Unscored) and found.cause is Cause.ANSWER_UNREADABLE


def test_the_rule_asks_of_the_sides_that_the_query_leaves_out():
    assert CLARIFY.offline(Query(language="en", query=QUERY)).questions == []
    bare = CLARIFY.offline(Query(language="zh", query="有轨电车如何筹资？"))
    assert len(bare.questions) == 4


TEXTS = st.text("ab {}.?？年目 \n甲Compare date", min_size=1, max_size=200).filter(str.strip)


@settings(max_examples=30, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from(["en", "zh"]))
def test_the_rules_answer_in_form_on_any_text(query, answer, language):
    asked = Query(language=language, query=query)
    for operation, inputs in (
        (CLARIFY, asked),
        (DIVIDE, asked),
        (
            REFINE,
            QueryAndAnswers(
                language=language, query=query, answers=f"Q: ?\nA: {' '.join(answer.split())}"
            ),
        ),
    ):
        by_rule = operation.offline(inputs)
        if operation is REFINE:  # the query stays as it was, whatever its language
            assert by_rule.query.startswith(query.strip())
            continue
        operation.check(inputs, by_rule)
