"""Surveys: what counts, what is left out, and the cells of the plan that follow."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from deepassay.errors import BadSetting, BadTasks
from deepassay.wings.build.experts.survey import (
    Planned,
    read_plan,
    read_survey,
    seats,
    survey_cells,
    survey_rows,
    write_plan,
    write_survey,
)


@pytest.fixture
def survey(tmp_path: Path):
    def survey(text: str):
        (tmp_path / "survey.csv").write_text(text, "utf-8")
        return read_survey(tmp_path / "survey.csv")

    return survey


def test_an_answer_with_several_domains_or_kinds_counts_once_in_all(survey):
    found = survey(
        "domain,category,group\nLaw; Health,review；market,a\n health ,Review,b\nLaw,review,\n"
    )
    assert found.weights == {
        ("Law", "review"): 1.25,
        ("Law", "market"): 0.25,
        ("Health", "review"): 1.25,
        ("Health", "market"): 0.25,
    }
    assert found.answers == 3 and found.groups["a"] == 1


def test_half_filled_answers_are_left_out_and_named(survey):
    found = survey("domain,category\nLaw,review\nLaw,\n,\n,market\n")
    assert found.left_out == ["survey.csv, line 3", "survey.csv, line 5"]
    assert found.answers == 1


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        ("no column", "domain,kind\nLaw,x\n", "no column 'category'; it has domain, kind"),
        ("nothing whole", "domain,category\nLaw,\n", "no answer with both"),
    ],
)
def test_a_survey_that_tells_nothing_is_refused(survey, title, text, said):
    with pytest.raises(BadTasks, match=said):
        survey(text)


def test_every_language_has_its_part_of_the_tasks(survey):
    plan = survey_cells(survey("domain,category\nLaw,review\nArt,market\n"), 7, ["en", "zh"])
    by_language = {
        language: sum(cell.tasks for cell in plan if cell.language == language)
        for language in ("en", "zh")
    }
    assert by_language == {"en": 4, "zh": 3}


@pytest.mark.parametrize(
    ("text", "languages", "least", "of"),
    [
        ("Law,review\nArt,review\nMusic,review\n", ["en"], 3, "3 domains and 1 kind of task"),
        ("Law,review\nArt,review\nMusic,market\n", ["en", "zh"], 6, "3 domains and 2 kinds"),
        ("Law,review;market\nLaw,guide;list\nArt,list\n", ["zh", "en"], 8, "in 2 languages"),
    ],
)
def test_too_few_tasks_are_refused_and_the_size_that_is_named_is_the_least_that_does(
    survey, text, languages, least, of
):
    found = survey(f"domain,category\n{text}")
    for size in range(1, least):
        with pytest.raises(BadSetting, match=f"{size} tasks are too few for .*{of}") as refused:
            survey_cells(found, size, languages)
        assert f"Give a --size of {least} or more." in str(refused.value)
    plan = survey_cells(found, least, languages)
    assert {cell.language for cell in plan} == {*languages}
    assert sum(cell.tasks for cell in plan) == least


@pytest.mark.parametrize("languages", [["en", "en"], ["fr"]])
def test_languages_that_no_task_has_are_refused(survey, languages):
    found = survey("domain,category\nLaw,review\n")
    with pytest.raises(BadSetting, match="--language"):
        survey_cells(found, 4, languages)


def test_seats_keep_their_names_when_a_cell_grows():
    def plan(law: int) -> list[Planned]:
        return [
            Planned(language="en", domain="Law", category="pros & cons", tasks=law),
            Planned(language="zh", domain="健康", category="综述", tasks=1),
        ]

    assert [each.id for each in seats(plan(2))] == [
        "en-law-pros-cons-1",
        "en-law-pros-cons-2",
        "zh-健康-综述-1",
    ]
    assert {each.id for each in seats(plan(2))} < {each.id for each in seats(plan(3))}


def test_cells_that_differ_by_marks_only_are_refused():
    names = ("pros & cons", "pros/cons")
    plan = [Planned(language="en", domain="Law", category=each, tasks=1) for each in names]
    with pytest.raises(BadTasks, match="differ by marks only"):
        [*seats(plan)]


def test_a_plan_that_somebody_edited_is_not_written_over(survey, tmp_path):
    found = survey("domain,category\nLaw,review\n")
    path = tmp_path / "plan.yaml"
    write_plan(path, survey_cells(found, 2, ["en"]))
    write_plan(path, survey_cells(found, 2, ["en"]))
    edited = path.read_text().replace("tasks: 2", "tasks: 5")
    path.write_text(edited)
    assert [cell.tasks for cell in read_plan(path)] == [5]
    with pytest.raises(BadTasks, match="holds another plan"):
        write_plan(path, survey_cells(found, 2, ["en"]))
    assert path.read_text() == edited


def test_a_mistake_in_a_plan_is_told_by_its_line(tmp_path):
    path = tmp_path / "plan.yaml"
    path.write_text("- language: en\n  domain: Law\n  category: review\n  tasks: -1\n")
    with pytest.raises(BadTasks, match=r"plan.yaml, line 4: tasks: must be at least 0"):
        read_plan(path)


def test_tables_and_records_say_the_same(survey):
    found = survey("domain,category,group\nLaw,review,a\nLaw,market,a\nArt,review,b\n")
    plan = survey_cells(found, 6, ["en"])
    rows = survey_rows(found, plan)
    assert json.loads(write_survey(found, plan, "json")) == rows
    assert len([*csv.DictReader(io.StringIO(write_survey(found, plan, "csv")))]) == len(rows)
    assert rows[0] | {"share": 0} == {
        "kind": "domain", "name": "Law", "answers": 2.0, "share": 0, "tasks": 4,
        "share_of_tasks": 4 / 6,
    }  # fmt: skip
    text = write_survey(found, plan, "text")
    assert "Answers: 3 (a 66.7 %; b 33.3 %)." in text
