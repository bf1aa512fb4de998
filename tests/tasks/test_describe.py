"""What a set is made of, counted by hand on a small one."""

import csv
import io
import json

import pytest

from deepassay.tasks.describe import Spread, describe, spread_of
from deepassay.tasks.description_tables import write_description
from deepassay.tasks.task import Task

TASKS = (
    Task(
        id="a",
        prompt="Why is the sky blue?",
        labels={"domain": "STEM"},
        rubric=[
            {"criterion": "p", "weight": 5, "axis": "Explicit"},
            {"criterion": "q", "weight": -2, "axis": "Explicit"},
            {"criterion": "r", "weight": 1, "axis": "Implicit"},
        ],
    ),
    Task(
        id="b",
        prompt="天空为什么是蓝色的？ sky",
        labels={"domain": "Art"},
        rubric=[{"criterion": "p", "weight": 4, "axis": "Implicit"}],
        checklist=["one", "two"],
    ),
    Task(id="c", prompt="Why?"),
)


def test_a_spread_is_what_a_textbook_says():
    assert spread_of([2, 4, 4, 4, 5, 5, 7, 9]) == Spread(8, 5, pytest.approx(2.13809), 4.5, 2, 9)
    assert spread_of([3]) == Spread(1, 3, None, 3, 3, 3)


def test_prompts_are_measured_over_all_and_by_each_label():
    found = {(g.label, g.value): g.words for g in describe(TASKS).groups}
    # The Chinese characters count one each, the question mark with what stands beside it.
    assert found["", ""] == spread_of([5, 11, 1])
    assert found["domain", "STEM"] == spread_of([5])
    assert found["language", "zh"] == spread_of([11])
    assert list(found) == [
        *(("", ""), ("domain", "Art"), ("domain", "STEM")),
        *(("language", "en"), ("language", "zh")),
    ]


def test_rubrics_are_counted_over_the_tasks_that_have_one():
    description = describe(TASKS)
    rubrics = description.rubrics
    assert rubrics.criteria == spread_of([3, 1])
    assert rubrics.axes == spread_of([2, 1])
    assert rubrics.positive == spread_of([6, 4])
    assert rubrics.negative == spread_of([-2, 0])
    explicit, implicit = rubrics.by_axis
    assert (explicit.name, explicit.criteria, explicit.share, explicit.tasks) == (
        "Explicit",
        2,
        0.5,
        1,
    )
    assert (explicit.mandatory, explicit.penalties, explicit.weight) == (1, 1, 1.5)
    assert (implicit.name, implicit.tasks, implicit.mandatory) == ("Implicit", 2, 1)
    assert [(lot.name, lot.criteria) for lot in rubrics.by_level] == [
        *(("Critically Important", 2), ("Slightly Important", 1), ("Detrimental", 1)),
    ]
    assert rubrics.by_domain == {"Art": {"Implicit": 1}, "STEM": {"Explicit": 2, "Implicit": 1}}
    assert description.checklists == spread_of([2])


def test_a_set_without_rubrics_has_none_described():
    description = describe(TASKS[2:])
    assert description.rubrics is None
    assert "axis" not in write_description(description, "text")


def test_formats_hold_the_same_numbers():
    description = describe(TASKS)
    text, markdown = (write_description(description, name) for name in ("text", "markdown"))
    for table in (text, markdown):
        assert "4 criteria: 50.0% mandatory, 25.0% penalties." in table.replace("\\", "")
    assert "| STEM | 2 | 1 | 3 |" in markdown
    whole = json.loads(write_description(description, "json"))
    assert whole["rubrics"]["by_axis"][0]["share"] == 0.5
    rows = list(csv.DictReader(io.StringIO(write_description(description, "csv"))))
    (axis,) = (row for row in rows if (row["about"], row["value"]) == ("axis", "Explicit"))
    assert (axis["criteria"], axis["weight"]) == ("2", "1.5")
    (prompts,) = (r for r in rows if r["about"] == "words of prompts" and not r["label"])
    assert float(prompts["mean"]) == pytest.approx(17 / 3)
