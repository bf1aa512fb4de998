"""How often `rescue` is wrong: boards of two judges of which everything is known.

`python -m benchmarks.rescue 1000`. Agents differ by 4 points of 100, tasks by 3, a report by 2; the
old judge has a noise of 1. The new one has another scale (.1 + .7 times the truth), a liking for
each agent of its own (`liking`, 1), for each task (1) and each report (`noise`, 2: evenly on both
sides, with far outliers, or leaning to one). Anchors are the same tasks of all agents, drawn by
chance (or, `chosen`, the easiest); some agents have none. Coverage: how often a 95 % interval holds
the mean that the new judge gives over all tasks. False: boards on which an order is claimed that
is not so.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from deepassay.wings.trials.rescue.arithmetic import BothScores, rescued

Floats = NDArray[np.float64]

CASES: Final[tuple[tuple[str, dict[str, object]], ...]] = (
    ("20 of 100 tasks", {}),
    ("10 of 100", {"anchors": 10}),
    ("40 of 100", {"anchors": 40}),
    ("far outliers", {"kind": "heavy"}),
    ("leaning to one side", {"kind": "leaning"}),
    ("one agent", {"agents": 1, "without": 0}),
    ("two agents", {"agents": 2, "without": 0}),
    ("ten agents, three without", {"agents": 10, "without": 3}),
    ("no liking for agents", {"liking": 0.0}),
    ("strong liking", {"liking": 0.03}),
    ("all of 100, two without", {"anchors": 100, "agents": 8, "without": 2}),
    ("a tenth of the tasks missing", {"missing": 0.1}),
    ("the easiest 20, not drawn", {"chosen": True}),
)


def board(
    chance: np.random.Generator,
    agents: int = 6,
    tasks: int = 100,
    anchors: int = 20,
    without: int = 1,
    liking: float = 0.01,
    noise: float = 0.02,
    kind: str = "even",
    missing: float = 0.0,
    chosen: bool = False,
) -> tuple[BothScores, Floats]:
    """Scores as they are published, and what the new judge gives everything."""
    level, task = chance.normal(0.5, 0.04, (agents, 1)), chance.normal(0, 0.03, tasks)
    truth = level + task + chance.normal(0, 0.02, (agents, tasks))
    old = truth + chance.normal(0, 0.01, truth.shape)
    off = chance.normal(0, noise, truth.shape)
    if kind == "heavy":
        off = chance.standard_t(3, truth.shape) * noise / np.sqrt(3)
    elif kind == "leaning":
        off = (chance.exponential(1, truth.shape) - 1) * noise
    likes = chance.normal(0, liking, (agents, 1))
    full = 0.1 + 0.7 * truth + likes + off + chance.normal(0, 0.01, tasks)
    new = np.full_like(full, np.nan)
    drawn = np.argsort(-task)[:anchors] if chosen else chance.permutation(tasks)[:anchors]
    new[:, drawn] = full[:, drawn]
    new[:without] = np.nan
    if missing:  # every agent lacks some; the board is over what all have
        kept = chance.random(tasks) >= missing
        old, new, full = old[:, kept], new[:, kept], full[:, kept]
    return BothScores(tuple(f"a{n}" for n in range(agents)), old, new), full


def case(boards: int, **options: object) -> dict[str, float]:
    """Shares of intervals that hold the truth, claims a board, and boards with a false one."""
    held: Counter[str] = Counter()
    of: Counter[str] = Counter()
    claims = false = 0
    for seed in range(boards):
        scores, full = board(np.random.default_rng(seed), **options)  # type: ignore[arg-type]
        truth = dict(zip(scores.agents, full.mean(axis=1).tolist(), strict=True))
        found = rescued(scores)
        basis = {each.agent: each.basis for each in found.agents}
        for each in found.agents:
            if each.interval:
                of[each.basis] += 1
                held[each.basis] += each.interval.low <= truth[each.agent] <= each.interval.high
        wrong = False
        for pair in found.pairs:
            gap = truth[pair.one] - truth[pair.other]
            if pair.interval and {basis[pair.one], basis[pair.other]} == {"own anchors"}:
                of["pairs"] += 1
                held["pairs"] += pair.interval.low <= gap <= pair.interval.high
            if pair.order != "not known" and pair.gap is not None:
                claims += 1
                wrong |= (pair.gap > 0) != (gap > 0)
        false += wrong
    shares = {name: held[name] / of[name] for name in of}
    return shares | {"claims": claims / boards, "false": false / boards}


def main() -> None:
    """Print a line for each case."""
    boards = int(sys.argv[1]) if sys.argv[1:] else 1000
    print("| case | own anchors | by others | pairs | claims a board | boards with a false one |")
    print("|---|---|---|---|---|---|")
    for name, options in CASES:
        found = case(boards, **options)
        cells = [
            f"{found[key]:.3f}" if key in found else "–"
            for key in ("own anchors", "other agents", "pairs")
        ]
        print(
            f"| {name} | {' | '.join(cells)} | {found['claims']:.1f} | {found['false']:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
