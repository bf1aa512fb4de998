"""What commands say that have something made for every task, or transcript, of a set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deepassay.cli.terminal import note

if TYPE_CHECKING:
    from deepassay.run.making import Item, Made
    from deepassay.run.settings import Settings


def tell_failure(item: Item, outcome: object, what: str = "task") -> None:
    """Say why something could not be made for an item."""
    from deepassay.score import Unscored

    if isinstance(outcome, Unscored):
        name = f"{what} {item.id}".strip()
        note(f"  {name}: {outcome.cause}: {outcome.detail}")


def finish_making(
    made: Made,
    output: Path,
    settings: Settings,
    what: str,
    remarks: Sequence[str] = (),
    *,
    items: str = "tasks",
) -> None:
    """Say what came of it, and exit accordingly.

    what: was made, in the plural; items: what it was made for. remarks: lines to say besides.
    """
    already = f" ({made.kept} had them already)" if made.kept else ""
    having = made.kept + len(made.made)
    note(f"{what.capitalize()} for {having} of {made.total} {items} are in {output}{already}.")
    for remark in remarks:
        note(remark)
    if made.spent:
        note(f"Cost of {settings.run} in all: ${made.spent:.4f}.")
    if made.failures or made.left:
        note(
            f"Without {what}: {len(made.failures) + made.left} {items}. Answers are kept in "
            f"{settings.run}: the same command goes on from here"
            + (" with a larger --budget." if made.out_of_budget else ".")
        )
    if made.signal:
        raise typer.Exit(128 + made.signal)
    if made.out_of_budget:
        raise typer.Exit(3)
    if made.failures:
        raise typer.Exit(1)
