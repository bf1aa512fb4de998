"""`tasks weave`, `tasks build` and `tasks provenance`: research tasks from what was said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.grouping import ungrouped
from deepassay.cli.making import finish_making
from deepassay.cli.options import (
    AddedTo,
    BestFirst,
    FirstTranscripts,
    Model,
    Rounds,
    Settings,
    Terms,
)
from deepassay.cli.terminal import hand_over, note, say_stopping

if TYPE_CHECKING:
    from deepassay.curate.arena.groups import Group
    from deepassay.run.building import BuildRequest, Built
    from deepassay.run.making import Made
    from deepassay.run.weaving import WeaveRequest
    from deepassay.score import Unscored

GroupSize = Annotated[
    int, typer.Option(min=1, max=8, help="Inspirations that tasks are woven from together.")
]
Discipline = Annotated[str | None, typer.Option(help="The label `discipline` of all tasks.")]
BY_RULE = "They were made from templates, a baseline: have a model weave them (--maker)."


@ungrouped
def weave(
    inspirations: Annotated[Path, typer.Argument(help="JSON Lines: see `tasks inspire`.")],
    output: AddedTo,
    *,
    group_size: GroupSize = 2,
    discipline: Discipline = None,
    maker: Model = "offline",
    settings: Settings,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first groups.")] = None,
    terms: Terms,
) -> None:
    """Weave research tasks from groups of inspirations, and keep what each one rests on.

    A second file beside the output, NAME.provenance.jsonl, traces every task to the words of the
    transcript. The same command run again resumes where it was stopped.
    """
    from deepassay.run.weaving import WeaveRequest

    request = WeaveRequest(
        inspirations=inspirations,
        output=output,
        group_size=group_size,
        discipline=discipline,
        maker=maker,
        **vars(settings),
        limit=limit,
        **vars(terms),
    )
    _weave(request)


def provenance(
    tasks: Annotated[Path, typer.Argument(help="Tasks that were woven or built.")],
    task: Annotated[str | None, typer.Option(help="Only the task with this identifier.")] = None,
) -> None:
    """Show where tasks come from: their inspirations, and the words of the transcript."""
    from deepassay.curate.arena.provenance import (
        as_text,
        provenance_file,
        read_provenance,
        traced,
    )
    from deepassay.errors import BadTasks
    from deepassay.tasks.loaders import load_tasks

    wanted = [each for each in load_tasks(tasks) if task in (None, each.id)]
    if not wanted:
        raise BadTasks(f"{tasks} has no task {task!r}.", "Give the identifier of one that it has.")
    path = provenance_file(tasks)
    found = traced(wanted, read_provenance(path), path)
    hand_over("\n".join(as_text(*pair) for pair in zip(wanted, found, strict=True)))


def _tell_group(group: Group, outcome: object) -> None:
    from deepassay.score import Unscored

    if isinstance(outcome, Unscored):
        note(f"  group {group.id}: {outcome.cause}: {outcome.detail}")


@ungrouped
def build(
    transcripts: Annotated[list[Path], typer.Argument(help="Files of transcripts.")],
    output: BestFirst,
    *,
    review: Annotated[
        Path | None, typer.Option(help="A CSV for experts, who accept, reject or edit tasks.")
    ] = None,
    group_size: GroupSize = 2,
    discipline: Discipline = None,
    rounds: Rounds = 2,
    keep: Annotated[int, typer.Option(min=1, help="So many of the best.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of the pairs that are compared.")] = 1,
    maker: Model = "offline",
    judge: Annotated[str | None, typer.Option(help="Who compares tasks.  [the maker]")] = None,
    settings: Settings,
    limit: FirstTranscripts = None,
    terms: Terms,
) -> None:
    """Make research tasks from transcripts: inspire, weave, review if asked, rank, keep the best.

    The stages leave what they make in the folder NAME.build beside the output. The same command
    run again resumes where it was stopped.
    """
    from deepassay.run.building import BuildRequest

    request = BuildRequest(
        transcripts=transcripts,
        output=output,
        review=review,
        group_size=group_size,
        discipline=discipline,
        rounds=rounds,
        keep=keep,
        seed=seed,
        maker=maker,
        judge=judge,
        limit=limit,
        **vars(settings),
        **vars(terms),
    )
    _build(request)


def _weave(request: WeaveRequest) -> None:
    from deepassay.run.weaving import weave_tasks

    made = weave_tasks(request, on_group=_tell_group, on_signal=say_stopping)
    remarks = [f"In the file: {made.tasks} tasks of these groups."]
    if request.maker == "offline" and made.made:
        remarks.append(BY_RULE)
    finish_making(made, request, "tasks", remarks, items="groups of inspirations")


def _build(request: BuildRequest) -> None:
    from deepassay.run.building import Listener, build_tasks

    built = build_tasks(request, Listener(_tell_failure, _tell_stage, say_stopping))
    _tell_end(request, built)
    for made in built.stages.values():
        if made.signal:
            raise typer.Exit(128 + made.signal)
        if made.out_of_budget:
            note("The budget is used up. The same command goes on with a larger --budget.")
            raise typer.Exit(3)
    unmade = sum(len(made.failures) for made in built.stages.values())
    if unmade:
        note(f"Failed: {unmade}. The same command asks for them again.")
    if unmade or (built.tasks is None and not built.undecided):
        raise typer.Exit(1)


def _tell_failure(name: str, failure: Unscored) -> None:
    note(f"  {name}: {failure.cause}: {failure.detail}")


def _tell_end(request: BuildRequest, built: Built) -> None:
    if built.undecided:
        note(
            f"{built.undecided} tasks wait for a decision in {request.review}: accept, reject or "
            "edit. The same command goes on from there."
        )
    elif built.tasks is not None:
        note(f"The best {built.tasks} tasks are in {request.output}, the best first.")
        if request.maker == "offline":
            note(BY_RULE)
    elif not built.halted:
        before = ", and has what was ranked before" if request.output.exists() else ""
        note(f"No task is left: {request.output} was not written{before}.")


def _tell_stage(what: str, made: Made) -> None:
    items = {"inspirations": "transcripts", "tasks": "groups of inspirations", "verdicts": "pairs"}
    already = f" ({made.kept} had them already)" if made.kept else ""
    having = made.kept + len(made.made)
    note(f"{what.capitalize()} for {having} of {made.total} {items[what]}{already}.")
