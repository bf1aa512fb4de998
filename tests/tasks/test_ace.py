"""Files of ACE checklists: read, written, joined to tasks, refused with the line that is wrong."""

import pytest

from deepassay.errors import BadTasks
from deepassay.tasks.ace import ACE_FILE, TaskAce
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import AceItem

GOOD = """\
# by Anna
- id: a
  prompt: Why?
  items:
    - title: Reasons
      description: All reasons are there.
      weight: 0.5
    - title: Order
      description: They are in order.
      weight: 0.3
    - title: Sources
      description: They are cited.
      weight: 0.2
"""
ITEMS = tuple(
    AceItem(title=f"Side {n}", description="What to look for: this.", weight=w)
    for n, w in enumerate((0.45, 0.30, 0.15, 0.10))
)


@pytest.mark.parametrize("name", ["c.yaml", "c.jsonl"])
def test_what_is_written_is_read_and_never_overwritten(tmp_path, name):
    path = tmp_path / name
    entry = TaskAce(items=ITEMS, prompt="Why?", made_by="offline")
    ACE_FILE.write_new(path, {"a": entry})
    before = path.read_text()
    ACE_FILE.write_new(path, {"a": TaskAce(items=ITEMS[::-1]), "b": TaskAce(items=ITEMS)})
    assert path.read_text().startswith(before)
    assert ACE_FILE.load(path) == {"a": entry, "b": TaskAce(items=ITEMS)}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("weight: 0.2", "weight: 0.1", "line 4 (task a): items: has weights that sum to 0.9"),
        ("weight: 0.5", "weight: 0", "line 7 (task a): items[1].weight: must be above 0"),
        ("weight: 0.5", "weight: .nan", "line 7 (task a): items[1].weight"),
        ("      weight: 0.5\n", "", "items[1].weight: is missing"),
        ("title: Order", "title: reasons", "has the title 'reasons' twice"),
        (
            "weight: 0.3",
            "weight: 0.3\n      axis: x",
            "line 11 (task a): items[2].axis: unknown field",
        ),
        ("prompt:", "query:", "query: unknown field"),
        ("All reasons are there.", "' '", "items[1].description: is empty"),
        ("- id: a", "- id: ''", "field 'id' must be a text"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, old, new, said):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(BadTasks) as caught:
        ACE_FILE.load(path)
    assert said in caught.value.problem
    assert caught.value.remedy


def test_a_second_checklist_for_a_task_is_refused(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD + GOOD)
    with pytest.raises(BadTasks, match="for the second time"):
        ACE_FILE.load(path)


def test_checklists_are_joined_by_identifier_and_checked_by_prompt(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    tasks = [Task(id="a", prompt="Why?"), Task(id="b", prompt="Why not?")]
    one, other = ACE_FILE.join(tasks, path)
    assert [each.title for each in one.ace] == ["Reasons", "Order", "Sources"]
    assert other.ace is None
    with pytest.raises(BadTasks, match="for another prompt"):
        ACE_FILE.join([Task(id="a", prompt="Who?")], path)


def test_a_task_file_may_hold_its_checklist(tmp_path):
    path = tmp_path / "tasks.jsonl"
    task = Task(id="a", prompt="Why?", ace=ITEMS)
    path.write_text(task.model_dump_json(include={"id", "prompt", "ace"}))
    assert load_tasks(path)[0].ace == ITEMS
