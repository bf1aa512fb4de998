"""How good the reports are, and how well they cite (DeepResearch Bench, figure 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.results.citations import by_task, code_figures
from deepassay.results.figures.figure import Figure, Material, Omitted, caption_of
from deepassay.results.figures.style import short
from deepassay.results.overview import OFFLINE
from deepassay.results.ranking import Board
from deepassay.results.tables import decimals
from deepassay.score import without_options
from deepassay.stats.intervals import Interval
from deepassay.wings.papers.figures.boards import (
    boards_of,
    figure_name,
    is_whole,
    notes_of,
    tasks_sentence,
    why_unfit,
)
from deepassay.wings.papers.figures.panels import Panel, PanelMark, Panels
from deepassay.wings.papers.figures.rows import SHARE

KIND: Final = "race-and-fact"
PARITY: Final = 0.5
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
    chosen = [
        min(own, key=lambda board: (len(board.protocol), board.protocol))
        for name in ("race", "fact")
        if (own := boards_of(material, name))
    ]
    fit = [board for board in chosen if not why_unfit(board)]
    if fit:
        yield _figure(material, fit, [why_unfit(board) for board in chosen if board not in fit])
    elif chosen:
        yield Omitted(figure_name(KIND, chosen[0]), "; ".join(map(why_unfit, chosen)))


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
        effective[PAPER].append(PanelMark.of(citations.values(), COUNT, hollow))
        judged_any = code.rate is not None
        effective[CODE_OF_CITING].append(
            PanelMark(code.supported if judged_any else None, None, hollow)
        )
    most = max((mark.value or 0.0 for marks in effective.values() for mark in marks), default=0.0)
    return (
        Panel("FACT: citation accuracy", accuracy, SHARE),
        Panel("FACT: effective citations", effective, Interval(0.0, max(most, 1.0))),
    )
