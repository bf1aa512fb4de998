"""DeepEval whole: six metrics in one command, as a user types it, against a judge of fixed latency.

The forty live reports, and as a second agent a copy of each with a section dropped; made pages on
loopback for the addresses that they cite; beside the floor of calls x latency / connections. The
reports stand beside the checkout; without them nothing is measured.

    python -m benchmarks.deepeval [--profile FILE]
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.command import Done, take
from benchmarks.live import TASKS, Web, write_reports
from benchmarks.loopback import running
from benchmarks.material import REAL, ROOT

LATENCY = 0.2
CONNECTIONS = 50
METRICS = (
    "presentation", "consistency", "coverage", "depth", "citation_association",
    "citation_accuracy",
)  # fmt: skip


@dataclass(frozen=True)
class World:
    """Where the set is, the options that open the guard to its site, and who judges."""

    folder: Path
    web: Web


@contextmanager
def world(changes: Mapping[str, str]) -> Iterator[World]:
    """Reports of the agent `whole` and of one agent for each change, and their pages."""
    with tempfile.TemporaryDirectory() as name, running("site", f"{name}/pages.json") as port:
        web = Web(port)
        write_reports(Path(name) / "reports", web, changes)
        web.write(Path(name) / "pages.json")
        yield World(Path(name), web)


def evaluate(
    world: World, run: str, *options: str, agents: Sequence[str], profile: str = ""
) -> Done:
    """One `deepassay evaluate` over some agents, in a process of its own."""
    return take(
        *("evaluate", str(TASKS)),
        *(str(world.folder / "reports" / agent) for agent in agents),
        *("--run", str(world.folder / run), "--max-connections", str(CONNECTIONS), *options),
        profile=profile,
    )


def protocols(names: Sequence[str]) -> list[str]:
    """The options that name protocols."""
    return [part for name in names for part in ("--protocol", name)]


def doors(world: World) -> list[str]:
    """The options that open the guard to the site."""
    return [part for door in world.web.doors for part in ("--allow-host", door)]


def judged(profile: str) -> None:
    """Six metrics against a judge of fixed latency."""
    with world({"dropped": "drop-section"}) as set_, running("judge", str(LATENCY)) as port:
        done = evaluate(
            set_,
            "judged.assay",
            *(*protocols(METRICS), "--baseline", "whole", *doors(set_)),
            *("--judge", "openai:bench", "--base-url", f"http://127.0.0.1:{port}/v1"),
            "--allow-unpriced",
            agents=("whole", "dropped"),
            profile=profile,
        )
        run = set_.folder / "judged.assay"
        calls = rows(run, "SELECT count(*) FROM attempts WHERE kind = 'answered'")[0][0]
        pages = rows(run, "SELECT count(*), count(text) FROM captures")[0]
        floor = calls * LATENCY / CONNECTIONS
        print(
            f"deepeval, {calls} calls at {LATENCY} s, {CONNECTIONS} connections, {pages[1]} of "
            f"{pages[0]} pages: {done.wall:.2f} s ({done.wall / floor:.2f} x floor {floor:.2f} s); "
            f"{done}"
        )
        print_order(run)
        print_values(run)


def print_order(run: Path) -> None:
    """Whether the metrics waited for each other: the places of first and last answers."""
    spans = {
        metric: rows(
            run, "SELECT min(rowid), max(rowid), count(*) FROM answers WHERE operation LIKE ?",
            f"{metric}/%",
        )[0]
        for metric in METRICS
    }  # fmt: skip
    last_begin = max(spans, key=lambda each: spans[each][0] or 0)
    whole = [each for each in METRICS if each != "depth"]  # which only one agent has
    first_end = min(whole, key=lambda each: spans[each][1] or sys.maxsize)
    begins, ends = spans[last_begin][0], spans[first_end][1]
    verdict = "no barrier" if begins < ends else "A BARRIER"
    print(
        f"    {verdict}: {last_begin}, the last to begin, begins with answer {begins}; "
        f"{first_end}, the first to end, ends with answer {ends}"
    )


def print_values(run: Path) -> None:
    """The mean of each metric, so that one sees that something was judged."""
    for protocol, agent, values in means(run):
        print(f"    {protocol:38} {agent:10} {sum(values) / len(values):6.1f}  n {len(values)}")


def means(run: Path) -> Iterator[tuple[str, str, list[float]]]:
    """Protocol, agent and values, in order."""
    found: dict[tuple[str, str], list[float]] = {}
    for each in exported(run):
        if "value" in each:
            found.setdefault((each["protocol"], each["agent"]), []).append(each["value"])
    for (protocol, agent), values in sorted(found.items()):
        yield protocol, agent, values


def exported(run: Path) -> list[dict[str, Any]]:
    """The outcomes of a run."""
    command = [sys.executable, "-m", "deepassay", "export", str(run)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows(run: Path, sql: str, *values: str) -> list[Any]:
    """What a query finds in a run file."""
    with closing(sqlite3.connect(run)) as db:
        return db.execute(sql, values).fetchall()


def main(arguments: Sequence[str] = ()) -> None:
    """Measure, where the reports are."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", default="")
    options = parser.parse_args(arguments)
    if not any(REAL.glob("*.md")):
        print("deepeval: the live reports are not beside the checkout; nothing is measured")
        return
    judged(options.profile)


if __name__ == "__main__":
    main(sys.argv[1:])
