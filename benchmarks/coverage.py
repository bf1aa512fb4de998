"""How often ranks are wrong where agents lack unequal parts of the tasks: simulated leaderboards.

`python -m benchmarks.coverage`. Four agents, scores from 0 to 100; what is true is the mean over
all tasks. The first agent lacks a share of its tasks: at random, because the task is hard for
everyone, or because it would have done badly itself. A claim is that one agent stands above
another. The first two columns are the shares of leaderboards with a false claim: by the mean over
whatever is scored, and by the ranks that are printed; the third is the share of pairs that printed
ranks put in order. Then come how often two equal agents come out different (p < .05), if only the
tasks that both have are tested and by `compare`, and how often `compare` tells the first agent from
one that is worse.
"""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.results.records import Judged
from deepassay.results.standings import standings
from deepassay.results.unscored import Possible, possible_scores, sign_flips
from deepassay.score import Cause, Score, Signature, Unscored
from deepassay.stats.intervals import Interval, wilson_interval

Floats = NDArray[np.float64]
RECIPE: Final = Signature({"protocol": "simulated"})
LEVELS: Final = np.array([58.0, 58.0, 55.0, 50.0])
BETWEEN: Final = 14.0
"""Deviation of how hard tasks are; OWN: of what an agent makes of a task besides."""
OWN: Final = 8.0
CELLS: Final = (5, 5, 12, 20, 20, 7, 20, 20, 20)
WAYS: Final = ("at random", "hard tasks", "own failures")


class Found(NamedTuple):
    """Of one simulated leaderboard. plain, printed: whether a claim was false.

    shared, different: whether the equal agents come out different, over the tasks of both and by
    `compare`. told: whether the last agent does from the first.
    """

    plain: bool
    printed: bool
    ordered: float
    shared: bool
    different: bool
    told: bool


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
    there = ~gone[0]
    shared = differ(whole[:, there], gone[:, there], 0, 1)
    different, told = (differ(whole, gone, 0, other) for other in (1, 3))
    return Found(plain > 0, printed > 0, ordered / 6, shared, different, told)


def differ(whole: Floats, gone: NDArray[np.bool_], one: int, other: int) -> bool:
    """Whether two agents are called different, by the p of `compare`."""
    tasks = [str(task) for task in range(whole.shape[1])]
    ours, theirs = (
        possible_scores(
            {task: whole[agent, int(task)] for task in tasks if not gone[agent, int(task)]},
            tasks,
            ranges(len(tasks)),
        )
        for agent in (one, other)
    )
    ((found, _),) = sign_flips([(Possible.of(ours), Possible.of(theirs))], None, 0)
    return found is not None and found.p < 0.05


def records(whole: Floats, gone: NDArray[np.bool_]) -> list[Judged]:
    missing = Unscored(Cause.TIMEOUT)
    return [
        Judged("simulated", str(agent), str(task), 1, 0, {}, missing if gone[agent, task]
               else Score(float(whole[agent, task]), (0.0, 100.0)), RECIPE)
        for agent, task in np.ndindex(whole.shape)
    ]  # fmt: skip


def ranges(tasks: int) -> dict[str, Interval]:
    return dict.fromkeys(map(str, range(tasks)), Interval(0.0, 100.0))


def main(times: int = 1000, *sizes: int) -> None:
    """Print a row for every number of tasks, share and way. sizes: numbers of tasks."""
    print(f"{times} leaderboards a row")
    _print(
        "tasks", "lacks", "because", "plain", "printed", "ordered", "shared", "compare", "told"
    )  # fmt: skip
    for tasks in sizes or (20, 50):
        for share in (0.0, 0.05, 0.1, 0.2, 0.4):
            for way in WAYS if share else WAYS[:1]:
                chance = np.random.default_rng([tasks, round(100 * share), WAYS.index(way)])
                found = [simulate(chance, tasks, share, way) for _ in range(times)]
                ordered = f"{np.mean([each.ordered for each in found]):.0%}"
                plain, printed, *ends = (
                    _share([getattr(each, name) for each in found])
                    for name in ("plain", "printed", "shared", "different", "told")
                )
                _print(str(tasks), f"{share:.0%}", way, plain, printed, ordered, *ends)


def _print(*cells: str) -> None:
    print("  ".join(cell.rjust(wide) for cell, wide in zip(cells, CELLS, strict=True)))


def _share(hits: list[bool]) -> str:
    share = sum(hits) / len(hits)
    low, high = wilson_interval(share, len(hits))
    return f"{share:.1%} [{low:.1%}, {high:.1%}]"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
