"""What people would say beside a judge's scores in a ranking, never in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from deepassay.errors import BadInput
from deepassay.results.ranking import Board
from deepassay.results.standings import ByPeople, Standing
from deepassay.stats.intervals import Interval
from deepassay.wings.people.calibration.calibration_file import (
    AgentKey,
    CalibrationFile,
    SavedCalibration,
)

UNCALIBRATED = "it is not in the calibration"
CHANGED = "its scores are others than those that were calibrated"


def rankings_with_calibration(
    boards: Sequence[Board], kept: CalibrationFile, scores: Mapping[AgentKey, str], place: str
) -> tuple[Board, ...]:
    """The rankings with what a calibration says of their agents.

    Those over all tasks, by the one recipe that it was made for; others stay as they are. scores:
    see `digests`. place: of the file. Raises BadInput if there is none.
    """
    found = {
        at: own
        for at, board in enumerate(boards)
        if board.label is None and (own := _of_board(board, kept.judges))
    }
    if not found:
        made = ", ".join(dict.fromkeys(f"{own.protocol} by {own.judge}" for own in kept.judges))
        raise BadInput(
            f"{place} calibrates none of these rankings: another judge, protocol, task set or run.",
            f"It is on {made}. For this run: deepassay calibrate RUN --human FILE -o FILE.",
        )
    return tuple(
        replace(board, standings=tuple(_with(row, found[at], scores) for row in board.standings))
        if at in found
        else board
        for at, board in enumerate(boards)
    )


def _of_board(board: Board, judges: Iterable[SavedCalibration]) -> SavedCalibration | None:
    """By scores of whole reports where there are some, else by verdicts."""
    own = [
        each
        for each in judges
        if each.shown and [each.recipe] == [recipe.digest for recipe in board.recipes]
    ]
    return min(own, key=lambda each: (each.labels_are != "scores", each.part), default=None)


def _with(row: Standing, kept: SavedCalibration, scores: Mapping[AgentKey, str]) -> Standing:
    if row.reference:
        return row
    agent = next((each for each in kept.agents if each.agent == row.agent), None)
    span = Interval(*kept.span)
    if agent is None:
        return replace(row, people=ByPeople(None, None, span, 0, UNCALIBRATED))
    if agent.scores != scores.get((kept.recipe, row.agent)):
        return replace(row, people=ByPeople(None, None, span, agent.labels, CHANGED))
    said, ends = agent.people, agent.people.interval
    interval = Interval(*ends) if ends else None
    return replace(row, people=ByPeople(said.value, interval, span, agent.labels, agent.why_not))
