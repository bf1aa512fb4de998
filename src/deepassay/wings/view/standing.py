"""Agents by protocols: who is ahead, and how sure that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadInput
from deepassay.results.ranking import Board, rank
from deepassay.results.records import REFERENCE
from deepassay.results.standings import Standing
from deepassay.results.tables import NONE, ends_of, in_range
from deepassay.run.showing.reading import RunRecords

WIDTH: Final = 96
"""Of a picture, in units of its own; a point keeps MARGIN from either end."""

MARGIN: Final = 5.0

AGENTS: Final = 30
"""Agents that a board shows, those first that are ahead."""


class DrawnScore(NamedTuple):
    """A mean with its interval. point, low, high: where they are drawn; None: not at all.

    Of an agent that the others are scored against, the value is the word REFERENCE.
    """

    value: str
    interval: str
    place: str
    tasks: str
    point: float | None = None
    low: float | None = None
    high: float | None = None


class AgentRow(NamedTuple):
    """An agent with a score by each protocol, None where it has none. name: with its recipe."""

    agent: str
    name: str
    scores: tuple[DrawnScore | None, ...]


@dataclass(frozen=True)
class AgentBoard:
    """Agents by protocols. run: whose it is alone, 0 for all runs together. more: agents that
    are not shown.
    """

    run: int
    protocols: tuple[str, ...]
    rows: tuple[AgentRow, ...]
    more: int = 0

    @property
    def has_reference(self) -> bool:
        """Whether some agent is what others are scored against."""
        return any(each and each.value == REFERENCE for row in self.rows for each in row.scores)


def agent_boards(paths: tuple[Path, ...], apart: bool) -> list[AgentBoard]:
    """Agents by protocols over all runs; a board for each where these stand apart.

    They do where they have reports in common, which must not count twice, or where their recipes
    differ.
    """
    if not apart:
        with suppress(BadInput):  # nothing is judged yet, or by recipes that are not to be mixed
            return [_board(0, rank(RunRecords(paths)))]
    found = []
    for at, path in enumerate(paths, start=1):
        with suppress(BadInput):  # nothing is judged yet
            ranked = rank(RunRecords([path]), allow_mixed=True)
            found.append(_board(at if len(paths) > 1 else 0, ranked))
    return found


def _board(run: int, ranked: Sequence[Board]) -> AgentBoard:
    boards = [board for board in ranked if board.label is None]
    rows = [*_rows(boards)]
    names = tuple(board.protocol for board in boards)
    return AgentBoard(run, names, tuple(rows[:AGENTS]), max(0, len(rows) - AGENTS))


def _rows(boards: Sequence[Board]) -> Iterator[AgentRow]:
    """The agents, those first that are ahead by most protocols."""
    scores: defaultdict[tuple[str, str], dict[int, DrawnScore]] = defaultdict(dict)
    places: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for at, board in enumerate(boards):
        for row in board.standings:
            who = row.agent, replace(row, reference=False).name
            scores[who][at] = _drawn(row, board)
            if row.ranks:
                places[who].append(row.ranks.best)
    mean = {who: sum(own) / len(own) for who, own in places.items()}
    for who in sorted(scores, key=lambda who: (mean.get(who, 1e9), who)):
        yield AgentRow(*who, tuple(scores[who].get(at) for at in range(len(boards))))


def _drawn(row: Standing, board: Board) -> DrawnScore:
    summary = row.summary
    if row.reference:
        return DrawnScore(REFERENCE, "", NONE, f"{summary.tasks.scored}/{summary.tasks.expected}")
    value, interval = summary.mean, summary.interval
    told = (
        in_range(value, board.limits),
        ends_of(interval, board.limits) if interval else "",
        str(row.ranks or NONE),
        f"{summary.tasks.scored}/{summary.tasks.expected}",
    )
    means = [each.summary.mean for each in board.standings if each.summary.mean is not None]
    low, high = board.limits or (min(means, default=0.0), max(means, default=1.0))

    def at(number_: float) -> float:
        share = (number_ - low) / (high - low) if high > low else 0.5
        return round(MARGIN + min(1.0, max(0.0, share)) * (WIDTH - 2 * MARGIN), 1)

    if value is None:
        return DrawnScore(*told)
    ends = (at(interval[0]), at(interval[1])) if interval else (None, None)
    return DrawnScore(*told, at(value), *ends)
