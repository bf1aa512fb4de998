"""The rankings that figures of one protocol are made of, and the judgements beneath them."""

from __future__ import annotations

from deepassay.results.figures.figure import Omitted, file_name
from deepassay.results.figures.material import Material
from deepassay.results.ranking import Board
from deepassay.results.records import Judged


def boards_of(material: Material, protocol: str) -> list[Board]:
    """The rankings over all tasks of a protocol, in all its variants that were judged."""
    return [
        board
        for board in material.boards
        if board.label is None and board.protocol.partition("(")[0] == protocol
    ]


def name_of(kind: str, board: Board) -> str:
    """The name of a figure of one kind: with the options of the protocol, where it has any."""
    return file_name(kind, board.protocol.partition("(")[2])


def unfit(kind: str, board: Board) -> Omitted | None:
    """Why no figure of a kind can be made of a ranking: unequal recipes, or nothing was scored."""
    why = why_unfit(board)
    return Omitted(name_of(kind, board), why) if why else None


def why_unfit(board: Board) -> str:
    """The same as a clause; empty if a figure can be made."""
    if len(board.recipes) > 1:
        return f"the scores of {board.protocol} were not made by one recipe"
    if not any(row.summary.tasks.scored for row in board.standings):
        return f"nothing was scored by {board.protocol}"
    return ""


def records_beneath(material: Material, board: Board) -> dict[str, list[Judged]]:
    """The judgements that a ranking is of, by agent, in the order of the ranking."""
    found: dict[str, list[Judged]] = {row.agent: [] for row in board.standings}
    for each in material.records:
        if each.protocol == board.protocol:
            found[each.agent].append(each)
    return found


def tasks_of(*boards: Board) -> str:
    """A sentence for captions: how many tasks the rankings are over."""
    counts = [max(row.summary.tasks.expected for row in board.standings) for board in boards]
    if len(set(counts)) == 1:
        return f"Tasks: {counts[0]}."
    each = (f"{board.protocol} {n}" for board, n in zip(boards, counts, strict=True))
    return f"Tasks: {', '.join(each)}."
