"""`audit`: whether a judge notices, and what moves it for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from deepassay.cli.help import listed, reads_file
from deepassay.cli.options import EVALUATION, OnlyEstimate, Own, ReportPaths, TaskFile, takes
from deepassay.cli.terminal import (
    complain,
    end_with_nothing,
    hand_over,
    note,
    say_stopping,
    tell_cost,
)
from deepassay.run.settings import Settings

if TYPE_CHECKING:
    from deepassay.wings.trials.auditing.audit_plan import Prepared

TAKEN: Final = tuple(
    Own("run", "Where everything is kept.", default=Path("audit.assay")) if name == "run" else name
    for name in EVALUATION
    if name not in ("min_coverage", "limit")
)


Quick = Annotated[
    bool, typer.Option("--quick", help="20 reports and 6 changes, unless others are named.")
]
Sample = Annotated[
    int | None, typer.Option("--reports", min=2, help="So many reports, by chance.  [50]")
]
Changes = Annotated[list[str] | None, typer.Option(help="Only this change; may be repeated.")]
Seed = Annotated[int, typer.Option(min=0, help="Where random numbers start.")]
Families = Annotated[Path | None, typer.Option(help="Families of agents: file of agent, family.")]
Family = Annotated[
    list[str] | None, typer.Option(help="That of the judge; of a panel: JUDGE=FAMILY, repeated.")
]
Format = Annotated[Literal["text", "markdown", "csv", "json"], typer.Option()]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The file of the audit.  [RUN.audit.json]")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file there that is no audit.")]


@listed(
    "deepassay audit examples/demo/tasks.jsonl examples/demo/reports --judge offline --estimate",
    "deepassay audit examples/demo/tasks.jsonl examples/demo/reports --quick --protocol "
    "citation_association --judge offline --date 2026-05-04 --run build/audit.assay",
    group="trials",
)
@reads_file("run")  # a run file of scores does not become one of an audit
@takes(*TAKEN)
def audit(
    tasks: TaskFile,
    reports: ReportPaths,
    quick: Quick = False,
    sample: Sample = None,
    change: Changes = None,
    seed: Seed = 1,
    families: Families = None,
    family: Family = None,
    estimate: OnlyEstimate = False,
    format: Format = "text",
    output: Output = None,
    force: Force = False,
    *,
    settings: Settings,
) -> None:
    """Put a judge on trial by reports that are changed on purpose.

    The same command run again resumes where it was stopped.
    """
    from deepassay.wings.trials.auditing.audit_plan import AuditOrder, prepare
    from deepassay.wings.trials.auditing.steps import audit_file_of

    path = audit_file_of(settings.run, output, force=force)
    order = AuditOrder(quick, sample, change or (), seed, families, family or ())
    prepared = prepare(tasks, reports, settings, order)
    for line in prepared.lines():
        note(line)
    if estimate or not prepared.costs_nothing:
        tell_cost(prepared.estimate, indent="  ")
    if not estimate:
        _carry_out(prepared, format, path)


def _carry_out(prepared: Prepared, format: str, path: Path) -> None:
    from deepassay.cli.terminal import ProgressBar
    from deepassay.wings.trials.auditing.steps import audit as try_judge

    with ProgressBar() as progress:
        done = try_judge(prepared, progress.update, say_stopping)
    for line in done.summary.lines():
        (complain if done.summary.tally.stopped else note)(line)
    if (status := done.summary.exit_status) is not None:
        raise typer.Exit(status)
    if done.kept is not None:
        done.write(path)
        hand_over(done.told(format))
        note(f"\nWrote {path}. Beside scores: deepassay leaderboard RUN --audit {path}")
    if not done.summary.tally.scored:
        end_with_nothing("Nothing was scored, so the judge was not tried: the causes stand above.")
