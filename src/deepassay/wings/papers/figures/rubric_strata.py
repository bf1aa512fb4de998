"""Compliance with rubrics by how hard the tasks are (ResearchRubrics, figure 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from deepassay.results.figures.figure import Figure, Material, Omitted, caption_of
from deepassay.results.figures.style import short
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.rubric_compliance import task_compliance
from deepassay.results.rubric_items import Reading, is_binary
from deepassay.stats.intervals import Interval
from deepassay.wings.papers.figures.boards import (
    boards_of,
    figure_name,
    figure_title,
    is_whole,
    notes_of,
    tasks_sentence,
    why_no_figure,
)
from deepassay.wings.papers.figures.panels import Panel, PanelMark, Panels
from deepassay.wings.papers.figures.rows import SHARE, reach
from deepassay.wings.papers.figures.rubric_failures import Graded, readings_of

KIND: Final = "rubric-strata"
STRATA: Final = ("breadth", "nesting", "exploration")
"""Labels of ResearchRubrics' tasks."""

LEVELS: Final = ("simple shallow low", "moderate intermediate medium", "high deep")
"""Their values, from the easiest to the hardest (section 3.2, table 2)."""

CAPTION: Final = (
    "Compliance on tasks of each stratum: the weights of what is met by the positive weights, mean "
    "over tasks, with the 95 % interval of Student's t. In brackets: tasks. After figure 6 of "
    "ResearchRubrics, which has no intervals."
)
BINARY: Final = "Binary takes partly satisfied for not."


def rubric_strata(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each variant of `rubrics`, over the strata of its tasks or the asked label."""
    for board in boards_of(material, "rubrics"):
        labels = _labels(material.judged[board.protocol], material.by)
        if omitted := why_no_figure(KIND, board):
            yield omitted
        elif not labels:
            asked = (
                "no task has a label breadth, nesting or exploration, and no other was asked for"
            )
            yield Omitted(figure_name(KIND, board), asked)
        else:
            graded = readings_of(board)
            for scale in ("binary",) if is_binary(board.protocol) else ("ternary", "binary"):
                yield _figure(board, graded, labels, scale)


def _labels(records: Sequence[Judged], by: str | None) -> list[str]:
    names = {name for each in records for name in each.labels}
    return [name for name in STRATA if name in names] or [name for name in names if name == by]


def _figure(board: Board, graded: Graded, labels: Sequence[str], scale: str) -> Figure:
    whole = {row.agent: is_whole(row) for row in board.standings}
    panels = [_panel(graded, label, scale, whole) for label in labels]
    marks = [each for panel in panels for own in panel.series.values() for each in own]
    ends = reach([(value, interval) for value, interval, _ in marks], SHARE)
    panels = [replace(panel, ends=ends) for panel in panels]
    drawn = Panels(list(graded), panels)
    return Figure.of(
        figure_name(f"{KIND}-{scale}", board),
        figure_title(board, f"{scale} compliance by {', '.join(map(short, labels))}"),
        caption_of(CAPTION, BINARY if scale == "binary" else "", tasks_sentence(board)),
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
    means = task_compliance(graded, binary=scale == "binary")
    return PanelMark.of(means, Interval(float("-inf"), 1.0), not whole)


def _hardness(value: str) -> tuple[int, str]:
    word = value.strip().lower()
    places = [place for place, words in enumerate(LEVELS) if word in words.split()]
    return (places[0] if places else len(LEVELS)), value
