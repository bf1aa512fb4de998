"""Compliance with rubrics by how hard the tasks are (ResearchRubrics, figure 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Final

from deepassay.results.aggregate import inside, task_means
from deepassay.results.figures.boards import boards_of, name_of, records_beneath, tasks_of, unfit
from deepassay.results.figures.coverage import HOLLOW, is_whole, notes_of, said
from deepassay.results.figures.figure import PAGE, Figure, Omitted
from deepassay.results.figures.material import Material
from deepassay.results.figures.panels import PanelMark, Panel, draw_panels, height_of
from deepassay.results.figures.rows import reach
from deepassay.results.figures.style import short
from deepassay.results.overview import heading
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.rubric_compliance import compliance_of
from deepassay.results.rubric_items import Reading, is_binary, readings
from deepassay.results.tables import NONE, Table
from deepassay.stats.intervals import Interval, t_interval

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

RANGE: Final = Interval(0.0, 1.0)

Graded = Mapping[str, Sequence[Reading]]


def rubric_strata(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each variant of `rubrics`, over the strata of its tasks or the asked label."""
    for board in boards_of(material, "rubrics"):
        judged = records_beneath(material, board)
        labels = _labels([each for own in judged.values() for each in own], material.by)
        if omitted := unfit(KIND, board):
            yield omitted
        elif not labels:
            asked = (
                "no task has a label breadth, nesting or exploration, and no other was asked for"
            )
            yield Omitted(name_of(KIND, board), asked)
        else:
            graded = {agent: readings(own) for agent, own in judged.items()}
            for scale in ("binary",) if is_binary(board.protocol) else ("ternary", "binary"):
                yield _figure(board, graded, labels, scale)


def _labels(records: Sequence[Judged], by: str | None) -> list[str]:
    names = {name for each in records for name in each.labels}
    return [name for name in STRATA if name in names] or [name for name in names if name == by]


def _figure(board: Board, graded: Graded, labels: Sequence[str], scale: str) -> Figure:
    whole = {row.agent: is_whole(row) for row in board.standings}
    panels = [_panel(graded, label, scale, whole) for label in labels]
    marks = [each for panel in panels for own in panel.series.values() for each in own]
    ends = reach([(value, interval) for value, interval, _ in marks], RANGE)
    panels = [replace(panel, ends=ends) for panel in panels]
    notes = notes_of(board, marks=HOLLOW)
    title = f"{short(heading(board), 60)}: {scale} compliance by {', '.join(map(short, labels))}"
    agents = list(graded)
    return Figure(
        name_of(f"{KIND}-{scale}", board),
        title,
        said(CAPTION, BINARY if scale == "binary" else "", tasks_of(board), *notes),
        _table(title, agents, dict(zip(labels, panels, strict=True)), notes),
        partial(draw_panels, agents, panels),
        (PAGE, height_of(len(agents), panels)),
        notes,
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
    return Panel(f"compliance by {short(label, 28)}", series)


def _mark(graded: Sequence[Reading], scale: str, whole: bool) -> PanelMark:
    found = ((each.place, compliance_of(each.lines, binary=scale == "binary")) for each in graded)
    means = list(task_means((place, value) for place, value in found if value is not None).values())
    if not means:
        return PanelMark(None)
    top = Interval(float("-inf"), 1.0)
    return PanelMark(fmean(means), inside(t_interval(means), top), not whole)


def _hardness(value: str) -> tuple[int, str]:
    word = value.strip().lower()
    places = [place for place, words in enumerate(LEVELS) if word in words.split()]
    return (places[0] if places else len(LEVELS)), value


def _table(
    title: str, agents: Sequence[str], panels: Mapping[str, Panel], notes: tuple[str, ...]
) -> Table:
    rows = [
        (agent, label, name, *_cells(marks[place]))
        for place, agent in enumerate(agents)
        for label, panel in panels.items()
        for name, marks in panel.series.items()
    ]
    head = ("agent", "label", "value (tasks)", "compliance", "low", "high")
    return Table(title, head, tuple(rows), notes, frozenset({3, 4, 5}))


def _cells(mark: PanelMark) -> tuple[str, ...]:
    numbers = (mark.value, *(mark.interval or (None, None)))
    return tuple(NONE if number is None else f"{number:.4f}" for number in numbers)
