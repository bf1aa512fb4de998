"""Groups of inspirations, and the tasks that are woven from one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from deepassay.curate.arena.construction import Lead, Proposed
from deepassay.curate.arena.inspiration import KINDS, Inspiration
from deepassay.curate.arena.provenance import Provenance
from deepassay.curate.arena.task_weaver import WEAVE, Leads
from deepassay.models.ask import Asker
from deepassay.score import Unscored, digest
from deepassay.tasks.task import Task

SET: Final = "DeepResearch Arena"
"""The label `set` of tasks that are made in the way of this paper."""


@dataclass(frozen=True)
class Group:
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


def groups_of(inspirations: Sequence[Inspiration], size: int) -> list[Group]:
    """The inspirations that the filter kept, so many at a time, in the order of each talk.

    The last group of a talk may have fewer. Talks stand in the order of their first inspiration.
    """
    kept = [each for each in inspirations if each.dropped is None]
    order = {name: place for place, name in enumerate(dict.fromkeys(e.transcript for e in kept))}
    ordered = sorted(kept, key=lambda each: (order[each.transcript], each.start, each.end))
    return [
        Group(f"{name}-g{number}", members)
        for name, talk in groupby(ordered, key=lambda each: each.transcript)
        for number, members in enumerate(_batches(tuple(talk), size), start=1)
    ]


def _batches(talk: tuple[Inspiration, ...], size: int) -> Iterator[tuple[Inspiration, ...]]:
    for start in range(0, len(talk), size):
        yield talk[start : start + size]


async def woven_from(
    group: Group, maker: Asker, discipline: str | None = None
) -> list[WovenTask] | Unscored:
    """The tasks of a group; Unscored if the maker gives none that keep to the rules."""
    answer = await maker(WEAVE, group.leads)
    if isinstance(answer, Unscored):
        return answer
    return [
        _as_task(group, number, proposed, discipline)
        for number, proposed in enumerate(answer.value.tasks, start=1)
    ]


def _as_task(group: Group, number: int, proposed: Proposed, discipline: str | None) -> WovenTask:
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
