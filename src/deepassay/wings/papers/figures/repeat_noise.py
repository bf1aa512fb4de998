"""The judge's repeat noise beside the spread between tasks, and what each pass alone would say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.aggregate import passes_of
from deepassay.results.comparing import Contest, Contestant
from deepassay.results.comparison_tables import noise_table
from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, caption_of, file_name
from deepassay.results.figures.style import Look, hatch, short
from deepassay.results.overview import board_heading
from deepassay.results.ranking import Board
from deepassay.results.records import by_agent
from deepassay.text import first_few
from deepassay.wings.papers.figures.boards import UNEQUAL, figure_title, notes_of, whole_boards
from deepassay.wings.papers.figures.pairs import contest_of
from deepassay.wings.papers.figures.rows import ROW, ForestRow, draw_mark, name_rows, reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas


CAPTION: Final = (
    "Left: standard deviations of the score when one answer is judged again, when the agent "
    "answers again (where it did), and between the means of tasks. Right: the mean of each pass of "
    "the judge alone as ticks, with the mean of all and its 95 % interval over tasks."
)
ONCE: Final = "every answer was judged once (evaluate with --repeat 3)"
LEVELS: Final = ("one answer judged again", "one task answered again", "between tasks")


def repeat_noise(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol in which any answer was judged again."""
    for board in whole_boards(material):
        own = material.judged[board.protocol]
        name = file_name("repeat-noise", board.protocol)
        agents = by_agent(own).values()
        if not any(passes_of(judged)[1:] for judged in agents):
            yield Omitted(name, ONCE)
        elif (contest := contest_of(own, pairs=False)) is None:
            yield Omitted(name, UNEQUAL)
        else:
            yield _figure(name, board, contest)


def _figure(name: str, board: Board, contest: Contest) -> Figure:
    rows = [each for each in contest.contestants if each.noise.judge is not None]
    left_out = [short(each.agent) for each in contest.contestants if each not in rows]
    once = f"Judged once, so not shown: {first_few(left_out, 5)}." if left_out else ""
    notes = (*notes_of(board, marks=""), *([once] if once else []))
    return Figure(
        name,
        figure_title(board, "noise of the judge and spread between tasks"),
        caption_of(CAPTION, *notes),
        noise_table(contest, board_heading(board)),
        partial(_draw, rows, contest),
        (PAGE, 2.2 * ROW * max(len(rows), 2) + 1.0),
    )


def _draw(rows: Sequence[Contestant], contest: Contest, canvas: Canvas, look: Look) -> None:
    left, right = canvas.subplots(1, 2)
    _draw_deviations(left, look, rows)
    for place, each in enumerate(rows):
        draw_mark(right, look, place, ForestRow("", each.mean, each.interval))
        right.plot(
            each.passes, [place + 0.25] * len(each.passes), "|", color=look.colour(1),
            markersize=6, label="one pass of the judge" if place == 0 else None,
        )  # fmt: skip
    name_rows(left, [each.agent for each in rows])
    name_rows(right, ["" for _ in rows])
    seen: list[tuple[float | None, None]] = [(one, None) for each in rows for one in each.passes]
    right.set_xlim(*reach([*seen, *((each.mean, each.interval) for each in rows)], contest.limits))
    right.set_xlabel("mean of all passes, 95 % interval over tasks")
    canvas.legend(loc="outside upper right", ncols=4)


def _draw_deviations(axes: Axes, look: Look, rows: Sequence[Contestant]) -> None:
    shown = [
        (level, values)
        for level, values in zip(LEVELS, zip(*map(_deviations, rows), strict=True), strict=True)
        if any(value is not None for value in values)
    ]
    step = 0.8 / len(shown)
    for series, (level, values) in enumerate(shown):
        places = [place - 0.4 + (series + 0.5) * step for place in range(len(rows))]
        known = [(at, value) for at, value in zip(places, values, strict=True) if value is not None]
        axes.barh(
            [at for at, _ in known], [value for _, value in known], height=0.9 * step,
            color=look.colour(LEVELS.index(level) + 1), hatch=hatch(series), edgecolor=look.paper,
            linewidth=0, label=level,
        )  # fmt: skip
    axes.set_xlabel("standard deviation of the score")
    axes.margins(x=0.02)


def _deviations(row: Contestant) -> tuple[float | None, ...]:
    return row.noise.judge, row.noise.answer, row.noise.observed
