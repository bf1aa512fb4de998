"""`tasks survey` to `tasks quality`: a set that experts draft and people verify."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.comparing import TableFormat
from deepassay.cli.help import listed
from deepassay.cli.options import BATCHES, MAKER, MODEL, TERMS, Own, takes
from deepassay.cli.terminal import (
    complain,
    end_with_nothing,
    finish_making,
    hand_over,
    note,
    teller,
)
from deepassay.run.settings import Settings

if TYPE_CHECKING:
    from deepassay.wings.build.experts.steps import Stepped
    from deepassay.wings.build.experts.survey_answers import SurveyPeople

Drafts = Annotated[Path, typer.Argument(help="What the step before wrote: YAML or JSON Lines.")]
AddedTo = Annotated[
    Path,
    typer.Option("--output", "-o", help="YAML or JSON Lines: drafts that are ready are added."),
]
Answers = Annotated[
    list[Path] | None,
    typer.Option(help="What people said: a study of `annotate`; may be repeated."),
]
Ratings = Annotated[
    list[Path] | None,
    typer.Option("--answers", help="Studies of `annotate`, or the sheet as CSV; repeatable."),
]
Ask = Annotated[
    Path | None, typer.Option(help="Write what people are asked next, for `annotate serve`.")
]
By = Annotated[str, typer.Option(help="Who edited the file that is read.  [unnamed]")]
Sheet = Annotated[Path | None, typer.Option("--table", help="Write the sheet of Table 11 as CSV.")]
FIRST = Own("limit", "Only the first drafts.")


@listed(
    "deepassay tasks survey examples/demo/experts/survey.csv -o plan.yaml --size 6",
    group="with experts",
)
def survey(
    answers: Annotated[
        Path, typer.Argument(help="CSV: domain and category an answer, perhaps group.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The plan, YAML.")],
    size: Annotated[int, typer.Option(min=1, help="Tasks of the set.")] = 100,
    language: Annotated[
        list[str] | None, typer.Option(help="Of its tasks; may be repeated.  [en]")
    ] = None,
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Plan a set by what people would ask."""
    from deepassay.wings.build.experts.survey import (
        read_survey,
        survey_cells,
        told_uncounted,
        write_plan,
        write_survey,
    )

    found = read_survey(answers)
    plan = survey_cells(found, size, language or ["en"])
    write_plan(output, plan)
    hand_over(write_survey(found, plan, format))
    if left_out := told_uncounted(found):
        complain(left_out)
    note(f"The plan is in {output}: {len(plan)} cells.")


