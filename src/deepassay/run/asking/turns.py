"""Which task was asked, from what users said to an agent: a session may be about several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.intake.rows import same_words
from deepassay.tasks.task import Task
from deepassay.text import first_few

_SHORTEST: Final = 20
"""Characters of a prompt that may be looked for within another text."""


class AskedTasks:
    """Tasks, as they are found by what was asked.

    heard: what users had asked before the agent did anything, in order; later: what they asked
    then. A turn of a session has heard what was asked in the turns before.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._found: dict[str, Task | None] = {}

    def asked(self, heard: Sequence[str], later: Sequence[str] = ()) -> Task | None:
        """What was asked last before the agent began, else first then; None for no task."""
        return next(iter([*self._of(heard)[-1:], *self._of(later)]), None)

    def several(self, heard: Sequence[str], later: Sequence[str]) -> str:
        """That a run is about several tasks, where a further one was asked after it had begun."""
        first, more = self._of(heard), self._of(later)
        names = dict.fromkeys(task.id for task in (*first, *more))
        if len(names) < 2 or all(task in first for task in more):
            return ""
        return f"it is about {len(names)} tasks ({first_few([*names], 3)})"

    def _of(self, prompts: Sequence[str]) -> list[Task]:
        for each in prompts:
            if each not in self._found:
                self._found[each] = task_within([each], self._tasks)
        return [task for each in prompts if (task := self._found[each]) is not None]


def task_within(prompts: Sequence[str], tasks: Sequence[Task]) -> Task | None:
    """The task whose prompt is one of these, or stands in one; of several the longest."""
    asked = [same_words(each) for each in prompts]
    whole = [task for task in tasks if same_words(task.prompt) in asked]
    if len(whole) == 1:
        return whole[0]
    inside = {
        task.id: task
        for task in tasks
        if len(words := same_words(task.prompt)) >= _SHORTEST and any(words in a for a in asked)
    }
    most = max((len(task.prompt) for task in inside.values()), default=0)
    longest = [task for task in inside.values() if len(task.prompt) == most]
    return longest[0] if len(longest) == 1 and not whole else None
