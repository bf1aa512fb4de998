"""Twenty raters save at once while the server is killed at random: what is lost, what a save takes.

Raters wait for nothing: each sends the next form as soon as the one before is acknowledged. The
floor writes as many rows into a database of its own, each on the disk before the next. Seconds of
the processor say what the server does also on a machine that is busy with other things.

    python -m benchmarks.annotating [SECONDS]
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import aiohttp
import numpy as np

from deepassay.runfile import RunFile

RATERS = 20
REPORTS = 800
SECONDS = 60.0
QUESTIONS = "questions:\n  - {key: useful, text: Would you act on it?, menu: [act, wait, drop]}\n"


def material(folder: Path) -> None:
    """Reports of one invented agent on as many tasks."""
    lines = [f'{{"id": "t{number}", "prompt": "Why {number}?"}}' for number in range(REPORTS)]
    (folder / "tasks.jsonl").write_text("\n".join(lines))
    (folder / "questions.yaml").write_text(QUESTIONS)
    (folder / "nightjar").mkdir()
    for number in range(REPORTS):
        text = f"# Report {number}\n\n" + "Vapour rises and falls as rain. " * 300
        (folder / "nightjar" / f"t{number}.md").write_text(text)


def served(folder: Path, port: int, keys: dict[str, str]) -> subprocess.Popen[str]:
    """The command, once it answers; its keys are read at the first start."""
    raters = ",".join(f"r{number}" for number in range(RATERS))
    given = ["--questions", str(folder / "questions.yaml"), "--raters", raters]
    given += ["--tasks", str(folder / "tasks.jsonl"), "--study", str(folder / "study.assay")]
    given += ["--per-item", str(RATERS), "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-m", "deepassay", "annotate", "serve", str(folder / "nightjar"), *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    while "Everything is kept" not in (line := process.stdout.readline()):
        assert line, "the server ended"
        if found := re.match(r"(r\d+): .*#(\S+)", line):
            keys[found[1]] = found[2]
    return process


async def rate(
    rater: str,
    key: str,
    address: str,
    until: float,
    saved: list[str],
    taken: dict[str, list[float]],
) -> None:
    """Answer one report after the other; a form that was not acknowledged is sent again."""
    jar = aiohttp.CookieJar(unsafe=True)
    patience = aiohttp.ClientTimeout(20)
    async with aiohttp.ClientSession(cookie_jar=jar, timeout=patience) as session:
        form: dict[str, str] = {}
        entered = False
        while time.monotonic() < until:
            try:
                origin = {"Origin": address}
                if not entered:
                    async with session.post(
                        f"{address}/enter", data={"token": key}, headers=origin
                    ) as answer:
                        entered = answer.ok
                began = time.monotonic()
                async with session.get(f"{address}/") as answer:
                    page = await answer.text()
                taken["a page"].append(time.monotonic() - began)
                hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
                if "item" not in hidden:
                    return
                form = form or {"form": hidden["form"]}
                sent = hidden | form | {"q0": random.choice(["act", "wait", "drop"])}
                began = time.monotonic()
                async with session.post(
                    f"{address}/save", data=sent, headers=origin, allow_redirects=False
                ) as answer:
                    if answer.status == 303:
                        taken["a save"].append(time.monotonic() - began)
                        saved.append(f"{rater}/{sent['form']}")
                        form = {}
            except (aiohttp.ClientError, TimeoutError, OSError):
                await asyncio.sleep(0.05)


def processor(pid: int) -> float:
    """Seconds of the processor that a process has taken (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def study(
    folder: Path, seconds: float
) -> tuple[list[str], dict[str, list[float]], int, float]:
    """Forms that were acknowledged, seconds of requests, kills, and seconds of the processor.

    The last without what starting takes.
    """
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    keys: dict[str, str] = {}
    process = await asyncio.to_thread(served, folder, port, keys)
    saved: list[str] = []
    taken: dict[str, list[float]] = {"a page": [], "a save": []}
    until = time.monotonic() + seconds
    address = f"http://127.0.0.1:{port}"
    raters = [
        asyncio.create_task(rate(name, key, address, until, saved, taken))
        for name, key in keys.items()
    ]
    kills, busy, began = 0, 0.0, processor(process.pid)
    while time.monotonic() < until - 5 and not all(each.done() for each in raters):
        await asyncio.sleep(random.uniform(3, 8))
        busy += processor(process.pid) - began
        process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(process.wait)
        kills += 1
        process = await asyncio.to_thread(served, folder, port, {})
        began = processor(process.pid)
    await asyncio.gather(*raters)
    busy += processor(process.pid) - began
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        await asyncio.to_thread(process.communicate, None, 20)
    return saved, taken, kills, busy


def floor(folder: Path, count: int) -> list[float]:
    """Seconds of each of so many rows, one commit a row."""
    taken = []
    with closing(sqlite3.connect(folder / "floor.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("CREATE TABLE ratings(body TEXT)")
        for _ in range(count):
            began = time.monotonic()
            db.execute("INSERT INTO ratings VALUES(?)", ["x" * 200])
            taken.append(time.monotonic() - began)
    return taken


def main(seconds: float = SECONDS) -> None:
    """Print what was kept, and what saving takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        material(folder)
        saved, taken, kills, busy = asyncio.run(study(folder, seconds))
        with RunFile.read(folder / "study.assay") as run:
            kept = Counter(f"{each.rater}/{each.form}" for each in run.annotating.ratings())
            damage = run.verify().damage
        lowest = floor(folder, min(500, len(saved)))
    lost = [each for each in saved if each not in kept]
    print(f"{RATERS} raters, {seconds:.0f} s, server killed {kills} times")
    print(f"  acknowledged {len(saved)}, of them lost {len(lost)}, kept twice ", end="")
    print(f"{sum(count > 1 for count in kept.values())}, damaged rows {len(damage)}")
    load, own = os.getloadavg()[0], 1000 * busy / len(saved)
    print(f"  processor of the server, a page and a save: {own:.1f} ms", end="")
    print(f" ({os.cpu_count()} processors, load {load:.1f}, {len(saved) / seconds:.0f} saves/s)")
    # The last of all waits for the others, for a commit that is under way, and for its own.
    waiting = RATERS * own + 2000 * np.percentile(lowest, 95)
    print(f"  the last of {RATERS} at once, with a processor for itself: {waiting:.0f} ms")
    for label, each in (taken | {"the floor, one commit": lowest}).items():
        middle, late = 1000 * np.percentile(each, [50, 95])
        print(f"  {label}: median {middle:.1f} ms, 95 % below {late:.1f} ms")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
