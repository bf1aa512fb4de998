"""`perturb`: copies of reports that are changed on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.help import listed
from deepassay.cli.options import SaidOfColumns
from deepassay.cli.terminal import note, show
from deepassay.errors import BadSetting
from deepassay.intake.columns import UNSAID


@listed(
    "deepassay perturb --list",
    "deepassay perturb examples/demo/reports/magpie -o changed",
    group="trials",
)
def perturb(
    reports: Annotated[
        list[Path] | None, typer.Argument(help="Reports, folders of reports, or JSON Lines.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder for the changed reports.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only this perturbation; may be repeated.")
    ] = None,
    share: Annotated[
        float | None, typer.Option(help="How much delete-citations and pad change, up to 1.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Where random numbers start.")] = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite reports that are there and differ.")
    ] = False,
    columns: SaidOfColumns = None,
    list_: Annotated[
        bool, typer.Option("--list", help="Only say which perturbations there are.")
    ] = False,
) -> None:
    """Write changed copies of reports, to test a judge."""
    from deepassay.protocols.registry import PROTOCOLS
    from deepassay.wings.trials.effects import by_perturbation
    from deepassay.wings.trials.perturb import PERTURBATIONS, as_text
    from deepassay.wings.trials.perturb.folder import PerturbedSet, write_perturbed

    if list_:
        show(as_text(by_perturbation()))
        return
    if not reports:
        raise BadSetting("There is nothing to change.", "Name reports, or folders of reports.")
    if output is None:
        raise BadSetting(
            "There is no folder to write to.", "Name one with -o, outside those that are read."
        )
    names = list(dict.fromkeys(only or PERTURBATIONS))
    reading = frozenset(name for name, each in PROTOCOLS.items() if each().reads_pages)
    order = PerturbedSet(names, seed, share, force, by_perturbation(), reading)
    written = write_perturbed(reports, output, order, columns or UNSAID)
    for name in order.names:
        done = written.changed[name]
        needs = "" if done == written.reports else f"; needs {PERTURBATIONS[name].needs}"
        note(f"{name}: {done} of {written.reports} reports{needs}")
    note(f"Wrote {written.changed.total()} reports to {output}")
