"""Where the failures of graded rubrics come from (ResearchRubrics, figures 5 and 8).

How often criteria fail, by what their weights mean (ResearchRubrics, section 4.2).

Compliance with rubrics by how hard the tasks are (ResearchRubrics, figure 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.aggregate import task_means
from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, caption_of
from deepassay.results.figures.style import Look, hatch, short
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.rubric_compliance import compliance_of
from deepassay.results.rubric_failures import (
    IMPORTANCE,
    Failing,
    breakdown,
    failing,
    shares_by_obligation,
)
from deepassay.results.rubric_items import Reading, is_binary
from deepassay.results.tables import NONE, decimals
from deepassay.stats.intervals import Interval
from deepassay.wings.papers.figures.boards import (
    boards_of,
    figure_title,
    is_whole,
    name_of,
    notes_of,
    tasks_sentence,
    why_no_figure,
)
from deepassay.wings.papers.figures.grid import Grid
from deepassay.wings.papers.figures.rows import ROW, Panel, PanelMark, Panels, reach, set_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas


KIND: Final = "rubric-failures"
COLUMNS: Final = 3
"""Axes side by side."""

OBLIGATIONS: Final = ("mandatory", "optional")
INVERTED: Final = "faults fail when met"
CAPTION: Final = (
    "The share that each axis has of a task's failures, by the paper's formula: the mean over the "
    "tasks with a failure in which the axis occurs, so that the shares of an agent need not add up "
    "to 1. Bars are parted into mandatory and optional criteria. A failure is a Not Satisfied "
    "verdict, also on a fault that was avoided; the diamonds have it the other way round for "
    "faults. After figures 5 and 8 of ResearchRubrics."
)


Graded = Mapping[str, Sequence[Reading]]
"""What was read of the reports of each agent."""


class BarShares(NamedTuple):
    """One bar. mandatory, optional: shares that add up to that of the axis. inverted: ours.

    failures: on this axis, as the paper counts. tasks: over which the share is the mean.
    """

    mandatory: float
    optional: float
    inverted: float | None
    failures: int
    tasks: int


Bars = Mapping[str, Mapping[str, BarShares]]
"""By axis and agent."""


def rubric_failures(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each variant of `rubrics` that was judged."""
    for board in boards_of(material, "rubrics"):
        graded = _graded(board)
        bars = _bars(graded)
        if omitted := why_no_figure(KIND, board):
            yield omitted
        elif not bars:
            yield Omitted(name_of(KIND, board), f"no criterion failed by {board.protocol}")
        else:
            yield _figure(board, bars, rubric_notes(board, graded))


def _graded(board: Board) -> Graded:
    """What was read of the reports of each agent, in the order of the ranking."""
    found = board.beneath.readings
    return {row.agent: found.get(row.agent, ()) for row in board.standings}


def rubric_notes(board: Board, graded: Graded) -> tuple[str, ...]:
    """The notes of a board, and how many criteria of graded reports have no verdict."""
    lines = [line for own in graded.values() for reading in own for line in reading.lines]
    unknown = sum(line.verdict is None for line in lines)
    open_lines = f"{unknown} of {len(lines)} criteria have no verdict and do not count."
    return (*notes_of(board, marks=""), *((open_lines,) if unknown else ()))


def _bars(graded: Graded) -> Bars:
    bars: dict[str, dict[str, BarShares]] = {}
    for agent, own in graded.items():
        found, inverted = breakdown(own), breakdown(own, inverted=True)
        parted = shares_by_obligation(own)
        for axis, share in found.shares.items():
            other = inverted.shares.get(axis)
            bars.setdefault(axis, {})[agent] = BarShares(
                parted[axis, "mandatory"],
                parted[axis, "optional"],
                other.mean if other else None,
                found.counts.get(axis, 0),
                share.tasks,
            )
    return dict(sorted(bars.items()))


