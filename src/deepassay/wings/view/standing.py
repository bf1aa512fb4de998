"""Agents by protocols: who is ahead, and how sure that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase
from typing import Final, NamedTuple

from deepassay.errors import BadInput
from deepassay.results.aggregate import Aggregate
from deepassay.results.board_details import MIXED
from deepassay.results.judge_evidence import JudgeEvidence, with_evidence
from deepassay.results.opening import errors_unknown
from deepassay.results.overview import notices_on, recipe_notes
from deepassay.results.ranking import Board, rank
from deepassay.results.records import REFERENCE
from deepassay.results.shortfalls import shortfalls
from deepassay.results.standings import Standing
from deepassay.results.tables import ends_of, in_range, scored_of
from deepassay.run.showing.reading import RunRecords
from deepassay.stats.intervals import Interval

WIDTH: Final = 96
"""Of a picture, in units of its own; a point keeps MARGIN from either end."""

MARGIN: Final = 5.0

AGENTS: Final = 30
"""Agents that a board shows, those first that are ahead."""


class DrawnScore(NamedTuple):
    """A mean with its interval. point, low, high: where they are drawn; None: not at all.

    tasks: how many are scored, and how many judgements where some of a task failed.
    remark: that the agent is the reference, or which recipe made the score.
    """

    value: str
    interval: str
    place: str
    tasks: str
    remark: str = ""
    point: float | None = None
    low: float | None = None
    high: float | None = None


class AgentRow(NamedTuple):
    """An agent with a score by each protocol, None where it has none.

    mark: the letter of a recipe; of a mixed ranking an agent has a row for each.
    """

    agent: str
    mark: str
    scores: tuple[DrawnScore | None, ...]


@dataclass(frozen=True)
class AgentBoard:
    """Agents by protocols. run: whose it is alone, 0 for all runs together. axes: scores at both
    ends of the pictures of each protocol. notes: what must be read with the numbers, and what the
    letters of recipes mean. more: agents that are not shown.
    """

    run: int
    protocols: tuple[str, ...]
    axes: tuple[tuple[str, str], ...]
    rows: tuple[AgentRow, ...]
    notes: tuple[str, ...] = ()
    more: int = 0


Known = tuple[tuple[JudgeEvidence, Path], ...]
"""Files that say something of a judge, in a form that can be kept by."""


def agent_boards(paths: tuple[Path, ...], apart: bool, known: Known = ()) -> list[AgentBoard]:
    """Agents by protocols over all runs; a board for each where these stand apart.

    They do where they have reports in common, which must not count twice, or where their recipes
    differ. known: of the judges; a file that is of none of them is passed over.
    """
    if not apart:
        with suppress(BadInput):  # nothing is judged yet, or by recipes that are not to be mixed
            return [_with_unknown(0, _ranked(paths, known))]
    found = []
    for at, path in enumerate(paths, start=1):
        with suppress(BadInput):  # nothing is judged yet
            ranked = _ranked([path], known, allow_mixed=True)
            found.append(_with_unknown(at if len(paths) > 1 else 0, ranked))
    return found


def _with_unknown(run: int, ranked: Sequence[Board]) -> AgentBoard:
    """A board as the first page has it, which opens with no sentences on scores and judges."""
    judged = {
        board.protocol: board.recipes[0]
        for board in ranked
        if any(row.summary.tasks.scored for row in board.standings)
    }
    known = {board.protocol for board in ranked if board.known}
    board = agent_board(run, ranked)
    unknown = errors_unknown(judged, known)
    return replace(board, notes=(*shortfalls(*ranked), *filter(None, [unknown]), *board.notes))


def _ranked(paths: Sequence[Path], known: Known, *, allow_mixed: bool = False) -> tuple[Board, ...]:
    records = RunRecords(paths)
    boards = rank(records, allow_mixed=allow_mixed)
    for each in known:
        with suppress(BadInput):
            boards = with_evidence(boards, records, dict([each]))
    return boards


def agent_board(run: int, ranked: Sequence[Board]) -> AgentBoard:
    """Agents by the protocols of rankings. run: whose they are alone, 0 for all runs."""
    boards = [board for board in ranked if board.label is None]
    marks = _marks(boards)
    rows = [*_rows(boards, marks)]
    names = tuple(board.protocol for board in boards)
    ends = (_axis(board) for board in boards)
    axes = tuple(
        (in_range(axis.low, board.limits), in_range(axis.high, board.limits)) if axis else ("", "")
        for board, axis in zip(boards, ends, strict=True)
    )
    mixed = [MIXED, *(f"[{mark}] {recipe}" for recipe, mark in marks.items())] if marks else []
    notes = (*notices_on(*boards), *mixed)
    return AgentBoard(run, names, axes, tuple(rows[:AGENTS]), notes, max(0, len(rows) - AGENTS))


def _told(board: Board) -> dict[str, str]:
    """By the letter of each recipe of a mixed ranking: what it does not share with the others."""
    if len(board.recipes) == 1:
        return {"": ""}
    _, *told = recipe_notes(board)
    bare = (line.partition("] ")[2] for line in told)
    return dict(zip(board.letters, bare, strict=True))


def _marks(boards: Sequence[Board]) -> dict[str, str]:
    """A letter for every recipe of mixed rankings. One ranking's letters are not another's."""
    found = dict.fromkeys(told for board in boards for told in _told(board).values() if told)
    return {told: f"{ascii_lowercase[i % 26]}{i // 26 or ''}" for i, told in enumerate(found)}


def _rows(boards: Sequence[Board], marks: Mapping[str, str]) -> Iterator[AgentRow]:
    """The agents, those first that are ahead by most protocols. marks: of recipes, as told."""
    scores: defaultdict[tuple[str, str], dict[int, DrawnScore]] = defaultdict(dict)
    places: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for at, board in enumerate(boards):
        axis, told = _axis(board), _told(board)
        for row in board.standings:
            who = row.agent, marks.get(told[row.mark], "")
            scores[who][at] = _drawn(row, board, axis)
            if row.ranks:
                places[who].append(row.ranks.best)
    mean = {who: sum(own) / len(own) for who, own in places.items()}
    for who in sorted(scores, key=lambda who: (mean.get(who, 1e9), who)):
        yield AgentRow(*who, tuple(scores[who].get(at) for at in range(len(boards))))


def _axis(board: Board) -> Interval | None:
    """From the lowest to the highest that is drawn, as far as scores can be; None: nothing is."""
    summaries = [each.summary for each in board.standings if each.summary.mean is not None]
    ends = [end for each in summaries for end in (each.mean or 0.0, *(each.interval or ()))]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    if board.limits is not None:
        low, high = max(low, board.limits.low), min(high, board.limits.high)
    return Interval(low, high)


def _counted(summary: Aggregate) -> str:
    """The tasks that are scored, and the judgements where these say more: that judges failed."""
    tasks, judgements = summary.tasks, summary.judgements
    if judgements.scored * tasks.expected == tasks.scored * judgements.expected:
        return scored_of(tasks)
    return f"{scored_of(tasks)}, {scored_of(judgements)} judgements"


def _drawn(row: Standing, board: Board, axis: Interval | None) -> DrawnScore:
    summary = row.summary
    value, interval = summary.mean, summary.interval
    told = (
        in_range(value, board.limits),
        ends_of(interval, board.limits) if interval else "",
        row.place,
        _counted(summary),
        REFERENCE.strip("()") if row.reference else "",
    )
    low, high = axis or (0.0, 1.0)

    def at(number_: float) -> float:
        share = (number_ - low) / (high - low) if high > low else 0.5
        return round(MARGIN + min(1.0, max(0.0, share)) * (WIDTH - 2 * MARGIN), 1)

    if value is None:
        return DrawnScore(*told)
    ends = (at(interval[0]), at(interval[1])) if interval else (None, None)
    return DrawnScore(*told, at(value), *ends)
