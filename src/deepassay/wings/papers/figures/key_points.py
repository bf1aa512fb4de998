"""What the reports make of key points, against what they cost (DeepResearch Arena, figure 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.aggregate import task_means
from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, caption_of
from deepassay.results.figures.style import MARKERS, Look, marker, short
from deepassay.results.lengths import agent_lengths
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.score import Score
from deepassay.wings.papers.figures.boards import (
    boards_of,
    figure_name,
    figure_title,
    is_whole,
    notes_of,
    records_beneath,
    tasks_sentence,
    why_no_figure,
)
from deepassay.wings.papers.figures.panels import PanelMark, number_and_ends
from deepassay.wings.papers.figures.rows import SHARE, reach

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas
    from matplotlib.ticker import Locator


KIND: Final = "key-points-against-cost"
RATES: Final = {"KSR": "supported", "KCR": "contradicted", "KOR": "omitted"}

CAPTION: Final = (
    "Key points of the cited pages that a report supports, contradicts and omits (KSR, KCR, KOR: "
    "shares, mean over tasks, with the 95 % interval of Student's t), against the length of the "
    "agent's reports. Better is high at the left, low at the right two. After figure 4 of "
    "DeepResearch Arena, which plots an efficiency that it does not define: the cost axis is ours, "
    "the mean of estimated tokens of a report, which is what a run keeps of what it took to write."
)


class KeyPointRates(NamedTuple):
    """One agent. tokens: mean length of its reports. rates: by the names of `RATES`."""

    agent: str
    tokens: float
    rates: Mapping[str, PanelMark]


def key_points_against_cost(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each variant of `kae` that was judged."""
    lengths = agent_lengths(material.reports)
    for board in boards_of(material, "kae"):
        judged = records_beneath(board)
        points = [
            KeyPointRates(
                row.agent, lengths[row.agent].tokens, _rates(judged[row.agent], not is_whole(row))
            )
            for row in board.standings
            if row.summary.tasks.scored and row.agent in lengths
        ]
        if omitted := why_no_figure(KIND, board):
            yield omitted
        elif not points:
            yield Omitted(figure_name(KIND, board), "the lengths of the reports are not known")
        else:
            yield _figure(board, points)


def _rates(records: Sequence[Judged], hollow: bool) -> dict[str, PanelMark]:
    marks = {}
    for rate in RATES:
        means = task_means(
            ((each.task, each.sample), share)
            for each in records
            if isinstance(each.outcome, Score)
            and (share := each.outcome.parts.get(rate)) is not None
        )
        marks[rate] = PanelMark.of(means.values(), SHARE, hollow)
    return marks


def _figure(board: Board, points: Sequence[KeyPointRates]) -> Figure:
    ends = (f"{rate} {end}".strip() for rate in RATES for end in ("", "low", "high"))
    return Figure.of(
        figure_name(KIND, board),
        figure_title(board, "key points against the length of reports"),
        caption_of(CAPTION, tasks_sentence(board)),
        Sketch(partial(_draw, points), (PAGE, 2.2 + 0.16 * -(-len(points) // 3))),
        ("agent", "tokens", *ends),
        (
            (
                point.agent,
                f"{point.tokens:.0f}",
                *chain.from_iterable(number_and_ends(*each[:2]) for each in point.rates.values()),
            )
            for point in points
        ),
        notes_of(board),
    )


def _draw(points: Sequence[KeyPointRates], canvas: Canvas, look: Look) -> None:
    panels = canvas.subplots(1, len(RATES), sharex=True)
    for axes, (rate, name) in zip(panels, RATES.items(), strict=True):
        for series, point in enumerate(points):
            value, interval, hollow = point.rates[rate]
            if value is None:
                continue
            colour = look.colour(series)
            if interval is not None:
                axes.plot((point.tokens, point.tokens), interval, color=colour, linewidth=0.8)
            axes.plot(
                [point.tokens], [value], marker(series + series // len(MARKERS)), color=colour,
                markerfacecolor=look.paper if hollow else colour, label=short(point.agent),
            )  # fmt: skip
        axes.set_title(f"{rate}: {name}")
        drawn = [(mark.value, mark.interval) for mark in (each.rates[rate] for each in points)]
        axes.set_ylim(*reach(drawn, SHARE))
        axes.set_xlabel("tokens of a report")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_major_locator(_few())
        axes.grid()
    handles, names = panels[0].get_legend_handles_labels()
    canvas.legend(handles, names, loc="outside lower left", ncols=3)


def _few() -> Locator:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)
