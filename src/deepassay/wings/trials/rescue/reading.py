"""Old and new scores as they are found, joined by agent and task; what is left out is counted."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

import numpy as np

from deepassay.errors import BadInput, BadSetting, Notice
from deepassay.intake.rows import same_words
from deepassay.results.joined import Joined
from deepassay.results.records import UNKNOWN, Judged, judges_of
from deepassay.run.showing.boards import scores_of
from deepassay.runfile import RunFile
from deepassay.runfile.schema import is_database
from deepassay.score import Score, without_options
from deepassay.tasks.rows import read_rows
from deepassay.wings.trials.rescue.arithmetic import FEWEST, BothScores, rescued

RESULTS: Final = "raw_results.jsonl"
"""What the program of DeepResearch Bench calls the scores of one agent, in a folder of its name."""

PRINTED: Final = "race_result.txt"
"""Where it prints their means."""


@dataclass(frozen=True)
class JudgedSide:
    """The scores of one judge under one protocol. prompts: of tasks, where they are known.

    scores: by agent and task, the mean over judgements and answers. references: agents that others
    are scored against, which have no score of their own.
    """

    judge: str
    protocol: str
    scores: Mapping[str, Mapping[str, float]]
    prompts: Mapping[str, str]
    references: Collection[str]


def in_folders(paths: Sequence[Path]) -> list[Path]:
    """The files that are named, of folders those of the Bench program. Raises BadInput.

    A Notice tells of means that the program printed beside them and that are others.
    """
    found: list[Path] = []
    for path in paths:
        own = sorted(path.rglob(f"*{RESULTS}")) if path.is_dir() else [path]
        if not own:
            raise BadInput(
                f"{path} holds no {RESULTS}.",
                "Name a folder as the program of DeepResearch Bench writes it, or its files.",
            )
        found += own
    for each in found:
        if (each.parent / PRINTED).exists() and each.name == RESULTS:
            _check_printed(each)
    return found


def by_side(judged_by: Sequence[str], under: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Who judged old and new scores, of what --judged-by says: NAME, FILE=NAME or FOLDER=NAME.

    A name alone is of the old ones. under: where the new ones are.
    """
    old: list[str] = []
    new: list[str] = []
    for each in judged_by:
        file, named, name = each.rpartition("=")
        path = Path(file)
        of_new = bool(named) and any(path == own or own in path.parents for own in under)
        files = in_folders([path]) if named and path.is_dir() else [path]
        (new if of_new else old).extend([f"{one}={name}" for one in files] if named else [each])
    return old, new


def _check_printed(file: Path) -> None:
    """Tell of a printed mean of all scores that is not the one of the rows."""
    values = [row.fields.get("overall_score") for row in read_rows(file)]
    numbers = [value for value in values if isinstance(value, int | float)]
    for line in (file.parent / PRINTED).read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, printed = line.partition(":")
        if name.strip().startswith("Overall") and numbers:
            mean = f"{fmean(numbers):.4f}"
            if printed.strip() != mean:
                warnings.warn(
                    Notice(f"{file}: the mean of the rows is {mean}, printed {printed.strip()}."),
                    stacklevel=3,
                )


def read_side(
    files: Sequence[Path], judged_by: Sequence[str], protocol: str | None, which: str
) -> JudgedSide:
    """The scores of one judge. which: `old` or `new`, for messages.

    protocol: with or without its options, where there are several. Raises BadInput where scores are
    of several judges, since no mapping is of two, and BadSetting for several protocols.
    """
    records = scores_of(files, judged_by)
    name, records = _of_protocol(records, protocol, which)
    by = sorted({" + ".join(judges_of(each.signature)) for each in records})
    agents = {each.agent for each in records}
    if len(by) > 1:
        raise BadInput(
            f"The {which} scores are of several judges: {', '.join(by)}.",
            "Name files of one judge; what is published says so by --judged-by.",
        )
    if by == [UNKNOWN] and len(agents) > 1:
        raise BadInput(
            f"Nobody says who judged the {which} scores of {', '.join(sorted(agents)[:3])}.",
            "If one judge made them all: --judged-by NAME, or FILE=NAME for each file.",
        )
    values: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in records:
        if isinstance(each.outcome, Score) and not each.is_reference:
            values[each.agent][each.task].append(each.outcome.value)
    return JudgedSide(
        by[0],
        name,
        {agent: {t: fmean(v) for t, v in own.items()} for agent, own in values.items()},
        dict(_prompts(files)),
        {each.agent for each in records if each.is_reference},
    )


def _of_protocol(
    records: Sequence[Judged], protocol: str | None, which: str
) -> tuple[str, list[Judged]]:
    names = sorted({each.protocol for each in records})
    wanted = [
        each for each in names if protocol is None or protocol in (each, without_options(each))
    ]
    if len(wanted) != 1:
        there = ", ".join(names) or "none"
        raise BadSetting(
            f"The {which} scores have several protocols: {there}."
            if len(wanted) > 1
            else f"There are no {which} scores by {protocol or 'any protocol'}; there: {there}.",
            "Choose one with --protocol.",
        )
    return wanted[0], [each for each in records if each.protocol == wanted[0]]


