"""The queries and checklists for the published live reports: one for each, in our own words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deepassay.reports.loaders import load_reports
from deepassay.tasks.loaders import load_tasks

TASKS = Path(__file__).with_name("tasks.jsonl")


@pytest.fixture(scope="module")
def reports(shared):
    return {each.task: each.text for each in load_reports([shared / "data" / "live" / "reports"])}


def test_each_report_has_a_task_with_a_short_checklist(reports):
    tasks = {each.id: each for each in load_tasks(TASKS)}
    assert set(tasks) == set(reports)
    assert all(4 <= len(each.checklist) <= 7 for each in tasks.values())
    assert all(len(each.prompt) < 250 for each in tasks.values())


def test_none_repeats_its_report(reports):
    def runs(text, length=8):
        words = re.findall(r"\w+", text.casefold())
        return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}

    for task in load_tasks(TASKS):
        ours = set().union(*map(runs, (task.prompt, *task.checklist)))
        assert not ours & runs(reports[task.id]), task.id
