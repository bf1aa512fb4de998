"""Entries for all tasks and for none, in files of criteria, rubrics and checklists."""

import json

import pytest

from deepassay.errors import BadTasks, Notice
from deepassay.tasks.ace import ACE_FILE
from deepassay.tasks.criteria import CRITERIA_FILE
from deepassay.tasks.rubric import RUBRIC_FILE
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS

TASKS = (Task(id="a", prompt="Why?"), Task(id="b", prompt="How?"))
ONE = {"criterion": "says why", "explanation": "", "weight": 1.0}
ENTRIES = {
    "criteria": (
        CRITERIA_FILE,
        {
            "dimension_weight": dict.fromkeys(DIMENSIONS, 0.25),
            "criterions": {name: [ONE] for name in DIMENSIONS},
        },
    ),
    "rubric": (RUBRIC_FILE, {"rubric": [{"criterion": "says why", "weight": 3}]}),
    "ace": (
        ACE_FILE,
        {
            "items": [
                {"title": title, "description": "x", "weight": weight}
                for title, weight in (("one", 0.5), ("two", 0.3), ("three", 0.2))
            ]
        },
    ),
}
KINDS = pytest.mark.parametrize("field", ENTRIES)


def written(path, *entries):
    """JSON Lines, or YAML of which JSON is a part."""
    if path.suffix == ".yaml":
        path.write_text("".join(f"- {json.dumps(each)}\n" for each in entries))
    else:
        path.write_text("".join(f"{json.dumps(each)}\n" for each in entries))
    return path


@KINDS
@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
def test_a_default_holds_for_every_task_without_an_entry_of_its_own(tmp_path, field, ending):
    kind, fields = ENTRIES[field]
    own = json.loads(json.dumps(fields).replace("says why", "says how").replace("one", "first"))
    path = written(tmp_path / f"f.{ending}", {"default": True, **fields}, {"id": "b", **own})
    one, other = kind.join(TASKS, path)
    alone = kind.join(TASKS, written(tmp_path / f"g.{ending}", {"default": True, **fields}))
    assert getattr(one, field) == getattr(alone[0], field) == getattr(alone[1], field)
    assert getattr(other, field) not in (None, (), getattr(one, field))


def test_a_default_is_not_repeated_for_tasks_that_are_added(tmp_path):
    kind, fields = ENTRIES["rubric"]
    path = written(tmp_path / "f.yaml", {"default": True, **fields})
    kind.write_new(path, {"a": kind.load(path).default})
    loaded = kind.load(path)
    assert list(loaded) == ["a"]
    assert loaded["a"] == loaded.default


@KINDS
@pytest.mark.parametrize(
    ("head", "said"),
    [
        ({"default": False}, "line 2: the entry for all tasks has `default: true`"),
        ({"default": True, "id": "a"}, "line 2: the entry for all tasks has .* no id"),
        ({"default": True, "prompt": "Why?"}, "line 2: the entry for all tasks has .* no prompt"),
        ({"default": True}, "line 2: there is .* for all tasks already"),
        ({}, "line 2: field 'id' must be"),
    ],
)
def test_odd_defaults_are_refused_with_their_line(tmp_path, field, head, said):
    kind, fields = ENTRIES[field]
    path = written(tmp_path / "f.jsonl", {"default": True, **fields}, {**head, **fields})
    with pytest.raises(BadTasks, match=said):
        kind.load(path)


def test_a_mistake_in_a_default_is_told_with_its_line(tmp_path):
    path = written(tmp_path / "f.jsonl", {"default": True, "rubric": [{"criterion": "x"}]})
    with pytest.raises(BadTasks, match=r"line 1 \(default\): rubric\[1\].weight: is missing"):
        RUBRIC_FILE.load(path)


@KINDS
def test_entries_for_none_of_the_tasks_are_warned_of(tmp_path, field):
    kind, fields = ENTRIES[field]
    path = written(tmp_path / "f.jsonl", *({"id": name, **fields} for name in "abvwxyz"))
    with pytest.warns(Notice) as told:
        kind.join(TASKS, path)
    (notice,) = map(str, (each.message for each in told))
    assert notice == (
        f"{path}: {kind.many}: 7 came in, 2 found their tasks, 2 used. left out: v: no such task. "
        "left out: w: no such task. left out: x: no such task. left out: 2 more "
        f"{kind.many} of this kind"
    )


@KINDS
def test_most_entries_for_none_of_the_tasks_are_an_error_where_a_task_lacks_one(tmp_path, field):
    kind, fields = ENTRIES[field]
    path = written(tmp_path / "f.jsonl", *({"id": name, **fields} for name in "avw"))
    with pytest.raises(BadTasks, match=f"2 of 3 {kind.many} found no tasks: v: no such task. Give"):
        kind.join(TASKS, path)
    path = written(tmp_path / "g.jsonl", *({"id": name, **fields} for name in "av"))
    with pytest.warns(Notice, match="2 came in, 1 found"):
        kind.join(TASKS, path)


@KINDS
def test_nothing_is_warned_of_where_every_entry_has_its_task(tmp_path, field, recwarn):
    kind, fields = ENTRIES[field]
    kind.join(TASKS, written(tmp_path / "f.jsonl", {"id": "a", **fields}))
    assert not recwarn.list
