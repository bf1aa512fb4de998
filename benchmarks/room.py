"""What the reading room takes: its start, its memory, every view, and how soon new scores are seen.

A run of each size is made by `large_run`, or taken from a folder that `scale` filled. Seconds are
those of a reader who waits. A run that is being written is watched on a page that is open in
Chromium: after how long at most it showed a score that stood in the file, and whether the writer
was any slower for it.

    python -m benchmarks.room 1000 20000 --keep runs
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from html import unescape
from pathlib import Path
from typing import Final, NamedTuple
from urllib.request import urlopen

from tests.browser import Browser
from tests.wings.view.writing import emptied

from benchmarks.material import ROOT

MOST_KB: Final = 300
"""What a view may have."""

WATCHED: Final = 300
"""Reports of the run that is watched while it is written."""

RATES: Final = (50, 0)
"""Scores a second that are written: so many as a judge of the fastest gives, and all at once."""

PULSE: Final = 0.1
"""Seconds between looks at the file."""

BOARDS: Final = (
    "/", "/?sort=fact", "/?sort=agent", "/?turned=1", "/?start=500", "/?mode=failed",
    "/?mode=differ", "/?q=tenants", "/?protocol=fact&most=0.2", "/?label=language%3Den",
    "/map", "/map?protocol=fact", "/judges", "/search?q=tenants", "/search?q=nowhere", "/notes",
)  # fmt: skip


class Room(NamedTuple):
    """A reading room in a process of its own."""

    address: str
    process: subprocess.Popen[str]
    began: float

    def get(self, path: str) -> tuple[str, float]:
        """A view, and the seconds that it took."""
        began = time.perf_counter()
        with urlopen(self.address + path) as found:
            return found.read().decode(), time.perf_counter() - began

    def memory(self, which: str = "VmRSS") -> float:
        """Resident memory now, or with VmHWM at its highest, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(rf"{which}:\s+(\d+)", status)
        return int(found[1]) / 1024 if found else 0.0

    def seen(self) -> tuple[int, bool]:
        """How many scores are shown, and whether all that follows of them is worked out."""
        version, _ = self.get("/pulse?seen=x")
        return int(version.rstrip("~")), not version.endswith("~")


@contextmanager
def opened(run: Path) -> Iterator[Room]:
    """`deepassay view` of a run, from its start."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "deepassay", "view", str(run), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield Room(process.stdout.readline().strip().rstrip("/"), process, began)
        finally:
            process.kill()


def views(room: Room) -> Iterator[str]:
    """The addresses of views, those of a report, its pages and a pair among them."""
    yield from BOARDS
    board, _ = room.get("/")
    links = [unescape(each) for each in re.findall(r'href="(/[^"#]*)', board)]
    for beginning in ("/?agent=", "/?criterion=", "/report?"):
        yield from [each for each in links if each.startswith(beginning)][:1]
    for report in [each for each in links if each.startswith("/report?")][:1]:
        html, _ = room.get(report)
        inner = [unescape(each) for each in re.findall(r'href="(/[^"#]*)', html)]
        for beginning in ("/page?", "/pair?", "/note?"):
            yield from [each for each in inner if each.startswith(beginning)][:1]


def look(run: Path) -> None:
    """Print what a run takes to be opened and looked at."""
    with opened(run) as room:
        print(f"  the address is told after {time.perf_counter() - room.began:.1f} s")
        while not room.seen()[1]:
            time.sleep(1)
        seen, _ = room.seen()
        print(f"  all {seen:,} scores are read after {time.perf_counter() - room.began:.0f} s")
        room.get("/")
        time.sleep(1)
        largest = 0.0
        for path in views(room):
            room.get(path)
            html, took = room.get(path)
            largest = max(largest, len(html.encode()) / 1000)
            print(f"  {took * 1000:6.0f} ms {len(html.encode()) / 1000:6.0f} kB  {path[:70]}")
        script, style = (len(room.get(f"/static/{name}")[0]) for name in ("room.js", "style.css"))
        print(
            f"  largest view {largest:.0f} kB of {MOST_KB}; script {script / 1000:.1f} kB, style "
            f"{style / 1000:.1f} kB; memory {room.memory():.0f} MB, at most "
            f"{room.memory('VmHWM'):.0f} MB"
        )


def written_alone(run: Path, written: Path, rate: int) -> dict[str, float]:
    """What writing takes that nobody watches; the run is empty again afterwards."""
    emptied(run, written)
    told = subprocess.run(writing(run, written, rate), cwd=ROOT, capture_output=True, check=True)
    emptied(run, written)
    return dict(json.loads(told.stdout))


def writing(run: Path, written: Path, rate: int) -> list[str]:
    """The command that writes a run. rate: scores a second at most; 0 for as many as can be."""
    return [sys.executable, "-m", "tests.wings.view.writing", str(run), str(written), str(rate)]


def watch(run: Path, written: Path, rate: int) -> None:
    """Print how soon an open page shows scores that are written, and what that costs the writer.

    The number that a page shows is that of the scores of which its table was made.
    """
    alone = written_alone(run, written, rate)
    with opened(written) as room, Browser() as browser:
        browser.open(f"{room.address}/")
        browser.run(_NOTING)
        there: list[tuple[float, int]] = []
        with subprocess.Popen(
            writing(run, written, rate), cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as writer:
            while browser.run("shown.at(-1)[1]") < alone["kept"]:
                with closing(sqlite3.connect(f"{written.as_uri()}?mode=ro", uri=True)) as db:
                    ((count,),) = db.execute("SELECT count(*) FROM outcomes")
                there.append((time.time(), count))
                time.sleep(PULSE)
            told = json.loads(writer.communicate()[0])
        shown = [(at / 1000, count) for at, count in browser.run("shown")]
    lags = sorted(
        next(at for at, own in shown if own >= count) - since
        for count, since in {count: at for at, count in reversed(there) if count}.items()
    )
    print(
        f"{told['kept']:,} scores written in {told['seconds']:.1f} s, unwatched in "
        f"{alone['seconds']:.1f} s; the slowest took {told['slowest'] * 1000:.0f} ms, unwatched "
        f"{alone['slowest'] * 1000:.0f} ms; the page, changed {len(shown) - 1} times, had each "
        f"score within {lags[-1]:.1f} s of being in the file, half of them within "
        f"{lags[len(lags) // 2]:.1f} s"
    )


_NOTING: Final = """
window.shown = [[0, 0]];
new MutationObserver(() => shown.push([Date.now(), parseInt(document.body.dataset.seen)]))
  .observe(document.getElementById('main'), {childList: true});
0"""


def made(size: int, folder: Path) -> Path:
    """A run of so many reports."""
    run = folder / str(size) / "run.assay"
    if not run.exists():
        run.parent.mkdir(parents=True, exist_ok=True)
        call = [sys.executable, "-m", "benchmarks.large_run", str(run.parent), str(size)]
        subprocess.run(call, cwd=ROOT, check=True)
    return run


def main(sizes: Sequence[int] = (1_000,), keep: str = "") -> None:
    """Open a run of each size, then watch one that is being written."""
    with tempfile.TemporaryDirectory() as scratch, suppress(KeyboardInterrupt):
        folder = Path(keep or scratch)
        for size in sizes:
            run = made(size, folder)
            print(f"the reading room of {size:,} reports:")
            look(run)
        for rate in RATES:
            watch(made(WATCHED, folder), Path(scratch) / "watched.assay", rate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000])
    parser.add_argument("--keep", default="", help="a folder in which the runs stay")
    given = parser.parse_args()
    main(given.sizes, given.keep)
