"""What is promised before a run: by which tasks, protocols and judges reports will be scored.

Whoever publishes the digest of a commitment first cannot choose among tasks, protocols or judges
afterwards. It holds digests of tasks and no text of theirs, so a set may stay closed.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from deepassay.errors import BadSetting
from deepassay.intake.columns import NamedColumns
from deepassay.protocols.registry import parse_protocols
from deepassay.results.leads import some
from deepassay.results.saved_file import SavedFile
from deepassay.results.tables import several
from deepassay.run.asking.connecting import budget_of, connected
from deepassay.run.asking.plan import Plan, identity_of
from deepassay.run.asking.planning import check_models, others_of, panel_of
from deepassay.run.asking.reading_inputs import read_tasks
from deepassay.run.asking.sets import judged_by_set
from deepassay.run.settings import Settings
from deepassay.run.showing.yardsticks import as_stored, judged_by_of
from deepassay.runfile import RunFile
from deepassay.score import Json, digest
from deepassay.sources.page import EXTRACTION
from deepassay.tasks.loaders import GivenTasks

ROLES: Final = ("criteria", "rubric", "ace")
"""What a task may bring that its reports are judged by."""


class Commitment(SavedFile):
    """The file. made: the day, in ISO 8601.

    tasks: by identifier, digests of the task itself (`task`) and of what it brings (see ROLES).
    protocols: by name, what decides their scores, but for the day of the run.
    """

    what: ClassVar[str] = "commitment"
    again: ClassVar[str] = "Write one: deepassay commit TASKS --protocol NAME --judge MODEL -o FILE"
    kind: Literal["deepassay commitment"] = "deepassay commitment"
    version: Literal[1] = 1
    made: str
    tasks: dict[str, dict[str, str]]
    protocols: dict[str, dict[str, Json]]

    @property
    def digest(self) -> str:
        """What one publishes before the run: SHA-256 over all that is promised, in hexadecimal."""
        return digest(self.model_dump(mode="json"))

    def broken(self, run: RunFile) -> Iterator[str]:
        """In what a run is not what was promised, a sentence each."""
        kept = run.protocols()
        for name, identity in self.protocols.items():
            if name not in kept:
                yield f"{name} was promised and did not score."
            elif other := _differences(identity, timeless(kept[name])):
                yield f"{name} scored otherwise than promised: {', '.join(other)}."
        if more := sorted(kept.keys() - self.protocols.keys()):
            yield f"Not promised, and scored: {some(more)}."
        own = tasks_of_run(run)
        changed = [
            task for task in own if task in self.tasks and _unlike(self.tasks[task], own[task])
        ]
        for what, names in (
            ("promised and not in the run", sorted(self.tasks.keys() - own.keys())),
            ("in the run and not promised", sorted(own.keys() - self.tasks.keys())),
            ("not as it was promised", sorted(changed)),
        ):
            if names:
                yield f"{several(len(names), 'task')} {what}: {some(names)}."


def _unlike(promised: Mapping[str, str], kept: Mapping[str, str]) -> bool:
    """Whether anything promised is another; what was made in the run may come besides."""
    return any(kept.get(what) != value for what, value in promised.items())


def _differences(one: Mapping[str, Json], other: Mapping[str, Json]) -> list[str]:
    return sorted(key for key in {*one, *other} if one.get(key) != other.get(key))


def timeless(identity: Json) -> dict[str, Json]:
    """What decides the scores of a protocol, but for the day."""
    return {key: value for key, value in dict(identity).items() if key != "date"}


def tasks_of_run(run: RunFile) -> dict[str, dict[str, str]]:
    """The digests of the tasks of a run, and of what they brought to it."""
    found = {task: {"task": digest(body)} for task, body in run.tasks()}
    for role in ROLES:
        for task, _, text in run.judged_by(role):
            if task in found:
                found[task][role] = digest(text)
    return found


def commit_to(given: GivenTasks, settings: Settings) -> Commitment:
    """The commitment to judge reports for these tasks as the settings say. Nothing is asked.

    Raises BadSetting where no protocol is named, BadInput as `evaluate` does.
    """
    settings = judged_by_set(settings)
    if not settings.protocols:
        raise BadSetting(
            "A commitment names its protocols, and none is given.",
            "Add --protocol NAME, as often as needed.",
        )
    tasks = read_tasks(given, settings, NamedColumns.of(settings.columns))
    judges, others = panel_of(settings), others_of(settings)
    check_models(judges, others)
    plan = Plan(
        tasks={task.id: task for task in tasks[: settings.limit]},
        reports=(),
        protocols=parse_protocols(settings.protocols, settings.edition),
        judges=judges,
        judges_of={name: panel_of(settings.of(name)) for name in settings.per_protocol},
        others=others,
        pages=f"{settings.reader}, {EXTRACTION}",
        repeat=settings.repeat,
        day=datetime.date.today(),
    )
    return Commitment(
        made=plan.day.isoformat(),
        tasks=_tasks_of(plan),
        protocols=asyncio.run(_recipes(plan, settings)),
    )


def _tasks_of(plan: Plan) -> dict[str, dict[str, str]]:
    found = {name: {"task": digest(as_stored(task))} for name, task in plan.tasks.items()}
    brought = judged_by_of(plan)
    for role in ROLES:
        for each in brought[role]:
            found[each.task][role] = digest(each.text)
    return found


async def _recipes(plan: Plan, settings: Settings) -> dict[str, dict[str, Json]]:
    with RunFile.in_memory() as run:
        budget = budget_of(settings, run)
        async with connected(plan, settings, run, budget, to_ask=False) as asked:
            return {
                str(each): timeless(identity_of(plan, each, asked.panels[str(each)]))
                for each in plan.protocols
            }
