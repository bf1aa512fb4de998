"""The whole line from transcripts to the best of the tasks that come of them.

Inspirations, tasks and what experts left of them stand in a folder beside the output, so that the
same command goes on where it was stopped: at a signal, at the end of a budget, for a review.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from deepassay.curate.arena.comparisons import (
    comparisons_file,
    read_comparisons,
    still_valid,
    write_comparisons,
)
from deepassay.curate.arena.groups import WovenTask
from deepassay.curate.arena.provenance import (
    provenance_file,
    provenance_line,
    read_provenance,
    traced,
)
from deepassay.curate.arena.review import (
    read_sheet,
    refuse_other_than_csv,
    sheet_ids,
    write_sheet,
)
from deepassay.errors import BadTasks
from deepassay.run.inspiring import InspireRequest, find_inspirations
from deepassay.run.making import Item, Made, MakerTerms
from deepassay.run.ranking import RankRequest, rank_tasks
from deepassay.run.weaving import WeaveRequest, refuse_other_than_lines, task_fields, weave_tasks
from deepassay.score import Unscored
from deepassay.tasks.entries import write_file
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task


@dataclass(frozen=True, kw_only=True)
class BuildRequest(MakerTerms):
    """Everything that `tasks build` takes, as on the command line.

    transcripts: their files. group_size, discipline: see WeaveRequest. review: a sheet for
    experts, None: no review. rounds, keep, seed: see RankRequest. judge: who compares tasks, None:
    the maker. limit: only so many transcripts.
    """

    transcripts: Sequence[Path]
    group_size: int = 2
    discipline: str | None = None
    review: Path | None = None
    rounds: int = 2
    keep: int | None = 100
    seed: int = 1
    judge: str | None = None

    @property
    def folder(self) -> Path:
        """Where the stages leave what they make."""
        return self.output.with_suffix(".build")

    @property
    def candidates(self) -> Path:
        """The file of the tasks that were ranked last."""
        return self.folder / "candidates.jsonl"

    @property
    def shared(self) -> dict[str, Any]:
        """The terms that all stages have in common."""
        names = {each.name for each in fields(MakerTerms)} - {"output", "limit"}
        return {name: getattr(self, name) for name in names}


@dataclass
class Built:
    """What came of it. stages: by what they make; a stage that was not come to is missing.

    undecided: tasks that experts are to decide on first. tasks: in the output; None: not written.
    """

    stages: dict[str, Made] = field(default_factory=dict)
    undecided: int = 0
    tasks: int | None = None

    @property
    def halted(self) -> bool:
        """Whether a signal or the budget ended it."""
        return any(each.signal or each.out_of_budget for each in self.stages.values())


@dataclass(frozen=True)
class Listener:
    """Who is told: of a failure, of the end of a stage, of a signal."""

    failure: Callable[[str, Unscored], None] = lambda what, failure: None
    stage: Callable[[str, Made], None] = lambda what, made: None
    signal: Callable[[], None] = lambda: None

    def item(self, item: Item, outcome: object) -> None:
        """Pass a failure on."""
        if isinstance(outcome, Unscored):
            self.failure(item.id, outcome)


NOBODY = Listener()


def build_tasks(request: BuildRequest, listener: Listener = NOBODY) -> Built:
    """Do all of it, or as much as signals, budget and reviewers allow. Raises BadInput.

    What fails at one stage is left out of the next, and asked again by the same command.
    """
    refuse_other_than_lines(request.output)
    if request.review is not None:
        refuse_other_than_csv(request.review)
    _make_folder(request.folder)
    built = Built()
    for what, made in _woven(request, listener):
        built.stages[what] = made
        listener.stage(what, made)
        if built.halted:
            return built
    woven = _read(request.folder / "tasks.jsonl")
    candidates = woven
    if request.review is not None:
        candidates, built.undecided = _reviewed(request.review, woven)
    if built.undecided:
        return built
    _refuse_edited(request, [each.task for each in (*woven, *candidates)])
    if candidates:
        _rank(request, candidates, built, listener)
    return built


def _woven(request: BuildRequest, listener: Listener) -> Iterator[tuple[str, Made]]:
    """The two stages up to the tasks, each done when it is asked for."""
    inspirations = request.folder / "inspirations.jsonl"
    yield (
        "inspirations",
        find_inspirations(
            InspireRequest(
                transcripts=request.transcripts,
                output=inspirations,
                limit=request.limit,
                **request.shared,
            ),
            listener.item,
            listener.signal,
        ),
    )
    yield (
        "tasks",
        weave_tasks(
            WeaveRequest(
                inspirations=inspirations,
                output=request.folder / "tasks.jsonl",
                group_size=request.group_size,
                discipline=request.discipline,
                **request.shared,
            ),
            listener.item,
            listener.signal,
        ),
    )


def _rank(
    request: BuildRequest, candidates: Sequence[WovenTask], built: Built, listener: Listener
) -> None:
    """Rank what is left after the review, and write the best with where they come from."""
    _forget_edited(comparisons_file(request.output), [each.task for each in candidates])
    write_file(request.candidates, _lines(task_fields(each.task) for each in candidates))
    made = rank_tasks(
        RankRequest(
            tasks=request.candidates,
            output=request.output,
            rounds=request.rounds,
            keep=request.keep,
            seed=request.seed,
            **request.shared | {"maker": request.judge or request.maker},
        ),
        listener.item,
        listener.signal,
    )
    built.stages["verdicts"] = made
    listener.stage("verdicts", made)
    if not made.standings:
        return
    known = {each.task.id: each.provenance for each in candidates}
    best = made.standings[: request.keep]
    rated = [known[each.task.id].model_copy(update={"rating": each.rating}) for each in best]
    write_file(provenance_file(request.output), _lines(map(provenance_line, rated)))
    built.tasks = len(best)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise BadTasks(
            f"The folder {folder} cannot be made: {error.strerror or error}.",
            "Give an output file in a folder that can be written to.",
        ) from error


def _read(path: Path) -> list[WovenTask]:
    """All tasks that were woven so far; none where nothing could be woven."""
    if not _holds_tasks(path):
        return []
    tasks, beside = load_tasks(path), provenance_file(path)
    found = traced(tasks, read_provenance(beside), beside)
    return [WovenTask(*pair) for pair in zip(tasks, found, strict=True)]


def _reviewed(sheet: Path, woven: Sequence[WovenTask]) -> tuple[list[WovenTask], int]:
    """What experts left of the tasks, and how many they still have to decide on."""
    there = sheet_ids(sheet) if sheet.exists() else []
    decided = read_sheet(sheet, woven) if there else {}
    if not {each.task.id for each in woven} <= {*there}:
        write_sheet(sheet, woven, there)
    left = [decided.get(each.task.id) for each in woven]
    return [each for each in left if each is not None], len(woven) - len(decided)


def _forget_edited(comparisons: Path, candidates: Sequence[Task]) -> None:
    """Drop comparisons of texts that reviewers have changed since; all concerned play anew."""
    if comparisons.exists():
        write_comparisons(comparisons, still_valid(read_comparisons(comparisons), candidates))


def _refuse_edited(request: BuildRequest, built: Sequence[Task]) -> None:
    """Refuse to write over tasks that somebody changed by hand, or that come from elsewhere."""
    if not _holds_tasks(request.output):
        return
    # What was ranked last may be older than what reviewers have decided since.
    last = load_tasks(request.candidates) if _holds_tasks(request.candidates) else []
    known: dict[str, list[Task]] = {}
    for task in (*last, *built):
        known.setdefault(task.id, []).append(task)
    for task in load_tasks(request.output):
        if task not in known.get(task.id, ()):
            raise BadTasks(
                f"{request.output} would be overwritten, and its task {task.id} is not as it was "
                "built.",
                "Give another output file, or move this one away. For tasks of your own wording, "
                "use --review.",
            )


def _holds_tasks(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _lines(rows: Iterator[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
