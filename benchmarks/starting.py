"""How much of the processor it takes to start, beside an interpreter that does as little as it can.

A command is measured up to its end, `evaluate` up to its first question to a judge on loopback; the
floor of that loads what nobody can do without who sends a question and keeps the answer.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from benchmarks.material import ROOT

ROUNDS = 5
DEEPASSAY = str(Path(sys.executable).with_name("deepassay"))
DEMO = ROOT / "examples" / "demo"
REPORT = ("--agent", "heron", "--task", "terrace-heat")
FLOOR = "import sqlite3, ssl, asyncio, aiohttp, numpy, pydantic, typer, rich.console"


def main() -> None:
    """Print the comparison."""
    print("seconds of the processor")
    tell("python -c pass", [sys.executable, "-c", "pass"])
    tell("import deepassay", [sys.executable, "-c", "import deepassay"])
    tell("deepassay lint --help", [DEEPASSAY, "lint", "--help"])
    print(f"{median(before_the_first_question):.2f} evaluate, before its first question")
    tell(f"python -c '{FLOOR}'", [sys.executable, "-c", FLOOR])
    with tempfile.TemporaryDirectory() as folder:
        run = str(Path(folder, "run.assay"))
        subprocess.run(evaluate(run, "--judge", "offline"), check=True, capture_output=True)
        tell("leaderboard of 18 scores", [DEEPASSAY, "leaderboard", run])
        tell("explain", [DEEPASSAY, "explain", run, *REPORT])


def tell(name: str, command: list[str]) -> None:
    """Print what a command takes."""
    print(f"{median(lambda: whole(command)):.2f} {name}")


def median(measure: Callable[[], float]) -> float:
    """The median of a few measurements."""
    return statistics.median(measure() for _ in range(ROUNDS))


def whole(command: list[str]) -> float:
    """Seconds of the processor that a command takes, with those of its children."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before[2] - before[3]


def evaluate(run: str, *judge: str) -> list[str]:
    """An evaluation of the demo's reports."""
    tasks, reports = str(DEMO / "tasks.jsonl"), str(DEMO / "reports")
    names = ("--protocol", "presentation", "--run", run, *judge)
    return [DEEPASSAY, "evaluate", tasks, reports, *names]


def before_the_first_question() -> float:
    """Seconds of the processor that `evaluate` has taken when its first question is there."""
    from tests.loopback import FakeJudge

    with tempfile.TemporaryDirectory() as folder, FakeJudge() as judge:
        command = evaluate(str(Path(folder, "run.assay")), "--judge", "openai:silence")
        command += ["--base-url", judge.base_url]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            while not judge.requests:
                if process.poll() is not None:
                    raise SystemExit(process.stderr.read() if process.stderr else "")
                time.sleep(0.002)
            times = psutil.Process(process.pid).cpu_times()
            process.kill()
    return times.user + times.system


if __name__ == "__main__":
    main()
