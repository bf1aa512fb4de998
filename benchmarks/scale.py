"""What reading a large run takes: memory and time of every command, at two sizes, and the growth.

The run is made by `large_run`, and each command is a process of its own. The floor reads every
score of the same file with plain sqlite3, zstandard and json, and keeps nothing. Seconds of the
processor say what a command takes also on a machine that is busy with other things; peaks are of
resident memory.

    python -m benchmarks.scale 10000 100000
    python -m benchmarks.scale 1000 10000 --only leaderboard,html --keep runs
"""

from __future__ import annotations

import argparse
import gc
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from typing import Final

import zstandard

from benchmarks.command import Done, take, told
from benchmarks.material import ROOT

PROTOCOLS: Final = ("presentation", "coverage", "rubrics", "fact", "consistency")


def floor(run: Path) -> None:
    """Read every score with nothing of ours, and keep nothing."""
    packed = zstandard.ZstdDecompressor()
    scored = 0
    with closing(sqlite3.connect(run)) as db:
        for value, body in db.execute("SELECT value, body FROM outcomes"):
            json.loads(packed.decompress(body))
            scored += value is not None
    print(f"{scored:,} scores", file=sys.stderr)


class _There(Exception):
    """The first page is written."""


def first_page(run: Path) -> None:
    """What `html` does until its index can be opened; a small run has no index, but one page."""
    from deepassay.wings.view.writing import write_page  # the floor has nothing of ours

    gc.set_threshold(100_000, 50, 1000)  # as the command does

    def there(folder: Path) -> None:
        raise _There

    with suppress(_There):
        write_page([run], run.with_name("index.html"), force=True, on_index=there)


OWN: Final = {"floor": floor, "html until its index": first_page}
"""What is no command."""


def _tables(format: str) -> Callable[[Path], Sequence[str]]:
    return lambda folder: (
        *("export", str(folder / "run.assay"), "-o", str(folder / format)),
        *("--format", format, "--force"),
    )


def _run(command: str, *options: str) -> Callable[[Path], Sequence[str]]:
    return lambda folder: (command, str(folder / "run.assay"), *options)


def _files(folder: Path) -> Sequence[str]:
    """A new run of one protocol over the same reports, a file each; files are made once."""
    files, run = folder / "files", folder / "files.assay"
    run.unlink(missing_ok=True)
    for agent in () if files.exists() else sorted((folder / "reports").iterdir()):
        (files / agent.stem).mkdir(parents=True)
        for line in agent.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            (files / agent.stem / f"{row['id']}.md").write_text(row["article"], encoding="utf-8")
    tasks = folder / "tasks.jsonl"
    return "evaluate", str(tasks), str(files), "--run", str(run), "--protocol", "presentation"


def _page(folder: Path) -> Sequence[str]:
    return "html", str(folder / "run.assay"), "-o", str(folder / "page.html"), "--force"


def _resume(folder: Path) -> Sequence[str]:
    protocols = [part for name in PROTOCOLS for part in ("--protocol", name)]
    return (
        *("evaluate", str(folder / "tasks.jsonl"), str(folder / "reports")),
        *("--run", str(folder / "run.assay"), "--offline-sources", *protocols),
    )


STAGES: Final[dict[str, Callable[[Path], Sequence[str]]]] = {
    "leaderboard": _run("leaderboard"),
    "leaderboard --wide": _run("leaderboard", "--wide"),
    "compare two": _run("compare", "agent-010", "agent-090"),
    "compare all": _run("compare"),
    "html": _page,
    "export parquet": _tables("parquet"),
    "export csv": _tables("csv"),
    "export jsonl": _tables("jsonl"),
    "evaluate again": _resume,
    "evaluate files": _files,
    "replay": _run("replay"),
}


def measure(reports: int, folder: Path, only: Sequence[str]) -> dict[str, Done]:
    """Each stage on a run of so many reports, the floor first."""
    if not (folder / "run.assay").exists():
        folder.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        call = [sys.executable, "-m", "benchmarks.large_run", str(folder), str(reports)]
        subprocess.run(call, cwd=ROOT, check=True)
        size = (folder / "run.assay").stat().st_size / 1e6
        print(f"{reports:,} reports made in {time.perf_counter() - began:.0f} s: {size:,.0f} MB")
    found = {}
    for name in (*OWN, *STAGES):
        if name == "floor" or not only or any(name.startswith(each) for each in only):
            if name in OWN:
                found[name] = take("--own", name, str(folder), module="benchmarks.scale")
            else:
                found[name] = take(*STAGES[name](folder), quiet=True)
    return found


def show(sizes: Sequence[int], found: Sequence[dict[str, Done]]) -> None:
    """A line for each stage: what it took at each size, and how it grew."""
    floor = [each["floor"] for each in found]
    for name in found[0]:
        print(name)
        for size, each, least in zip(sizes, found, floor, strict=True):
            done = each[name]
            print(
                f"  {size:>9,} reports: {done.wall:7.1f} s, {done} "
                f"({done.busy / least.busy:.1f} x the floor's processor time)"
            )
        for one, other in pairwise(each[name] for each in found):
            print(
                f"  growth: {other.wall / one.wall:.1f} x the time, "
                f"{other.busy / one.busy:.1f} x the processor's, {other.peak - one.peak:+.0f} MB"
            )


def main(sizes: Sequence[int] = (1_000, 10_000), only: Sequence[str] = (), keep: str = "") -> None:
    """Make runs of these sizes, and print what every command takes on each."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(keep or scratch) / str(size) for size in sizes]
        show(sizes, [measure(*each, only) for each in zip(sizes, folders, strict=True)])


def _from_command_line() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="+", type=int)
    parser.add_argument("--only", default="", help="stages, by their beginnings, with commas")
    parser.add_argument("--keep", default="", help="a folder in which the runs stay")
    given = parser.parse_args()
    main(given.sizes, [each for each in given.only.split(",") if each], given.keep)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--own"]:
        told(lambda: OWN[sys.argv[2]](Path(sys.argv[3]) / "run.assay"))
    else:
        _from_command_line()