def _prompts(files: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The prompts that files have, by the identifier of the task."""
    for file in files:
        if is_database(file):
            with RunFile.read(file) as run:
                for name, task in run.tasks():
                    yield name, str(task.get("prompt", ""))
        else:
            for row in read_rows(file):
                if isinstance(prompt := row.fields.get("prompt"), str):
                    yield str(row.fields.get("id")), prompt


@dataclass(frozen=True)
class JoinedSides:
    """Both judges on the same tasks. tasks: their identifiers, in the order of the columns.

    joined: what became of old scores and of new ones. aside: agents of which nothing can be said,
    with the reason.
    """

    old: JudgedSide
    new: JudgedSide
    scores: BothScores
    tasks: tuple[str, ...]
    joined: tuple[Joined, Joined]
    aside: Sequence[str]

    @property
    def whole(self) -> bool:
        """Whether something can be said of every agent that the old judge scored."""
        known = rescued(self.scores).agents
        return not self.aside and all(each.new is not None for each in known)

    @property
    def mapped(self) -> tuple[list[str], list[str]]:
        """Agent and task of each anchor, in the order of the matrix."""
        at = np.argwhere(self.scores.anchors)
        return [self.scores.agents[row] for row, _ in at], [self.tasks[col] for _, col in at]


def join_sides(old: JudgedSide, new: JudgedSide) -> JoinedSides:
    """Scores of the tasks that every agent of the old judge has. Raises BadInput for no anchor.

    An agent with fewer than half as many tasks as another would take these away from all, and is
    set aside. So is a task whose prompt is another one to the new judge.
    """
    most = max((len(own) for own in old.scores.values()), default=0)
    kept = {name: own for name, own in old.scores.items() if 2 * len(own) >= most}
    aside = [
        f"{name}: {len(own)} old scores, where others have {most}."
        for name, own in old.scores.items()
        if name not in kept
    ]
    shared = set.intersection(*(set(own) for own in kept.values())) if kept else set()
    other = {
        task
        for task in shared & old.prompts.keys() & new.prompts.keys()
        if same_words(old.prompts[task]) != same_words(new.prompts[task])
    }
    tasks = tuple(sorted(shared - other, key=_in_order))
    fresh = {
        name: own
        for name, own in new.scores.items()
        if name not in old.scores and tasks and own.keys() >= set(tasks)
    }
    agents = (*sorted(kept), *sorted(fresh))
    scores = BothScores(
        agents,
        np.array([[old.scores.get(a, {}).get(t, np.nan) for t in tasks] for a in agents]),
        np.array([[new.scores.get(a, {}).get(t, np.nan) for t in tasks] for a in agents]),
    )
    joined = (_of_old(old, kept, shared, other), _of_new(new, kept, fresh, tasks, other))
    anchors = scores.anchors.sum(axis=1) if tasks else np.zeros(0)
    if not tasks or anchors.max(initial=0) < FEWEST:
        raise BadInput(_too_few(old, new, agents, anchors.tolist()), _remedy(new, other))
    return JoinedSides(old, new, scores, tasks, joined, aside)


def _in_order(task: str) -> tuple[int, str]:
    return (int(task) if task.isdecimal() else 0, task)


def _of_old(
    old: JudgedSide,
    kept: Collection[str],
    shared: Collection[str],
    other: Collection[str],
) -> Joined:
    every = [(agent, task) for agent, own in sorted(old.scores.items()) for task in own]
    strays = [
        f"{agent}, {task}: not every agent has this task, or this agent has few."
        for agent, task in every
        if agent not in kept or task not in shared
    ]
    unused = [
        f"{agent}, {task}: the new judge had another prompt under this identifier."
        for agent, task in every
        if agent in kept and task in other
    ]
    return Joined("old scores", "tasks of all agents", len(every), strays, unused)


def _of_new(
    new: JudgedSide,
    kept: Collection[str],
    fresh: Collection[str],
    tasks: Collection[str],
    other: Collection[str],
) -> Joined:
    every = [(agent, task) for agent, own in sorted(new.scores.items()) for task in own]
    strays = [
        f"{agent}, {task}: no old score."
        for agent, task in every
        if (agent not in kept and agent not in fresh) or (task not in tasks and task not in other)
    ]
    unused = [f"{agent}, {task}: another prompt." for agent, task in every if task in other]
    return Joined("new scores", "tasks and agents of the old ones", len(every), strays, unused)


def _too_few(
    old: JudgedSide, new: JudgedSide, agents: Sequence[str], anchors: Sequence[float]
) -> str:
    there = {name: int(n) for name, n in zip(agents, anchors, strict=False) if n}
    if not there:
        ours, theirs = (", ".join(sorted(each.scores)[:5]) or "none" for each in (old, new))
        return (
            "No report has a score by both judges, so nothing leads from the one to the other. Old "
            f"scores are of {ours}; new ones of {theirs}."
        )
    most = max(there.values())
    return (
        f"{sum(there.values())} reports have a score by both judges, at most {most} of one agent: "
        f"too few to say anything, which takes {FEWEST} of an agent."
    )


def _remedy(new: JudgedSide, other: Collection[str]) -> str:
    if other:
        return f"{len(other)} tasks have another prompt for the new judge: name the same tasks."
    return (
        "Have the new judge score some of the published reports: `deepassay rescue` does with "
        "--tasks and --reports."
    )
