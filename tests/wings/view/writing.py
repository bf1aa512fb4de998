"""A process that writes a run: every outcome of another, one after the other.

`python -m tests.wings.view.writing SOURCE TARGET RATE` prints, as JSON, how many it kept, the
seconds that took, and the slowest. RATE: so many a second at most, 0 for as many as can be.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

from deepassay.runfile import RunFile


def emptied(source: Path, target: Path) -> None:
    """A copy of a run without its outcomes."""
    for rest in ("-wal", "-shm"):
        target.with_name(target.name + rest).unlink(missing_ok=True)
    shutil.copy(source, target)
    with closing(sqlite3.connect(target)) as db, db:
        db.execute("DELETE FROM outcomes")
        db.execute("DELETE FROM seals")


async def write_all(source: Path, target: Path, rate: int) -> None:
    """Keep every outcome, and print what that took."""
    took = []
    with RunFile.read(source) as run, RunFile.create(target) as written:
        began = time.perf_counter()
        for _, score in run.since():
            before = time.perf_counter()
            await written.keep_score(score)
            took.append(time.perf_counter() - before)
            if rate:
                await asyncio.sleep(began + len(took) / rate - time.perf_counter())
        all_ = time.perf_counter() - began
    print(json.dumps({"kept": len(took), "seconds": all_, "slowest": max(took)}))


if __name__ == "__main__":
    asyncio.run(write_all(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
