"""What people would say beside a judge's scores in a ranking, never in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.known import KnownOfJudge, deciding, what_differs
from deepassay.results.ranking import Board
from deepassay.results.standings import ByPeople, Standing
from deepassay.results.tables import percent, several
from deepassay.stats.intervals import Interval
from deepassay.stats.ranks import TIE
from deepassay.wings.people.calibration.calibration_file import (
    AgentKey,
    CalibrationFile,
    SavedCalibration,
)

UNCALIBRATED = "it is not in the calibration"
CHANGED = "its scores are others than those that were calibrated"
THEN: Final = "in the calibration"


def rankings_with_calibration(
    boards: Sequence[Board], kept: CalibrationFile, scores: Mapping[AgentKey, str], place: str
) -> tuple[Board, ...]:
    """The rankings with what a calibration says of their judges and agents.

    What people would say of agents stands beside those over all tasks, by the one recipe that it
    was made for. How often the judge contradicts people stands above every ranking by that judge,
    also of other tasks; where its prompts, model or settings have moved it is stale, and what
    differs is named. scores: see `digests`. place: of the file. Raises BadInput if no ranking is by
    a protocol of it.
    """
    found = [_of_board(board, kept, scores) for board in boards]
    if not any(each for each in found):
        made = ", ".join(dict.fromkeys(f"{own.protocol} by {own.judge}" for own in kept.judges))
        raise BadInput(
            f"{place} calibrates none of these rankings: another judge, protocol, task set or run.",
            f"It is on {made}. For this run: deepassay calibrate RUN --human FILE -o FILE.",
        )
    return tuple(each or board for each, board in zip(found, boards, strict=True))


def _by_closeness(board: Board, kept: CalibrationFile) -> list[SavedCalibration]:
    """What is of its judge, then of those that differ in more; nothing of another protocol.

    First by scores of whole reports, then by verdicts. A mixed ranking has none.
    """
    (recipe, *more), here = board.recipes, deciding(board.recipes[0].identity)
    own = [
        each
        for each in kept.judges
        if each.shown and each.protocol == board.protocol and not more
        # Whose it is is not known of files of an earlier version, but for their own recipe.
        if each.identity or each.recipe == recipe.digest
    ]
    return sorted(
        own,
        key=lambda each: (
            each.recipe != recipe.digest,
            len(what_differs(each.identity, here, THEN)),
            each.labels_are != "scores",
            each.part,
        ),
    )


def _of_board(board: Board, kept: CalibrationFile, scores: Mapping[AgentKey, str]) -> Board | None:
    closest = _by_closeness(board, kept)
    if not closest:
        return None
    first, recipe = closest[0], board.recipes[0]
    on_these = first.recipe == recipe.digest
    if apart := _apart(first, board):
        return board.knowing(
            KnownOfJudge(
                f"the calibration by {kept.labels} is of another judge or recipe "
                f"({'; '.join(apart)}). Calibrate this one: `deepassay calibrate`.",
                stale=True,
            )
        )
    if on_these and board.label is None:
        rows = tuple(_with(row, first, scores) for row in board.standings)
        board = replace(board, standings=rows)
    # Labels of one kind may be too few to say how often it errs where those of another are enough.
    of_it = [each for each in closest if not _apart(each, board)]
    told, error = _contradicting(next((each for each in of_it if _has_error(each)), first))
    known = KnownOfJudge(f"calibrated by {kept.labels}: {told}{_flips(board, first)}.", error)
    if board.label is not None:  # it stands above the ranking by all tasks
        return replace(board, known=(*board.known, known))
    return board.knowing(known)


def _apart(kept: SavedCalibration, board: Board) -> Sequence[str]:
    """In what its judge differs from that of a ranking."""
    recipe = board.recipes[0]
    if kept.recipe == recipe.digest:
        return ()
    return what_differs(kept.identity, deciding(recipe.identity), THEN)


def _has_error(kept: SavedCalibration) -> bool:
    return kept.error is not None and not _may_be_of_other_pairs(kept)


def _contradicting(kept: SavedCalibration) -> tuple[str, Interval | None]:
    """How often the judge contradicts people, or why that is not known; and between which ends."""
    error = kept.error
    if error is None or _may_be_of_other_pairs(kept):
        why = kept.why_no_error or "by an earlier version: make the calibration again"
        return f"how often the judge contradicts people is not known ({why})", None
    told = (
        f"the judge contradicts people in {percent(error.share)} ({100 * error.interval[0]:.1f} to "
        f"{percent(error.interval[1])}) of {error.of} {error.unit}, on "
        f"{several(error.tasks, 'task')}"
    )
    return told, Interval(*error.interval)


def _may_be_of_other_pairs(kept: SavedCalibration) -> bool:
    """Whether its error may be of what makes no pair, as earlier versions counted it.

    Of reports on different tasks where few tasks had a pair, and then as many pairs as they counted
    tasks; and of items that a judge grades or marks.
    """
    error = kept.error
    if error is None or error.unit == "verdicts":
        return False
    earlier = kept.why_no_error is None
    return kept.part == "items" or (earlier and error.of == error.tasks)


def _flips(board: Board, kept: SavedCalibration) -> str:
    """How many pairs of agents people would put in the other order, and of how many that is."""
    means = {
        row.agent: row.summary.mean
        for row in board.standings
        if row.people is not None and row.people.value is not None
    }
    chances = []
    for each in kept.gaps:
        one, other = means.get(each.one), means.get(each.other)
        if one is not None and other is not None and abs(one - other) > TIE:
            chances.append(each.flip if one > other else 1 - each.flip)
    if not chances:
        return ""
    pairs = several(len(chances), "pair")
    return f"; by their estimates {sum(chances):.1f} of {pairs} of agents change places"


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