def _figure(board: Board, bars: Bars, notes: tuple[str, ...]) -> Figure:
    agents = [row.agent for row in board.standings]
    lines = -(-len(bars) // COLUMNS)
    return Figure.of(
        name_of(KIND, board),
        figure_title(board, "failures by axis"),
        caption_of(CAPTION, tasks_sentence(board)),
        Sketch(partial(_draw, agents, bars), (PAGE, lines * (ROW * len(agents) + 0.3) + 0.65)),
        ("agent", "axis", "failures", "tasks", "share", *OBLIGATIONS, INVERTED),
        (
            (agent, axis, *_parts_cells(own[agent]))
            for agent in agents
            for axis, own in bars.items()
            if agent in own
        ),
        notes,
        words=2,
    )


def _parts_cells(parts: BarShares) -> tuple[str, ...]:
    both = parts.mandatory + parts.optional
    shares = (both, parts.mandatory, parts.optional, parts.inverted)
    return str(parts.failures), str(parts.tasks), *(decimals(share, 4) for share in shares)


def _draw(agents: Sequence[str], bars: Bars, canvas: Canvas, look: Look) -> None:
    columns = min(len(bars), COLUMNS)
    lines = -(-len(bars) // columns)
    grid = canvas.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        axes.set_visible(place < len(bars))
    for axes, (axis, own) in zip(grid.flat, bars.items(), strict=False):
        _draw_bars(axes, look, agents, own)
        axes.set_title(short(axis, 30))
    for axes in grid[-1]:
        axes.set_xlabel("share of failures")
    handles, names = grid.flat[0].get_legend_handles_labels()
    named = dict(zip(names, handles, strict=True))
    order = [name for name in (*OBLIGATIONS, INVERTED) if name in named]
    canvas.legend([named[name] for name in order], order, loc="outside lower left", ncols=3)


def _draw_bars(axes: Axes, look: Look, agents: Sequence[str], own: Mapping[str, BarShares]) -> None:
    places = [place for place, agent in enumerate(agents) if agent in own]
    parts = [own[agent] for agent in agents if agent in own]
    begin = [0.0] * len(parts)
    shares = ([each.mandatory for each in parts], [each.optional for each in parts])
    for series, (name, own_shares) in enumerate(zip(OBLIGATIONS, shares, strict=True)):
        axes.barh(
            places, own_shares, 0.7, begin, label=name, hatch=hatch(series), edgecolor=look.paper,
            color=look.colour(series), linewidth=0.4,
        )  # fmt: skip
        begin = [left + share for left, share in zip(begin, own_shares, strict=True)]
    inverted = [
        (each.inverted, place)
        for each, place in zip(parts, places, strict=True)
        if each.inverted is not None
    ]
    axes.plot(
        [share for share, _ in inverted], [place for _, place in inverted], "D", label=INVERTED,
        markerfacecolor=look.paper, color=look.ink, markersize=3.5, markeredgewidth=0.8,
        clip_on=False,
    )  # fmt: skip
    set_rows(axes, agents)


IMPORTANCE_KIND: Final = "rubric-importance"
IMPORTANCE_CAPTION: Final = (
    "Criteria that fail, in per cent of those with a verdict, of all reports together: mandatory "
    "and optional ones, then by the six levels of ResearchRubrics' table 4. Here a fault fails "
    "when it is met. The brighter the more fail. The counts are in the table."
)


def rubric_importance(material: Material) -> Iterator[Figure | Omitted]:
    """One heat map for each variant of `rubrics` that was judged."""
    for board in boards_of(material, "rubrics"):
        yield why_no_figure(IMPORTANCE_KIND, board) or _importance_figure(board, _graded(board))


def _importance_figure(board: Board, graded: Graded) -> Figure | Omitted:
    found = {agent: _by_importance(own) for agent, own in graded.items()}
    kinds = [
        (place, name)
        for place, name in enumerate(IMPORTANCE)
        if any(own[place].known for own in found.values())
    ]
    if not kinds:
        return Omitted(
            name_of(IMPORTANCE_KIND, board), f"no criterion has a verdict by {board.protocol}"
        )
    shares = {
        (row, column): 100 * own[place].failed / own[place].known
        for row, own in enumerate(found.values())
        for column, (place, _) in enumerate(kinds)
        if own[place].known
    }
    columns = [str(name) for _, name in kinds]
    grid = Grid(
        list(found),
        columns,
        shares,
        "criteria that fail, %",
        "{:.1f}".format,
        ends=(0.0, 100.0),
    )
    return Figure.of(
        name_of(IMPORTANCE_KIND, board),
        figure_title(board, "criteria that fail, by importance"),
        caption_of(IMPORTANCE_CAPTION, tasks_sentence(board)),
        grid,
        ("agent", *columns),
        ((agent, *(_cell(own[place]) for place, _ in kinds)) for agent, own in found.items()),
        rubric_notes(board, graded),
    )


def _by_importance(graded: Sequence[Reading]) -> list[Failing]:
    """How often criteria of each importance failed, over all axes together."""
    found = failing(graded)
    own = [[each for (_, kind), each in found.items() if kind == name] for name in IMPORTANCE]
    return [Failing(sum(e.failed for e in each), sum(e.known for e in each)) for each in own]


def _cell(found: Failing) -> str:
    return str(found) if found.known else NONE


STRATA_KIND: Final = "rubric-strata"
STRATA: Final = ("breadth", "nesting", "exploration")
"""Labels of ResearchRubrics' tasks."""

LEVELS: Final = ("simple shallow low", "moderate intermediate medium", "high deep")
"""Their values, from the easiest to the hardest (section 3.2, table 2)."""

STRATA_CAPTION: Final = (
    "Compliance on tasks of each stratum: the weights of what is met by the positive weights, mean "
    "over tasks, with the 95 % interval of Student's t. In brackets: tasks. After figure 6 of "
    "ResearchRubrics, which has no intervals."
)
BINARY: Final = "Binary takes partly satisfied for not."

RANGE: Final = Interval(0.0, 1.0)


def rubric_strata(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each variant of `rubrics`, over the strata of its tasks or the asked label."""
    for board in boards_of(material, "rubrics"):
        labels = _labels(material.judged[board.protocol], material.by)
        if omitted := why_no_figure(STRATA_KIND, board):
            yield omitted
        elif not labels:
            asked = (
                "no task has a label breadth, nesting or exploration, and no other was asked for"
            )
            yield Omitted(name_of(STRATA_KIND, board), asked)
        else:
            graded = _graded(board)
            for scale in ("binary",) if is_binary(board.protocol) else ("ternary", "binary"):
                yield _strata_figure(board, graded, labels, scale)


def _labels(records: Sequence[Judged], by: str | None) -> list[str]:
    names = {name for each in records for name in each.labels}
    return [name for name in STRATA if name in names] or [name for name in names if name == by]


def _strata_figure(board: Board, graded: Graded, labels: Sequence[str], scale: str) -> Figure:
    whole = {row.agent: is_whole(row) for row in board.standings}
    panels = [_panel(graded, label, scale, whole) for label in labels]
    marks = [each for panel in panels for own in panel.series.values() for each in own]
    ends = reach([(value, interval) for value, interval, _ in marks], RANGE)
    panels = [replace(panel, ends=ends) for panel in panels]
    drawn = Panels(list(graded), panels)
    return Figure.of(
        name_of(f"{STRATA_KIND}-{scale}", board),
        figure_title(board, f"{scale} compliance by {', '.join(map(short, labels))}"),
        caption_of(STRATA_CAPTION, BINARY if scale == "binary" else "", tasks_sentence(board)),
        drawn,
        ("agent", "label", "value (tasks)", "compliance", "low", "high"),
        drawn.cells(),
        notes_of(board),
        words=3,
    )


def _panel(graded: Graded, label: str, scale: str, whole: Mapping[str, bool]) -> Panel:
    tasks = {
        (each.task, each.labels[label])
        for own in graded.values()
        for each in own
        if label in each.labels
    }
    values = sorted({value for _, value in tasks}, key=_hardness)
    series = {}
    for value in values:
        count = sum(own == value for _, own in tasks)
        series[f"{value} ({count})"] = [
            _mark([each for each in own if each.labels.get(label) == value], scale, whole[agent])
            for agent, own in graded.items()
        ]
    return Panel(f"compliance by {short(label, 28)}", series, name=label)


def _mark(graded: Sequence[Reading], scale: str, whole: bool) -> PanelMark:
    found = ((each.place, compliance_of(each.lines, binary=scale == "binary")) for each in graded)
    means = task_means((place, value) for place, value in found if value is not None)
    return PanelMark.of(means.values(), Interval(float("-inf"), 1.0), not whole)


def _hardness(value: str) -> tuple[int, str]:
    word = value.strip().lower()
    places = [place for place, words in enumerate(LEVELS) if word in words.split()]
    return (places[0] if places else len(LEVELS)), value
