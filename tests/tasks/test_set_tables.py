"""Published sets as tables of field names, read from their own files."""

import json

import pytest

from deepassay.errors import BadTasks, Notice
from deepassay.results.weighing import Level
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rubric import RUBRIC_FILE


def as_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(each, ensure_ascii=False) for each in rows), "utf-8")
    return path


def test_the_published_research_rubrics_load_whole(shared, tmp_path):
    """Put back into the layout of `processed_data.jsonl` from the rows that Mr Dre keeps."""
    given = (shared / "data/sets/researchrubrics/mr-dre.jsonl").read_text("utf-8").splitlines()
    kept = [json.loads(line) for line in given]
    rows = [
        {
            "prompt": each["question"],
            "sample_id": each["metadata"]["sample_id"],
            "domain": each["metadata"]["domain"],
            "rubrics": each["metadata"]["rubrics_original"],
        }
        for each in kept
    ]
    with pytest.warns(Notice, match="weight 0") as told:
        tasks = load_tasks(as_lines(tmp_path / "processed_data.jsonl", rows))
    assert "beyond a weight of 5, where the scale of the others ends: 1" in str(told[0].message)
    criteria = [each for task in tasks for each in task.rubric]
    assert (len(tasks), len(criteria)) == (101, 2593)
    assert sum(each.weight < 0 for each in criteria) == 318
    assert [each.weight for each in criteria if each.level is Level.WEIGHTLESS] == [0]


def test_mr_dre_s_layout_has_the_axes_of_the_rows_that_it_keeps(shared):
    with pytest.warns(Notice, match="weight 0"):
        tasks = load_tasks(shared / "data/sets/researchrubrics/mr-dre.jsonl")
    assert len({each.axis for task in tasks for each in task.rubric}) == 7
    assert tasks[0].labels["domain"] == "Current Events"


def test_bench_ii_has_its_dimensions_as_axes_and_what_is_blocked(shared):
    with pytest.warns(Notice, match=r"word for word, .*: 6, first in task idx-116"):
        tasks = load_tasks(shared / "data/sets/drb2/tasks_and_rubrics.jsonl")
    counted = [each.axis for task in tasks for each in task.rubric]
    assert [counted.count(axis) for axis in ("info_recall", "analysis", "presentation")] == [
        *(6983, 1686, 746)
    ]
    assert sum(task.blocked is None for task in tasks) == 1
    assert all(task.request and task.request in task.prompt for task in tasks)
    assert [task.language for task in tasks].count("zh") == 66


def test_a_folder_with_a_document_for_each_task_is_read(tmp_path):
    for name in ("7", "9"):
        as_lines(tmp_path / "sub" / f"{name}.json", [{"id": name, "question": f"Why {name}?"}])
    as_lines(tmp_path / ".hidden.json", [{"id": "x", "question": "Who?"}])
    assert [(each.id, each.prompt) for each in load_tasks(tmp_path)] == [
        ("7", "Why 7?"),
        ("9", "Why 9?"),
    ]


def test_rubrics_of_a_set_are_joined_to_tasks_that_have_none(shared):
    folder = shared / "data/sets/researcherbench"
    tasks = load_tasks(folder / "questions.json")
    joined = RUBRIC_FILE.join(tasks, folder / "rubric.json")
    assert sum(len(each.rubric) for each in joined) == 931
    assert joined[0].labels["category"] == "Open Consulting"


def test_trec_s_rubrics_are_entries_by_qid(shared):
    with pytest.warns(Notice, match="weight 0"):
        loaded = RUBRIC_FILE.load(shared / "data/sets/researchrubrics/trec-rag-dev.jsonl")
    assert len(loaded) == 30


def test_an_identifier_that_is_none_is_refused_with_its_place(tmp_path):
    row = {"id": [1], "question": "Why?", "rubric": [{"point": "p"}]}
    with pytest.raises(BadTasks, match=r"t.jsonl, line 1: field 'id': must be a text"):
        load_tasks(as_lines(tmp_path / "t.jsonl", [row]))
