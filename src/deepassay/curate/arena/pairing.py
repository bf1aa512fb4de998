"""Who is compared with whom: random disjoint pairs, round by round.

DeepResearch Arena, section "Task Generation and Filtering". How tasks join a ranking that is there
already is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np


class Pair(NamedTuple):
    """Two tasks in the order in which they are shown, by identifier. second: None for a rest."""

    first: str
    second: str | None


def draw_rounds(
    played: Mapping[str, int], rounds: int, seed: int, begin: int = 1
) -> Iterator[tuple[int, list[Pair]]]:
    """Rounds, each with its number, until every task has been through so many of them.

    played: rounds that each task has been through, rests included. begin: number of the first
    round. Each round has a generator of its own, so that stopping between two changes nothing.
    """
    counts = dict(sorted(played.items()))  # the order of the tasks in their file decides nothing
    number = begin
    while owing := [task for task, count in counts.items() if count < rounds]:
        if len(counts) < 2:
            return
        rated = [task for task, count in counts.items() if count >= rounds]
        pairs = draw_round(owing, rated, np.random.default_rng([seed, number]))
        yield number, pairs
        for task in (each for pair in pairs for each in pair if each is not None):
            counts[task] += 1
        number += 1


def draw_round(
    owing: Sequence[str], rated: Sequence[str], chance: np.random.Generator
) -> list[Pair]:
    """One round: every task that owes one plays, and nobody plays twice.

    Against a rated task as long as there are any, drawn at random; the rest among themselves, and
    the odd one rests. Which of two is shown first is drawn as well.
    """
    players = [owing[place] for place in chance.permutation(len(owing))]
    opponents = [rated[place] for place in chance.permutation(len(rated))[: len(owing)]]
    joined = len(opponents)
    rest = players[joined:]
    couples = [*zip(players[:joined], opponents, strict=True)]
    couples += zip(rest[0::2], rest[1::2], strict=False)
    turned = chance.random(len(couples)) < 0.5
    pairs = [
        Pair(two, one) if turn else Pair(one, two)
        for (one, two), turn in zip(couples, turned, strict=True)
    ]
    return [*pairs, Pair(rest[-1], None)] if len(rest) % 2 else pairs
