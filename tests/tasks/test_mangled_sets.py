"""Damaged files of published sets: taken rightly, or refused with place and remedy."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deepassay.errors import BadTasks
from deepassay.tasks.bibliography import BIBLIOGRAPHY_FILE
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rubric import RUBRIC_FILE
from deepassay.tasks.set_tables import NoPrompts
from tests.tasks.mangled import Found, damaged
from tests.tasks.set_material import FOLDERS, LAYOUTS, damaged_folder

EACH = 30
"""Damaged files of a layout."""

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")


def taken(path: Path) -> Found:
    """What is made of a file: tasks, or else rubrics, or references. Raises BadTasks."""
    loaded: Mapping[str, Any]
    try:
        return [
            (task.id, task.prompt, [(each.criterion, each.weight) for each in task.rubric])
            for task in load_tasks(path)
        ]
    except NoPrompts as alone:
        if alone.field == RUBRIC_FILE.field:
            loaded = RUBRIC_FILE.load(path)
            return [
                (id, "", [(each.criterion, each.weight) for each in entry.rubric])
                for id, entry in loaded.items()
            ]
        loaded = BIBLIOGRAPHY_FILE.load(path)
        return [
            (id, "", [(each.title, 0.0) for each in entry.bibliography])
            for id, entry in loaded.items()
        ]


def as_published(name: str, found: Found) -> Found:
    """Without what is ours in the reading of a set."""
    if name == "drb2":
        return [(id.removeprefix("idx-"), prompt, own) for id, prompt, own in found]
    if name == "deepscholar papers":
        return [(id, prompt.partition("abstract:\n\n")[2], own) for id, prompt, own in found]
    return found


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_damaged_file_is_taken_rightly_or_refused(shared, tmp_path, name):
    layout = LAYOUTS[name]
    rows, dice = layout.rows(shared / "data/sets"), random.Random(name)
    path = tmp_path / layout.name
    for _ in range(EACH):
        case = damaged(layout, rows, dice)
        path.write_bytes(case.content)
        try:
            found = taken(path)
        except BadTasks as error:
            assert None in case.right, f"{case.what}: {error}"
            assert layout.name in error.problem and error.remedy, f"{case.what}: {error}"
            if case.row:
                place = case.row + (layout.kind == "csv")
                assert re.search(rf"(line|object) {place}\b", error.problem), error.problem
            continue
        assert as_published(name, found) in case.right, case.what


@pytest.mark.parametrize("name", FOLDERS)
def test_so_is_a_folder_with_a_damaged_file(shared, tmp_path, name):
    layout = FOLDERS[name]
    rows, dice = layout.rows(shared / "data/sets"), random.Random(name)
    for number in range(EACH):
        files, case = damaged_folder(layout, rows, dice)
        for called, content in files.items():
            path = tmp_path / str(number) / called
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        try:
            found = taken(tmp_path / str(number))
        except BadTasks as error:
            assert None in case.right, f"{case.what}: {error}"
            assert ".json" in error.problem and error.remedy, f"{case.what}: {error}"
            continue
        assert sorted(found) in [sorted(each) for each in case.right if each is not None], case.what