@listed(
    "deepassay tasks draft plan.yaml -o open.yaml --ask drafting.jsonl",
    group="with experts",
)
def draft(
    plan: Annotated[Path, typer.Argument(help="What `tasks survey` wrote.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="YAML or JSON Lines: added to.")],
    ask: Ask = None,
) -> None:
    """Lay out an empty draft for every task of a plan.

    Experts write the query into the file, or answer in `annotate` (--ask).
    """
    from deepassay.wings.build.experts.steps import draft_cells

    made = draft_cells(plan, output, _people(None, ask, ""))
    note(f"Drafts for {made.total} tasks are in {output} ({len(made.made)} new).")
    _tell(made, output, ask)
    if not made.total:
        end_with_nothing(f"{plan} plans no task: see `tasks survey --size`.")


@listed(
    "deepassay tasks clarify examples/demo/experts/drafts.yaml -o clear.yaml --ask "
    "answering.jsonl --run experts.assay",
    group="with experts",
)
@takes(*MODEL, FIRST, *TERMS, *BATCHES)
def clarify(
    drafts: Drafts,
    output: AddedTo,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Who asks back: PROVIDER:NAME; may be repeated.  [offline]"),
    ] = None,
    answers: Answers = None,
    ask: Ask = None,
    by: By = "",
    *,
    settings: Settings,
) -> None:
    """Have models ask what a query leaves open.

    A question that two of them ask stands there once. Experts answer in the file, or in
    `annotate` (--ask). The same command run again resumes where it was stopped.
    """
    from deepassay.wings.build.experts.steps import clarify as work

    models = model or ["offline"]
    people = _people(answers, ask, by)
    made = work(drafts, output, settings, people, models=models, listener=teller("draft"))
    _finish(made, output, settings, "questions", ask, by_rule="offline" in models)


@listed(
    "deepassay tasks refine examples/demo/experts/answered.yaml -o fine.yaml --by eva --run "
    "experts.assay",
    group="with experts",
)
@takes(MAKER, *MODEL, FIRST, *TERMS, *BATCHES)
def refine(
    drafts: Drafts,
    output: AddedTo,
    answers: Answers = None,
    ask: Ask = None,
    by: By = "",
    *,
    settings: Settings,
) -> None:
    """Have a model work the experts' answers into the queries.

    Experts edit the file, or approve in `annotate` (--ask). The same command run again resumes
    where it was stopped.
    """
    from deepassay.wings.build.experts.steps import refine as work

    made = work(drafts, output, settings, _people(answers, ask, by), listener=teller("draft"))
    _finish(made, output, settings, "refined queries", ask, by_rule=_by_rule(settings))


@listed(
    "deepassay tasks checklist-from fine.yaml -o checks.yaml --ask rating.jsonl --table "
    "open.csv --run experts.assay",
    group="with experts",
)
@takes(MAKER, *MODEL, FIRST, *TERMS, *BATCHES)
def checklist_from(
    drafts: Drafts,
    output: AddedTo,
    answers: Answers = None,
    ask: Ask = None,
    table: Sheet = None,
    by: By = "",
    *,
    settings: Settings,
) -> None:
    """Have a model divide queries into checklists.

    The protocol `coverage` scores reports by them. Raters decide on them in `annotate` (--ask) or
    on a sheet (--table). The same command run again resumes where it was stopped.
    """
    from deepassay.wings.build.experts.steps import checklists_from as work

    people = _people(answers, ask, by)
    made = work(drafts, output, settings, people, table=table, listener=teller("draft"))
    _finish(made, output, settings, "checklists", ask, by_rule=_by_rule(settings))


@listed(
    "deepassay tasks verify checks.yaml -o seen.yaml --answers examples/demo/experts/rated.csv "
    "--ask agreeing.jsonl",
    group="with experts",
)
def verify(
    drafts: Drafts,
    output: AddedTo,
    answers: Ratings = None,
    ask: Ask = None,
    table: Sheet = None,
    by: By = "",
) -> None:
    """Take in how people rate queries and checklists.

    A second group says whether it agrees with the first (--ask). What both have seen is passed
    on, with the texts that follow from it.
    """
    from deepassay.wings.build.experts.verifying import verify as work

    made = work(drafts, output, _people(answers, ask, by), table=table)
    note(f"Seen by both groups: {made.having} of {made.total} drafts, in {output}.")
    _tell(made, output, ask)
    if not made.having and not (ask and made.asked):
        end_with_nothing("No draft was seen by both groups yet: give what they said (--answers).")


@listed(
    "deepassay tasks quality seen.yaml -o set.jsonl --ask look.jsonl --sheet look.csv",
    "deepassay tasks quality seen.yaml -o set.jsonl --answers examples/demo/experts/looked.csv "
    "--answers examples/demo/experts/settled.csv --plan plan.yaml",
    group="with experts",
)
def quality(
    drafts: Drafts,
    output: Annotated[Path, typer.Option("--output", "-o", help="The set: tasks, JSON Lines.")],
    answers: Ratings = None,
    ask: Ask = None,
    sheet: Annotated[
        Path | None, typer.Option(help="Write what is to be decided as CSV, to be filled in.")
    ] = None,
    table: Sheet = None,
    plan: Annotated[
        Path | None, typer.Option(help="What `tasks survey` wrote: count the set by it.")
    ] = None,
    most_wrong: Annotated[
        float, typer.Option(min=0.001, max=0.5, help="Share of outcomes that may be wrong.")
    ] = 0.05,
    seed: Annotated[int, typer.Option(min=0, help="Of the sample.")] = 1,
    by: By = "",
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Sample what was agreed on, settle the rest, write the set.

    The sample grows until the share of wrong outcomes is shown to be small. A third group decides
    on what is in dispute (--ask).
    """
    from deepassay.wings.build.experts.quality import write_quality
    from deepassay.wings.build.experts.verifying import control, history_file

    people = _people(answers, ask, by)
    made = control(
        drafts, output, people, seed=seed, most=most_wrong, table=table, sheet=sheet, plan=plan
    )
    hand_over(write_quality(made.quality, format))
    if made.quality.to_see:
        seen, order = len(made.quality.seen), len(made.quality.order)
        note(
            f"To look at: {len(made.quality.to_see)} more outcomes, {made.quality.needed} of "
            f"{order} in all ({seen} were)."
        )
    if made.disputed:
        note(f"To settle: {made.disputed} parts in dispute, by people who had no say in them.")
    _tell(made, output, ask)
    if made.empty:
        complain(f"Without a checklist, and left out: {', '.join(made.empty)}.")
    if made.tasks is None:
        told = f"{output} was not written: people still have to decide."
        if not (ask and made.asked) and not sheet:
            end_with_nothing(f"{told} --ask or --sheet writes what on.")
        note(told)
        return
    note(f"{made.tasks} tasks are in {output}, how they came about in {history_file(output)}.")
    for line in made.plan:
        note(line)


def _people(answers: list[Path] | None, ask: Path | None, by: str) -> SurveyPeople:
    from deepassay.wings.build.experts.survey_answers import SurveyPeople

    return SurveyPeople(answers or (), ask, by)


def _by_rule(settings: Settings) -> bool:
    return settings.maker == "offline"


def _tell(made: Stepped, output: Path, ask: Path | None) -> None:
    """Say what waits for people, what was given up, and where their questions are."""
    from deepassay.results.tables import several

    for remark in made.remarks:
        note(remark)
    if made.dropped:
        note(f"Given up: {', '.join(made.dropped)}.")
    if made.open:
        some = [f"{name} ({why})" for name, why in [*made.open.items()][:5]]
        more = [f"and {len(made.open) - 5} more"] * (len(made.open) > 5)
        note(f"Waiting for people: {'; '.join([*some, *more])}.")
    if ask is not None and made.asked:
        note(
            f"Questions for people: {several(made.asked, 'item')} in {ask}. Put them with "
            f"`deepassay annotate serve {ask} --raters NAME,NAME --study FILE`, and give FILE to "
            "the next step (--answers)."
        )


def _finish(
    made: Stepped, output: Path, settings: Settings, what: str, ask: Path | None, *, by_rule: bool
) -> None:
    """Say what came of a step with a model, and exit accordingly."""
    _tell(made, output, ask)
    remarks = ["Made by rule, a baseline: name a model."] if by_rule and made.made else []
    asked = bool(ask and made.asked)
    finish_making(made, output, settings, what, remarks, items="drafts", besides=asked)
