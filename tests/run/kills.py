"""Runs that are killed at any moment and resumed: each must end like one that is left alone.

The test kills a few, `benchmarks.kills` a hundred.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import psutil

from deepassay.files import read_yaml
from deepassay.run.archives import import_pages
from deepassay.run.showing.records import as_lines
from deepassay.runfile import RunFile
from deepassay.score import canonical_json
from deepassay.wings.research.scratch import SCRATCH
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.preloaded import python

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo"
CONNECTIONS = 8
LATENCY = 0.02
_FENCE = re.compile(r"(?<=<<<)(?:BEGIN|END) \w+ \w+")
PROTOCOLS = ("race", "fact", "rubrics(together=4)", "kae", "citation_accuracy")


@cache
def entries_of(name: str) -> list[Any]:
    """The criteria or rubrics of the demo."""
    return list(read_yaml((DEMO / f"{name}.yaml").read_text("utf-8")))


def settings(folder: Path, tasks: int) -> dict[str, Any]:
    """What is asked of so many tasks of the demo, from files in `folder` that are read fast."""
    pages = folder / "pages.assay"
    import_pages([DEMO / "pages.jsonl"], pages, None)
    for name in ("criteria", "rubrics"):  # YAML takes longer to read than all the rest of a run
        entries = entries_of(name)[:tasks]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, entries)), "utf-8")
    return {
        "tasks": str(DEMO / "tasks.jsonl"),
        "reports": str(DEMO / "reports"),
        "protocols": list(PROTOCOLS),
        "judges": ["openai:good"],
        "extractor": "offline",  # so that nothing but verdicts tells who judged
        "reference": "heron",
        "criteria": str(folder / "criteria.jsonl"),
        "rubric": str(folder / "rubrics.jsonl"),
        "snapshots": str(pages),
        "offline_sources": True,
        "allow_unpriced": True,
        "limit": tasks,
        "date": "2026-11-20",
        "max_connections": CONNECTIONS,
    }


class Forker:
    """A process that forks a run for each line that it is given."""

    def __init__(self, process: subprocess.Popen[str], options: Mapping[str, Any]) -> None:
        self._process = process
        self._options = options

    def start(self, run: Path, **options: Any) -> int:
        """Begin a run, with these settings besides; its pid."""
        return self._begin(**{**self._options, **options, "run": str(run)})

    def command(
        self,
        words: Sequence[str],
        folder: Path,
        *,
        dies_at: int = 0,
        after: str = "",
        patience: float = 60.0,
        pacing: Sequence[float] = (),
    ) -> int:
        """Begin `deepassay WORDS`, which dies at a moment of `tests.run.moments`; its pid.

        folder: where it runs and has what is temporary. The rest: see `tests.run.forker`.
        """
        how = {"dies_at": dies_at, "after": after, "patience": patience, "pacing": list(pacing)}
        return self._begin(words=words, folder=str(folder), **how)

    def status(self) -> int:
        """The exit status of the run that was begun, once it is over."""
        return self._line()

    def kill_at(self, moment: Callable[[], bool], child: int) -> bool:
        """Kill the run that was begun when the moment comes; whether it was still going on."""
        with suppress(ProcessLookupError):
            while not moment():
                time.sleep(0.001)
                os.kill(child, 0)  # a run that is over brings no moment any more
            os.kill(child, signal.SIGKILL)
        return self.status() == -signal.SIGKILL

    def _begin(self, **given: Any) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(given) + "\n")
        self._process.stdin.flush()
        return self._line()

    def _line(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@contextmanager
def forking(options: Mapping[str, Any] = {}, *modules: str, anew: bool = False) -> Iterator[Forker]:
    """A forker of runs with these settings, and of commands.

    modules: to be loaded once. anew: whether Python has to be started.
    """
    text = "from tests.run.forker import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", text, *modules] if anew else python(text, *modules),
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        yield Forker(process, options)
        assert process.stdin is not None
        process.stdin.close()


def wait_until(happened: Callable[[], object]) -> None:
    """Wait until it has; a test that would wait for good fails after five minutes."""
    end = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def left_behind(here: Path) -> list[psutil.Process | Path]:
    """Processes and folders of runs of agents, where this is the folder of what is temporary."""
    processes = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("HOME", "").startswith(str(here / SCRATCH)):
                processes.append(process)
    return [*processes, *here.glob(f"{SCRATCH}*")]


def exported(path: Path) -> str:
    """All scores of a run with their recipes, as bytes are compared."""
    with RunFile.read(path) as run:
        return "\n".join(canonical_json(line) for line in as_lines(run))


def wavering(body: dict[str, Any]) -> str:
    """As `verdicts`, but half of the questions get an unusable answer first, a quarter two."""
    prompt = body["messages"][1]["content"]
    asked_before = len(body["messages"]) // 2 - 1
    wanted = hashlib.sha256(_FENCE.sub("", prompt).encode()).digest()[0] % 4
    if asked_before < min(wanted, 2):
        return f"Let me think about it: {asked_before}, {wanted}."
    return verdicts(body)


def calls_in(path: Path) -> int:
    """Calls whose answers are kept: those that ended a question, and those that were sent back."""
    if not path.exists():
        return 0
    with RunFile.read(path) as run, closing(sqlite3.connect(path)) as db:
        ended = sum(each.attempts for each in run.exchanges())
        keys = [key for (key,) in db.execute("SELECT key FROM sent_back")]
        return ended + sum(len(asyncio.run(run.sent_back(key))) for key in keys)


def _asked(judge: FakeJudge, questions: int, pause: float) -> bool:
    """Whether so many questions came in, and a pause since. Seconds."""
    if len(judge.requests) < questions:
        return False
    time.sleep(pause)
    return True


def rest(judge: FakeJudge) -> None:
    """Until the judge has taken in and answered what was on its way to it."""
    time.sleep(0.02)
    while judge.busy:
        time.sleep(0.005)


def killed_and_resumed(folder: Path, kills: int, tasks: int, seed: int) -> Counter[str]:
    """Kill so many runs, spread over their course, and resume each.

    Raises AssertionError where an export differs from that of an undisturbed run by a byte, or
    more was paid twice than was in flight. The counts: runs that were killed and that were over,
    calls that were in flight and that were paid twice; of an undisturbed run those that followed an
    unusable answer.
    """
    chance = random.Random(seed)
    counts: Counter[str] = Counter()
    with FakeJudge(wavering, latency=LATENCY) as judge:
        options = settings(folder, tasks) | {"base_url": judge.base_url}
        with forking(options) as forker:
            forker.start(folder / "undisturbed")
            assert forker.status() == 0
            calls = len(judge.requests)
            counts["sent back"] = sum(len(each.body["messages"]) > 2 for each in judge.requests)
            expected = exported(folder / "undisturbed")
            for kill in range(kills):
                path = folder / f"{kill}.assay"
                judge.requests.clear()
                child = forker.start(path)
                asked = int(calls * (kill + chance.random()) / kills)
                pause = chance.uniform(0, 2 * LATENCY)
                killed = forker.kill_at(partial(_asked, judge, asked, pause), child)
                counts["killed" if killed else "over"] += 1
                rest(judge)
                in_flight = len(judge.requests) - calls_in(path)

                forker.start(path)
                assert forker.status() == 0
                assert exported(path) == expected, f"kill {kill} of seed {seed}"
                paid_twice = len(judge.requests) - calls
                assert 0 <= paid_twice <= in_flight <= CONNECTIONS, f"kill {kill} of seed {seed}"
                counts.update({"in flight": in_flight, "paid twice": paid_twice, "calls": calls})
    return counts
