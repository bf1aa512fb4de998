"""The runs of agents that a command asks for, and those that a run file has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

from deepassay.agents.agent import Agent, Stop
from deepassay.errors import BadInput, BadSetting, ConfigurationChanged
from deepassay.intake.columns import NamedColumns
from deepassay.reports.naming import whose
from deepassay.results.agents import RunTotals, run_totals
from deepassay.run.settings import Settings
from deepassay.run.showing.yardsticks import day_of_agents
from deepassay.runfile import AgentRun, Part, RunFile
from deepassay.score import Json, ReportKey, digest, report_key
from deepassay.tasks.loaders import GivenTasks, tasks_of
from deepassay.tasks.task import Task

AGENTS: Final = 4
"""Runs of agents at a time, unless it is said otherwise."""

NO_QUESTIONS: Final[Mapping[str, str]] = {
    "en": "Do not ask me anything back. Where something is open, assume what is most likely, and "
    "state your assumptions in the report.",
    "zh": "请不要向我提问。如有不明确之处，请按最可能的情况作出假设，并在报告中说明这些假设。",
}
"""What an agent that asked back is told besides the task, once, by the task's language."""


@dataclass(frozen=True)
class RequestedRun:
    """One run that is asked for."""

    agent: str
    task: Task
    sample: int

    @property
    def key(self) -> ReportKey:
        """Agent, identifier of the task, sample."""
        return self.agent, self.task.id, self.sample


@dataclass(frozen=True)
class ResearchTerms:
    """What answering takes besides the settings.

    repeat: answers of each agent to each task. at_once: runs at a time. output: a folder for the
    reports, AGENT/TASK.md. retry: run again what ended without a report. sandbox: a corpus that is
    served to the agents while they work, see `agents.sandbox`.
    """

    repeat: int = 1
    at_once: int = AGENTS
    output: Path | None = None
    retry: bool = False
    sandbox: Path | None = None


def places_of(
    tasks: GivenTasks, agents: Iterable[str], settings: Settings, terms: ResearchTerms
) -> tuple[date, list[RequestedRun], Part | None]:
    """The day that agents are told, the runs that are asked for in their order, and the shard."""
    day = _day(settings)
    said = NamedColumns.of(settings.columns)
    given = tasks_of(tasks, columns=said)[: settings.limit]
    said.refuse_unmet()
    asked = [task.on(day, settings.edition) for task in given]
    names = list(agents)
    part = None
    if settings.part is not None:
        number, count = settings.part
        part = Part(
            number, count, digest([[task.digest for task in asked], sorted(names), terms.repeat])
        )
        asked = asked[number - 1 :: count]
    places = [
        RequestedRun(name, task, sample)
        for sample in range(1, terms.repeat + 1)
        for task in asked
        for name in names
    ]
    return day, places, part


def _day(settings: Settings) -> date:
    """What the settings say, else what the agents of the run file were told, else today."""
    if settings.date:
        return date.fromisoformat(settings.date)
    if settings.run.exists():
        with RunFile.read(settings.run) as run:
            if days := day_of_agents(run):
                return days
    return date.today()


def check_report_folder(folder: Path, places: Iterable[RequestedRun]) -> None:
    """Raises BadInput for a folder, and for names under which reports are not found again."""
    for place in places:
        if not is_found_again(place.key):
            raise BadSetting(
                f"Agent {place.agent!r} and task {place.task.id!r} cannot be names of a folder "
                "and a file.",
                f"{_remedy(place)}, or leave out -o: `evaluate` reads the run file too.",
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"{folder}: reports cannot be written there ({error.strerror}).",
            "Give another folder with -o.",
        ) from error


def _remedy(place: RequestedRun) -> str:
    """What to name otherwise: the agent, the task, or either where only both together are odd."""
    if not is_found_again((place.agent, "t1", 1)):
        return "Name the agent otherwise, NAME=SPEC"
    if not is_found_again(("heron", place.task.id, 1)):
        return "Give the task another id"
    return "Name the agent otherwise, NAME=SPEC, or give the task another id"


def kept_runs(run: RunFile, places: Sequence[RequestedRun]) -> dict[ReportKey, AgentRun]:
    """Of these places, the runs that a run file has, without their texts.

    Raises ConfigurationChanged where a task was asked with another prompt.
    """
    wanted = {place.key: place for place in places}
    found: dict[ReportKey, AgentRun] = {}
    for each in run.answering.runs():
        place = wanted.get(report_key(each))
        if place is None:
            continue
        if each.run.record.get("prompt", question_digest(place)) != question_digest(place):
            raise ConfigurationChanged(
                f"{run.path}: task {each.task} was asked of {each.agent} with another prompt.",
                "Give the tasks as they were to resume, or use another --run FILE.",
            )
        found[place.key] = replace(each.run, report=each.run.report and "kept", raw="")
    return found


