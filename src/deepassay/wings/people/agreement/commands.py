"""`agree`: how far a judge and people say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from deepassay.cli.comparing import TableFormat
from deepassay.cli.help import HelpfulGroup, listed
from deepassay.cli.options import MODEL, ONE_JUDGE, TERMS, OnlyEstimate, Own, takes
from deepassay.cli.results import Force, RunFiles
from deepassay.cli.terminal import complain, hand_over, note, show, tell_cost
from deepassay.errors import BadSetting
from deepassay.run.settings import Settings
from deepassay.wings.people.agreement.cascade_command import cascade
from deepassay.wings.people.agreement.study_commands import Seed, draw, show_judges

if TYPE_CHECKING:
    from deepassay.run.asking.estimate import Estimate
    from deepassay.wings.people.agreement.graded_set import GradedSet
    from deepassay.wings.people.agreement.judge_quality import JudgeQualityFile
    from deepassay.wings.people.agreement.published import MeasuredJudges


LabelsFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write it for `leaderboard --labels` too."),
]


class _People(HelpfulGroup):
    """`agree RUN --human FILE` is `agree people RUN --human FILE`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put the name of the command before arguments that begin with none."""
        if args and args[0] not in (*self.commands, *self.get_help_option_names(ctx)):
            args.insert(0, "people")
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_People,
    help="Compare a judge's decisions with people's.",
    no_args_is_help=True,
    rich_markup_mode=None,
    rich_help_panel="people",
)


@app.callback()
def group() -> None:
    """Compare a judge's decisions with people's."""


@app.command()
@listed(
    "deepassay agree build/demo.assay --human examples/demo/people.csv",
)
def people(
    runs: RunFiles,
    human: Annotated[
        list[Path],
        typer.Option(
            help="CSV: agent, task, rater, score or verdict; also sample, protocol, item, judge. "
            "May be repeated."
        ),
    ],
    seed: Annotated[int, typer.Option(min=0, help="Of the draws behind intervals.")] = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Hold scores and verdicts against those of people.

    They are those of run files; nothing is asked. The name of this command may be left out:
    agree RUN --human FILE.
    """
    from deepassay.wings.people.agreement.runs import hold
    from deepassay.wings.people.agreement.tables import only_as_tables, write

    held = hold(human, runs, seed)
    hand_over(write(held.sheets, held.rubrics, format, held.macro_f1))
    for remark in filter(None, (*held.remarks, only_as_tables(format, held.rubrics))):
        note(remark)
    raise typer.Exit(0 if held.whole else 1)


@app.command()
@listed(
    "deepassay agree support examples/labels/attribution.jsonl --run floor.assay",
    "deepassay agree support pairs.csv --snapshots fact.assay --run agree.assay",
)
@takes(
    ONE_JUDGE,
    "verifier",
    *MODEL,
    "structured",
    Own("snapshots", "Where the pages of addresses are kept."),
    *TERMS,
)
def support(
    pairs: Annotated[
        list[Path],
        typer.Argument(
            help="CSV: statement, label (supported, partial, not supported), page or url; "
            "or files of published sets."
        ),
    ],
    *,
    pages: Annotated[
        Path | None, typer.Option(help="Pages of a published set that has none, by their keys.")
    ] = None,
    partial: Annotated[
        Literal["unsupported", "supported", "keep", "drop"],
        typer.Option(help="What becomes of labels `partial` of a published set."),
    ] = "unsupported",
    seed: Seed = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
    output: LabelsFile = None,
    force: Force = False,
    estimate: OnlyEstimate = False,
    settings: Settings,
) -> None:
    """Judge pairs of statement and page that people labelled.

    Published sets are told by their fields: AttributionBench, WiCE, FActScore, RefChecker,
    LFQA-Verification and DeepFact-Bench.
    """
    from deepassay.wings.people.agreement.judging import estimate_support
    from deepassay.wings.people.agreement.published_support import (
        measure_support,
        models_of,
        published_pairs,
    )

    found = published_pairs(pairs, pages, partial)
    if found is None:
        _agree_on_own(pairs[0], output, settings, only=estimate)
    _check(output, settings.run, force=force)
    names = models_of(settings)
    if output is not None and not names:
        raise BadSetting(
            "-o keeps what a judge is worth, and the offline rule alone is measured here.",
            "Name a model with --judge or --verifier, or leave -o out.",
        )
    _tell_first(lambda _: estimate_support(found, names, settings), names, only=estimate)
    measured = measure_support(found, settings, partial, seed)
    _hand_over(measured, format, output, settings.run, force=force)


