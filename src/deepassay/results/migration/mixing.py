"""Whether figures by an old judge and by a new one may stand in one table.

They may if the change of judge moves no agent by as much as a difference that matters: the 95 %
interval of every agent's shift lies inside that margin on both sides. This asks for evidence that
the shift is small (Schuirmann 1987), where a test that merely finds none would reward few tasks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from math import sqrt
from statistics import fmean, median

from deepassay.results.migration.agents import AgentShift
from deepassay.stats.intervals import Interval
from deepassay.stats.testing import smallest_effect
from deepassay.stats.units import Units


class Mixing(StrEnum):
    """The answer."""

    AS_THEY_ARE = "as they are"
    MAPPED = "mapped"
    NOT = "not"
    UNKNOWN = "unknown"


def margin_of(scores: Mapping[tuple[str, str, int], float]) -> float | None:
    """Half the smallest difference between agents that these tasks can show, as a median of pairs.

    scores: by agent, task and sample, of the old judge. Half, for a shift acts on both sides of a
    comparison. None where no two agents share three tasks.
    """
    answers: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for (agent, task, _), score in scores.items():
        answers[agent][task].append(score)
    shown = []
    for one, other in combinations(answers.values(), 2):
        gaps = {task: fmean(one[task]) - fmean(other[task]) for task in one.keys() & other.keys()}
        units = Units.of(gaps)
        if units.count > 2 and units.error:
            shown.append(units.error * sqrt(units.count) * smallest_effect(units.count))
    return median(shown) / 2 if shown else None


def verdict(agents: Sequence[AgentShift], margin: float | None, informative: bool) -> Mixing:
    """margin: above zero. informative: the mapping does better than one that ignores old scores."""
    shifts = [each.interval for each in agents]
    if margin is None or None in shifts:
        return Mixing.UNKNOWN
    if _inside(shifts, margin):
        return Mixing.AS_THEY_ARE
    mapped = informative and _inside([each.left_interval for each in agents], margin)
    return Mixing.MAPPED if mapped else Mixing.NOT


def _inside(intervals: Sequence[Interval | None], margin: float) -> bool:
    return all(each is not None and -margin < each.low and each.high < margin for each in intervals)
