"""Which rankings a first look opens with, and which it closes.

What code reads off reports is true whoever judged, and stands first where no model did. Where the
offline rule judged by a protocol that it cannot read, the means say nothing: that ranking is
closed, unless there is nothing else to show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.ranking import Board
from deepassay.results.surface import is_surface, read_off
from deepassay.results.tables import Table

CLOSED: Final = (
    "Closed, because the offline rule judged and cannot tell good reports from bad ones there: {}."
)


@dataclass(frozen=True)
class ArrangedBoards:
    """Rankings with a score, by where they stand. read_off: the tables of what code reads."""

    read_off: tuple[Table, ...]
    opened: tuple[Board, ...]
    closed: tuple[Board, ...]

    @property
    def by_model(self) -> bool:
        """Whether a model made one of those that are open: then these stand before `read_off`."""
        return any(not board.offline for board in self.opened)

    @property
    def why_closed(self) -> str:
        """A sentence on those that are closed; empty where there are none."""
        names = dict.fromkeys(board.protocol for board in self.closed)
        return CLOSED.format(", ".join(names)) if names else ""


def arranged(boards: Sequence[Board]) -> ArrangedBoards:
    """The boards that have a score, arranged."""
    scored = [board for board in boards if any(row.summary.tasks.scored for row in board.standings)]
    surface = [board for board in scored if is_surface(board.protocol)]
    ranked = [board for board in scored if board not in surface]
    blind = [board for board in ranked if board.offline and not board.reads]
    closed = blind if surface or len(blind) < len(ranked) else []
    return ArrangedBoards(
        tuple(
            table
            for board in surface
            for table in read_off(board.beneath.graded.records, board.label)
        ),
        tuple(board for board in ranked if board not in closed),
        tuple(closed),
    )
