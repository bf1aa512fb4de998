"""What was asked: tasks, and the files that hold them."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepassay.tasks.loaders import GivenTasks
    from deepassay.tasks.task import Task


class _TasksRoom(ModuleType):
    """A room that is called as well: `deepassay.tasks(...)` gives tasks."""

    def __call__(self, given: GivenTasks) -> tuple[Task, ...]:
        """Tasks from files or objects: see `loaders.tasks_of`."""
        from deepassay.tasks.loaders import tasks_of

        return tasks_of(given)


sys.modules[__name__].__class__ = _TasksRoom
