"""The tasks of a file as settings say: what its columns are, and how many of the first."""

from __future__ import annotations

from pathlib import Path

from deepassay.intake.columns import NamedColumns
from deepassay.run.settings import Settings
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task


def first_tasks(path: Path, settings: Settings) -> tuple[Task, ...]:
    """Tasks as `columns` of the settings says, the first as far as `limit` goes.

    Raises BadTasks, and BadSetting for a column that is not there.
    """
    said = NamedColumns.of(settings.columns)
    found = load_tasks(path, columns=said)
    said.refuse_unmet()
    return found[: settings.limit]
