"""A set of the size of ResearchRubrics: 101 long reports, 26 criteria each, a question a criterion.

A judge of fixed latency on loopback, beside the floor of calls x latency / connections; how much
more memory 101 reports take than 10; and a run that is killed half-way and goes on. The reports
are made of the demo's.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.graded import GradedSet, write_graded_set

from benchmarks.command import Done, start, take
from benchmarks.deepeval import exported, rows
from benchmarks.loopback import running

LATENCY = 0.2
CONNECTIONS = 50
REPORTS, FEW = 101, 10
CRITERIA = 26


def grading(graded: GradedSet, run: Path, port: int) -> list[str]:
    """`evaluate`, with a model as the judge."""
    return [
        *("evaluate", *graded.options, "--protocol", "rubrics", "--run", str(run)),
        *("--judge", "openai:bench", "--base-url", f"http://127.0.0.1:{port}/v1"),
        *("--allow-unpriced", "--max-connections", str(CONNECTIONS), "--date", "2026-05-04"),
    ]


def answered(run: Path) -> int:
    """How many requests were answered, as the run file has it."""
    return int(rows(run, "SELECT count(*) FROM attempts WHERE kind = 'answered'")[0][0])


def graded_in(folder: Path, reports: int, port: int) -> Done:
    """What it takes to grade so many reports."""
    graded = write_graded_set(folder / str(reports), reports, CRITERIA)
    done = take(*grading(graded, folder / f"{reports}.assay", port))
    assert answered(folder / f"{reports}.assay") == reports * CRITERIA
    return done


def print_resumed(folder: Path, port: int, seconds: float) -> None:
    """Kill a run after so many seconds, go on, and compare with the run that was left alone."""
    graded = write_graded_set(folder / "killed", REPORTS, CRITERIA)
    run = folder / "killed.assay"
    with start(*grading(graded, run, port)) as process:
        time.sleep(seconds)
        process.kill()
    kept = answered(run)
    take(*grading(graded, run, port))
    same = exported(run) == exported(folder / f"{REPORTS}.assay")
    print(
        f"rubrics, killed after {kept} answers and resumed: {answered(run)} answers in the end, "
        f"{'the same scores' if same else 'OTHER SCORES'}"
    )


def main() -> None:
    """Print everything."""
    with tempfile.TemporaryDirectory() as name, running("judge", str(LATENCY)) as port:
        folder = Path(name)
        few = graded_in(folder, FEW, port)
        done = graded_in(folder, REPORTS, port)
        calls = REPORTS * CRITERIA
        floor = calls * LATENCY / CONNECTIONS
        print(
            f"rubrics, {REPORTS} reports x {CRITERIA} criteria = {calls} calls at {LATENCY} s, "
            f"{CONNECTIONS} connections: {done.wall:.2f} s ({done.wall / floor:.2f} x floor "
            f"{floor:.2f} s); {done}, {done.peak - few.peak:.0f} MB more than for {FEW} reports"
        )
        print_resumed(folder, port, done.wall / 2)


if __name__ == "__main__":
    main()
