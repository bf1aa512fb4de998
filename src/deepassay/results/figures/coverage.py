"""What a figure must say of its numbers: what is missing, and who judged."""

from __future__ import annotations

from typing import Final

from deepassay.results.figures.style import short
from deepassay.results.overview import OFFLINE_NOTE
from deepassay.results.ranking import Board, Standing
from deepassay.results.supplements import MIXED

NAMED: Final = 5
"""Agents that are named one by one."""

HOLLOW: Final = "Hollow marks: scores missing."


def notes_of(board: Board, marks: str = HOLLOW) -> tuple[str, ...]:
    """Baseline, recipes and coverage of a board; nothing where all is scored by one model.

    marks: how a figure marks the agents of whom scores are missing; empty where it does not.
    """
    notes = [OFFLINE_NOTE] if board.offline else []
    if len(board.recipes) > 1:
        recipes = zip(board.letters, board.recipes, strict=True)
        letters = ", ".join(f"{letter} {recipe.digest}" for letter, recipe in recipes)
        notes.append(f"{MIXED} Recipes: {letters}.")
    if thin := [row for row in board.standings if not is_whole(row)]:
        named = [f"{named_as(row)} {_count(row)}" for row in thin[:NAMED]]
        more = f" and {len(thin) - NAMED} more agents" if len(thin) > NAMED else ""
        count = f"Judgements scored of expected: {', '.join(named)}{more}"
        notes.append(said(marks, f"{count}; what is missing is left out, never zero."))
    return tuple(notes)


def is_whole(row: Standing) -> bool:
    """Whether every judgement that was expected came to a score."""
    return row.summary.judgements.scored == row.summary.judgements.expected


def named_as(row: Standing) -> str:
    """The agent, with the letter of its recipe in a mixed ranking."""
    return short(row.agent) + (f" [{row.mark}]" if row.mark else "")


def said(*sentences: str) -> str:
    """Sentences as one caption."""
    return " ".join(sentence for sentence in sentences if sentence)


def _count(row: Standing) -> str:
    return "{}/{}".format(*row.summary.judgements)
