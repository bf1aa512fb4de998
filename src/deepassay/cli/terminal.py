"""Printing text that strangers wrote: no control sequence of theirs reaches the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deepassay.files import without_surrogates

if TYPE_CHECKING:
    from deepassay.run.making import Item, Made
    from deepassay.run.settings import Settings


# C0 and C1 controls but for line feed and tab, and the marks that reorder what is shown.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """The text without control characters and marks that reorder it."""
    return _CONTROL.sub("", text)


def show(text: str) -> None:
    """Print text for a person to standard output."""
    print(without_surrogates(plain(text)))


def hand_over(text: str) -> None:
    """Write a document to standard output: byte for byte into a file, plain on a terminal."""
    if sys.stdout.isatty():
        show(text)
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Print a line about what is going on to standard error."""
    print(without_surrogates(plain(text)), file=sys.stderr)


def say_stopping() -> None:
    """Answer the first signal."""
    note("Stopping: what is in flight may end. Once more, and it is broken off.")


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
