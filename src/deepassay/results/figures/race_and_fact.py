"""How good the reports are, and how well they cite (DeepResearch Bench, figure 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Final

from deepassay.results.aggregate import inside
from deepassay.results.citations import by_task, code_figures, counted_reports
from deepassay.results.figures.boards import (
    boards_of,
    name_of,
    records_beneath,
    tasks_of,
    why_unfit,
)
from deepassay.results.figures.coverage import is_whole, notes_of, said
from deepassay.results.figures.figure import PAGE, Figure, Omitted
from deepassay.results.figures.material import Material
from deepassay.results.figures.panels import PanelMark, Panel, draw_panels, height_of
from deepassay.results.figures.style import short
from deepassay.results.overview import OFFLINE
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.tables import NONE, Table
from deepassay.stats.intervals import Interval, t_interval

KIND: Final = "race-and-fact"
PARITY: Final = 0.5
SHARE: Final = Interval(0.0, 1.0)

PAPER: Final = "mean over tasks (paper)"
CODE: Final = "pooled (released program)"
CODE_OF_CITING: Final = "per citing report (program)"

HOLLOW: Final = "Hollow marks of {}: scores missing."
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
        if board.protocol.partition("(")[0] == "race":
            panels.append(_race(board, agents))
            captions.append(RACE_CAPTION)
        else:
            panels += _fact(board, agents, records_beneath(material, board))
            captions.append(FACT_CAPTION)
    unfit = [f"Not drawn: {why}." for why in absent]
    said_of = (notes_of(board, marks=HOLLOW.format(board.protocol)) for board in boards)
    notes = (*unfit, *dict.fromkeys(note for own in said_of for note in own))
    offline = any(board.offline for board in boards)
    names = " and ".join(short(board.protocol, 60) for board in boards)
    title = f"{names}{f' ({OFFLINE})' if offline else ''}: quality and citations"
    return Figure(
        KIND,
        title,
        said(*captions, CAPTION, tasks_of(*boards), *notes),
        _table(title, agents, panels, notes),
        partial(draw_panels, agents, panels),
        (PAGE, height_of(len(agents), panels)),
        notes,
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
        [_number(mark.value, 3) for mark in marks],
    )


def _fact(
    board: Board, agents: Sequence[str], judged: Mapping[str, Sequence[Judged]]
) -> tuple[Panel, Panel]:
    """Accuracy, and effective citations."""
    whole = {row.agent: is_whole(row) for row in board.standings}
    accuracy: dict[str, list[PanelMark]] = {PAPER: [], CODE: []}
    effective: dict[str, list[PanelMark]] = {PAPER: [], CODE_OF_CITING: []}
    for agent in agents:
        reports = list(counted_reports(judged.get(agent, ())))
        hollow = not whole.get(agent, True)
        accuracies, citations = by_task(reports)
        code = code_figures(reports)
        accuracy[PAPER].append(_mean(accuracies.values(), SHARE, hollow))
        accuracy[CODE].append(PanelMark(code.rate, None, hollow))
        effective[PAPER].append(_mean(citations.values(), Interval(0.0, float("inf")), hollow))
        judged_any = code.rate is not None
        effective[CODE_OF_CITING].append(PanelMark(code.supported if judged_any else None, None, hollow))
    most = max((mark.value or 0.0 for marks in effective.values() for mark in marks), default=0.0)
    return (
        Panel("FACT: citation accuracy", accuracy, SHARE),
        Panel("FACT: effective citations", effective, Interval(0.0, max(most, 1.0))),
    )


def _mean(values: Iterable[float], limits: Interval, hollow: bool) -> PanelMark:
    each = list(values)
    if not each:
        return PanelMark(None)
    return PanelMark(fmean(each), inside(t_interval(each), limits), hollow)


def _table(
    title: str, agents: Sequence[str], panels: Sequence[Panel], notes: tuple[str, ...]
) -> Table:
    """Every mark with the ends of its interval, a row an agent and a series."""
    rows = [
        (agent, panel.label, name, *_cells(marks[place]))
        for place, agent in enumerate(agents)
        for panel in panels
        for name, marks in panel.series.items()
    ]
    head = ("agent", "of", "reckoned as", "value", "low", "high")
    return Table(title, head, tuple(rows), notes, frozenset({3, 4, 5}))


def _cells(mark: PanelMark) -> tuple[str, ...]:
    return tuple(_number(number, 4) for number in (mark.value, *(mark.interval or (None, None))))


def _number(value: float | None, digits: int) -> str:
    return NONE if value is None else f"{value:.{digits}f}"
