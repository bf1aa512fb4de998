"""What commands say that have something made for every task, or transcript, of a set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from deepassay.cli.terminal import note

if TYPE_CHECKING:
    from deepassay.run.making import Made, MakerTerms


def finish_making(
    made: Made,
    request: MakerTerms,
    what: str,
    remarks: Sequence[str] = (),
    *,
    items: str = "tasks",
) -> None:
    """Say what came of it, and exit accordingly.

    what: was made, in the plural; items: what it was made for. remarks: lines to say besides.
    """
    _tell(made, request, what, remarks, items)
    if made.signal:
        raise typer.Exit(128 + made.signal)
    if made.out_of_budget:
        raise typer.Exit(3)
    if made.failures:
        raise typer.Exit(1)


def _tell(made: Made, request: MakerTerms, what: str, remarks: Sequence[str], items: str) -> None:
    already = f" ({made.kept} had them already)" if made.kept else ""
    having = made.kept + len(made.made)
    note(
        f"{what.capitalize()} for {having} of {made.total} {items} are in "
        f"{request.output}{already}."
    )
    for remark in remarks:
        note(remark)
    if made.spent:
        note(f"Cost of {request.run} in all: ${made.spent:.4f}.")
    if made.failures or made.left:
        note(
            f"Without {what}: {len(made.failures) + made.left} {items}. Answers are kept in "
            f"{request.run}: the same command goes on from here"
            + (" with a larger --budget." if made.out_of_budget else ".")
        )
