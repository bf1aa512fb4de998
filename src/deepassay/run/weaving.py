"""Tasks woven from inspirations, from their file to a file of tasks and its provenance.

Both files grow by one group of inspirations after the other, in their order; what they hold
already is neither asked nor changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepassay.curate.inspiration import read_inspirations
from deepassay.curate.provenance import (
    Group,
    Provenance,
    WovenTask,
    groups_of,
    provenance_file,
    read_provenance,
    woven_from,
    write_provenance,
)
from deepassay.errors import BadSetting, BadTasks
from deepassay.models.ask import Asker
from deepassay.run.making import NOBODY, Job, Listener, Made, make_all
from deepassay.run.settings import Settings
from deepassay.score import Json, Unscored
from deepassay.tasks.entries import append
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task


@dataclass
class Wove(Made):
    """What came of it, by groups of inspirations. tasks: in the file, of these groups."""

    tasks: int = 0


def weave_tasks(
    inspirations: Path,
    output: Path,
    settings: Settings,
    *,
    group_size: int = 2,
    discipline: str | None = None,
    listener: Listener = NOBODY,
) -> Wove:
    """Weave tasks from every group of inspirations that the output has none of. Raises BadInput.

    discipline: label of all tasks. `settings.limit` counts groups.
    """
    refuse_other_than_lines(output)
    groups = groups_of(read_inspirations(inspirations), group_size)[: settings.limit]
    beside = provenance_file(output)
    known = _known(output, beside)
    _refuse_changed(groups, known, output)
    wanted = [group for group in groups if group.id not in known]
    made = Wove(len(groups), kept=len(groups) - len(wanted))
    made.tasks = sum(len(known.get(group.id, ())) for group in groups)

    async def make(group: Group, maker: Asker) -> list[WovenTask] | Unscored:
        return await woven_from(group, maker, discipline)

    def write(groups: Sequence[tuple[Group, list[WovenTask]]]) -> None:
        woven = [each for _, those in groups for each in those]
        if woven:
            write_provenance(beside, [each.provenance for each in woven])
        write_tasks(output, [each.task for each in woven])
        made.tasks += len(woven)

    make_all(Job(make, write, calls=1), wanted, settings, made, listener)
    return made


def write_tasks(path: Path, tasks: Iterable[Task]) -> None:
    """Add tasks to the end of a file in our own layout, making it if it is missing."""
    append(path, [task_fields(task) for task in tasks])


def task_fields(task: Task) -> dict[str, Json]:
    """A task as a line of a file has it, without what it lacks."""
    return {name: value for name, value in task.model_dump(mode="json").items() if value}


def as_lines(tasks: Iterable[Task]) -> str:
    """Tasks as JSON Lines in our own layout."""
    return "".join(json.dumps(task_fields(each), ensure_ascii=False) + "\n" for each in tasks)


def refuse_other_than_lines(path: Path) -> None:
    """Refuse an ending by which a file would not be read as JSON Lines."""
    if path.suffix.lower() in (".csv", ".parquet", ".yaml", ".yml"):
        raise BadSetting(
            f"Tasks are written as JSON Lines, and {path} would not be read as such.",
            "Give an output file that ends in .jsonl.",
        )


def _known(output: Path, beside: Path) -> dict[str, list[Provenance]]:
    """What the files have already, by group. A task without provenance cannot be continued."""
    if not output.exists() or not output.stat().st_size:
        return {}
    provenance = read_provenance(beside) if beside.exists() else {}
    known: dict[str, list[Provenance]] = {}
    for task in load_tasks(output):
        if task.id not in provenance:
            raise BadTasks(
                f"{output} has task {task.id}, and {beside.name} does not say where it comes from.",
                "Give another output file: this one was not made by weaving.",
            )
        known.setdefault(task.id.rpartition("-")[0], []).append(provenance[task.id])
    return known


def _refuse_changed(
    groups: Sequence[Group], known: Mapping[str, Sequence[Provenance]], output: Path
) -> None:
    for group in groups:
        if any(each.group != group.digest for each in known.get(group.id, ())):
            raise BadTasks(
                f"{output}: the tasks {group.id}-… were woven from other inspirations than "
                "those that now stand in their place.",
                "Give the same inspirations and --group-size, or another output file.",
            )
