"""The engines beside each other: how many calls a second the judge answers to each.

The same reports, the same judge on loopback with a fixed latency, the same number of calls in
flight. The floor is what the judge allows: so many calls at a time, each as long as it takes. Then
one process, and Ray with one and two workers on a cluster that is there already; from the first
request to the last answer, so that nobody's start counts. What the driver takes of the processor
is told too.

    python -m benchmarks.engines [REPORTS]
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

from tests.judging import verdicts
from tests.loopback import FakeJudge, Reply, Request, completion

from deepassay.reports.report import Report
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.settings import Settings
from deepassay.wings.bridges.ray.cluster import OBJECT_STORE, library

CONNECTIONS = 32
REPORTS = 300
LATENCY = 0.1
TEXT = "The tide at Saint-Malo rises by up to twelve metres, among the most in Europe. " * 30


def _took(reports: int, run: Path, engine: str, workers: int = 1) -> None:
    """Evaluate so many reports, and print how many calls were answered a second."""
    came: list[float] = []

    def good(request: Request, text: str) -> Reply:
        came.append(time.perf_counter())
        return completion(text)

    tasks = [{"id": str(each), "prompt": f"How high is tide {each}?"} for each in range(reports)]
    given = [Report(f"{TEXT} {each}", "x", str(each)) for each in range(reports)]
    with FakeJudge(verdicts, latency=LATENCY, scenarios={"good": good}) as judge:
        settings = Settings(
            protocols="presentation", judge="openai:good", base_url=judge.base_url, run=run,
            max_connections=CONNECTIONS, engine=engine, workers=workers,
        )  # fmt: skip
        began = time.process_time()
        evaluate(tasks, given, settings)
        own = time.process_time() - began  # with the judge's, which is the same for all
        name = "one process" if engine == "local" else f"ray, {workers} worker(s)"
        rate = len(came) / (came[-1] + LATENCY - came[0])
        print(f"  {name:16} {len(came):5} calls, {rate:4.0f} a second; processor {own:.1f} s")


def main(reports: int = REPORTS) -> None:
    """Measure each in turn."""
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    ray = library()
    print(f"engines: {reports} reports, {CONNECTIONS} calls in flight, a judge of {LATENCY:g} s")
    print(f"  {'floor':16} {'':12} {CONNECTIONS / LATENCY:4.0f} a second")
    with tempfile.TemporaryDirectory() as folder:
        _took(reports, Path(folder) / "local.assay", "local")
        began = time.perf_counter()
        ray.init(
            address="local", include_dashboard=False, log_to_driver=False, logging_level="ERROR",
            object_store_memory=OBJECT_STORE,
        )  # fmt: skip
        print(f"  a cluster of one node was started in {time.perf_counter() - began:.1f} s")
        try:
            for workers in (1, 2):
                _took(reports, Path(folder) / f"ray-{workers}.assay", "ray", workers)
        finally:
            ray.shutdown()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
