"""What the scores of rankings and comparisons lack: it is said before what they say."""

from __future__ import annotations

from collections import Counter

from deepassay.results.leads import some
from deepassay.results.overview import RankedBoard
from deepassay.results.tables import cause_counts
from deepassay.results.unscored import GO_ON


def shortfalls(*boards: RankedBoard) -> tuple[str, ...]:
    """A sentence on judgements that are still to come, and one on panels that lack a judge.

    Each only where there is something to say; cuts by a label are left out.
    """
    whole = [board for board in boards if board.label is None]
    return tuple(filter(None, (_unfinished(whole), _short_panels(whole))))


def judge_told(name: str) -> str:
    """A judge as sentences name it."""
    return "the offline baseline" if name == "offline" else name


def _unfinished(boards: list[RankedBoard]) -> str:
    still = sum(board.to_come.open for board in boards)
    expected = sum(board.to_come.expected for board in boards)
    are = "is" if still == 1 else "are"
    told = f"Not finished: {still:,} of {expected:,} judgements {are} still to come; {GO_ON}."
    return told if still else ""


def _short_panels(boards: list[RankedBoard]) -> str:
    """In how many scores which judge of a panel has no part, and why, over all boards."""
    scores, lacking = Counter[str](), dict[str, Counter[str]]()
    for board in boards:
        for name, own in board.panel.items():
            scores[name] += own.scores
            lacking[name] = lacking.get(name, Counter()) + own.lacking
    parts = [
        f"{judge_told(name)} has a part in {scores[name] - why.total():,} of {scores[name]:,} "
        f"({cause_counts(why)})"
        for name, why in lacking.items()
        if why
    ]
    return f"Not every score rests on the whole panel: {some(parts)}." if parts else ""
