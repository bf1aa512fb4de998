"""How fast `evaluate` is against a judge of fixed latency, beside the floor and bare calls.

480 calls (40 reports x 2 protocols x 6 repeats) over HTTP on loopback, everything stored. The
floor is calls x latency / connections; the peer is the same client library asked in a loop that
parses, checks and stores nothing.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.material import ROOT, report_texts, write_set

REPEAT = 6
PROTOCOLS = ("presentation", "coverage")


@contextmanager
def judge(latency: float) -> Iterator[str]:
    """The address of a judge that answers after `latency` seconds, in a process of its own."""
    command = [sys.executable, "-m", "tests.judging", str(latency)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def ours(url: str, connections: int) -> float:
    """Seconds that a run takes from the first file read to the last score stored."""
    from deepassay.run.asking.evaluate import evaluate
    from deepassay.run.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        tasks, reports = write_set(Path(folder) / "set")
        began = time.perf_counter()
        summary = evaluate(
            tasks,
            [reports],
            Settings(
                protocols=PROTOCOLS,
                judge=("openai:bench",),
                base_url=url,
                repeat=REPEAT,
                run=Path(folder) / "run.assay",
                max_connections=connections,
            ),
        )
        assert summary.tally.scored == summary.tally.total, summary
        return time.perf_counter() - began


def bare(url: str, connections: int, prompts: Sequence[str]) -> float:
    """Seconds that calls of the same client take, with nothing done to the answers."""
    import aiohttp

    async def all_calls() -> None:
        left = iter(prompts)
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as http:

            async def ask() -> None:
                for prompt in left:
                    messages = [{"role": "user", "content": prompt}]
                    body = {"model": "bench", "messages": messages, "max_tokens": 1000}
                    async with http.post(f"{url}/chat/completions", json=body) as answer:
                        await answer.json()

            await asyncio.gather(*(ask() for _ in range(connections)))

    began = time.perf_counter()
    asyncio.run(all_calls())
    return time.perf_counter() - began


def measure(latency: float, connections: int = 50) -> None:
    """Print one comparison."""
    calls = 40 * len(PROTOCOLS) * REPEAT
    floor = calls * latency / connections
    asked = [f"{text}\n\n- p1: Is it good?" for text in report_texts()] * len(PROTOCOLS) * REPEAT
    with judge(latency) as url:
        bare(url, connections, asked)  # what is loaded in a first run is not what is measured
        ours(url, connections)
        before = time.process_time()
        peer = bare(url, connections, asked)
        between = time.process_time()
        wall = ours(url, connections)
        after = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"evaluate, {calls} calls at {latency} s, {connections} connections: {wall:.2f} s "
        f"({wall / floor:.2f} x floor {floor:.2f} s; {wall / peer:.2f} x bare calls {peer:.2f} s); "
        f"processor per call {1000 * (after - between) / calls:.2f} ms, of bare calls "
        f"{1000 * (between - before) / calls:.2f} ms; peak {peak:.0f} MB"
    )


if __name__ == "__main__":
    measure(0.2)
    measure(2.0)
