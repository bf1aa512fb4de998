"""What makers of figures say of a ranking, and when none can be made of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.results.board_details import MIXED
from deepassay.results.figures.figure import Material, Omitted, caption_of, file_name
from deepassay.results.figures.style import short
from deepassay.results.overview import board_heading, notes_on
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.standings import Standing
from deepassay.score import without_options

UNEQUAL: Final = "the scores were not made by one recipe"
"""Why no figure is made of the scores of one protocol."""


def whole_boards(material: Material) -> Iterator[Board]:
    """The rankings over all tasks.

    Without protocols that hold agents against several baselines: a ranking for each says little,
    and the grid of win rates has all pairs.
    """
    whole = [board for board in material.boards if board.label is None]
    baselines: defaultdict[str, set[str]] = defaultdict(set)
    for board in whole:
        baselines[without_options(board.protocol)].add(board.baseline)
    for board in whole:
        if len(baselines[without_options(board.protocol)]) == 1 or not board.baseline:
            yield board


def boards_of(material: Material, protocol: str) -> list[Board]:
    """The rankings over all tasks of a protocol, in all its variants that were judged."""
    whole = (board for board in material.boards if board.label is None)
    return [board for board in whole if without_options(board.protocol) == protocol]


def figure_title(board: Board, what: str) -> str:
    """`fact (offline baseline): mean scores`."""
    return f"{short(board_heading(board), 80)}: {what}"


def figure_name(kind: str, board: Board) -> str:
    """The name of a figure of one kind: with the options of the protocol, where it has any."""
    return file_name(kind, board.protocol.partition("(")[2])


def why_no_figure(kind: str, board: Board) -> Omitted | None:
    """Why no figure of a kind can be made of a ranking: unequal recipes, or nothing was scored."""
    why = why_unfit(board)
    return Omitted(figure_name(kind, board), why) if why else None


def why_unfit(board: Board) -> str:
    """Why no figure can be made of a ranking, as a clause; empty if one can be made."""
    if len(board.recipes) > 1:
        return f"the scores of {board.protocol} were not made by one recipe"
    if not any(row.summary.tasks.scored for row in board.standings):
        return f"nothing was scored by {board.protocol}"
    return ""


def records_beneath(board: Board) -> dict[str, Sequence[Judged]]:
    """The judgements that a ranking is of, by agent, in the order of the ranking."""
    agents = board.beneath.graded.agents
    return {row.agent: agents[row.agent] for row in board.standings}


def tasks_expected(board: Board) -> int:
    """How many tasks a ranking is over."""
    return max(row.summary.tasks.expected for row in board.standings)


def tasks_sentence(*boards: Board) -> str:
    """A sentence for captions: how many tasks the rankings are over."""
    counts = [*map(tasks_expected, boards)]
    if len(set(counts)) == 1:
        return f"Tasks: {counts[0]}."
    each = (f"{board.protocol} {n}" for board, n in zip(boards, counts, strict=True))
    return f"Tasks: {', '.join(each)}."


NAMED: Final = 5
"""Agents that are named one by one."""

HOLLOW: Final = "Hollow marks: scores missing."


def notes_of(board: Board, marks: str = HOLLOW) -> tuple[str, ...]:
    """Baseline, recipes and coverage of a board; nothing where all is scored by one model.

    marks: how a figure marks the agents of whom scores are missing; empty where it does not.
    """
    notes = [*notes_on(board)]
    if len(board.recipes) > 1:
        recipes = zip(board.letters, board.recipes, strict=True)
        letters = ", ".join(f"{letter} {recipe.digest}" for letter, recipe in recipes)
        notes.append(f"{MIXED} Recipes: {letters}.")
    if thin := [row for row in board.standings if not is_whole(row)]:
        named = [f"{named_as(row)} {_count(row)}" for row in thin[:NAMED]]
        more = f" and {len(thin) - NAMED} more agents" if len(thin) > NAMED else ""
        count = f"Judgements scored of expected: {', '.join(named)}{more}"
        notes.append(caption_of(marks, f"{count}; what is missing is left out, never zero."))
    return tuple(notes)


def is_whole(row: Standing) -> bool:
    """Whether every judgement that was expected came to a score."""
    return row.summary.judgements.scored == row.summary.judgements.expected


def named_as(row: Standing) -> str:
    """The agent, with the letter of its recipe in a mixed ranking."""
    return short(row.agent) + row.remarks


def _count(row: Standing) -> str:
    return "{}/{}".format(*row.summary.judgements)
