"""Where a task comes from: its inspirations, each with its passage of a transcript.

Kept in a file beside the tasks, `tasks.provenance.jsonl` for `tasks.jsonl`, since it is nothing
that an agent or a judge may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from deepassay.errors import BadTasks
from deepassay.score import Json
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Record, Text, brief_text
from deepassay.tasks.task import Task
from deepassay.wings.build.arena.inspiration import Inspiration
from deepassay.wings.build.arena.transcript import clock, read_records


class Review(Record):
    """What an expert decided. woven: the text before it was edited."""

    decision: Literal["accept", "edit"]
    comment: str = ""
    woven: Text | None = None


class Provenance(Record):
    """Of one task.

    id, prompt: of the task. hours, public_data: what it takes, as whoever wove it estimates.
    inspirations: those that it rests on. group: digest of all that it was woven from. review: what
    an expert decided. rating: of RankEval.
    """

    id: Text
    prompt: Text
    hours: float
    public_data: bool
    inspirations: Annotated[tuple[Inspiration, ...], Field(strict=False, min_length=1)]
    group: Text
    review: Review | None = None
    rating: float | None = None


def provenance_file(tasks: Path) -> Path:
    """The file that belongs to a file of tasks."""
    return tasks.with_name(f"{tasks.stem}.provenance.jsonl")


def read_provenance(path: Path) -> dict[str, Provenance]:
    """By the identifier of the task; of two for one task the later. Raises BadTasks."""
    return {each.id: each for _, each in read_records(path, Provenance)}


def write_provenance(path: Path, provenance: Iterable[Provenance]) -> None:
    """Add to the end of a file, making it if it is missing. Raises BadTasks."""
    append(path, [provenance_line(each) for each in provenance])


def provenance_line(provenance: Provenance) -> dict[str, Json]:
    """As a line of a file has it, without what is not known."""
    line: dict[str, Json] = provenance.model_dump(mode="json", exclude_none=True)
    return line


def traced(tasks: Sequence[Task], known: Mapping[str, Provenance], path: Path) -> list[Provenance]:
    """Those of these tasks, in their order. path: names their file in messages.

    Raises BadTasks for a task without, or whose prompt is another one.
    """
    found = []
    for task in tasks:
        if task.id not in known:
            raise BadTasks(
                f"{path} does not say where task {task.id} comes from.",
                "Keep the file beside the tasks that were made with it.",
            )
        if known[task.id].prompt != task.prompt:
            raise BadTasks(
                f"{path}: task {task.id} has another prompt there:\n"
                f"  {brief_text(known[task.id].prompt)!r}\n  {brief_text(task.prompt)!r}",
                "Edit tasks by way of a review (tasks build --review), or in both files.",
            )
        found.append(known[task.id])
    return found


def as_text(task: Task, provenance: Provenance) -> str:
    """A task and where it comes from, for a person to read."""
    labels = ", ".join(f"{name} {value}" for name, value in task.labels.items() if name != "set")
    lines = [f"{task.id} ({labels})", f"  {task.prompt}"]
    if provenance.rating is not None:
        lines.append(f"  rating: {provenance.rating:.1f}")
    if provenance.review is not None:
        comment = f": {provenance.review.comment}" if provenance.review.comment else ""
        lines.append(f"  reviewed: {provenance.review.decision}{comment}")
        if provenance.review.woven is not None:
            lines.append(f"  as woven: {provenance.review.woven}")
    for each in provenance.inspirations:
        time = "" if each.time is None else f", {clock(each.time)}"
        place = f"{each.transcript}{time}, characters {each.start} to {each.end}"
        lines += [
            f"  from {each.id}, {each.type}: {each.text}",
            f"    said in {place}:",
            f"    {' '.join(each.quote.split())}",
        ]
    return "\n".join(lines) + "\n"


class WovenTask(NamedTuple):
    """A task and where it comes from."""

    task: Task
    provenance: Provenance
