"""The whole line from transcripts to the best of the tasks that come of them.

Inspirations, tasks and what experts left of them stand in a folder beside the output, so that the
same command goes on where it was stopped: at a signal, at the end of a budget, for a review.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deepassay.errors import BadTasks
from deepassay.files import as_json_lines
from deepassay.run.asking.making import NOBODY, Listener, Made, maker_of
from deepassay.run.settings import Settings
from deepassay.tasks.entries import write_file
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.wings.build.arena.provenance import (
    WovenTask,
    provenance_file,
    provenance_line,
    read_provenance,
    traced,
)
from deepassay.wings.build.arena.rank_eval import (
    comparisons_file,
    read_comparisons,
    still_valid,
    write_comparisons,
)
from deepassay.wings.build.arena.review import (
    put_on_sheet,
    read_review,
    refuse_other_than_csv,
    sheet_ids,
)
from deepassay.wings.build.arena.steps import (
    find_inspirations,
    load_transcripts,
    rank_tasks,
    refuse_other_than_lines,
    tasks_as_lines,
    weave_tasks,
)
from deepassay.wings.build.arena.transcript import Transcript


@dataclass(frozen=True)
class BuildTerms:
    """How tasks are to be built, besides the settings.

    group_size, discipline: see `weave_tasks`. review: a sheet for experts, None: no review.
    rounds, keep, seed: see `rank_tasks`. judge: who compares tasks, None: the maker.
    """

    group_size: int = 2
    discipline: str | None = None
    review: Path | None = None
    rounds: int = 2
    keep: int | None = 100
    seed: int = 1
    judge: str | None = None


@dataclass
class Built:
    """What came of it. stages: by what they make; a stage that was not come to is missing.

    undecided: tasks that experts are to decide on first. tasks: in the output; None: not written.
    others: tasks that take part though their transcript is not given now, by its name.
    """

    stages: dict[str, Made] = field(default_factory=dict)
    undecided: int = 0
    tasks: int | None = None
    others: Mapping[str, int] = field(default_factory=dict)

    @property
    def halted(self) -> bool:
        """Whether a signal or the budget ended it."""
        return any(each.signal or each.out_of_budget for each in self.stages.values())


def build_tasks(
    transcripts: Sequence[Path],
    output: Path,
    settings: Settings,
    line: BuildTerms,
    *,
    listener: Listener = NOBODY,
) -> Built:
    """Do all of it, or as much as signals, budget and reviewers allow. Raises BadInput.

    What fails at one stage is left out of the next, and asked again by the same command.
    `settings.limit` counts transcripts.
    """
    refuse_other_than_lines(output)
    if line.review is not None:
        refuse_other_than_csv(line.review)
    folder = output.with_suffix(".build")
    built = Built()
    for what, made in _woven(transcripts, folder, settings, line, listener):
        built.stages[what] = made
        listener.stage(what, made)
        if built.halted:
            return built
    woven = _read(folder / "tasks.jsonl")
    candidates, undecided = woven, list[WovenTask]()
    if line.review is not None:
        candidates, undecided = _reviewed(line.review, woven)
    given = load_transcripts(transcripts)[: settings.limit]
    built.others = _of_others([*candidates, *undecided], given)
    built.undecided = len(undecided)
    if undecided:
        return built
    ranked_last = folder / "candidates.jsonl"
    _refuse_edited(output, ranked_last, [each.task for each in (*woven, *candidates)])
    if candidates:
        _forget_edited(comparisons_file(output), [each.task for each in candidates])
        write_file(ranked_last, tasks_as_lines(each.task for each in candidates))
        _rank(ranked_last, output, settings, line, listener, built, candidates)
    return built


def _woven(
    transcripts: Sequence[Path],
    folder: Path,
    settings: Settings,
    line: BuildTerms,
    listener: Listener,
) -> Iterator[tuple[str, Made]]:
    """The two stages up to the tasks, each done when it is asked for."""
    inspirations = folder / "inspirations.jsonl"
    yield (
        "inspirations",
        find_inspirations(transcripts, inspirations, settings, listener=listener),
    )
    yield (
        "tasks",
        weave_tasks(
            inspirations,
            folder / "tasks.jsonl",
            settings.model_copy(update={"limit": None}),
            group_size=line.group_size,
            discipline=line.discipline,
            listener=listener,
        ),
    )


def _rank(
    tasks: Path,
    output: Path,
    settings: Settings,
    line: BuildTerms,
    listener: Listener,
    built: Built,
    candidates: Sequence[WovenTask],
) -> None:
    """Rank what is left after the review, and write the best with where they come from."""
    judge = line.judge or maker_of(settings)
    made = rank_tasks(
        tasks,
        output,
        settings.model_copy(update={"limit": None, "judge": (judge,)}),
        rounds=line.rounds,
        keep=line.keep,
        seed=line.seed,
        listener=listener,
    )
    built.stages["verdicts"] = made
    listener.stage("verdicts", made)
    if not made.standings:
        return
    known = {each.task.id: each.provenance for each in candidates}
    best = made.best
    rated = [known[each.task.id].model_copy(update={"rating": each.rating}) for each in best]
    write_file(provenance_file(output), as_json_lines([provenance_line(each) for each in rated]))
    built.tasks = len(best)


def _of_others(candidates: Sequence[WovenTask], given: Sequence[Transcript]) -> Mapping[str, int]:
    """How many tasks were woven of other transcripts, when these were given, by their names."""
    names = {each.name for each in given}
    own = (each.provenance.inspirations[0].transcript for each in candidates)
    return Counter(name for name in own if name not in names)


def _read(path: Path) -> list[WovenTask]:
    """All tasks that were woven so far; none where nothing could be woven."""
    if not _holds_tasks(path):
        return []
    tasks, beside = load_tasks(path), provenance_file(path)
    found = traced(tasks, read_provenance(beside), beside)
    return [WovenTask(*pair) for pair in zip(tasks, found, strict=True)]


def _reviewed(sheet: Path, woven: Sequence[WovenTask]) -> tuple[list[WovenTask], list[WovenTask]]:
    """What experts left of the tasks, and those that they still have to decide on."""
    there = sheet_ids(sheet) if sheet.exists() else []
    decided = read_review(sheet, woven) if there else {}
    if not {each.task.id for each in woven} <= {*there}:
        put_on_sheet(sheet, woven, there)
    left = [decided.get(each.task.id) for each in woven]
    undecided = [each for each in woven if each.task.id not in decided]
    return [each for each in left if each is not None], undecided


def _forget_edited(comparisons: Path, candidates: Sequence[Task]) -> None:
    """Drop comparisons of texts that reviewers have changed since; all concerned play anew."""
    if comparisons.exists():
        write_comparisons(comparisons, still_valid(read_comparisons(comparisons), candidates))


def _refuse_edited(output: Path, ranked_last: Path, built: Sequence[Task]) -> None:
    """Refuse to write over tasks that somebody changed by hand, or that come from elsewhere."""
    if not _holds_tasks(output):
        return
    # What was ranked last may be older than what reviewers have decided since.
    last = load_tasks(ranked_last) if _holds_tasks(ranked_last) else []
    known: dict[str, list[Task]] = {}
    for task in (*last, *built):
        known.setdefault(task.id, []).append(task)
    for task in load_tasks(output):
        if task not in known.get(task.id, ()):
            raise BadTasks(
                f"{output} would be overwritten, and its task {task.id} is not as it was built.",
                "Give another output file, or move this one away. For tasks of your own wording, "
                "use --review.",
            )


def _holds_tasks(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
