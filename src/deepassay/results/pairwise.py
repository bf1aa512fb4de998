"""All pairs of agents in one table, where a protocol held each against each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from deepassay.results.ranking import Board
from deepassay.results.tables import NONE, Table, percent

NOTE = "Of the agent in the row against the one in the column, ties left out."


def pairwise_tables(boards: Sequence[Board]) -> tuple[Table, ...]:
    """Agents down, baselines across, for every protocol and edition with several baselines.

    Without mixed rankings, where an agent has a row for every recipe.
    """
    groups: defaultdict[tuple[str, str], list[Board]] = defaultdict(list)
    for board in boards:
        if board.baseline and board.label is None and len(board.recipes) == 1:
            edition = str(board.recipes[0].identity.get("edition", "paper"))
            groups[board.protocol.partition("(")[0], edition].append(board)
    several = {key: own for key, own in groups.items() if len({b.baseline for b in own}) > 1}
    return tuple(
        _table(protocol + (" (edition code)" if edition == "code" else ""), own)
        for (protocol, edition), own in several.items()
    )


def _table(name: str, boards: Sequence[Board]) -> Table:
    rates = {
        (standing.agent, board.baseline): percent(standing.summary.pooled)
        for board in boards
        for standing in board.standings
    }
    agents = sorted({agent for pair in rates for agent in pair})
    rows = tuple((one, *(rates.get((one, other), NONE) for other in agents)) for one in agents)
    numeric = frozenset(range(1, len(agents) + 1))
    return Table(f"{name}: win rates of all pairs", ("agent", *agents), rows, (NOTE,), numeric)
