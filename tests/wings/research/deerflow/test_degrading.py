"""Weak models and small budgets: what cannot be used or asked for is done by rule, and told."""

from __future__ import annotations

import json

import pytest

from deepassay.agents import Stop
from deepassay.reports.report import Report
from deepassay.reports.rules.layout import several_titles
from deepassay.text import without_controls
from deepassay.wings.research.deerflow import planning
from deepassay.wings.research.deerflow.budget import ResearchLimits
from deepassay.wings.research.search.index import query_words
from tests.wings.research.deerflow.scripted import EDITIONS, EN, PROSE, Model, fresh, sound

TASK = planning.TaskPrompt(language="en", prompt=EN.prompt)


def test_a_weak_model_that_chooses_no_page_gets_those_of_the_rule(lab):
    def chooses_none(operation, inputs, answer):
        return '{"pages": []}' if operation == "choose" else answer

    run = lab.answer(Model(chooses_none), rounds=1)
    assert sound(run) and run.opened
    (told,) = run.record["fallbacks"]
    assert (told["operation"], told["cause"]) == ("research/choose", "no_evidence")


def test_a_choice_of_dead_pages_gives_way_to_the_rule(lab):
    def chooses_dead(operation, inputs, answer):
        if operation != "choose":
            return answer
        dead = [at for at, hit in enumerate(inputs.hits, 1) if "plan for 2025" in hit]
        return str({"pages": dead}).replace("'", '"')

    run = lab.answer(Model(chooses_dead), rounds=1)
    assert run.record["closed"] and sound(run) and run.opened


def test_a_choice_of_pages_that_say_nothing_gives_way_to_the_rule(lab):
    def chooses_one(operation, inputs, answer):
        if operation == "choose":
            at = next(at for at, hit in enumerate(inputs.hits, 1) if "tips.example" in hit)
            return json.dumps({"pages": [at]})
        return '{"quotes": []}' if operation == "read" and "Dogs" in inputs.page else answer

    run = lab.answer(Model(chooses_one), rounds=1)
    assert sound(run) and run.opened[0].startswith("https://tips.") and len(run.opened) > 1


def test_a_query_is_sent_once_however_it_is_written(lab):
    forms = ["on-call buses", "On-Call  buses", '"on-call buses"', "on-call buses!"]

    def repeats(operation, inputs, answer):
        return json.dumps({"queries": forms}) if operation == "query" else answer

    run = lab.answer(Model(repeats), rounds=1, budget=ResearchLimits(searches=2))
    assert sound(run) and run.record["queries"] == forms[:1]


def test_few_searches_serve_as_many_questions_as_they_can(lab):
    model = Model()
    run = lab.answer(model, rounds=1, budget=ResearchLimits(searches=2))
    first = [each["question"] for each in run.record["coverage"]][:2]
    assert model.asked.count("query") == 2 == len(run.record["queries"])
    for query, question in zip(run.record["queries"], first, strict=True):
        assert set(query_words(query)) <= set(query_words(question))


def test_what_frame_and_plan_leave_out_is_put_in_by_rule_and_told(lab):
    def careless(operation, inputs, answer):
        if operation == "frame":
            return '{"must_cover": ["The buses are a success"]}'
        if operation == "plan":
            return answer.replace('"covers":[2]', '"covers":[1]')
        return answer

    model = Model(careless)
    run = lab.answer(model)
    assert sound(run) and all(row["span"] for row in run.record["coverage"])
    assert {row["question"] for row in run.record["coverage"]} >= set(
        planning.frame_by_rule(TASK).must_cover
    )
    told = [(each["operation"], each["cause"]) for each in run.record["fallbacks"]]
    assert told == [("research/frame", "not_verbatim"), ("research/plan", "spans_left_out")]
    assert model.asked.count("plan") == 1


