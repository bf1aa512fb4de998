"""Ours beside other code on 20,000 random cases of each check: RACE, FACT, DeepEval, rubrics.

Analyses name dimensions in quotes and bare, hold fences, lists, broken JSON and Chinese; the other
code is in `tests.differential`. A seed is drawn and printed; with the same one the cases are the
same.

    python -m benchmarks.differential [CASES] [SEED] [CHECK]
"""

from __future__ import annotations

import sys
import time
from random import SystemRandom

from tests.differential import CHECKS
from tests.differential.comparing import compare

CASES = 20_000


def main(cases: int = CASES, seed: int | None = None, only: str = "") -> None:
    """A line for each check; stops at the first case that is unequal."""
    seed = SystemRandom().randrange(10**9) if seed is None else seed
    print(f"differential: {cases} cases of each check (seed {seed})")
    for name, check in CHECKS.items():
        if only in ("", name):
            began = time.perf_counter()
            ends = compare(name, check, seed, cases)
            said = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
            print(f"  {name:<26} none unequal: {said} ({time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:4])