def _agree_on_own(path: Path, output: Path | None, settings: Settings, *, only: bool) -> NoReturn:
    """Judge pairs of a CSV file, and say how often the judge agrees."""
    from deepassay.wings.people.agreement.judging import agree, estimate_support, own_pairs

    if output is not None:
        raise BadSetting(
            "-o keeps what a judge is worth on a published set, and this is none.",
            "Leave it out, or see `deepassay agree support --help` for the sets.",
        )
    pairs, names = own_pairs(path), [settings.verifier or settings.judge[0]]
    _tell_first(lambda _: estimate_support(pairs, names, settings), names, only=only)
    agreed = agree(pairs, settings)
    for line in agreed.lines():
        show(line)
    if lost := agreed.joined.problem("Fetch or import the pages, or give them in the column page."):
        complain(lost)
    whole = agreed.agreement is not None and not agreed.unjudged
    _exit(settings.run, whole=whole, out_of_budget=agreed.out_of_budget)


def _tell_first(
    reckon: Callable[[Callable[[int, int], None]], Estimate],
    names: Sequence[str],
    *,
    only: bool,
) -> None:
    """Say what is about to be asked, and what that costs; with --estimate, no more than that."""
    if only or {*names} - {"offline"}:
        tell_cost(reckon)
    if only:
        raise typer.Exit


def _refuse_estimate(given: bool) -> None:
    if given:
        raise BadSetting("--estimate: nothing is asked here, so it costs nothing.", "Leave it out.")


def _exit(run: Path, *, whole: bool, out_of_budget: bool) -> NoReturn:
    """Say what the run file cost, and end as other commands do."""
    from deepassay.runfile import RunFile

    with RunFile.read(run) as kept:
        spent, more = kept.spent(), ", and calls at an unknown price" * kept.unpriced()
    if spent:
        note(f"Cost of {run} in all: ${spent:.4f}{more}.")
    if out_of_budget:
        complain(
            "Stopped by the budget. What is done is kept: the same command goes on from here with "
            "a larger --budget."
        )
        raise typer.Exit(3)
    raise typer.Exit(0 if whole else 1)


def _check(output: Path | None, run: Path, *, force: bool) -> None:
    """Refuse a file that cannot be written before anybody is asked."""
    from deepassay.run.showing.output import check_output

    if output is not None:
        check_output(output, [run], force=force)


def _hand_over(
    measured: MeasuredJudges, format: TableFormat, output: Path | None, run: Path, *, force: bool
) -> NoReturn:
    """Print what judges are worth, and keep it for `leaderboard --labels`."""
    hand_over(measured.written(format))
    for remark in measured.remarks:
        note(remark)
    if output is not None:
        _keep(measured.kept, output, [run], force=force)
    _exit(run, whole=measured.whole, out_of_budget=measured.out_of_budget)


def _keep(kept: JudgeQualityFile, output: Path, runs: Sequence[Path], *, force: bool) -> None:
    """Write what judges are worth, where one was measured."""
    from deepassay.run.showing.output import write_output

    if not kept.judges:
        complain(f"{output} is not written: it keeps what a judge is worth, and none was measured.")
        return
    write_output(output, kept.to_json(), runs, force=force)
    note(f"Wrote {output}.")


