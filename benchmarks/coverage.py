"""How often ranks are wrong where agents lack unequal parts of the tasks: simulated leaderboards.

`python -m benchmarks.coverage`. Four agents, scores from 0 to 100; what is true is the mean over
all tasks. The first agent lacks a share of its tasks: at random, because the task is hard for
everyone, or because it would have done badly itself. A claim is that one agent stands above
another. The first two columns are the shares of leaderboards with a false claim: by the mean over
whatever is scored, and by the ranks that are printed. Then come the share of pairs that printed
ranks put in order, and how often `compare` calls two equal agents different (p < .05) over the
tasks that both have.
"""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.results.records import Judged
from deepassay.results.standings import standings
from deepassay.score import Cause, Score, Signature, Unscored
from deepassay.stats.intervals import wilson_interval
from deepassay.stats.resampling import sign_flip
from deepassay.stats.units import Units

Floats = NDArray[np.float64]
RECIPE: Final = Signature({"protocol": "simulated"})
LEVELS: Final = np.array([58.0, 58.0, 55.0, 50.0])
BETWEEN: Final = 14.0
"""Deviation of how hard tasks are; OWN: of what an agent makes of a task besides."""
OWN: Final = 8.0
CELLS: Final = (5, 5, 12, 20, 20, 7, 20)
WAYS: Final = ("at random", "hard tasks", "own failures")


class Found(NamedTuple):
    """Of one simulated leaderboard. plain, printed: whether a claim was false. p: see `compare`."""

    plain: bool
    printed: bool
    ordered: float
    different: bool


def scores(chance: np.random.Generator, ease: Floats) -> Floats:
    """Shape (agents, tasks). ease: of the tasks."""
    tasks = len(ease)
    return np.clip(LEVELS[:, None] + ease + chance.normal(0, OWN, (len(LEVELS), tasks)), 0, 100)


def lacking(
    chance: np.random.Generator, ease: Floats, own: Floats, share: float, way: str
) -> NDArray[np.bool_]:
    """Which tasks the first agent lacks: the share of them that comes first by this way."""
    order = {
        "at random": chance.random(len(ease)),
        "hard tasks": ease,
        "own failures": own,
    }[way]
    return np.argsort(np.argsort(order)) < round(share * len(ease))


def simulate(chance: np.random.Generator, tasks: int, share: float, way: str) -> Found:
    ease = chance.normal(0, BETWEEN, tasks)
    whole = scores(chance, ease)
    gone = np.zeros(whole.shape, dtype=bool)
    gone[0] = lacking(chance, ease, whole[0], share, way)
    rows = {
        row.agent: row
        for row in standings(records(whole, gone), {RECIPE.digest: ""}, ranges(tasks))
    }
    truth, seen = whole.mean(axis=1), np.ma.masked_array(whole, gone).mean(axis=1)
    plain = printed = ordered = 0
    for one, other in combinations(range(len(LEVELS)), 2):
        plain += (truth[one] - truth[other]) * (seen[one] - seen[other]) < 0
        ours, theirs = rows[str(one)].ranks, rows[str(other)].ranks
        if ours and theirs and (ours.worst < theirs.best or theirs.worst < ours.best):
            ordered += 1
            printed += (truth[one] > truth[other]) != (ours.worst < theirs.best)
    shared = ~gone[0]
    gaps = {str(task): float(gap) for task, gap in enumerate(whole[0] - whole[1]) if shared[task]}
    p = sign_flip(Units.of(gaps), seed=int(chance.integers(2**31))).p
    return Found(plain > 0, printed > 0, ordered / 6, p < 0.05)


def records(whole: Floats, gone: NDArray[np.bool_]) -> list[Judged]:
    missing = Unscored(Cause.TIMEOUT)
    return [
        Judged("simulated", str(agent), str(task), 1, 0, {}, missing if gone[agent, task]
               else Score(float(whole[agent, task]), (0.0, 100.0)), RECIPE)
        for agent, task in np.ndindex(whole.shape)
    ]  # fmt: skip


def ranges(tasks: int) -> dict[str, tuple[float, float]]:
    return dict.fromkeys(map(str, range(tasks)), (0.0, 100.0))


def main(times: int = 1000) -> None:
    """Print a row for every number of tasks, share and way."""
    print(f"{times} leaderboards a row")
    _print("tasks", "lacks", "because", "plain", "printed", "ordered", "compare")
    for tasks in (20, 50):
        for share in (0.1, 0.2, 0.4):
            for way in WAYS:
                chance = np.random.default_rng([tasks, round(100 * share), WAYS.index(way)])
                found = [simulate(chance, tasks, share, way) for _ in range(times)]
                ordered = f"{np.mean([each.ordered for each in found]):.0%}"
                plain, printed, different = (
                    _share([getattr(each, name) for each in found])
                    for name in ("plain", "printed", "different")
                )
                _print(str(tasks), f"{share:.0%}", way, plain, printed, ordered, different)


def _print(*cells: str) -> None:
    print("  ".join(cell.rjust(wide) for cell, wide in zip(cells, CELLS, strict=True)))


def _share(hits: list[bool]) -> str:
    share = sum(hits) / len(hits)
    low, high = wilson_interval(share, len(hits))
    return f"{share:.1%} [{low:.1%}, {high:.1%}]"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
