"""Arena's line in `tasks`: transcripts, inspirations, tasks woven, ranked and built from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli.help import listed
from deepassay.cli.options import BATCHES, MAKER, MODEL, ONE_JUDGE, TERMS, Own, TaskFile, takes
from deepassay.cli.terminal import complain, finish_making, hand_over, note, teller
from deepassay.run.settings import Settings
from deepassay.text import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deepassay.errors import BadTasks
    from deepassay.run.asking.making import Made
    from deepassay.wings.build.arena.steps import RankedTasks
    from deepassay.wings.build.arena.transcript import Transcript
    from deepassay.wings.build.arena.whole_line import BuildTerms, Built

AddedTo = Annotated[Path, typer.Option("--output", "-o", help="JSON Lines: added to.")]
BestFirst = Annotated[Path, typer.Option("--output", "-o", help="JSON Lines: the best first.")]
Rounds = Annotated[int, typer.Option(min=1, help="Comparisons of every task.")]
GroupSize = Annotated[
    int, typer.Option(min=1, max=8, help="Inspirations that tasks are woven from together.")
]
Discipline = Annotated[str | None, typer.Option(help="The label `discipline` of all tasks.")]
FIRST_TRANSCRIPTS = Own("limit", "Only the first transcripts.")
WOVEN_BY_RULE = "They were made from templates, a baseline: have a model weave them (--maker)."


@listed(
    "deepassay tasks transcribe examples/demo/seminar/warm-nights.vtt -o transcripts",
    group="from recordings of seminars",
)
def transcribe(
    files: Annotated[list[Path], typer.Argument(help="Audio, video, subtitles, text.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for one transcript a file.")
    ],
    model: Annotated[
        str | None,
        typer.Option(
            help="Who transcribes recordings: openai:NAME for an endpoint, or a folder or name "
            "of a model for faster-whisper on this machine."
        ),
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.")] = None,
    language: Annotated[
        Literal["en", "zh"] | None, typer.Option(help="What is spoken.  [found out]")
    ] = None,
    deadline: Annotated[
        float, typer.Option(min=0.1, help="Seconds for one attempt at a question.")
    ] = 600.0,
) -> None:
    """Turn recordings and subtitles into transcripts.

    Transcripts that are in the folder already are left as they are. A model on this machine
    sends nothing anywhere; an endpoint is sent the audio, and the video only where its audio
    cannot be taken out.
    """
    from deepassay.errors import BadTasks
    from deepassay.wings.build.arena.transcribing import Recognizer, outputs_for
    from deepassay.wings.build.arena.transcribing import transcribe as work

    errors: list[BadTasks] = []

    def failed(error: BadTasks) -> None:
        errors.append(error)
        complain(f"deepassay: {error}")

    outputs = outputs_for(files, output, failed)
    kept = sum(path.exists() for path in outputs.values())
    work(outputs, Recognizer(model, base_url, language, deadline), _tell_transcript, failed)
    already = f" ({kept} had theirs already)" if kept else ""
    note(
        f"Transcripts of {len(files) - len(errors)} of {len(files)} files are in {output}{already}."
    )
    if errors:
        raise typer.Exit(BadTasks.exit_status)


def _tell_transcript(path: Path, transcript: Transcript) -> None:
    times = [each.end or each.start or 0.0 for each in transcript.segments]
    length = f", {max(times) / 60:.0f} minutes" if any(times) else ", without times"
    note(f"  {path.name}: {len(transcript.segments)} segments{length}")


@listed(
    "deepassay tasks inspire transcripts/warm-nights.jsonl -o inspirations.jsonl",
    group="from recordings of seminars",
)
@takes(MAKER, *MODEL, FIRST_TRANSCRIPTS, *TERMS, *BATCHES)
def inspire(
    transcripts: Annotated[
        list[Path], typer.Argument(help="Transcripts: .jsonl .srt .vtt .txt .json.")
    ],
    output: AddedTo,
    *,
    settings: Settings,
) -> None:
    """Find inspirations for tasks in transcripts of seminars.

    Each has the words that it was read from. What the filter finds unusable stays in the file,
    with the reason in the field `dropped`. The same command run again resumes where it was
    stopped.
    """
    from deepassay.wings.build.arena.steps import find_inspirations

    made = find_inspirations(transcripts, output, settings, listener=teller("transcript"))
    remarks = [
        *_told_fruitless(made),
        f"Usable: {made.usable} inspirations. Dropped: {made.dropped}, with the reason. Read twice "
        f"where windows overlap, and merged: {sum(map(len, made.merged.values()))}"
        + (", in the field merged:" if made.merged else "."),
    ]
    remarks += [
        f"  {name} stands for {text}" for name, texts in made.merged.items() for text in texts
    ]
    if settings.maker == "offline" and made.made:
        remarks.append("They were found by rule, a baseline that sees cue phrases only.")
    why = f"is usable: {output} says of each why" if made.dropped else "was found"
    useless = (
        ""
        if made.usable
        else f"No inspiration {why}. Give other transcripts, or another model with --maker."
    )
    finish_making(
        made, output, settings, "inspirations", remarks, items="transcripts", useless=useless
    )


def _told_fruitless(made: Made) -> Iterator[str]:
    """The transcripts in which nothing was found."""
    return (f"  transcript {name}: no inspiration found" for name in made.fruitless)


@listed(
    "deepassay tasks weave inspirations.jsonl -o tasks.jsonl",
    group="from recordings of seminars",
)
@takes(MAKER, *MODEL, Own("limit", "Only the first groups."), *TERMS, *BATCHES)
def weave(
    inspirations: Annotated[Path, typer.Argument(help="JSON Lines: see `tasks inspire`.")],
    output: AddedTo,
    group_size: GroupSize = 2,
    discipline: Discipline = None,
    *,
    settings: Settings,
) -> None:
    """Weave research tasks from groups of inspirations.

    A second file beside the output, NAME.provenance.jsonl, traces every task to the words of the
    transcript. The same command run again resumes where it was stopped.
    """
    from deepassay.wings.build.arena.steps import weave_tasks

    made = weave_tasks(
        inspirations,
        output,
        settings,
        group_size=group_size,
        discipline=discipline,
        listener=teller("group"),
    )
    remarks = [f"In the file: {made.tasks} tasks of these groups."]
    if settings.maker == "offline" and made.made:
        remarks.append(WOVEN_BY_RULE)
    useless = (
        ""
        if made.tasks
        else (
            f"No task was woven: {inspirations} has {made.total} groups of {group_size} usable "
            "inspirations of one discipline. See `tasks inspire`, or give another --group-size."
        )
    )
    finish_making(
        made, output, settings, "tasks", remarks, items="groups of inspirations", useless=useless
    )


@listed(
    "deepassay tasks provenance built.jsonl",
    group="from recordings of seminars",
)
def provenance(
    tasks: Annotated[Path, typer.Argument(help="Tasks that were woven or built.")],
    task: Annotated[str | None, typer.Option(help="Only the task with this identifier.")] = None,
) -> None:
    """Show where tasks come from.

    Prints their inspirations, and the words of the transcript.
    """
    from deepassay.errors import BadTasks
    from deepassay.tasks.loaders import load_tasks
    from deepassay.wings.build.arena.provenance import (
        as_text,
        provenance_file,
        read_provenance,
        traced,
    )

    wanted = [each for each in load_tasks(tasks) if task in (None, each.id)]
    if not wanted:
        raise BadTasks(f"{tasks} has no task {task!r}.", "Give the identifier of one that it has.")
    path = provenance_file(tasks)
    found = traced(wanted, read_provenance(path), path)
    hand_over("\n".join(as_text(*pair) for pair in zip(wanted, found, strict=True)))


@listed(
    "deepassay tasks rank examples/demo/tasks.jsonl -o ranked.jsonl --keep 3 --run rank.assay",
    group="from recordings of seminars",
)
@takes(ONE_JUDGE, *MODEL, "columns", "limit", *TERMS, *BATCHES)
def rank(
    tasks: TaskFile,
    output: BestFirst,
    rounds: Rounds = 2,
    keep: Annotated[int | None, typer.Option(min=1, help="So many of the best.  [all]")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the pairs and the intervals.")] = 1,
    *,
    settings: Settings,
) -> None:
    """Rank tasks by comparing random pairs, and keep the best.

    Comparisons and Elo ratings are kept beside the output. The same command run again resumes
    where it was stopped; tasks that were added are compared with those that are rated.
    """
    from deepassay.wings.build.arena.rank_eval import comparisons_file
    from deepassay.wings.build.arena.steps import rank_tasks

    made = rank_tasks(
        tasks,
        output,
        settings,
        rounds=rounds,
        keep=keep,
        seed=seed,
        listener=teller(""),
    )
    remarks = [*_remarks(made, output, rounds, settings.judge[0])]
    useless = (
        ""
        if made.standings and made.total
        else (
            f"Nothing was ranked: {tasks} gives {made.total} pairs to compare. "
            "Give two tasks or more."
        )
    )
    file = comparisons_file(output)
    finish_making(made, file, settings, "verdicts", remarks, items="pairs", useless=useless)


def _remarks(made: RankedTasks, output: Path, rounds: int, judge: str) -> Iterator[str]:
    from deepassay.wings.build.arena.elo import COVERED
    from deepassay.wings.build.arena.ranking import ranking_file

    if made.standings:
        yield (
            f"The best {len(made.best)} of {len(made.standings)} tasks are in "
            f"{output}, all ratings in {ranking_file(output)}."
        )
        if unranked := sum(each.rank is None for each in made.standings):
            yield f"Tasks without a verdict, and so without a rank: {unranked}."
        if made.total and rounds in COVERED:
            yield (
                f"After so few rounds the 95 % intervals hold the rating in about "
                f"{COVERED[rounds]} % of cases."
            )
    elif made.total and not made.left:
        yield f"No pair has a verdict, so nothing was ranked: {output} was not written."
    if judge == "offline":
        yield "Pairs were compared by rule, a baseline that sees how tasks are worded."


@listed(
    "deepassay tasks build examples/demo/seminar/warm-nights.vtt "
    "examples/demo/seminar/street-trees.srt -o built.jsonl --keep 20 --seed 1 --run build.assay",
    "deepassay tasks build examples/demo/seminar/street-trees.srt -o reviewed.jsonl --review "
    "sheet.csv --run review.assay",
    group="from recordings of seminars",
)
@takes(MAKER, *MODEL, FIRST_TRANSCRIPTS, *TERMS, *BATCHES)
def build(
    transcripts: Annotated[list[Path], typer.Argument(help="Files of transcripts.")],
    output: BestFirst,
    review: Annotated[
        Path | None, typer.Option(help="A CSV for experts, who accept, reject or edit tasks.")
    ] = None,
    group_size: GroupSize = 2,
    discipline: Discipline = None,
    rounds: Rounds = 2,
    keep: Annotated[int, typer.Option(min=1, help="So many of the best.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of the pairs that are compared.")] = 1,
    judge: Annotated[str | None, typer.Option(help="Who compares tasks.  [the maker]")] = None,
    *,
    settings: Settings,
) -> None:
    """Make research tasks from transcripts, in one go.

    Inspire, weave, review if asked, rank, keep the best. The stages leave what they make in the
    folder NAME.build beside the output. The same command run again resumes where it was stopped.
    """
    from deepassay.wings.build.arena.whole_line import BuildTerms, build_tasks

    line = BuildTerms(group_size, discipline, review, rounds, keep, seed, judge)
    listener = replace(teller(""), stage=_tell_stage)
    built = build_tasks(transcripts, output, settings, line, listener=listener)
    _tell_end(built, output, settings, line)
    for made in built.stages.values():
        if made.signal:
            raise typer.Exit(128 + made.signal)
        if made.out_of_budget:
            complain(
                "Stopped by the budget. What is done is kept: the same command goes on from here "
                "with a larger --budget."
            )
            raise typer.Exit(3)
    unmade = sum(len(made.failures) for made in built.stages.values())
    if unmade:
        complain(f"Failed: {unmade}. The same command asks for them again.")
    if unmade or (built.tasks is None and not built.undecided):
        raise typer.Exit(1)


def _tell_end(built: Built, output: Path, settings: Settings, line: BuildTerms) -> None:
    if built.others:
        note(
            f"{sum(built.others.values())} of the tasks are of transcripts that are not given now, "
            f"or stand behind --limit: {first_few([*built.others], 3)}. They are kept, and take "
            "part. For a set without them, give another --output."
        )
    if built.undecided:
        note(
            f"{built.undecided} tasks wait for a decision in {line.review}: accept, reject or "
            "edit. The same command goes on from there."
        )
    elif built.tasks is not None:
        note(f"The best {built.tasks} tasks are in {output}, the best first.")
        if settings.maker == "offline":
            note(WOVEN_BY_RULE)
    elif not built.halted and "verdicts" in built.stages:
        complain(
            f"No pair of tasks has a verdict, so none could be chosen: {output} was not written."
        )
    elif not built.halted:
        before = ", and has what was ranked before" if output.exists() else ""
        note(f"No task is left: {output} was not written{before}.")


def _tell_stage(what: str, made: Made) -> None:
    items = {"inspirations": "transcripts", "tasks": "groups of inspirations", "verdicts": "pairs"}
    already = f" ({made.kept} had them already)" if made.kept else ""
    note(f"{what.capitalize()} for {made.having} of {made.total} {items[what]}{already}.")
    for line in _told_fruitless(made):
        note(line)
