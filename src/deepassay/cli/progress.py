"""A line on standard error that says how far a run has come, what it cost, how long is left."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

if TYPE_CHECKING:
    from deepassay.run.execute import Tally


class Progress:
    """Shown on a terminal only; a log file gets the summary at the end."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bar = Bar(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
            refresh_per_second=4,
            transient=True,
        )
        self._line = self._bar.add_task("", total=None, note="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def update(self, tally: Tally, spent: float) -> None:
        """Show where the run stands now; `spent` in USD."""
        failed = sum(tally.causes.values())
        notes = [f"{tally.scored} scored", f"{failed} unscored", f"${spent:.2f}"]
        if tally.seconds_left is not None:
            notes.append(f"{_clock(tally.seconds_left)} left")
        self.show(tally.kept + tally.done, tally.total, notes)

    def show(self, done: int, total: int, notes: Sequence[str]) -> None:
        """Show how many of how many are done, and remarks on them."""
        self._bar.update(self._line, total=total, completed=done, note=", ".join(notes))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
