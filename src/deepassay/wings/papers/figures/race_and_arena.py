"""How good the reports are, and how well they cite (DeepResearch Bench, figure 1).

What the reports make of key points, against what they cost (DeepResearch Arena, figure 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.aggregate import task_means
from deepassay.results.citations import by_task, code_figures
from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, caption_of
from deepassay.results.figures.style import MARKERS, Look, marker, short
from deepassay.results.lengths import mean_lengths
from deepassay.results.overview import OFFLINE
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.tables import decimals
from deepassay.score import Score, without_options
from deepassay.stats.intervals import Interval
from deepassay.wings.papers.figures.boards import (
    boards_of,
    figure_title,
    is_whole,
    name_of,
    notes_of,
    records_beneath,
    tasks_sentence,
    why_no_figure,
    why_unfit,
)
from deepassay.wings.papers.figures.rows import Panel, PanelMark, Panels, number_and_ends, reach

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas
    from matplotlib.ticker import Locator


KIND: Final = "race-and-fact"
PARITY: Final = 0.5
SHARE: Final = Interval(0.0, 1.0)
COUNT: Final = Interval(0.0, float("inf"))

PAPER: Final = "mean over tasks (paper)"
CODE: Final = "pooled (released program)"
CODE_OF_CITING: Final = "per citing report (program)"

HOLLOW_NOTE: Final = "Hollow marks of {}: scores missing."
CAPTION: Final = (
    "After figure 1 of DeepResearch Bench, with 95 % intervals of Student's t over tasks, which "
    "the paper does not give."
)
RACE_CAPTION: Final = (
    "RACE: the report's part of the weighted marks of report and reference; the broken line is "
    "parity with the reference."
)
FACT_CAPTION: Final = (
    "FACT: citation accuracy and effective citations, by the formulas of the paper and as the "
    "released program reckons them, which pools verdicts and leaves out reports that cite nothing."
)


def race_and_fact(material: Material) -> Iterator[Figure | Omitted]:
    """One figure of what was judged of the two; of their variants, the plain one."""
    chosen = [_plain(own) for name in ("race", "fact") if (own := boards_of(material, name))]
    fit = [board for board in chosen if not why_unfit(board)]
    if fit:
        yield _figure(material, fit, [why_unfit(board) for board in chosen if board not in fit])
    elif chosen:
        yield Omitted(name_of(KIND, chosen[0]), "; ".join(map(why_unfit, chosen)))


def _plain(boards: Sequence[Board]) -> Board:
    return min(boards, key=lambda board: (len(board.protocol), board.protocol))


def _figure(material: Material, boards: Sequence[Board], absent: Sequence[str]) -> Figure:
    agents = list(dict.fromkeys(row.agent for board in boards for row in board.standings))
    panels: list[Panel] = []
    captions = []
    for board in boards:
        if without_options(board.protocol) == "race":
            panels.append(_race(board, agents))
            captions.append(RACE_CAPTION)
        else:
            panels += _fact(board, agents)
            captions.append(FACT_CAPTION)
    unfit = [f"Not drawn: {why}." for why in absent]
    said_of = (notes_of(board, marks=HOLLOW_NOTE.format(board.protocol)) for board in boards)
    notes = (*unfit, *dict.fromkeys(note for own in said_of for note in own))
    offline = any(board.offline for board in boards)
    names = " and ".join(short(board.protocol, 60) for board in boards)
    title = f"{names}{f' ({OFFLINE})' if offline else ''}: quality and citations"
    drawn = Panels(agents, panels)
    return Figure.of(
        KIND,
        title,
        caption_of(*captions, CAPTION, tasks_sentence(*boards)),
        drawn,
        ("agent", "of", "reckoned as", "value", "low", "high"),
        drawn.cells(),
        notes,
        words=3,
    )


def _race(board: Board, agents: Sequence[str]) -> Panel:
    found = {
        row.agent: PanelMark(row.summary.mean, row.summary.interval, not is_whole(row))
        for row in board.standings
    }
    marks = [found.get(agent, PanelMark(None)) for agent in agents]
    relative = not any(option in board.protocol for option in ("reference=False", "vanilla=True"))
    return Panel(
        "RACE (overall)",
        {"mean over tasks": marks},
        board.limits,
        PARITY if relative else None,
        [decimals(mark.value, 3) for mark in marks],
    )


def _fact(board: Board, agents: Sequence[str]) -> tuple[Panel, Panel]:
    """Accuracy, and effective citations."""
    whole = {row.agent: is_whole(row) for row in board.standings}
    accuracy: dict[str, list[PanelMark]] = {PAPER: [], CODE: []}
    effective: dict[str, list[PanelMark]] = {PAPER: [], CODE_OF_CITING: []}
    for agent in agents:
        reports = board.beneath.counted.get(agent, ())
        hollow = not whole.get(agent, True)
        accuracies, citations = by_task(reports)
        code = code_figures(reports)
        accuracy[PAPER].append(PanelMark.of(accuracies.values(), SHARE, hollow))
        accuracy[CODE].append(PanelMark(code.rate, None, hollow))
        effective[PAPER].append(
            PanelMark.of(citations.values(), Interval(0.0, float("inf")), hollow)
        )
        judged_any = code.rate is not None
        effective[CODE_OF_CITING].append(
            PanelMark(code.supported if judged_any else None, None, hollow)
        )
    most = max((mark.value or 0.0 for marks in effective.values() for mark in marks), default=0.0)
    return (
        Panel("FACT: citation accuracy", accuracy, SHARE),
        Panel("FACT: effective citations", effective, Interval(0.0, max(most, 1.0))),
    )


KEY_POINTS_AGAINST_COST: Final = "key-points-against-cost"
RATES: Final = {"KSR": "supported", "KCR": "contradicted", "KOR": "omitted"}

KEY_POINTS_CAPTION: Final = (
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
    lengths = mean_lengths(material.reports) if material.reports else []
    tokens = {each.agent: each.means.tokens for each in lengths}
    for board in boards_of(material, "kae"):
        judged = records_beneath(board)
        points = [
            KeyPointRates(
                row.agent, tokens[row.agent], _rates(judged[row.agent], not is_whole(row))
            )
            for row in board.standings
            if row.summary.tasks.scored and row.agent in tokens
        ]
        if omitted := why_no_figure(KEY_POINTS_AGAINST_COST, board):
            yield omitted
        elif not points:
            yield Omitted(
                name_of(KEY_POINTS_AGAINST_COST, board), "the lengths of the reports are not known"
            )
        else:
            yield _key_points_figure(board, points)


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


def _key_points_figure(board: Board, points: Sequence[KeyPointRates]) -> Figure:
    ends = (f"{rate} {end}".strip() for rate in RATES for end in ("", "low", "high"))
    return Figure.of(
        name_of(KEY_POINTS_AGAINST_COST, board),
        figure_title(board, "key points against the length of reports"),
        caption_of(KEY_POINTS_CAPTION, tasks_sentence(board)),
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
