"""Whether what is said of judges holds in worlds of which the truth is known.

    python -m benchmarks.trust panels [WORLDS]

panels: judges of known rates of mistakes, whose mistakes correlate as is known. How far the
effective number of judges is from the true one, and how often its interval holds it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from deepassay.stats.intervals import wilson_interval
from deepassay.stats.panels import JudgesTogether
from deepassay.stats.ranks import Floats
from deepassay.stats.resampling import FEWER_DRAWS, drawn_counts, resampled_figure

WORLDS: Final = 1000
SEED: Final = 20261127
PANELS: Final = (
    (2, 0.0, 0.2),
    (2, 0.5, 0.2),
    (3, 0.3, 0.1),
    (3, 0.3, 0.3),
    (3, 0.7, 0.2),
    (5, 0.2, 0.2),
    (5, 0.6, 0.2),
)
"""Judges, correlation of their mistakes, and the rate of these."""
ITEMS: Final = 10
"""Verdicts a task."""


def share(name: str, hits: int, of: int) -> str:
    """A share with Wilson's interval."""
    low, high = wilson_interval(hits / of, of)
    return f"{name} {hits / of:.3f} [{low:.3f}, {high:.3f}]"


def mistakes(
    chance: np.random.Generator, items: int, judges: int, rho: float, rate: float
) -> Floats:
    """Each judge errs as a coin that all share, with a chance of the root of rho, else by itself.

    So that two judges' mistakes, 1 or 0, correlate by rho. Shape (items, judges).
    """
    common = chance.random((items, 1)) < rate
    own = chance.random((items, judges)) < rate
    return np.where(chance.random((items, judges)) < rho**0.5, common, own).astype(float)


def panels(worlds: int) -> None:
    """Effective numbers by labels on 40 and 100 tasks, and the floor without labels."""
    for judges, rho, rate in PANELS:
        truth = judges / (1 + (judges - 1) * rho)
        for tasks in (40, 100):
            chance = np.random.default_rng(SEED)
            unit = np.repeat(np.arange(tasks), ITEMS)
            found, held, below = [], 0, 0
            for world in range(worlds):
                wrong = mistakes(chance, len(unit), judges, rho, rate)
                people = (chance.random((len(unit), 1)) < 0.6).astype(float)
                together = JudgesTogether(wrong, unit)
                counts = drawn_counts(tasks, world, FEWER_DRAWS)
                figure = resampled_figure("", together.effective, counts, 1, "")
                found.append(figure.value)
                if figure.interval is not None:
                    held += figure.interval.low <= truth <= figure.interval.high
                said = JudgesTogether(np.abs(people - wrong), unit).effective()
                below += said is not None and said <= truth
            values = np.array(found, dtype=float)
            near = int((np.abs(values / truth - 1) <= 0.1).sum())
            print(
                f"{judges} judges, rho {rho}, mistaken {rate}, {tasks} tasks: truth {truth:.2f}, "
                f"mean {values.mean():.2f}, {share('within 10 %', near, worlds)}, "
                f"{share('interval holds', held, worlds)}, "
                f"{share('without labels a floor', below, worlds)}",
                flush=True,
            )


BENCHES: Final[Mapping[str, Callable[[int], None]]] = {"panels": panels}


def main() -> None:
    """As the module says."""
    words = sys.argv[1:]
    worlds = next((int(word) for word in words if word.isdigit()), WORLDS)
    for name in [word for word in words if word in BENCHES] or BENCHES:
        BENCHES[name](worlds)


if __name__ == "__main__":
    main()
