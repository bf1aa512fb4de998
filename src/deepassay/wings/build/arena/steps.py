"""The steps of Arena's line, each from a file to a file: inspirations, tasks, the best of them.

Inspirations and tasks are added to the end of their file, one transcript or group after the other;
what it holds already is neither asked nor changed. A ranking is written anew; beside it stand the
comparisons, from which everything is computed, and the table of all ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from deepassay.errors import BadSetting, BadTasks
from deepassay.files import as_json_lines
from deepassay.models.ask import Asker
from deepassay.run.asking.first_tasks import first_tasks
from deepassay.run.asking.making import NOBODY, Listener, Made, MakingJob, make_all
from deepassay.run.settings import Settings
from deepassay.score import Json, Unscored
from deepassay.tasks.entries import append, write_file
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.wings.build.arena.inspira import inspirations_of
from deepassay.wings.build.arena.inspiration import (
    Inspiration,
    read_inspirations,
    write_inspirations,
)
from deepassay.wings.build.arena.provenance import (
    Provenance,
    WovenTask,
    provenance_file,
    read_provenance,
    write_provenance,
)
from deepassay.wings.build.arena.rank_eval import (
    TaskComparison,
    TaskPairVerdict,
    compare_tasks,
    comparisons_file,
    drawn_comparisons,
    played,
    read_comparisons,
    refuse_changed,
    repeats,
    write_comparisons,
)
from deepassay.wings.build.arena.ranking import (
    TaskStanding,
    draw_rounds,
    ranking_file,
    task_standings,
    write_ranking,
)
from deepassay.wings.build.arena.subtitles import transcripts_in
from deepassay.wings.build.arena.transcript import Transcript
from deepassay.wings.build.arena.weaver import InspirationGroup, groups_of, woven_from

CALLS: Final = 4
"""Calls that one transcript takes at the same time, about: its windows, then the filter."""


@dataclass
class Inspired(Made):
    """What came of it, of these transcripts: usable and dropped inspirations in the file.

    merged: by identifier, the texts of those that an inspiration stands for.
    """

    usable: int = 0
    dropped: int = 0
    merged: Mapping[str, Sequence[str]] = field(default_factory=dict)


def find_inspirations(
    transcripts: Sequence[Path],
    output: Path,
    settings: Settings,
    *,
    listener: Listener = NOBODY,
) -> Inspired:
    """Find the inspirations of every transcript that the output has none from. Raises BadInput.

    transcripts: their files; `settings.limit` counts transcripts.
    """
    given = load_transcripts(transcripts)[: settings.limit]
    there = read_inspirations(output) if output.exists() else []
    refuse_other_transcripts(given, there, output)
    known = {each.transcript for each in there}
    wanted = [each for each in given if each.name not in known]
    made = Inspired(len(given), kept=len(given) - len(wanted))

    def write(found: Sequence[tuple[Transcript, list[Inspiration]]]) -> None:
        write_inspirations(output, [each for _, those in found for each in those])
        made.fruitless += [transcript.id for transcript, those in found if not those]

    make_all(MakingJob(inspirations_of, write, CALLS), wanted, settings, made, listener)
    names = {each.name for each in given}
    written = read_inspirations(output) if output.exists() else []
    of_these = [each for each in written if each.transcript in names]
    made.dropped = sum(each.dropped is not None for each in of_these)
    made.usable = len(of_these) - made.dropped
    made.merged = {each.id: each.merged for each in of_these if each.merged}
    return made


def load_transcripts(paths: Sequence[Path]) -> list[Transcript]:
    """The transcripts of several files. Raises BadTasks where there is none, or two of a name."""
    found: dict[str, Transcript] = {}
    for path in paths:
        for transcript in transcripts_in(path):
            if transcript.name in found:
                raise BadTasks(
                    f"{path}: there is a transcript {transcript.name!r} already.",
                    "What comes of transcripts is traced by their names: rename one of the two.",
                )
            found[transcript.name] = transcript
    if not found:
        raise BadTasks(
            f"{', '.join(map(str, paths))}: there is no transcript in it.",
            "Give subtitles or texts, or what `deepassay tasks transcribe` wrote.",
        )
    return list(found.values())


def refuse_other_transcripts(
    transcripts: Iterable[Transcript], inspirations: Iterable[Inspiration], path: Path
) -> None:
    """Raise BadTasks where a passage does not stand in its transcript any more."""
    texts = {each.name: each.text for each in transcripts}
    for each in inspirations:
        text = texts.get(each.transcript)
        if text is not None and text[each.start : each.end] != each.quote:
            raise BadTasks(
                f"{path}: inspiration {each.id!r} is from another text of the transcript "
                f"{each.transcript!r} than the one given.",
                "Give the transcript that it was made from, or another output file.",
            )


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
    known = _woven_before(output, beside)
    _refuse_other_groups(groups, known, output)
    wanted = [group for group in groups if group.id not in known]
    made = Wove(len(groups), kept=len(groups) - len(wanted))
    made.tasks = sum(len(known.get(group.id, ())) for group in groups)

    async def make(group: InspirationGroup, maker: Asker) -> list[WovenTask] | Unscored:
        return await woven_from(group, maker, discipline)

    def write(groups: Sequence[tuple[InspirationGroup, list[WovenTask]]]) -> None:
        woven = [each for _, those in groups for each in those]
        if woven:
            write_provenance(beside, [each.provenance for each in woven])
        write_tasks(output, [each.task for each in woven])
        made.tasks += len(woven)

    make_all(MakingJob(make, write, calls=1), wanted, settings, made, listener)
    return made


def write_tasks(path: Path, tasks: Iterable[Task]) -> None:
    """Add tasks to the end of a file in our own layout, making it if it is missing."""
    append(path, [task_fields(task) for task in tasks])


def task_fields(task: Task) -> dict[str, Json]:
    """A task as a line of a file has it, without what it lacks."""
    return {name: value for name, value in task.model_dump(mode="json").items() if value}


def tasks_as_lines(tasks: Iterable[Task]) -> str:
    """Tasks as JSON Lines in our own layout."""
    return as_json_lines([task_fields(each) for each in tasks])


def refuse_other_than_lines(path: Path) -> None:
    """Refuse an ending by which a file would not be read as JSON Lines."""
    if path.suffix.lower() in (".csv", ".parquet", ".yaml", ".yml"):
        raise BadSetting(
            f"Tasks are written as JSON Lines, and {path} would not be read as such.",
            "Give an output file that ends in .jsonl.",
        )


def _woven_before(output: Path, beside: Path) -> dict[str, list[Provenance]]:
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


def _refuse_other_groups(
    groups: Sequence[InspirationGroup], known: Mapping[str, Sequence[Provenance]], output: Path
) -> None:
    for group in groups:
        if any(each.group != group.digest for each in known.get(group.id, ())):
            raise BadTasks(
                f"{output}: the tasks {group.id}-… were woven from other inspirations than "
                "those that now stand in their place.",
                "Give the same inspirations and --group-size, or another output file.",
            )


@dataclass
class RankedTasks(Made):
    """What came of it, by pairs. standings: all tasks, the best first; none if it was stopped or
    no pair has a verdict. best: those that were written to the output.
    """

    standings: list[TaskStanding] = field(default_factory=list)
    best: list[TaskStanding] = field(default_factory=list)


def rank_tasks(
    tasks: Path,
    output: Path,
    settings: Settings,
    *,
    rounds: int = 2,
    keep: int | None = None,
    seed: int = 1,
    listener: Listener = NOBODY,
) -> RankedTasks:
    """Have every pair that is drawn and not decided compared, and write the ranking.

    The first judge of the settings compares. rounds: that every task is to have been through.
    keep: so many of the best are written to the output, None: all; a task that was never compared
    is chosen only where all are. seed: of the pairs and the intervals. `settings.limit` counts
    tasks, the first ones. Stopped halfway it keeps what has been compared and leaves the ranking
    as it was, and so it does where no pair has a verdict. Raises BadInput.
    """
    judge = settings.judge[0]
    found = first_tasks(tasks, settings)
    beside = comparisons_file(output)
    _refuse_overwriting(output, tasks, beside)
    known = _compared_before(beside, judge)
    refuse_changed(known, found, beside)
    begin = 1 + max((each.round for each in known), default=0)
    by_id = {task.id: task for task in found}
    fresh = [
        each
        for number, pairs in draw_rounds(played(known, found), rounds, seed, begin)
        for each in drawn_comparisons(number, pairs, by_id)
    ]
    comparisons = {each.place: each for each in [*known, *fresh]}
    write_comparisons(beside, comparisons.values())  # refuses before anything is paid for
    made = _compare(comparisons, by_id, beside, settings, listener)
    without = made.total > 0 and all(each.verdict is None for each in comparisons.values())
    if not made.left and not made.out_of_budget and not without:
        chance = np.random.default_rng([seed, 0])  # rounds begin at 1
        made.standings = task_standings(found, list(comparisons.values()), chance)
        made.best = _best(made.standings, keep)
        write_ranking(ranking_file(output), made.standings)
        write_file(output, tasks_as_lines(each.task for each in made.best))
    return made


def _best(ranked: list[TaskStanding], keep: int | None) -> list[TaskStanding]:
    if keep is None or keep >= len(ranked):
        return ranked
    return [each for each in ranked if each.rank is not None][:keep]


def _compare(
    comparisons: dict[tuple[int, str], TaskComparison],
    tasks: Mapping[str, Task],
    beside: Path,
    settings: Settings,
    listener: Listener,
) -> RankedTasks:
    """Have the pairs compared that are not decided, and keep the verdicts."""
    # A task may have left the file since it was drawn.
    there = tasks.keys()
    pairs = [each for each in comparisons.values() if each.second and there >= {*each.tasks}]
    wanted = [each for each in pairs if each.pending]
    made = RankedTasks(len(pairs), kept=len(pairs) - len(wanted))
    shown_before = repeats(comparisons.values())
    judge = settings.judge[0]

    async def make(pair: TaskComparison, asker: Asker) -> TaskPairVerdict | Unscored:
        first, second = (tasks[name] for name in pair.tasks)
        return await compare_tasks(first, second, asker, shown_before[pair.place])

    def note(decided: Sequence[tuple[TaskComparison, TaskPairVerdict]]) -> None:
        for pair, said in decided:
            comparisons[pair.place] = pair.decided(said, judge)

    try:
        asked = settings.model_copy(update={"maker": judge})
        make_all(MakingJob(make, note, calls=1), wanted, asked, made, listener)
    finally:
        write_comparisons(beside, comparisons.values())
    return made


def _refuse_overwriting(output: Path, tasks: Path, beside: Path) -> None:
    """Refuse to write over what is no ranking."""
    refuse_other_than_lines(output)
    if output.resolve() == tasks.resolve():
        raise BadSetting(
            f"The ranking would overwrite the tasks that it is made from: {tasks}.",
            "Give another output file.",
        )
    if not beside.exists() and output.exists() and output.stat().st_size:
        raise BadTasks(
            f"{output} is there, and no comparisons in {beside.name} beside it.",
            "Give another output file: this one was not made by ranking.",
        )


def _compared_before(beside: Path, judge: str) -> list[TaskComparison]:
    """The comparisons that are there. Refuses those of another judge."""
    known = read_comparisons(beside) if beside.exists() else []
    others = {each.verdict.judge for each in known if each.verdict} - {judge}
    if others:
        raise BadSetting(
            f"The comparisons in {beside} are by {', '.join(sorted(others))}, not by {judge}.",
            "Have the same judge go on, or rank into another file.",
        )
    return known
