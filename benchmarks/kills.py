"""A hundred runs of RACE, FACT, rubrics, KAE and the citation tree, each killed once and resumed.

A run is killed with SIGKILL while its judge answers, at moments spread over its course, and
resumed. Each must then hold what a run holds that was left alone, to the byte, and no more calls
may have been paid twice than were in flight. The judge is one on loopback.

    python -m benchmarks.kills [KILLS] [SEED]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import SystemRandom

from tests.run.kills import CONNECTIONS, killed_and_resumed

KILLS = 100
TASKS = 2


def main(kills: int = KILLS, seed: int | None = None) -> None:
    """Kill, resume, compare, and print the counts. Stops at the first difference."""
    seed = SystemRandom().randrange(10**9) if seed is None else seed
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        counts = killed_and_resumed(Path(folder), kills, TASKS, seed)
    print(
        f"kills: {kills} runs, {counts['killed']} of them killed before their end (seed {seed}, "
        f"{time.perf_counter() - began:.0f} s)\n"
        f"  exports that differ from those of an undisturbed run: 0\n"
        f"  calls: {counts['calls'] // kills} a run, at most {CONNECTIONS} in flight; over all "
        f"kills {counts['in flight']} were in flight and {counts['paid twice']} were paid twice"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
