"""A process that writes a run at full speed: every outcome of another, one after the other.

`python -m tests.wings.view.writing SOURCE TARGET` prints, as JSON, how many it kept, the seconds
that took, and the slowest.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import sys
import time
from pathlib import Path

from deepassay.runfile import RunFile


def emptied(source: Path, target: Path) -> None:
    """A copy of a run without its outcomes."""
    shutil.copy(source, target)
    with sqlite3.connect(target) as db:
        db.execute("DELETE FROM outcomes")
        db.execute("DELETE FROM seals")


async def write_all(source: Path, target: Path) -> None:
    """Keep every outcome, and print what that took."""
    took = []
    with RunFile.read(source) as run, RunFile.create(target) as written:
        began = time.perf_counter()
        for _, score in run.since():
            before = time.perf_counter()
            await written.keep_score(score)
            took.append(time.perf_counter() - before)
        all_ = time.perf_counter() - began
    print(json.dumps({"kept": len(took), "seconds": all_, "slowest": max(took)}))


if __name__ == "__main__":
    asyncio.run(write_all(*map(Path, sys.argv[1:])))