def is_asked_again(agent: Agent, run: AgentRun, retry: bool) -> bool:
    """Whether the same command has a run done again that has ended."""
    return run.report is None and (retry or run.stop == Stop.CANCELLED or asks_back(agent, run))


def asks_back(agent: Agent, run: AgentRun) -> bool:
    """Whether an agent asked back and was not told yet to do without."""
    return run.stop == Stop.ASKED_BACK and agent.writes and "told" not in run.record


def question_digest(place: RequestedRun) -> str:
    """The digest of what is asked, as runs are kept with it."""
    return digest(place.task.prompt)


def after(earlier: AgentRun | None, run: AgentRun, record: Mapping[str, Json]) -> AgentRun:
    """A run with what came before it; an agent that asked back took the time of both."""
    record = {**run.record, **record}
    if earlier is None:
        return replace(run, record=record)
    ended = {
        **{name: getattr(earlier, name) for name in ("stop", "detail", "seconds", "cost")},
        "usage": earlier.usage and dict(earlier.usage),
    }
    record["earlier"] = [*earlier.record.get("earlier", ()), ended]
    record["paid"] = cost_elsewhere(earlier) + cost_elsewhere(run)
    if earlier.stop != Stop.ASKED_BACK:
        return replace(run, record=record)
    usage, cost = run.usage, run.cost
    if usage is not None:
        before = earlier.usage
        usage = before and {name: count + before.get(name, 0) for name, count in usage.items()}
    if cost is not None:
        cost = None if earlier.cost is None else earlier.cost + cost
    seconds = earlier.seconds + run.seconds
    return replace(run, record=record, usage=usage, cost=cost, seconds=seconds)


def cost_elsewhere(run: AgentRun) -> float:
    """USD that a run cost, as far as known, beside calls that the run file itself counts."""
    if run.record.get("counted"):
        return 0.0
    return float(run.record.get("paid", run.cost or 0.0))


_LONGEST_NAME: Final = 200
"""Bytes of the name of a file; file systems take 255, and writing adds some."""


def is_found_again(key: ReportKey) -> bool:
    """Whether a report is read again, from its file, as of this agent, task and sample."""
    file = report_file_of(Path(), key)
    odd = any(each.startswith(".") or len(each.encode()) > _LONGEST_NAME for each in file.parts)
    return not odd and "\0" not in str(file) and whose(file) == key


def report_file_of(folder: Path, key: ReportKey) -> Path:
    """Where the report of an agent, a task and a sample is written below a folder."""
    agent, task, sample = key
    if sample == 1:
        return folder / agent / f"{task}.md"
    return folder / agent / task / f"answer_{sample}.md"


def told_before(
    tasks: GivenTasks, agents: Mapping[str, Agent], settings: Settings, terms: ResearchTerms
) -> Iterator[str]:
    """What `research` would ask, a line an agent; nothing is asked. Raises BadInput as it does."""
    _, places, _ = places_of(tasks, agents, settings, terms)
    kept: dict[ReportKey, AgentRun] = {}
    before: Mapping[str, RunTotals] = {}
    if settings.run.exists():
        with RunFile.read(settings.run) as run:
            kept, before = kept_runs(run, places), run_totals(run.answering.runs())
    for name, agent in agents.items():
        agent.check(os.environ)
        own = [kept.get(place.key) for place in places if place.agent == name]
        left = sum(run is None or is_asked_again(agent, run, retry=terms.retry) for run in own)
        there = f" ({len(own) - left} are there already)" if left < len(own) else ""
        yield f"{name}: {left} runs{there}" + (f"; {agent.outlook()}" if left else "")
        if left and agent.writes and name in before:
            yield f"  {_as_before(before[name], left)}"


def _as_before(taken: RunTotals, left: int) -> str:
    """What the runs that are there took, and what those that are left would cost likewise."""
    row = taken.row()
    each = [f"{row['seconds'] / 60:.1f} min"]
    each += [f"{row['tokens']:,.0f} tokens"] if taken.tokens else []
    each += [f"${row['cost']:.2f}"] if taken.costs else []
    rest = f"; at that rate the rest costs ${left * row['cost']:.2f}" if taken.costs else ""
    return f"runs that are there, on average: {', '.join(each)}{rest}"


def spent_in(path: Path) -> float:
    """USD that a run file has cost in all."""
    with RunFile.read(path) as run:
        return run.spent()
