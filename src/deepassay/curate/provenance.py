"""Where a task comes from: its inspirations, each with its passage of a transcript.

Kept in a file beside the tasks, `tasks.provenance.jsonl` for `tasks.jsonl`, since it is nothing
that an agent or a judge may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from deepassay.curate.construction import Lead, Proposed
from deepassay.curate.inspiration import KINDS, Inspiration
from deepassay.curate.transcript import clock, read_records
from deepassay.curate.weaver import WEAVE, Leads
from deepassay.errors import BadTasks
from deepassay.models.ask import Asker
from deepassay.score import Json, Unscored, digest
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Text, shortened
from deepassay.tasks.task import Task


class Review(BaseModel):
    """What an expert decided. woven: the text before it was edited."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    decision: Literal["accept", "edit"]
    comment: str = ""
    woven: Text | None = None


class Provenance(BaseModel):
    """Of one task.

    id, prompt: of the task. hours, public_data: what it takes, as whoever wove it estimates.
    inspirations: those that it rests on. group: digest of all that it was woven from. review: what
    an expert decided. rating: of RankEval.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

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
                f"  {shortened(known[task.id].prompt)!r}\n  {shortened(task.prompt)!r}",
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


# ------------------------------------------------------------------ groups


SET: Final = "DeepResearch Arena"
"""The label `set` of tasks that are made in the way of this paper."""


@dataclass(frozen=True)
class InspirationGroup:
    """Inspirations that follow each other in a talk. id: transcript and number, from 1."""

    id: str
    inspirations: tuple[Inspiration, ...]

    @property
    def leads(self) -> Leads:
        """What the weaver is given of them."""
        return Leads(
            language=self.inspirations[0].language,
            inspirations=tuple(
                Lead(number=number, type=each.type, text=each.text)
                for number, each in enumerate(self.inspirations, start=1)
            ),
        )

    @property
    def digest(self) -> str:
        """Changes with whatever the weaver is given."""
        return digest(self.leads.model_dump(mode="json"))


class WovenTask(NamedTuple):
    """A task and where it comes from."""

    task: Task
    provenance: Provenance


def groups_of(inspirations: Sequence[Inspiration], size: int) -> list[InspirationGroup]:
    """The inspirations that the filter kept, so many at a time, in the order of each talk.

    The last group of a talk may have fewer. Talks stand in the order of their first inspiration.
    """
    kept = [each for each in inspirations if each.dropped is None]
    order = {name: place for place, name in enumerate(dict.fromkeys(e.transcript for e in kept))}
    ordered = sorted(kept, key=lambda each: (order[each.transcript], each.start, each.end))
    return [
        InspirationGroup(f"{name}-g{number}", members)
        for name, talk in groupby(ordered, key=lambda each: each.transcript)
        for number, members in enumerate(_batches(tuple(talk), size), start=1)
    ]


def _batches(talk: tuple[Inspiration, ...], size: int) -> Iterator[tuple[Inspiration, ...]]:
    for start in range(0, len(talk), size):
        yield talk[start : start + size]


async def woven_from(
    group: InspirationGroup, maker: Asker, discipline: str | None = None
) -> list[WovenTask] | Unscored:
    """The tasks of a group; Unscored if the maker gives none that keep to the rules."""
    answer = await maker(WEAVE, group.leads)
    if isinstance(answer, Unscored):
        return answer
    return [
        _as_task(group, number, proposed, discipline)
        for number, proposed in enumerate(answer.value.tasks, start=1)
    ]


def _as_task(
    group: InspirationGroup, number: int, proposed: Proposed, discipline: str | None
) -> WovenTask:
    grounds = [group.inspirations[place - 1] for place in sorted(proposed.inspirations)]
    types = {each.type for each in grounds}
    labels = {
        "set": SET,
        **({"discipline": discipline} if discipline else {}),
        "phase": proposed.phase,
        "family": proposed.family,
        "difficulty": proposed.difficulty,
        "type": " + ".join(kind for kind in KINDS if kind in types),
    }
    task = Task(
        id=f"{group.id}-{number}",
        prompt=" ".join(proposed.task.split()),
        language=grounds[0].language,
        labels=labels,
    )
    provenance = Provenance(
        id=task.id,
        prompt=task.prompt,
        hours=proposed.hours,
        public_data=proposed.public_data,
        inspirations=tuple(grounds),
        group=group.digest,
    )
    return WovenTask(task, provenance)
