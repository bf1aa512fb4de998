"""What a judge said of everything, beside the labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deepassay.models.panel import combine
from deepassay.score import Score
from deepassay.wings.people.agreement.decisions import Decision, number_of
from deepassay.wings.people.agreement.matching import PANEL
from deepassay.wings.people.calibration.labelled import labels_on
from tests.results.judgements import make


def decision(**own) -> Decision:
    return Decision(**{"place": "line 2", "agent": "a", "task": "t", "rater": "p", **own})


def score(value, *verdicts, **parts) -> Score:
    items = [{"key": f"q{n}", "item": "?", "score": v} for n, v in enumerate(verdicts, 1)]
    return Score(value, (0.0, 100.0), parts, details={"items": items})


def rows(labelled):
    theirs = [None if np.isnan(each) else each for each in labelled.theirs]
    return list(zip(labelled.agents, labelled.tasks, labelled.ours.tolist(), theirs, strict=True))


def test_reports_without_labels_stand_beside_those_with() -> None:
    records = [make("a", "t", 80), make("a", "u", 60), make("b", "t", 40)]
    given = [decision(score=7.0), decision(score=9.0, rater="q")]
    (found,), used = labels_on(given, records, {})
    assert sorted(rows(found)) == [("a", "t", 80, 8.0), ("a", "u", 60, None), ("b", "t", 40, None)]
    assert (found.kind, found.part, found.shown, used) == ("scores", "", True, set(given))


def test_an_answer_without_label_does_not_count_where_another_has_one() -> None:
    records = [make("a", "t", 80), make("a", "t", 20, sample=2), make("a", "u", 10)]
    (found,), _ = labels_on([decision(score=7.0)], records, {})
    assert sorted(rows(found)) == [("a", "t", 80, 7.0), ("a", "u", 10, None)]


def test_repeats_are_averaged_and_parts_stand_by_themselves() -> None:
    records = [make("a", "t", score(80.0, Style=v), repeat=n) for n, v in enumerate((40.0, 60.0))]
    (found,), _ = labels_on([decision(score=7.0, item="style")], records, {})
    assert (rows(found), found.part, found.shown) == ([("a", "t", 50.0, 7.0)], "style", False)


def test_items_count_as_verdicts_of_the_first_judgement() -> None:
    records = [make("a", "t", score(50.0, 1, 0.5)), make("a", "t", score(0.0, 0, 0), repeat=1)]
    given = [decision(verdict="yes", item="q1"), decision(verdict="no", item="Q1", rater="q")]
    (found,), used = labels_on(given, records, {})
    assert rows(found) == [("a", "t", 1.0, 0.5), ("a", "t", 0.5, None)]
    assert (found.kind, found.part, used) == ("verdicts", "items", set(given))


def test_a_verdict_on_a_whole_report_stands_beside_its_score() -> None:
    records = [make("a", "t", 80), make("a", "u", 60)]
    (found,), _ = labels_on([decision(verdict="no")], records, {})
    assert (rows(found), found.kind) == ([("a", "t", 80, 0.0), ("a", "u", 60, None)], "verdicts")


def test_of_a_panel_each_judge_is_calibrated_and_the_whole_is_what_is_shown() -> None:
    panel = combine({"x": score(80.0, 1), "y": score(60.0, 0)})
    given = [decision(score=7.0), decision(verdict="yes", item="q1")]
    found, _ = labels_on(given, [make("a", "t", panel)], {})
    assert [(each.judge, each.kind, each.ours.tolist(), each.shown) for each in found] == [
        (PANEL, "scores", [70.0], True),
        ("x", "scores", [80.0], False),
        ("y", "scores", [60.0], False),
        (PANEL, "verdicts", [0.5], True),
        ("x", "verdicts", [1.0], False),
        ("y", "verdicts", [0.0], False),
    ]


def test_what_is_no_yes_or_no_and_what_is_elsewhere_is_of_no_use() -> None:
    given = [
        decision(verdict="maybe", item="q1"),
        decision(score=1.0, protocol="race"),
        decision(score=1.0, task="moon"),
    ]
    assert labels_on(given, [make("a", "t", score(50.0, 1))], {}) == ([], frozenset())


def test_verdicts_on_marks_are_of_no_use_and_those_on_grades_are() -> None:
    """Marks may be 0 or 1 too; the grades of a rubric lie between, and are no marks."""
    keys = ("q1", "q2", "q3")
    graded = score(50.0, 0.25, 0.75, 1)
    for each in graded.details["items"]:
        each["axis"] = "Depth"
    records = [
        replace(make("a", "t", own), protocol=name)
        for name, own in (("race", score(50.0, 3.5, 8, 1)), ("rubrics", graded))
    ]
    given = {
        name: [decision(verdict="yes", item=key, protocol=name) for key in keys]
        for name in ("race", "rubrics")
    }
    (found,), used = labels_on([*given["race"], *given["rubrics"]], records, {})
    assert (found.protocol, found.ours.tolist()) == ("rubrics", [0.25, 0.75, 1.0])
    assert used == set(given["rubrics"])


def test_the_reference_is_not_calibrated() -> None:
    records = [make("a", "t", 50), replace(make("b", "t", 50), is_reference=True)]
    (found,), _ = labels_on([decision(score=7.0), decision(score=8.0, agent="b")], records, {})
    assert set(found.agents) == {"a"}


@pytest.mark.parametrize(
    ("word", "number"),
    [("met", 1.0), ("partly met", 0.5), ("not met", 0.0), ("win", 1.0), ("7.5", 7.5), ("so", None)],
)
def test_what_a_verdict_counts(word, number) -> None:
    assert number_of(word) == number