def test_a_weak_planner_leaves_calls_to_the_reader(lab):
    """Whatever is asked thrice and never readable, pages are read by the model."""

    def unreadable(operation, inputs, answer):
        return answer if operation in ("read", *PROSE, "check") else "%%%"

    model = Model(unreadable)
    run = lab.answer(model, budget=ResearchLimits(calls=16), rounds=1)
    assert sound(run) and model.asked.count("read") >= 2
    causes = {each["cause"] for each in run.record["fallbacks"]}
    assert "budget" in causes and run.record["evidence"]


def test_a_page_whose_quotes_are_all_lost_is_read_by_rule(lab):
    def invents(operation, inputs, answer):
        quote = {"quote": "Buses are so good.", "questions": [1], "importance": 3}
        return json.dumps({"quotes": [quote]}) if operation == "read" else answer

    run = lab.answer(Model(invents), rounds=1)
    assert sound(run) and run.record["evidence"] and run.record["lost_quotes"] == len(run.opened)
    causes = [(each["operation"], each["cause"]) for each in run.record["fallbacks"]]
    assert set(causes) == {("research/read", "not_verbatim")}


def test_what_cannot_be_asked_for_any_more_is_read_by_rule(lab):
    run = lab.answer(Model(), budget=ResearchLimits(calls=1))
    assert sound(run) and run.stop == Stop.BUDGET and "calls" in run.detail
    assert run.opened and run.record["calls"] <= 1
    with fresh(lab) as other:
        run = other.answer(Model(), budget=ResearchLimits(calls=1, pages=1))
    assert sound(run) and len(run.opened) == 1


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_writer_that_gives_json_leaves_its_place_to_the_rule(lab, edition):
    def data(operation, inputs, answer):
        return '{"text": "It is so [e1]."}' if operation in PROSE else answer

    run = lab.answer(Model(data), edition=edition)
    assert sound(run) and '{"' not in run.report
    assert {each["cause"] for each in run.record["fallbacks"]} == {"data"}


def test_a_model_that_says_nothing_is_not_asked_on(lab):
    model = Model(lambda operation, inputs, answer: "", corrections=2)
    run = lab.answer(model)
    assert run.record["calls"] == len(model.asked) <= 30
    assert sound(run) and run.stop == Stop.TRUNCATED
    assert run.detail.startswith(
        "scripted: 3 answers of the researcher one after another cannot be"
    )


def test_a_role_that_answers_in_vain_leaves_the_others_alone(lab):
    def only_writes(operation, inputs, answer):
        return answer if operation in PROSE else "%%%"

    model = Model(only_writes)
    run = lab.answer(model)
    assert sound(run) and model.asked.count("write_section") >= 1
    told = {each["operation"] for each in run.record["fallbacks"] if each["cause"] == "not_asked"}
    assert told and not any(each.partition("/")[2] in PROSE for each in told)


@pytest.mark.parametrize(("says", "asked"), [(["%%%"], 2), (["%", "%%", "%%%"], 3)])
def test_what_a_model_says_again_is_not_sent_back_again(lab, says, asked):
    said = []

    def frames(operation, inputs, answer):
        if operation != "frame":
            return answer
        said.append(says[len(said) % len(says)])
        return said[-1]

    assert sound(lab.answer(Model(frames, corrections=2)))
    assert len(said) == asked


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_control_and_no_mark_that_reorders_gets_into_a_report(lab, edition):
    def odd(operation, inputs, answer):
        return answer.replace(" ", "\x00 \u202e", 3) if operation in PROSE else answer

    run = lab.answer(Model(odd), edition=edition)
    assert sound(run) and without_controls(run.report) == run.report


def test_a_title_that_a_model_gives_its_section_is_none_of_the_report(lab):
    def titled(operation, inputs, answer):
        return f"# Report\n\n{answer}" if operation in ("write_section", "lede") else answer

    run = lab.answer(Model(titled))
    assert sound(run) and "### Report\n" in run.report
    assert not list(several_titles(Report(run.report)))
