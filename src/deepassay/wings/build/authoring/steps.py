"""Rubrics written by three people: from a task file through studies of `annotate` to a rubric file.

Everything stands in a folder beside the output: `drafts.yaml`, which people read and edit, what was
asked in each round, and the study in which it was answered. Each run of the command takes what was
answered since the last one, and makes the next round once nobody has anything left of the last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deepassay.errors import BadInput, BadSetting, BadTasks
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.runfile import RunFile
from deepassay.runfile.people_said import Answered, answered
from deepassay.runfile.questions import MOST_LINES, Item, read_asked_items, write_items
from deepassay.score import digest
from deepassay.tasks.entries import write_file
from deepassay.tasks.fields import brief_text
from deepassay.tasks.history import HistoryEntry
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rows import is_yaml
from deepassay.tasks.rubric import RUBRIC_FILE, TaskRubric
from deepassay.tasks.task import Task
from deepassay.wings.build.arena.steps import tasks_as_lines
from deepassay.wings.build.authoring.rubric_answers import draft_after_answers
from deepassay.wings.build.authoring.rubric_drafts import (
    DRAFT_FILE,
    PROMPT,
    ROLES,
    RubricDraft,
    begun,
    with_edits,
    write_drafts,
)
from deepassay.wings.build.authoring.rubric_round_tables import (
    FINDINGS,
    Found,
    findings,
    findings_csv,
)
from deepassay.wings.build.authoring.rubric_rounds import AXES, Maker

PASSED_OVER: Final = "passed over"
"""The step of an answer that came when its rubric had changed; the study still has it."""


@dataclass(frozen=True)
class RubricAuthors:
    """Who writes. Several in a role take turns; nobody has two roles on one task."""

    proposers: Sequence[str] = ()
    reviewers: Sequence[str] = ()
    finals: Sequence[str] = ()

    def of(self, number: int) -> tuple[str, str, str]:
        """Who has the task of this number, from 0. Raises BadSetting if too few are named."""
        chosen: list[str] = []
        for role, names in zip(ROLES, (self.proposers, self.reviewers, self.finals), strict=True):
            turned = [names[(number + at) % len(names)] for at in range(len(names))]
            free = [name for name in turned if name not in chosen]
            if not free:
                raise BadSetting(
                    f"--{role}: {'nobody is named' if not names else 'each has another role'}.",
                    "Name three people or more: --proposer ANA --reviewer BO --final CY; each "
                    "may be given several times.",
                )
            chosen.append(free[0])
        proposer, reviewer, final = chosen
        return proposer, reviewer, final


@dataclass
class AuthoringState:
    """How far it is.

    drafts: by task. folder: where they stand. taken, edited: tasks of which answers, and edits of
    the file, were new. passed_over: answers that no longer fit, in words. round: what is to be
    served; left: who has something left of it. outdated: of the round before it, tasks whose item
    asks of what no longer stands, without an answer that was taken. written: rubrics that are new
    in the output. older: those that it has as they were before an edit. unusable: tasks that are
    done and have nothing to score by. tasks: where their new prompts stand. findings: what is worth
    a look.
    """

    drafts: dict[str, RubricDraft]
    folder: Path
    taken: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    round: Path | None = None
    outdated: list[str] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    tasks: Path | None = None
    findings: Sequence[Found] = ()

    @property
    def study(self) -> Path | None:
        """Where the answers to the round are kept."""
        return self.round and self.round.with_suffix(".assay")


def author(
    tasks: Path,
    output: Path,
    people: RubricAuthors,
    *,
    answers: Sequence[Path] = (),
    axes: Sequence[str] = (),
    by: str = "unnamed",
    columns: NamedColumns = UNSAID,
) -> AuthoringState:
    """Go on with the rubrics of these tasks, and write those that are done. Raises BadInput.

    answers: studies, besides those in the folder. axes: other than the six of the paper. by: who
    edited the drafts. columns: of the table of tasks.
    """
    if not is_yaml(output) and output.suffix != ".jsonl":
        raise BadSetting(f"{output} is no name of a rubric file.", "Give .yaml or .jsonl.")
    maker = Maker({**AXES, **{each: each for each in axes}})
    folder = output.with_name(f"{output.stem}.authoring")
    file = folder / f"drafts{output.suffix}"
    given = load_tasks(tasks, columns=columns)
    columns.refuse_unmet()
    before = dict(DRAFT_FILE.load(file)) if file.exists() else {}
    drafts = {name: with_edits(draft, by) for name, draft in before.items()}
    _refuse_unknown_axes(drafts, maker, file)
    found = AuthoringState(drafts, folder)
    found.edited = [name for name in before if drafts[name] != before[name]]
    _refuse_other_prompts(given, drafts, file)
    fresh = [task for task in given if task.id not in drafts]
    drafts |= {task.id: _begun(task, people, len(drafts) + at, by) for at, task in enumerate(fresh)}
    rounds = sorted(folder.glob("round-*.jsonl"), key=_number)
    known = [study for each in rounds if (study := each.with_suffix(".assay")).exists()]
    for study in dict.fromkeys([*known, *answers]):
        _take(study, found, maker)
    if drafts != before:
        write_drafts(file, drafts)
    found.findings = findings(drafts)
    write_file(folder / FINDINGS, findings_csv(found.findings))
    _write_done(found, given, output)
    _next_round(found, rounds, maker)
    return found


def _begun(task: Task, people: RubricAuthors, number: int, by: str) -> RubricDraft:
    if len(task.rubric) > MOST_LINES:
        raise BadTasks(
            f"Task {task.id} brings {len(task.rubric)} criteria, and a page takes {MOST_LINES}.",
            "Leave its rubric out, or shorten it.",
        )
    return begun(task, people.of(number), by)


def _refuse_other_prompts(
    given: Sequence[Task], drafts: Mapping[str, RubricDraft], file: Path
) -> None:
    """A prompt is the one that the draft began with, or the one that it has now."""
    for task in given:
        if (draft := drafts.get(task.id)) is None:
            continue
        began = next((each.after for each in draft.history if each.of == PROMPT), None)
        known = [each.split() for each in (draft.prompt, began or "")]
        if task.prompt.split() not in known:
            raise BadTasks(
                f"Task {task.id} has another prompt than in {file}:\n"
                f"  {brief_text(task.prompt)!r}\n  {brief_text(draft.prompt)!r}",
                "Change prompts in the drafts, or give the tasks that they began with.",
            )


def _refuse_unknown_axes(drafts: Mapping[str, RubricDraft], maker: Maker, file: Path) -> None:
    for name, draft in drafts.items():
        used = [each.axis for each in draft.rubric] + [each.axis for each in draft.open]
        for axis in used:
            if axis and axis not in maker.axes and draft.stage != "done":
                raise BadTasks(
                    f"{file}, task {name}: {axis!r} is no axis.",
                    f"There are: {', '.join(maker.axes)}. Name others with --axis.",
                )


def _take(study: Path, found: AuthoringState, maker: Maker) -> None:
    """Take the answers of a study that are new. Raises BadInput for a foreign one."""
    forms: defaultdict[tuple[str, str, str], list[Answered]] = defaultdict(list)
    with RunFile.read(study) as run:
        if not run.annotating.study:
            raise BadInput(f"{study} holds no study.", "Give what `annotate serve --study` wrote.")
        for each in answered(run):
            forms[each.at, each.rater, each.task].append(each)
        items = [Item.model_validate(each) for each in run.annotating.items()]
    if foreign := [each.task for each in items if each.task not in found.drafts]:
        raise BadInput(
            f"{study} is a study of other tasks: {foreign[0]} is none of these.",
            "Give the study of a round that this command made.",
        )
    for (at, rater, name), answers in forms.items():
        draft = found.drafts[name]
        stage = answers[0].question.protocol
        if any(
            (each.who, each.when) == (rater, at) and stage in (each.step.split()[0], each.said)
            for each in draft.history
        ):
            continue  # was taken before
        wanted = maker.item(name, draft)
        if wanted is None or _basis(wanted) != _basis(answers[0].item):
            found.passed_over.append(
                f"{study}: what {rater} said of {name} at {at} is about an earlier state of it"
            )
            late = HistoryEntry(who=rater, when=at, step=PASSED_OVER, said=stage)
            history = (*draft.history, late)
            found.drafts[name] = draft.model_copy(update={"history": history})
            continue
        found.drafts[name] = draft_after_answers(draft, answers)
        found.taken.append(name)


def _basis(item: Item) -> str:
    """A digest of what an answer rests on: who was asked about which texts, in whatever words."""
    asked = [[each.key, [dict(line) for line in each.given]] for each in item.questions]
    return digest([item.task, item.prompt, list(item.raters), asked])


def _write_done(found: AuthoringState, given: Sequence[Task], output: Path) -> None:
    """Add rubrics that are done to the output, and beside it their tasks if a prompt is new."""
    done = {name: each for name, each in found.drafts.items() if each.stage == "done"}
    found.unusable = [
        name for name, each in done.items() if not any(one.weight > 0 for one in each.rubric)
    ]
    usable = {name: each for name, each in done.items() if name not in found.unusable}
    known = RUBRIC_FILE.load(output) if output.exists() else {}
    found.written = [name for name in usable if name not in known]
    found.older = [
        name
        for name in found.edited
        if name in known and name in usable and known[name].rubric != usable[name].rubric
    ]
    if found.written:
        RUBRIC_FILE.write_new(
            output,
            {
                name: TaskRubric(
                    rubric=each.rubric, prompt=each.prompt, history=tuple(each.history)
                )
                for name, each in usable.items()
            },
        )
    if any(task.id in usable and usable[task.id].prompt != task.prompt for task in given):
        found.tasks = output.with_name(f"{output.stem}.tasks.jsonl")
        written = [
            task.model_copy(update={"prompt": usable[task.id].prompt, "rubric": ()})
            for task in given
            if task.id in usable
        ]
        write_file(found.tasks, tasks_as_lines(written))


def _next_round(found: AuthoringState, rounds: Sequence[Path], maker: Maker) -> None:
    """The round that is out while anybody has something left of it, else the next one.

    Also the next one where what is out asks of something that has changed in the drafts: nobody is
    to answer that.
    """
    items = {name: maker.item(name, draft) for name, draft in found.drafts.items()}
    wanted = [each for each in items.values() if each is not None]
    if not wanted:
        return
    out = read_asked_items(rounds[-1]) if rounds else []
    there = {_basis(each) for each in wanted}
    waiting = [each for each in out if _basis(each) in there]
    found.outdated = [
        each.task
        for each in out
        if _basis(each) not in there and not _was_taken(found.drafts[each.task], each)
    ]
    if waiting and not found.outdated:
        found.round = rounds[-1]
    else:
        number = _number(rounds[-1]) + 1 if rounds else 1
        found.round, waiting = found.folder / f"round-{number}.jsonl", wanted
        write_items(found.round, wanted)
    for each in waiting:
        found.left.setdefault(each.raters[0], []).append(each.task)


def _was_taken(draft: RubricDraft, asked: Item) -> bool:
    """Whether the history of a draft has an answer to what a rater was asked about it."""
    stage = asked.questions[0].protocol
    return any(each.who in asked.raters and each.step.split()[0] == stage for each in draft.history)


def _number(path: Path) -> int:
    digits = path.stem.removeprefix("round-")
    return int(digits) if digits.isascii() and digits.isdigit() else 0