@app.command()
@listed(
    "deepassay agree rubrics examples/labels/criteria.jsonl --run criteria.assay",
    "deepassay agree rubrics people.csv rubrics.assay",
)
@takes(
    ONE_JUDGE,
    *MODEL,
    "structured",
    Own("protocols", "`rubrics` with other options than the set's own."),
    *TERMS,
)
def rubrics(
    verdicts: Annotated[
        Path,
        typer.Argument(
            help="A table of report, criterion, verdict; RuVerBench's labels or folder; that of "
            "JudgmentBench; or, for reports of runs, CSV: agent, task, criterion (its id), verdict."
        ),
    ],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Run files, or files of verdicts as RuVerBench has them: asks nobody."),
    ] = None,
    *,
    reports: Annotated[
        list[Path] | None,
        typer.Option(help="RuVerBench's answers, if not beside its labels; may be repeated."),
    ] = None,
    seed: Seed = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
    output: LabelsFile = None,
    force: Force = False,
    estimate: OnlyEstimate = False,
    settings: Settings,
) -> None:
    """Hold verdicts on criteria against those of people.

    With run files they are those of the runs, and nothing is asked. Without any, a judge decides
    first, on just the criteria that people decided on.
    """
    from deepassay.wings.people.agreement.published_rubrics import graded_set
    from deepassay.wings.people.agreement.rubric_judges import rubric_judges
    from deepassay.wings.people.agreement.tables import only_as_tables

    _refuse_estimate(estimate and bool(runs))
    given = graded_set(verdicts, reports or ())
    if not (runs or given.tasks):
        raise BadSetting(
            f"{verdicts} has verdicts on reports of runs, and no run is named.",
            "Name the run files after it, or give a table with a column report.",
        )
    _check(output, settings.run, force=force)
    asked = [*runs] if runs else _judge_rubrics(given, settings, only=estimate)
    found = rubric_judges(given, asked, seed)
    hand_over(found.written(format))
    told = given.joined.lines() if given.tasks else ()
    for line in filter(None, (*told, only_as_tables(format, found.beside))):
        note(line)
    if not asked:
        complain(
            f"Nobody was asked: the answers that people saw are not beside {verdicts}. --reports "
            "says where they are."
        )
    for problem in found.problems:
        complain(problem)
    if output is not None:
        _keep(found.kept, output, asked, force=force)
    raise typer.Exit(0 if found.whole else 1)


def _judge_rubrics(given: GradedSet, settings: Settings, *, only: bool) -> list[Path]:
    """Have a judge decide on the criteria of a set; the run file, or none without answers."""
    from deepassay.cli.evaluating import score_all
    from deepassay.run.asking.estimate import estimate

    if not given.reports:
        return []
    own = [each for each in settings.protocols if str(each).startswith("rubrics")]
    wanted = settings.model_copy(update={"protocols": tuple(own) or (given.protocol,)})
    _tell_first(
        lambda progress: estimate(given.tasks, given.reports, wanted, progress),
        settings.judge,
        only=only,
    )
    score_all(given.tasks, given.reports, wanted)
    return [settings.run]


@app.command()
@listed(
    "deepassay agree spans examples/labels/spans.csv",
)
def spans(
    file: Annotated[Path, typer.Argument(help="What `annotate export --format spans` wrote, CSV.")],
    *,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws behind intervals.")] = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Say how far raters mark the same words; nothing is asked."""
    from deepassay.wings.people.agreement.marked import read_marked
    from deepassay.wings.people.agreement.tables import write

    marked = read_marked(file)
    hand_over(write(marked.sheets(seed), (), format))
    for line in marked.joined.lines():
        note(line)
    raise typer.Exit(0 if marked.joined.whole else 1)


app.command()(cascade)
app.command()(draw)
app.command(name="show")(show_judges)


@app.command()
@takes(ONE_JUDGE, *MODEL, "structured", *TERMS)
def preferences(
    file: Annotated[
        Path,
        typer.Argument(
            help="What `show` wrote, filled in; or a published set of preferences between answers."
        ),
    ],
    *,
    label: Annotated[
        Literal["overall", "correctness", "completeness"],
        typer.Option(help="Which of RAGChecker's labels."),
    ] = "overall",
    seed: Seed = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
    output: LabelsFile = None,
    force: Force = False,
    estimate: OnlyEstimate = False,
    settings: Settings,
) -> None:
    """Count whom people prefer, or have a judge prefer answers.

    Of what `show` wrote, nothing is asked. Published sets are RAGChecker (a JSON file) and
    JudgmentBench (its folder): a judge compares each two answers in both orders.
    """
    from deepassay.wings.people.agreement.published_preferences import (
        estimate_preferences,
        measure_preferences,
        published_answers,
    )
    from deepassay.wings.people.agreement.tables import write
    from deepassay.wings.people.study import preferred_judges as count

    if (found := published_answers(file, label)) is not None:
        _check(output, settings.run, force=force)
        judge, pairs = settings.judge[:1], found[1]
        _tell_first(lambda _: estimate_preferences(pairs, settings), judge, only=estimate)
        measured = measure_preferences(*found, settings, seed)
        _hand_over(measured, format, output, settings.run, force=force)
    _refuse_estimate(estimate)
    counted = count(file, seed)
    hand_over(write((counted.sheet,), (), format))
    for line in counted.joined.lines():
        note(line)
    if lost := counted.joined.problem("Fill in letters of the judges that stand in the row."):
        complain(lost)
    raise typer.Exit(0 if counted.joined.whole else 1)
