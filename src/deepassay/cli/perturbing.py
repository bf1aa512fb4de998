"""`perturb`: copies of reports with a change whose effect on a sound judge is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.terminal import note, show
from deepassay.errors import BadSetting


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
    list_: Annotated[
        bool, typer.Option("--list", help="Only say which perturbations there are.")
    ] = False,
) -> None:
    """Write changed copies of reports, to see whether a judge notices."""
    from deepassay.reports.perturb import PERTURBATIONS, as_text
    from deepassay.reports.perturb.folder import PerturbedSet, write_perturbed

    if list_:
        show(as_text())
        return
    if not reports:
        raise BadSetting("There is nothing to change.", "Name reports, or folders of reports.")
    if output is None:
        raise BadSetting(
            "There is no folder to write to.", "Name one with -o, outside those that are read."
        )
    order = PerturbedSet(list(dict.fromkeys(only or PERTURBATIONS)), seed, share, force)
    written = write_perturbed(reports, output, order)
    for name in order.names:
        done = written.changed[name]
        needs = "" if done == written.reports else f"; needs {PERTURBATIONS[name].needs}"
        note(f"{name}: {done} of {written.reports} reports{needs}")
    note(f"Wrote {written.changed.total()} reports to {output}")
