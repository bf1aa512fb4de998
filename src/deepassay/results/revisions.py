"""An agent at two times: what its reports scored in an earlier run, and in a later one.

Judges and protocols have to be the same. Tasks need not be: what only one of the runs has, and
what was judged by other criteria, is left out and named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Final

from deepassay.errors import BadInput, BadSetting
from deepassay.results.aggregate import means_of_tasks
from deepassay.results.comparing import Contest, compare
from deepassay.results.differences import ComparisonTerms, Difference, adjusted
from deepassay.results.gates import PairAtGate
from deepassay.results.losses import LostPoint, fallen_parts, lost_points
from deepassay.results.ranking import differing_keys, recipes_of
from deepassay.results.records import Judged, by_protocol
from deepassay.results.tables import as_given
from deepassay.score import Cause, Unscored
from deepassay.stats.ranks import TIE

BEFORE: Final = " (before)"
"""Stands behind the name of an agent as it was."""

NAMED: Final = 5
"""Names that are told of many."""


@dataclass(frozen=True)
class Revision:
    """A run as it was at one time. name: of its file. day: of the run, in ISO 8601.

    records: their recipes are without what tasks bring, and without the day. yardsticks: of each
    protocol and task, a digest of the question and of what its reports are judged by.
    """

    name: str
    day: str
    records: Sequence[Judged]
    yardsticks: Mapping[tuple[str, str], str]

    @cached_property
    def of_protocol(self) -> Mapping[str, Sequence[Judged]]:
        """The records of each protocol, the most important one first."""
        return by_protocol(self.records)

    @cached_property
    def agents(self) -> Sequence[str]:
        """Who was judged, by name; nobody that the others are scored against."""
        return sorted({each.agent for each in self.records if not each.is_reference})

    @cached_property
    def tasks(self) -> Sequence[str]:
        """The tasks, by identifier."""
        return sorted({task for _, task in self.yardsticks})

    def of(self, protocol: str, agent: str) -> list[Judged]:
        """The judgements of one agent; none where it is what the others are scored against."""
        own = self.of_protocol.get(protocol, ())
        return [each for each in own if each.agent == agent and not each.is_reference]

    def __str__(self) -> str:
        return f"{self.name} ({self.day})"


@dataclass(frozen=True)
class FallenReport:
    """What an agent has less for a task than before, means over answers and judgements.

    points: that were lost. parts: of the score that fell, where no item says what it was.
    """

    agent: str
    task: str
    protocol: str
    before: float
    now: float
    points: tuple[LostPoint, ...]
    parts: tuple[tuple[str, float, float], ...] = ()


@dataclass(frozen=True)
class Revised:
    """An agent by one protocol, now and before, over the tasks that have a score of both.

    gap: now less before, its p adjusted for all that stand beside it; None where there is no such
    task. fallen: reports with less than before. risen: how many have more. silenced: tasks with a
    score before and none now, with the cause.
    """

    agent: str
    protocol: str
    contest: Contest
    gap: Difference | None
    before: float | None
    now: float | None
    fallen: tuple[FallenReport, ...]
    risen: int
    silenced: Mapping[str, str]

    @property
    def earlier(self) -> str:
        """What the contest calls the agent as it was."""
        return f"{self.agent}{BEFORE}"


@dataclass(frozen=True)
class Uncompared:
    """What could not be held against each other, by name.

    tasks, agents, protocols: only in the first or only in the second run. changed: tasks of both
    that ask or judge otherwise, by protocol. unequal: in which keys recipes differ, by protocol.
    """

    tasks: tuple[Sequence[str], Sequence[str]]
    agents: tuple[Sequence[str], Sequence[str]]
    protocols: tuple[Sequence[str], Sequence[str]]
    changed: Mapping[str, Sequence[str]]
    unequal: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Revisions:
    """Two runs held against each other."""

    old: Revision
    new: Revision
    rows: tuple[Revised, ...]
    left_out: Uncompared

    @property
    def fallen(self) -> list[FallenReport]:
        """All reports that got worse, those first that lost most of what their scale has.

        Nothing of protocols by which the offline rule cannot tell better from worse.
        """
        wide = {each.protocol: _width(each.contest) for each in self.rows}
        every = [report for row in self.rows for report in row.fallen if row.contest.reads]
        return sorted(every, key=lambda e: ((e.now - e.before) / wide[e.protocol], e.agent, e.task))

    @property
    def at_gate(self) -> list[PairAtGate]:
        """Every agent by every protocol, for a gate that none of them may fail."""
        return [
            PairAtGate(
                row.contest,
                row.agent,
                row.earlier,
                {each.task: (each.now, each.before) for each in row.fallen},
            )
            for row in self.rows
        ]

    @property
    def unknown(self) -> list[str]:
        """What was there in the earlier run and cannot be held against the new one."""
        left = self.left_out
        told = [f"{agent} is in {self.old.name} alone" for agent in left.agents[0]]
        told += [f"{self.new.name} was not judged by {name}" for name in left.protocols[0]]
        if gone := left.tasks[0]:
            told.append(f"Only {self.old.name} has {_several(gone, 'task')}")
        told += [
            f"Asked or judged otherwise by {name} than before: {_several(tasks, 'task')}"
            for name, tasks in left.changed.items()
        ]
        told += [
            f"{row.agent} has nothing to judge by {row.protocol} on {_several(gone, 'task')} now"
            for row in self.rows
            if (gone := [t for t, why in row.silenced.items() if why == Cause.MISSING_INPUT])
        ]
        told += [
            f"The recipes of {name} differ in {', '.join(k)}" for name, k in left.unequal.items()
        ]
        return [f"{each}: whether anything got worse there cannot be told." for each in told]


def _width(contest: Contest) -> float:
    return contest.limits.high - contest.limits.low if contest.limits else 1.0


def revise(
    old: Revision, new: Revision, named: Sequence[str] = (), terms: ComparisonTerms | None = None
) -> Revisions:
    """A run against an earlier one. named: one agent of both, or the new one and the old one.

    Raises BadSetting for an agent that is in neither, BadInput where nothing can be compared.
    """
    pairs = _pairs(old, new, named)
    terms = terms or ComparisonTerms()
    left_out = _left_out(old, new, every=not named)
    rows = [
        row
        for protocol in new.of_protocol
        if protocol in old.of_protocol and protocol not in left_out.unequal
        for was, now in pairs
        if (row := _revised(protocol, old, new, (was, now), terms))
    ]
    if not rows:
        raise BadInput(
            f"Nothing of {new.name} can be held against {old.name}: "
            + ("; ".join(told_left_out(left_out)) or "no agent is in both")
            + ".",
            "Evaluate with the same protocols, judge and tasks; agents of other names are given "
            "as NEW OLD.",
        )
    gaps = iter(adjusted([row.gap for row in rows if row.gap and row.contest.reads]))
    rows = [replace(row, gap=next(gaps)) if row.gap and row.contest.reads else row for row in rows]
    return Revisions(old, new, tuple(rows), left_out)


def _pairs(old: Revision, new: Revision, named: Sequence[str]) -> list[tuple[str, str]]:
    """Old and new names of the agents that are held against themselves."""
    if not named:
        return [(agent, agent) for agent in new.agents if agent in old.agents]
    now, was = named[0], named[-1]
    for agent, run in ((now, new), (was, old)):
        if agent not in run.agents:
            raise BadSetting(
                f"{as_given(agent)} was not judged in {run.name}.",
                f"Agents there: {', '.join(map(as_given, run.agents))}.",
            )
    return [(was, now)]


def recipe_gap(protocol: str, old: Revision, new: Revision) -> list[str]:
    """The keys in which the recipes of two runs differ; none where scores may be compared."""
    both = recipes_of([*old.of_protocol[protocol], *new.of_protocol[protocol]])
    return list(differing_keys(both)) if len(both) > 1 else []


def _left_out(old: Revision, new: Revision, *, every: bool) -> Uncompared:
    """every: whether all agents were to be compared."""
    shared = [name for name in new.of_protocol if name in old.of_protocol]
    changed = {
        protocol: tasks
        for protocol in shared
        if (tasks := [t for t in new.tasks if t in old.tasks and not _alike(protocol, t, old, new)])
    }
    return Uncompared(
        _apart(old.tasks, new.tasks),
        _apart(old.agents, new.agents) if every else ([], []),
        _apart([*old.of_protocol], [*new.of_protocol]),
        changed,
        {name: keys for name in shared if (keys := recipe_gap(name, old, new))},
    )


def _apart(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    return [each for each in old if each not in new], [each for each in new if each not in old]


def _alike(protocol: str, task: str, old: Revision, new: Revision) -> bool:
    place = protocol, task
    return old.yardsticks.get(place) == new.yardsticks.get(place)


def sides_of(
    protocol: str, old: Revision, new: Revision, was: str, now: str
) -> tuple[list[Judged], list[Judged]]:
    """The judgements of an agent before and now, for the tasks that ask and judge the same."""
    before, after = old.of(protocol, was), new.of(protocol, now)
    tasks = {each.task for each in before} & {each.task for each in after}
    tasks = {task for task in tasks if _alike(protocol, task, old, new)}
    earlier, later = ([e for e in side if e.task in tasks] for side in (before, after))
    return earlier, later


def gap_between(before: Sequence[Judged], now: Sequence[Judged], terms: ComparisonTerms) -> Contest:
    """The comparison of an agent now with itself before, under another name."""
    agent = now[0].agent
    earlier = f"{agent}{BEFORE}"
    renamed = [replace(each, agent=earlier) for each in before]
    (contest, *_) = compare([*now, *renamed], (agent, earlier), terms)
    return contest


def _revised(
    protocol: str,
    old: Revision,
    new: Revision,
    names: tuple[str, str],
    terms: ComparisonTerms,
) -> Revised | None:
    before, after = sides_of(protocol, old, new, *names)
    if not after:
        return None
    contest = gap_between(before, after, terms)
    was, now = means_of_tasks(before), means_of_tasks(after)
    both = [task for task in was if task in now]
    fallen = [
        FallenReport(names[1], task, protocol, was[task], now[task], points, parts)
        for task in both
        if now[task] < was[task] - max(terms.tie, TIE)
        for points, parts in [_causes(task, before, after)]
    ]
    return Revised(
        names[1],
        protocol,
        contest,
        contest.differences[0] if contest.differences else None,
        fmean(was[task] for task in both) if both else None,
        fmean(now[task] for task in both) if both else None,
        tuple(fallen),
        sum(now[task] > was[task] + max(terms.tie, TIE) for task in both),
        {task: _silence(task, after) for task in was if task not in now},
    )


def _causes(
    task: str, before: Sequence[Judged], after: Sequence[Judged]
) -> tuple[tuple[LostPoint, ...], tuple[tuple[str, float, float], ...]]:
    earlier, later = ([e for e in side if e.task == task] for side in (before, after))
    points = lost_points(earlier, later)
    return tuple(points), () if points else tuple(fallen_parts(earlier, later))


def _silence(task: str, records: Sequence[Judged]) -> str:
    """Why a task has no score now."""
    own = (each.outcome for each in records if each.task == task)
    return ", ".join(sorted({str(each.cause) for each in own if isinstance(each, Unscored)}))


def told_left_out(left: Uncompared) -> Iterator[str]:
    """What was left out, in pieces of a sentence: how many, and which."""
    for what, (before, now) in (
        ("task", left.tasks),
        ("agent", left.agents),
        ("protocol", left.protocols),
    ):
        for names, where in ((before, "the earlier run"), (now, "the new run")):
            if names:
                yield f"only in {where}: {_several(names, what)}"
    for protocol, tasks in left.changed.items():
        yield f"asked or judged otherwise by {protocol}: {_several(tasks, 'task')}"
    for protocol, keys in left.unequal.items():
        yield f"not made by one recipe: {protocol}, which differs in {', '.join(keys)}"


def _several(names: Sequence[str], what: str) -> str:
    more = len(names) - NAMED
    told = ", ".join([*names[:NAMED], *[f"and {more} more"] * (more > 0)])
    return f"{len(names)} {what}{'s' * (len(names) != 1)} ({told})"
