"""Data frames, lists of mappings and of texts in Python."""

import pytest

from deepassay.errors import BadReports, BadTasks
from deepassay.reports.loaders import reports_of
from deepassay.tasks.loaders import tasks_of

ROWS = [
    {"question": "Why?", "model": "a", "answer": "# So\n"},
    {"question": "Why?", "model": "b", "answer": "# Thus\n"},
    {"question": "How?", "model": "a", "answer": None},
]


def told(tasks, reports):
    return [each.prompt for each in tasks], [(each.agent, each.prompt) for each in reports]


TOLD = (["Why?", "How?"], [("a", "Why?"), ("b", "Why?")])


def test_data_frames_of_pandas_and_what_is_like_them():
    pandas = pytest.importorskip("pandas")
    arrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(ROWS)
    assert told(tasks_of(frame), reports_of(frame[:2])) == TOLD
    table = arrow.Table.from_pylist(ROWS)
    assert told(tasks_of(table), reports_of(table.slice(0, 2))) == TOLD
    named = pandas.DataFrame([{"id": 3, "prompt": "Why?"}]).set_index("id")
    assert [task.id for task in tasks_of(named)] == ["3"]
    assert [task.prompt for task in tasks_of(pandas.Series(["Why?", "How?"]))] == TOLD[0]


def test_lists_of_texts_and_mappings():
    assert [task.prompt for task in tasks_of(["Why?", "How?"])] == TOLD[0]
    assert told(tasks_of(ROWS), reports_of(ROWS[:2])) == TOLD
    (task,) = tasks_of({"t": "Why?"})
    assert (task.id, task.prompt) == ("t", "Why?")


def test_what_is_neither_is_refused_without_naming_a_file():
    with pytest.raises(BadTasks, match="no column is known as the prompt"):
        tasks_of([{"words": 3}])
    with pytest.raises(BadTasks) as caught:
        tasks_of([{"id": "a", "prompt": " "}])
    assert caught.value.remedy == "Correct that value."
    with pytest.raises(BadReports, match="no column is known as the report"):
        reports_of([{"question": "Why?"}])
