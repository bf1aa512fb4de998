"""What runs where no protocol is named, and why the rest does not."""

from __future__ import annotations

import pytest

from deepassay.protocols.registry import parse
from deepassay.reports.report import Report
from deepassay.run.asking.choosing import LeftOut, by_default
from deepassay.run.settings import Settings
from deepassay.run.showing.yardsticks import About
from deepassay.tasks.task import Task

PLAIN = Task(id="a", prompt="Why?")
LISTED = Task(id="b", prompt="How?", checklist=("Is the cost given?",))
RUBRIC = [{"key": "r1", "criterion": "It is so.", "axis": "Explicit Criteria", "weight": 5}]


def chosen(*tasks, baselines=(), **settings):
    about = About({task.id: task for task in tasks}, {}, {})
    named = {name: frozenset({"heron"}) for name in baselines}
    return by_default(parse("all"), about, Settings(**settings), named)


def left(choice):
    return {each.name: why for each, why in choice.left.items()}


def test_every_protocol_is_chosen_or_left_out_with_a_reason():
    choice = chosen(PLAIN, LISTED)
    names = {each.name for each in (*choice.chosen, *choice.left)}
    assert names == {each.name for each in parse("all")}
    assert not set(choice.chosen) & set(choice.left)


def test_reasons_are_told_apart():
    reasons = left(chosen(PLAIN))
    assert {name for name, why in reasons.items() if why == LeftOut.READS_PAGES} == {
        "fact", "kae", "citation_accuracy",
    }  # fmt: skip
    assert reasons["depth"] == LeftOut.IN_PAIRS and reasons["error_patterns"] == LeftOut.BESIDE
    assert reasons["coverage"] == reasons["race"] == reasons["rubrics"] == LeftOut.LACKS


def test_one_task_that_has_it_is_enough_and_it_is_said_how_many_have():
    lines = [*chosen(PLAIN, LISTED).lines()]
    assert "coverage (for 1 of 2 tasks)" in lines[0] and "presentation (" not in lines[0]
    assert "coverage" not in " ".join(lines[1:])


@pytest.mark.parametrize("given", [{"baselines": ["depth"]}, {"baseline": "heron"}])
def test_pairs_run_where_a_baseline_was_named_and_has_a_report(given):
    assert left(chosen(PLAIN, **given))["depth"] == LeftOut.LACKS  # of heron there is no report
    rivals = {("heron", "a"): Report("It is so.", "heron", "a")}
    (depth,) = parse("depth(baseline='heron')")
    about = About({"a": PLAIN}, {}, rivals)
    named = {name: frozenset({"heron"}) for name in given.get("baselines", ())}
    settings = Settings(**{name: own for name, own in given.items() if name == "baseline"})
    assert by_default([depth], about, settings, named).chosen == {depth: 1}


def test_the_lines_name_what_is_lacking():
    first, head, *rest = chosen(PLAIN).lines()
    assert first.startswith("No protocol was named.") and "surface" in first
    assert "--protocol NAME" in head
    assert "race (criteria for each task; a reference report)" in rest[0]
    assert rest[1] == "  reading cited pages: citation_accuracy, fact, kae"
