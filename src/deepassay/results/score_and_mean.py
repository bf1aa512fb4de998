"""Where the score of a leaderboard is another than the mean over tasks: what is of which.

A set may pool all reports of an agent, or keep its mean within 0 and 1; differences and what chance
may do are of the mean over tasks all the same.
"""

from __future__ import annotations

from math import inf
from typing import Final

from deepassay.results.comparing import Contest, Contestant
from deepassay.results.ranges import WITHIN

MEAN: Final = "mean over tasks"
"""What differences are of, where the score is another."""


def by_told(contest: Contest) -> str:
    """What differences are by: the protocol, and that they are not of its score where they are not.

    `pooled (mean over tasks)`
    """
    return contest.protocol + (f" ({MEAN})" if contest.is_apart else "")


def score_is(contest: Contest) -> str:
    """What the score is, where it is another."""
    if contest.pools:
        return "one share over all its reports"
    return f"the {MEAN} kept within {WITHIN.low:g} and {WITHIN.high:g}"


def score_note(
    contest: Contest, of_mean: str = "differences, p and rank intervals"
) -> tuple[str, ...]:
    """What is of the score and what (`of_mean`) of the mean over tasks, where these are two."""
    if not contest.is_apart:
        return ()
    return (
        f"score: {score_is(contest)}, as in the leaderboard; {of_mean}: of the {MEAN}, in which "
        "every task weighs the same.",
    )


def score_or_least(each: Contestant) -> float:
    """The score, to sort by: whoever has none is behind all that have one, also below 0."""
    return -inf if each.score is None else each.score
