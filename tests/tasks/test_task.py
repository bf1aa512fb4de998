import json
from datetime import date

import pytest
from pydantic import ValidationError

from deepassay.tasks.task import Task, detect_language
from deepassay.tasks.yardsticks import Criterion


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Compare three lithium suppliers.", "en"),
        ("比较三家锂供应商。", "zh"),
        ("用 Python 和 SQL 分析 2024 年的电价数据", "zh"),
        ("Explain how the phrase 内卷 entered English writing about China", "en"),
        ("2024?", "en"),
    ],
)
def test_the_language_of_a_prompt_is_the_one_it_is_mostly_written_in(text, language):
    assert detect_language(text) == language


def test_languages_of_the_published_queries_are_detected(shared):
    lines = (shared / "data/bench/query.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == 50
    assert [r["id"] for r in rows if detect_language(r["prompt"]) != r["language"]] == []


def test_the_language_is_always_among_the_labels():
    task = Task(id="t", prompt="城市供水", labels={"domain": "水务"})
    assert task.labels == {"domain": "水务", "language": "zh"}
    assert Task(id="t", prompt="城市供水", language="en").labels == {"language": "en"}


def test_relevant_pages_are_canonical_addresses():
    task = Task(id="t", prompt="Why?", relevant=["https://A.example/#x", "https://a.example"])
    assert task.relevant == ("https://a.example/",)
    with pytest.raises(ValidationError, match=r"no address: 'a\.example'"):
        Task(id="t", prompt="Why?", relevant=["a.example"])


def test_a_task_survives_json():
    task = Task(
        id="t",
        prompt="Why?",
        labels={"domain": "x"},
        checklist=("Names a cause",),
        rubric=(Criterion(criterion="Names it", weight=-2.0, axis="Explicit"),),
    )
    assert Task.model_validate_json(task.model_dump_json()) == task
    assert Task.model_validate(task.model_dump()) == task


def test_dates_are_filled_in_prompt_and_checklist():
    task = Task(id="t", prompt="Rank {{current_year}}", checklist=("As of {{current_date}}?",))
    day = date(2026, 1, 5)
    assert task.on(day).prompt == "Rank 2026"
    assert task.on(day).checklist == ("As of January 5, 2026?",)
    assert task.on(day, "code").checklist == ("As of {{current_date}}?",)


def test_the_digest_follows_what_was_asked_and_not_the_labels_or_the_checklist():
    task = Task(id="t", prompt="Rank {{current_year}}")
    assert task.digest != task.on(date(2026, 1, 5)).digest
    assert task.digest != Task(id="u", prompt=task.prompt).digest
    relabelled = Task(id="t", prompt=task.prompt, labels={"a": "b"}, checklist=("x",))
    assert task.digest == relabelled.digest


@pytest.mark.parametrize(
    "fields",
    [
        {"prompt": "  "},
        {"prompt": 3},
        {"prompt": "half a character \ud800"},
        {"id": ""},
        {"language": "fr"},
        {"labels": {"year": 2024}},
        {"checklist": "one item"},
        {"checklist": [""]},
        {"rubric": [{"criterion": "c", "weight": float("nan")}]},
        {"rubric": [{"criterion": "c", "weight": True}]},
        {"foo": 1},
    ],
)
def test_what_is_not_a_task_is_refused(fields):
    with pytest.raises(ValidationError):
        Task.model_validate({"id": "t", "prompt": "p", **fields})


def test_the_day_that_fills_open_dates_stays_with_the_task_and_out_of_its_files():
    day = date(2026, 5, 4)
    open_task = Task(id="t", prompt="Today is {{date}}.")
    dated = open_task.on(day)
    assert (dated.day, open_task.day) == (day, None)
    closed = Task(id="t", prompt=dated.prompt)
    assert dated.model_dump() == closed.model_dump()
    assert dated.digest == closed.digest


def test_open_dates_in_a_rubric_are_filled_in():
    rubric = [{"criterion": "Gives the ceiling of {{current_year}}", "weight": 4}]
    task = Task(id="a", prompt="Why?", rubric=rubric)
    assert task.on(date(2026, 5, 4)).rubric[0].criterion == "Gives the ceiling of 2026"
