"""Groups of inspirations, the tasks that are made of one, and where a task comes from."""

from __future__ import annotations

import asyncio
import json

import pytest

from deepassay.errors import BadTasks
from deepassay.models.ask import OfflineAsker
from deepassay.runfile import RunFile
from deepassay.tasks.describe import describe
from deepassay.tasks.loaders import load_tasks
from deepassay.wings.build.arena.provenance import (
    as_text,
    provenance_file,
    read_provenance,
    traced,
    write_provenance,
)
from deepassay.wings.build.arena.steps import task_fields
from deepassay.wings.build.arena.weaver import InspirationGroup, groups_of, woven_from

from .weavers import inspirations


def woven(group, discipline=None):
    async def once():
        with RunFile.in_memory() as run:
            return await woven_from(group, OfflineAsker(run), discipline)

    return asyncio.run(once())


def names(groups):
    return [(group.id, [each.id for each in group.inspirations]) for group in groups]


def test_neighbours_of_a_talk_form_a_group_and_talks_stay_apart():
    mixed = [*inspirations(3, "b"), *inspirations(2, "a")]
    assert names(groups_of(mixed, 2)) == [
        ("b-g1", ["b-1", "b-2"]),
        ("b-g2", ["b-3"]),
        ("a-g1", ["a-1", "a-2"]),
    ]
    assert names(groups_of(mixed[::-1], 3)) == [
        ("a-g1", ["a-1", "a-2"]),
        ("b-g1", ["b-1", "b-2", "b-3"]),
    ]


def test_what_the_filter_dropped_is_in_no_group():
    first, second, third = inspirations(3)
    dropped = second.model_copy(update={"dropped": "incoherent"})
    assert names(groups_of([first, dropped, third], 2)) == [("heat-g1", ["heat-1", "heat-3"])]


def test_tasks_carry_the_labels_that_tables_are_cut_by():
    group = InspirationGroup("heat-g1", tuple(inspirations(2)))
    tasks = [each.task for each in woven(group, "Building science")]
    assert [task.id for task in tasks] == [f"heat-g1-{number}" for number in range(1, 7)]
    assert {frozenset(task.labels) for task in tasks} == {
        frozenset(
            ["set", "discipline", "phase", "family", "difficulty", "type", "language"],
        )
    }
    assert {task.labels["type"] for task in tasks} == {"Limitation", "Hypothesis"}
    assert "discipline" not in woven(group)[0].task.labels
    assert {"phase", "family"} <= {each.label for each in describe(tasks).groups}


def test_tasks_and_provenance_come_back_from_their_files(tmp_path):
    made = woven(InspirationGroup("heat-g1", tuple(inspirations(2))))
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(task_fields(task)) + "\n" for task, _ in made))
    beside = provenance_file(path)
    assert beside.name == "tasks.provenance.jsonl"
    write_provenance(beside, [each.provenance for each in made])
    tasks = load_tasks(path)
    assert list(tasks) == [each.task for each in made]
    assert traced(tasks, read_provenance(beside), beside) == [each.provenance for each in made]


def test_provenance_leads_to_the_words_of_the_transcript():
    task, provenance = woven(InspirationGroup("heat-g1", tuple(inspirations(1))))[0]
    ground = provenance.inspirations[0]
    shown = as_text(task, provenance)
    assert ground.quote in shown
    assert f"heat, 0:01:00, characters {ground.start} to {ground.end}" in shown


def test_a_task_that_was_edited_by_hand_is_not_traced(tmp_path):
    task, provenance = woven(InspirationGroup("heat-g1", tuple(inspirations(1))))[0]
    edited = task.model_copy(update={"prompt": "Another one."})
    with pytest.raises(BadTasks, match="has another prompt there"):
        traced([edited], {task.id: provenance}, tmp_path / "p.jsonl")
    with pytest.raises(BadTasks, match="does not say where"):
        traced([task], {}, tmp_path / "p.jsonl")
