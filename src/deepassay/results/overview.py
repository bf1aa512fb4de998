"""One table over several protocols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.results.ranking import Board, Standing
from deepassay.results.tables import NONE, Table, in_range
from deepassay.stats.intervals import Interval

OFFLINE: Final = "offline baseline"
OFFLINE_NOTE: Final = (
    "Judged by the offline baseline: fixed rules without a model. Good for trying things out; "
    "not comparable with any published figure."
)
MOST_ACROSS: Final = 4
"""Protocols side by side in the overview; more of them go below each other."""


def overview(boards: Sequence[Board]) -> Table:
    """Agents down, protocols across: the means of the boards over all tasks.

    Of many protocols, as of ablations: protocols down and agents across, with the digest of each
    recipe. A mean with scores missing is followed by scored/expected judgements. Agents stand in
    the order of the first board; in a mixed ranking, with the means of all their recipes.
    """
    whole = [board for board in boards if board.label is None]
    cells: dict[str, dict[str, str]] = {}
    for board in whole:
        for standing in board.standings:
            row = cells.setdefault(standing.agent, {})
            before = f"{row[board.protocol]}, " if board.protocol in row else ""
            row[board.protocol] = before + mean_of(standing, board.limits)
    many = len(whole) > MOST_ACROSS
    offline = all(board.offline for board in whole)
    names = [board.protocol if offline else heading(board) for board in whole]
    rows = [
        (agent, *(own.get(board.protocol, NONE) for board in whole)) for agent, own in cells.items()
    ]
    if many:
        digests = ("/".join(recipe.digest for recipe in board.recipes) for board in whole)
        rows = [
            (name, *(own.get(board.protocol, NONE) for own in cells.values()), recipe)
            for name, board, recipe in zip(names, whole, digests, strict=True)
        ]
    head = ("protocol", *cells, "recipe") if many else ("agent", *names)
    return Table(
        f"All protocols ({OFFLINE})" if offline else "All protocols",
        head,
        tuple(rows),
        (OFFLINE_NOTE,) if any(board.offline for board in whole) else (),
        frozenset(range(1, len(head) - many)),
    )


def heading(board: Board) -> str:
    """The protocol of a board, with a mark where the offline baseline judged."""
    return f"{board.protocol} ({OFFLINE})" if board.offline else board.protocol


def mean_of(standing: Standing, limits: Interval | None) -> str:
    """A mean, followed by scored/expected judgements where some are missing, and its mark."""
    count = standing.summary.judgements
    missing = "" if count.scored == count.expected else f" ({count.scored}/{count.expected})"
    mark = f" [{standing.mark}]" if standing.mark else ""
    return in_range(standing.summary.mean, limits) + missing + mark
