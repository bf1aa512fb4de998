"""`leaderboard`: rankings, with what packages know of the judge beside them, and printed tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli.comparing import FailUnder, JudgedBy, end_unless, floors_of, hold_to
from deepassay.cli.help import listed, spread
from deepassay.cli.results import AllowMixed, Force, OutputFile, ScoredRuns
from deepassay.cli.terminal import end_with_nothing, hand_over, note
from deepassay.errors import BadSetting
from deepassay.results.judge_evidence import OnJudge, judge_evidence_kinds
from deepassay.results.known import TOLERATED

if TYPE_CHECKING:
    from deepassay.run.showing.boards import BoardSheet

TABLES = "Which table"
BESIDE = "What stands beside the scores"
BoardFormat = Literal["text", "markdown", "latex", "csv", "json", "parquet"]
ByOption = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=TABLES, help="Cut the table by this label of tasks, or by axis: by parts."
    ),
]
FamiliesOption = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=TABLES, help="Group agents by family: file of agent, family, collected."
    ),
]
LengthsOption = Annotated[
    bool,
    typer.Option(
        "--lengths",
        rich_help_panel=TABLES,
        help="Show how long reports are, and whether longer ones score higher.",
    ),
]
WideOption = Annotated[
    bool, typer.Option("--wide", rich_help_panel=TABLES, help="All columns, and all tables.")
]
PartsOption = Annotated[
    bool,
    typer.Option("--parts", rich_help_panel=TABLES, help="The same, with tables of all parts."),
]
PaperOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        rich_help_panel=TABLES,
        help="As a table or figure of a paper: bench:table1, live:figure5.",
    ),
]
HumanOption = Annotated[
    Path | None,
    typer.Option(
        hidden=True,
        rich_help_panel=TABLES,
        help="With --as: what people said, as `agree` and `agree rubrics` read it.",
    ),
]
TrustedOption = Annotated[
    bool,
    typer.Option(
        "--trusted-only",
        rich_help_panel=BESIDE,
        help="Close rankings whose judge is not shown to agree with people.",
    ),
]
TolerateOption = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        rich_help_panel=BESIDE,
        help="In what share a trusted judge may contradict them.  [0.25]",
    ),
]


@listed(
    "deepassay leaderboard run.assay",
    "deepassay leaderboard run.assay --parts",
    group="look",
)
def _leaderboard(
    runs: ScoredRuns,
    by: ByOption = None,
    format: Annotated[BoardFormat, typer.Option()] = "text",
    wide: WideOption = False,
    parts: PartsOption = False,
    allow_mixed: AllowMixed = False,
    judged_by: JudgedBy = None,
    agents: FamiliesOption = None,
    protocol: Annotated[list[str] | None, typer.Option(help="Only this protocol.")] = None,
    lengths: LengthsOption = False,
    paper: PaperOption = None,
    human: HumanOption = None,
    trusted_only: TrustedOption = False,
    tolerate: TolerateOption = None,
    *,
    on_judge: OnJudge,
    fail_under: FailUnder = None,
    output: OutputFile = None,
    force: Force = False,
) -> None:
    """Rank agents, and say how far each number may be off."""
    from deepassay.run.showing.boards import ranking_of, table_of_lengths

    _check_kind(
        lengths
        and any((parts, wide, allow_mixed, agents, protocol, judged_by, trusted_only, *on_judge)),
        bool(paper and any((lengths, wide, parts, allow_mixed, by, trusted_only, *on_judge)))
        or bool(human and not paper),
    )
    if tolerate is not None and not trusted_only:
        raise BadSetting("--tolerate goes with --trusted-only.", "Name both, or none.")
    _check(output, runs, format, force)
    floors = floors_of(fail_under)
    if paper:
        from deepassay.run.showing.paper_layouts import PrintedFrom, as_printed

        given = PrintedFrom(runs, agents, human, protocol or (), judged_by or ())
        sheet = as_printed(paper, given)
    elif lengths:
        sheet = table_of_lengths(runs, by)
    else:
        terms = {"parts": parts, "wide": wide, "allow_mixed": allow_mixed}
        judges = judged_by or ()
        tolerated = (TOLERATED if tolerate is None else tolerate) if trusted_only else None
        sheet = ranking_of(
            runs,
            by,
            agents,
            protocol or (),
            on_judge,
            judged_by=judges,
            tolerated=tolerated,
            **terms,
        )
    _deliver(sheet, runs, output, format, force)
    hold_to(floors, runs)
    end_unless(sheet.scored)


def _deliver(
    sheet: BoardSheet, runs: list[Path], output: Path | None, format: BoardFormat, force: bool
) -> None:
    if sheet.closed:
        note(sheet.closed)
    if not sheet.holds and sheet.closed:
        end_with_nothing("No ranking is left: `deepassay calibrate` shows how often a judge errs.")
    if output is None:
        hand_over(sheet.written(format))
    else:
        sheet.write(output, runs, format, force=force)
        note(f"Wrote {output}.")
    if not sheet.holds:
        end_with_nothing("Nothing stands in this table: these runs have no score that it shows.")


def _check_kind(of_lengths: bool, of_paper: bool) -> None:
    """Refuse options that a table of lengths, or a table of a paper, does not take."""
    if of_lengths:
        raise BadSetting(
            "--lengths ranks nobody: no option of rankings does anything.",
            "Leave them out, or call leaderboard twice.",
        )
    if of_paper:
        raise BadSetting(
            "--as goes with --agents, --protocol, --judged-by and --human alone, and --human goes "
            "with --as.",
            "Leave the other options out.",
        )


def _check(output: Path | None, runs: list[Path], format: BoardFormat, force: bool) -> None:
    """Refuse what cannot be written before anything is read."""
    if output is not None:
        from deepassay.run.showing.output import check_output

        check_output(output, runs, force=force)
    elif format == "parquet":
        raise BadSetting("Parquet is not printed.", "Name a file with -o.")
    elif force:
        raise BadSetting("--force overwrites a file, and none is named.", "Name it with -o.")


def with_columns(action: Callable[..., None], beside_only: bool = False) -> Callable[..., None]:
    """The command, with an option for every kind of file that packages can put with a ranking.

    beside_only: of those alone that say something beside the scores.
    """
    own = inspect.signature(action).parameters
    found = [each for each in judge_evidence_kinds() if each.stands_beside or not beside_only]
    kinds = {each.name.replace("-", "_"): each for each in found}
    if taken := kinds.keys() & own.keys():
        name = action.__name__.strip("_")
        raise BadSetting(
            f"A package registers --{min(taken)} as a column, which {name} has already.",
            "Update the package, or remove it: `deepassay doctor` names the packages.",
        )

    def command(context: typer.Context, **given: object) -> None:
        typed = {each: given.pop(name) for name, each in kinds.items()}
        named = {each: file for each, file in typed.items() if file is not None}
        action(**given, on_judge=named)

    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                Path | None,
                typer.Option(f"--{each.name}", rich_help_panel=BESIDE, help=each.help),
            ],
        )
        for name, each in kinds.items()
    ]
    return spread(command, action, "on_judge", options)


leaderboard = with_columns(_leaderboard)
