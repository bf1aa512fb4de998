"""Differences of pairs of agents: a forest plot, or a grid where there are many agents.

The judge's repeat noise beside the spread between tasks, and what each pass alone would say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.errors import BadInput
from deepassay.results.aggregate import passes_of
from deepassay.results.comparing import Contest, Contestant, compare
from deepassay.results.comparison_tables import noise_table, unscored_notes
from deepassay.results.differences import ComparisonTerms, Difference
from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, caption_of, file_name
from deepassay.results.figures.style import Look, hatch, short
from deepassay.results.overview import board_heading
from deepassay.results.ranking import Board
from deepassay.results.records import NO_READING, Judged, by_agent
from deepassay.results.tables import in_range, p_value
from deepassay.stats.intervals import Interval
from deepassay.stats.resampling import DRAWS
from deepassay.stats.testing import ALPHA
from deepassay.wings.papers.figures.boards import figure_title, notes_of, whole_boards
from deepassay.wings.papers.figures.grid import Grid
from deepassay.wings.papers.figures.rows import ROW, Forest, ForestRow, draw_mark, reach, set_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas


FOREST: Final = 45
"""Pairs, of ten agents, that a forest plot still shows legibly."""

BELOW: Final = "p so adjusted is below .05"

HALF: Final = 22
"""Cells for the name of one of two agents."""

CAPTION: Final = (
    "Differences between agents over the tasks that both have a score for: the first less the "
    "second, with the 95 % interval of Student's t. p by permutation of signs, adjusted by Holm "
    f"over all pairs; a full mark and an asterisk: {BELOW}."
)
GRID_CAPTION: Final = (
    "Differences between agents over the tasks that both have a score for: the agent of the row "
    "less that of the column, in the unit of the score. p by permutation of signs, adjusted by "
    f"Holm over all pairs; a dot: {BELOW}."
)


def contest_of(records: Sequence[Judged], *, pairs: bool = True) -> Contest | None:
    """What comes of comparing the agents of a ranking: None for scores of unequal recipes."""
    try:
        (contest,) = compare(records, None, ComparisonTerms(pairs=pairs))
    except BadInput:
        return None
    return contest


def pair_figures(material: Material) -> Iterator[Figure | Omitted]:
    """All pairs of agents, one figure for each protocol.

    Scores of unequal recipes are no differences between agents, so they are not drawn.
    """
    for board in whole_boards(material):
        own = material.judged[board.protocol]
        name = file_name("differences", board.protocol)
        contest = contest_of(own)
        if contest is None:
            yield Omitted(name, UNEQUAL)
        elif contest.differences:
            yield _figure(name, board, contest)
        else:
            yield Omitted(name, "no two agents have a score for the same task")


def _figure(name: str, board: Board, contest: Contest) -> Figure:
    many, limits = len(contest.differences) > FOREST, contest.limits
    return Figure.of(
        name,
        figure_title(board, "differences between agents"),
        GRID_CAPTION if many else CAPTION,
        _grid(contest) if many else _forest(contest),
        ("agent", "other", "difference", "low", "high", "p (Holm)", "tasks"),
        (
            (
                each.one,
                each.other,
                _signed(each.mean, limits),
                *(in_range(end, limits) for end in each.interval or (None, None)),
                p_value(each.adjusted) if contest.reads else NO_READING,
                str(each.tasks.scored),
            )
            for each in contest.differences
        ),
        (*notes_of(board, marks=""), *_too_many(contest), *unscored_notes(contest)),
        words=2,
    )


def _forest(contest: Contest) -> Forest:
    rows = [
        ForestRow(
            f"{short(each.one, HALF)} − {short(each.other, HALF)}",
            each.mean,
            each.interval,
            hollow=not _shown(contest, each),
            beside=f"{_signed(each.mean, contest.limits)}, {_p(contest, each)}",
        )
        for each in contest.differences
    ]
    label = "first less second, with 95 % interval (full mark: adjusted p below .05)"
    return Forest(rows, label, line=0.0, wide=PAGE, cells=2 * HALF + 3)


def _grid(contest: Contest) -> Grid:
    agents = [each.agent for each in contest.contestants]
    places = {agent: place for place, agent in enumerate(agents)}
    by_cell = {(places[each.one], places[each.other] - 1): each for each in contest.differences}
    signed = any(each.mean < 0 for each in contest.differences)
    return Grid(
        agents[:-1],
        agents[1:],
        {cell: each.mean for cell, each in by_cell.items()},
        "row less column",
        marked=frozenset(cell for cell, each in by_cell.items() if _shown(contest, each)),
        middle=0.0 if signed else None,
        ends=None if signed else (0.0, max(by_cell[cell].mean for cell in by_cell)),
    )


def _too_many(contest: Contest) -> tuple[str, ...]:
    """What to say where p by so many draws, once adjusted, cannot come out small."""
    tested = [each.permutation for each in contest.differences if each.permutation]
    pairs = len(tested)
    if pairs / (DRAWS + 1) < ALPHA or any(each.exact for each in tested):
        return ()
    return (
        f"{pairs} pairs: adjusted for so many, no p of {DRAWS} changes of sign falls below .05. "
        "Compare fewer agents, or a pair by `compare`.",
    )


def _shown(contest: Contest, row: Difference) -> bool:
    return contest.reads and row.adjusted is not None and row.adjusted < ALPHA


def _p(contest: Contest, row: Difference) -> str:
    if not contest.reads:
        return NO_READING
    if row.adjusted is None:
        return ""
    if row.adjusted < 0.001:
        return "p < .001 *"
    return f"p = {row.adjusted:.3f}".replace("0.", ".", 1) + " *" * _shown(contest, row)


def _signed(value: float, limits: Interval | None) -> str:
    return ("+" if value > 0 else "") + in_range(value, limits)


NOISE_CAPTION: Final = (
    "Left: standard deviations of the score when one answer is judged again, when the agent "
    "answers again (where it did), and between the means of tasks. Right: the mean of each pass of "
    "the judge alone as ticks, with the mean of all and its 95 % interval over tasks."
)
UNEQUAL: Final = "the scores were not made by one recipe"
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
            yield _noise_figure(name, board, contest)


def _noise_figure(name: str, board: Board, contest: Contest) -> Figure:
    rows = [each for each in contest.contestants if each.noise.judge is not None]
    left_out = [each.agent for each in contest.contestants if each not in rows]
    once = f"Judged once, so not shown: {_named(left_out)}." if left_out else ""
    notes = (*notes_of(board, marks=""), *([once] if once else []))
    return Figure(
        name,
        figure_title(board, "noise of the judge and spread between tasks"),
        caption_of(NOISE_CAPTION, *notes),
        noise_table(contest, board_heading(board)),
        partial(_draw, rows, contest),
        (PAGE, 2.2 * ROW * max(len(rows), 2) + 1.0),
        notes,
    )


def _named(agents: Sequence[str]) -> str:
    more = f" and {len(agents) - 5} more" if len(agents) > 5 else ""
    return ", ".join(map(short, agents[:5])) + more


def _draw(rows: Sequence[Contestant], contest: Contest, canvas: Canvas, look: Look) -> None:
    left, right = canvas.subplots(1, 2)
    _draw_deviations(left, look, rows)
    for place, each in enumerate(rows):
        draw_mark(right, look, place, ForestRow("", each.mean, each.interval))
        right.plot(
            each.passes, [place + 0.25] * len(each.passes), "|", color=look.colour(1),
            markersize=6, label="one pass of the judge" if place == 0 else None,
        )  # fmt: skip
    set_rows(left, [each.agent for each in rows])
    set_rows(right, ["" for _ in rows])
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
