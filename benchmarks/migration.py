"""How often `compare --judges` says too much: simulated changes of judge.

`python -m benchmarks.migration`. Every figure is over so many simulated migrations, in points of
100. The first table has the shares of false answers at the worst place, where one agent moves by
exactly the difference that matters; the second what is found where no agent moves; the third how
often two equal agents come out different when one is judged by each judge.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from deepassay.results.migration import Mixing, false_alarms, verdict
from deepassay.results.migration_mapping import ReportKey, agent_shifts
from deepassay.stats.intervals import wilson_interval

Floats = NDArray[np.float64]
MATTERS: Final = 5.0
SPREAD: Final = 6.0
"""Deviation of a report's shift."""

OFFSET: Final = 30.0
"""What a judge with another scale adds, so that scores as they are never fit."""

LEVELS: Final = np.array([70.0, 64.0, 58.0, 52.0])
"""The true means of four agents; between tasks they vary by 10."""


def normal(chance: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return chance.normal(0, SPREAD, shape)


def heavy(chance: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Student's t with 3 degrees of freedom."""
    return chance.standard_t(3, shape) * SPREAD / np.sqrt(3)


def lenient(chance: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Most reports a little lower, some much higher: an exponential."""
    return (chance.exponential(1, shape) - 1) * SPREAD


def severe(chance: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return -lenient(chance, shape)


def one_in_ten(chance: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """A tenth of the reports much higher, the others alike but for a point of noise."""
    jumps = (chance.random(shape) < 0.1) - 0.1
    return jumps * 3 * SPREAD + chance.normal(0, 1, shape)


KINDS: Final[dict[str, Callable[[np.random.Generator, tuple[int, ...]], Floats]]] = {
    each.__name__: each for each in (normal, heavy, lenient, severe, one_in_ten)
}


def scores(chance: np.random.Generator, tasks: int, whole: bool) -> Floats:
    """By the old judge, shape (agents, tasks). whole: marks in steps of ten."""
    found = LEVELS[:, None] + chance.normal(0, 10, (len(LEVELS), tasks))
    return np.round(found / 10) * 10 if whole else found


def answer(old: Floats, new: Floats, mapped_truth: bool) -> Mixing:
    """What is said of these scores, shape (agents, tasks) each."""
    places: list[ReportKey] = [
        (f"agent {agent}", f"task {task}", 1)
        for agent in range(old.shape[0])
        for task in range(old.shape[1])
    ]
    agents = agent_shifts(old.ravel(), new.ravel(), places, "linear")
    return verdict(agents, MATTERS, informative=mapped_truth)


def shares(
    kind: str, tasks: int, moved: float, runs: int, chance: np.random.Generator, scale: float = 1.0
) -> dict[Mixing, float]:
    """How often each answer is given. moved: the first agent, beyond the new judge's scale."""
    counts = dict.fromkeys(Mixing, 0)
    for _ in range(runs):
        old = scores(chance, tasks, whole=False)
        offset = 0.0 if scale == 1.0 else OFFSET
        new = scale * old + offset + KINDS[kind](chance, old.shape)
        new[0] += moved
        counts[answer(old, new, scale != 1.0)] += 1
    return {each: count / runs for each, count in counts.items()}


def mixed(tasks: int, shift: float, runs: int, chance: np.random.Generator) -> tuple[float, float]:
    """Equal agents, one by each judge: the share with p < .05, and the mean of what is stated."""
    alarms, stated = 0, []
    for _ in range(runs):
        old = 60 + chance.normal(0, 10, (2, tasks))
        new = old + shift + normal(chance, old.shape)
        alarms += stats.ttest_rel(old[0], new[1]).pvalue < 0.05
        pairs = {
            (str(agent), str(task), 1): (float(old[agent, task]), float(new[agent, task]))
            for agent, task in np.ndindex(old.shape)
        }
        stated.append(false_alarms(pairs, shift) or 0.0)
    return alarms / runs, float(np.mean(stated))


def main(runs: int = 2000) -> None:
    """Print the three tables."""
    chance = np.random.default_rng(20261122)
    high = wilson_interval(0.05, runs).high
    print(f"{runs} migrations a cell; by chance alone a true 5 % comes out up to {high:.3f}.")
    print("\nFalse answers: one of four agents moves by exactly 5.0, which matters.")
    print(f"{'shifts':12}{'tasks':>6}{'as they are':>13}{'after a mapping':>17}")
    for kind in KINDS:
        for tasks in (20, 30, 50, 100):
            plain = shares(kind, tasks, MATTERS, runs, chance)[Mixing.AS_THEY_ARE]
            other = shares(kind, tasks, MATTERS, runs, chance, scale=0.7)[Mixing.MAPPED]
            print(f"{kind:12}{tasks:6}{plain:13.3f}{other:17.3f}", flush=True)
    print("\nTrue answers: no agent moves (as they are), or the scale alone (after a mapping).")
    for tasks in (20, 30, 50, 100):
        plain = shares("normal", tasks, 0.0, runs, chance)[Mixing.AS_THEY_ARE]
        other = shares("normal", tasks, 0.0, runs, chance, scale=0.7)[Mixing.MAPPED]
        print(f"{'normal':12}{tasks:6}{plain:13.3f}{other:17.3f}", flush=True)
    print("\nEqual agents, one by each judge, called different: seen, and as stated.")
    for tasks in (20, 50, 100):
        for shift in (0.0, 1.0, 2.0, 5.0):
            seen, stated = mixed(tasks, shift, runs, chance)
            print(f"{tasks:4} tasks, shift {shift:.0f}: {seen:.3f} {stated:.3f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
