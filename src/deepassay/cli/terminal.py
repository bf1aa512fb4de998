"""Printing untrusted text without its control sequences, and how far a run has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, Self

import typer

from deepassay.files import without_surrogates
from deepassay.text import without_controls

if TYPE_CHECKING:
    from deepassay.run.asking.estimate import Estimate
    from deepassay.run.asking.execute import RunProgress
    from deepassay.run.asking.making import Listener, Made, MakingSubject
    from deepassay.run.settings import Settings


def show(text: str) -> None:
    """Print text for a person to standard output, where who reads a pipe has it at once."""
    print(without_surrogates(without_controls(text)), flush=True)


def hand_over(text: str) -> None:
    """Write a document to standard output: byte for byte into a file, plain on a terminal."""
    if sys.stdout.isatty():
        show(text)
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()


_QUIET: list[bool] = []
"""Not empty where only results and problems are printed."""


def be_quiet(quiet: bool) -> None:
    """Whether from now on nothing but results and problems is said."""
    _QUIET[:] = [True] * quiet


def is_quiet() -> bool:
    """Whether --quiet was said."""
    return bool(_QUIET)


def note(text: str) -> None:
    """Print a line about what is going on to standard error, unless --quiet was said."""
    if not _QUIET:
        complain(text)


def complain(text: str) -> None:
    """Print a line about what is wrong to standard error."""
    print(without_surrogates(without_controls(text)), file=sys.stderr)


def end_with_nothing(told: str) -> NoReturn:
    """Exit with 1, as nothing was judged, written or matched. told: that, and what to do."""
    complain(told)
    raise typer.Exit(1)


def say_stopping() -> None:
    """Answer the first signal."""
    from deepassay.stopping import GRACE

    note(
        f"Stopping: what is in flight has {GRACE:g} seconds to end, then it is broken off. "
        "Once more, and it is broken off at once."
    )


def tell_failure(item: MakingSubject, outcome: object, what: str) -> None:
    """Say why something could not be made for an item."""
    from deepassay.score import Unscored

    if isinstance(outcome, Unscored):
        name = f"{what} {item.id}".strip()
        complain(f"  {name}: {outcome.cause}: {outcome.detail}")


def teller(what: str = "task") -> Listener:
    """Who says what could not be made. what: it is made for, as `tell_failure` has it."""
    from deepassay.run.asking.making import Listener

    return Listener(partial(tell_failure, what=what), say_stopping)


def finish_making(
    made: Made,
    output: Path,
    settings: Settings,
    what: str,
    remarks: Sequence[str] = (),
    *,
    items: str = "tasks",
    useless: str = "",
    besides: bool = False,
) -> None:
    """Say what came of it, and exit accordingly.

    what: was made, in the plural; items: what it was made for. remarks: lines to say besides.
    useless: why what was made is nothing to go on with, if it is not. besides: whether something
    else was done, as questions were written for people.
    """
    already = f" ({made.kept} had them already)" if made.kept else ""
    note(f"{what.capitalize()} for {made.having} of {made.total} {items} are in {output}{already}.")
    for remark in remarks:
        note(remark)
    if made.spent:
        note(f"Cost of {settings.run} in all: ${made.spent:.4f}.")
    if made.failures or made.left:
        complain(
            f"Without {what}: {len(made.failures) + made.left} {items}. Answers are kept in "
            f"{settings.run}: the same command goes on from here"
            + (" with a larger --budget." if made.out_of_budget else ".")
        )
    from deepassay.run.asking.waiting import told_waiting

    for line in told_waiting(made.waiting, settings.run):
        complain(line)
    if made.signal:
        raise typer.Exit(128 + made.signal)
    if made.out_of_budget:
        raise typer.Exit(3)
    if made.out_of_time and made.left:
        raise typer.Exit(4)
    if made.failures:
        raise typer.Exit(1)
    if useless or not (made.having or besides):
        end_with_nothing(useless or f"No {what} were made: there were {made.total} {items} to do.")


EVERY: Final = 15.0
"""Seconds between two lines of progress where there is no terminal, as in the log of a pipeline."""


class ProgressBar:
    """A bar on a terminal; elsewhere a line now and then. clock: seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True)
        self._is_bar = console.is_terminal
        self._bar = Bar(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            console=console,
            disable=bool(_QUIET) or not console.is_terminal,
            refresh_per_second=4,
            transient=True,
        )
        self._line = self._bar.add_task("", total=None, note="")
        self._clock, self._said = clock, clock()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def update(self, tally: RunProgress, spent: float) -> None:
        """Show where the run stands now; `spent` in USD."""
        failed = sum(tally.causes.values())
        notes = [f"{tally.scored} scored", f"{failed} unscored", f"${spent:.2f}"]
        if tally.seconds_left is not None:
            notes.append(f"{_clock(tally.seconds_left)} left")
        self.show(tally.kept + tally.done, tally.total, notes)

    def show(self, done: int, total: int, notes: Sequence[str]) -> None:
        """Show how many of how many are done, and remarks on them."""
        self._bar.update(self._line, total=total, completed=done, note=", ".join(notes))
        if not self._is_bar and self._clock() - self._said >= EVERY:
            self._said = self._clock()
            note(f"{done:,} of {total:,}" + (f" ({', '.join(notes)})" if notes else ""))


def tell_cost(reckon: Callable[[Callable[[int, int], None]], Estimate], indent: str = "") -> None:
    """Say what a command is about to ask and what that costs, before it asks."""
    with ProgressBar() as progress:
        found = reckon(lambda done, total: progress.show(done, total, ()))
    for line in found.lines():
        note(f"{indent}{line}")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
