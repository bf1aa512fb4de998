"""A run that is killed at any moment loses nothing, doubles nothing and resumes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from deepassay.run.records import as_lines
from deepassay.run.sources import import_pages
from deepassay.runfile import RunFile
from deepassay.score import canonical_json
from tests.judging import verdicts
from tests.loopback import FakeJudge

KILLS = 50
FEWER_KILLS = 10
REPORTS = 40
CONNECTIONS = 8
LATENCY = 0.02


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Path:
    """Forty tasks, and a report for each."""
    folder = tmp_path_factory.mktemp("set")
    (folder / "heron").mkdir()
    rows = []
    for number in range(REPORTS):
        rows.append({"id": f"t{number}", "prompt": f"Ask {number}?", "checklist": ["a?", "b?"]})
        text = f"# Report {number}\n\n" + "It was measured in the field [1]. " * 40
        (folder / "heron" / f"t{number}.md").write_text(text)
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


class Forker:
    """Runs that can be killed."""

    def __init__(self, process: subprocess.Popen[str], options: dict[str, object]) -> None:
        self._process = process
        self._options = options

    def start(self, run: Path, **options: object) -> int:
        assert self._process.stdin is not None
        options = {**self._options, **options, "run": str(run)}
        self._process.stdin.write(json.dumps(options) + "\n")
        self._process.stdin.flush()
        return self._line()

    def status(self) -> int:
        return self._line()

    def _line(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@pytest.fixture(scope="module")
def judge() -> Iterator[FakeJudge]:
    with FakeJudge(verdicts, latency=LATENCY) as server:
        yield server


@pytest.fixture(scope="module")
def forker(material: Path, judge: FakeJudge, repository: Path) -> Iterator[Forker]:
    options = {
        "tasks": str(material / "tasks.jsonl"),
        "reports": str(material / "heron"),
        "protocols": ["coverage"],
        "judges": ["openai:good"],
        "base_url": judge.base_url,
        "date": "2026-11-20",
        "max_connections": CONNECTIONS,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.run.forker"],
        cwd=repository, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        yield Forker(process, options)
        assert process.stdin is not None
        process.stdin.close()


def exported(path: Path) -> str:
    with RunFile.read(path) as run:
        return "\n".join(canonical_json(line) for line in as_lines(run))


def answers_in(path: Path) -> int:
    if not path.exists():
        return 0
    with RunFile.read(path) as run:
        return sum(each.model != "offline" for each in run.exchanges())


def rest(judge: FakeJudge) -> None:
    """Until the judge has taken in and answered what was on its way to it."""
    time.sleep(0.02)
    while judge.busy:
        time.sleep(0.005)


def killed_and_resumed(forker, judge, folder, kills, options=None) -> Counter[str]:
    """Kill so many runs at random moments; each must end like one that is left alone."""
    options = options or {}
    for name in ("warming up", "undisturbed"):
        judge.requests.clear()
        forker.start(folder / name, **options)
        assert forker.status() == 0
    calls = len(judge.requests)
    expected = exported(folder / "undisturbed")

    chance = random.Random(20261120)
    moments: Counter[str] = Counter()
    for kill in range(kills):
        path = folder / f"{kill}.assay"
        judge.requests.clear()
        child = forker.start(path, **options)
        asked = chance.randint(0, calls)
        while len(judge.requests) < asked:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 2 * LATENCY))
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        killed = forker.status() == -signal.SIGKILL
        rest(judge)
        in_flight = len(judge.requests) - answers_in(path)
        moments["killed" if killed else "over"] += 1

        forker.start(path, **options)
        assert forker.status() == 0
        assert exported(path) == expected
        paid_twice = len(judge.requests) - calls
        assert 0 <= paid_twice <= in_flight <= CONNECTIONS
    return moments


@pytest.mark.slow
def test_a_run_that_is_killed_loses_nothing_and_doubles_nothing(forker, judge, tmp_path):
    moments = killed_and_resumed(forker, judge, tmp_path, KILLS)
    assert exported(tmp_path / "undisturbed").count("\n") == REPORTS - 1
    # Many of the moments must have been inside a run, or this test would show nothing.
    assert moments["killed"] >= KILLS * 0.4, moments


@pytest.mark.slow
def test_so_does_one_that_reads_pages_and_compares_reports(forker, judge, repository, tmp_path):
    demo = repository / "examples" / "demo"
    import_pages([demo / "pages.jsonl"], tmp_path / "pages.assay", None)
    options = {
        "tasks": str(demo / "tasks.jsonl"),
        "reports": str(demo / "reports"),
        "protocols": ["race", "fact", "rubrics", "kae"],
        "extractor": "offline",  # so that nothing but verdicts tells who judged
        "reference": "heron",
        "criteria": str(demo / "criteria.yaml"),
        "rubric": str(demo / "rubrics.yaml"),
        "snapshots": str(tmp_path / "pages.assay"),
        "offline_sources": True,
        "allow_unpriced": True,
        "limit": 2,
    }
    moments = killed_and_resumed(forker, judge, tmp_path, FEWER_KILLS, options)
    assert moments["killed"] >= FEWER_KILLS * 0.4, moments
