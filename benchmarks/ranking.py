"""10,000 tasks ranked in two rounds by the offline rule, as a command, beside two floors.

The floors: an interpreter that writes as many answers of the same size into a bare SQLite file, as
safely and as many at a time; and the ratings reckoned one comparison after the other in a loop.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.material import ROOT
from deepassay.wings.build.arena.elo import K_FACTOR, START, Round, intervals, ratings, rounds_of
from deepassay.wings.build.arena.rank_eval import comparisons_file, read_comparisons
from deepassay.wings.build.arena.ranking import draw_rounds

TASKS = 10_000
AT_ONCE = 18  # pairs that are compared at the same time with 16 connections

SUBJECTS = (
    "fouling of membranes behind tidal turbines",
    "grazing by geese in city parks",
    "the dating of lime mortar",
    "late payment among flower growers",
    "summer heat in tram depots",
    "dialects of ferry crews",
)
VERBS = ("Survey", "Compare", "Simulate", "Audit", "Design", "Measure")
PRODUCTS = ("a table", "a report", "a protocol", "code and a memo", "a checklist")
WORDS = ("salinity", "archive", "sensor", "price", "turnover", "weekly", "how", "whether", "1998")


def write_tasks(path: Path) -> None:
    """Tasks of 30 to 100 words, no two alike."""
    chance = np.random.default_rng(3)
    with path.open("w", encoding="utf-8") as lines:
        for number in range(TASKS):
            verb, subject, product = (chance.choice(each) for each in (VERBS, SUBJECTS, PRODUCTS))
            more = " ".join(chance.choice(WORDS, chance.integers(10, 80)))
            prompt = f"{verb} {subject} at site {number}: {more}. Deliver {product} of 12 rows."
            labels = {"difficulty": str(chance.choice(("Basic", "Advanced")))}
            row = {"id": f"t{number}", "prompt": prompt, "labels": labels}
            lines.write(json.dumps(row) + "\n")


def command(tasks: Path, output: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of the command as a whole process."""
    options = ["tasks", "rank", str(tasks), "-o", str(output), "--keep", "100"]
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.command", *options, "--run", str(tasks) + ".assay"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    return time.perf_counter() - began, json.loads(done.stderr.splitlines()[-1])["peak"]


def bare_writes(path: Path, rows: int, size: int) -> float:
    """Seconds to write so many rows of this size, each commit on the disk before the next."""
    body = np.random.default_rng(1).bytes(size)
    began = time.perf_counter()
    with sqlite3.connect(path, isolation_level=None) as file:
        file.execute("PRAGMA journal_mode=WAL")
        file.execute("PRAGMA synchronous=FULL")
        file.execute("CREATE TABLE answers(key TEXT PRIMARY KEY, body BLOB)")
        for start in range(0, rows, AT_ONCE):
            file.execute("BEGIN")
            for key in range(start, min(rows, start + AT_ONCE)):
                file.execute("INSERT INTO answers VALUES(?,?)", [f"{key:064}", body])
            file.execute("COMMIT")
    file.close()
    return time.perf_counter() - began


def loop(rows: list[tuple[int, int, int, float]]) -> tuple[float, list[float]]:
    """Seconds and ratings, one comparison after the other."""
    began = time.perf_counter()
    reckoned = [START] * TASKS
    for _, first, second, outcome in rows:
        promised = 1 / (1 + 10 ** ((reckoned[second] - reckoned[first]) / 400))
        gained = K_FACTOR * (outcome - promised)
        reckoned[first] += gained
        reckoned[second] -= gained
    return time.perf_counter() - began, reckoned


def arithmetic(output: Path) -> str:
    """The ratings and their intervals from the comparisons that are there."""
    rows = []
    for each in read_comparisons(comparisons_file(output)):
        assert each.verdict is not None and each.second is not None
        sure = each.verdict.confidence
        won = sure if each.verdict.winner == each.first else 1 - sure
        rows.append((each.round, int(each.first[1:]), int(each.second[1:]), won))
    slow, expected = loop(rows)
    began = time.perf_counter()
    found = ratings(rounds_of(rows), TASKS)
    quick = time.perf_counter() - began
    assert np.allclose(found, expected)
    began = time.perf_counter()
    intervals(rounds_of(rows), TASKS, np.random.default_rng(1))
    return (
        f"ratings of {len(rows):,} comparisons {1000 * quick:.0f} ms (in a loop "
        f"{1000 * slow:.0f} ms), intervals of 1,000 resamples {time.perf_counter() - began:.1f} s "
        f"(1,000 times the loop {1000 * slow:.0f} s)"
    )


def coverage(tasks: int, rounds: int, seed: int) -> float:
    """The share of intervals that hold what the rating is on average over a judge's verdicts.

    The judge prefers the better task four times of five, with a confidence of .6 to 1.
    """
    chance = np.random.default_rng(seed)
    pairs = [
        (number, int(one), int(other))
        for number, drawn in draw_rounds({str(each): 0 for each in range(tasks)}, rounds, seed)
        for one, other in drawn
        if other is not None
    ]

    def judged() -> list[Round]:
        rows = []
        for number, one, other in pairs:
            won = (one < other) == (chance.random() < 0.8)
            sure = chance.uniform(0.6, 1.0)
            rows.append((number, one, other, sure if won else 1 - sure))
        return rounds_of(rows)

    truth = np.mean([ratings(judged(), tasks) for _ in range(200)], axis=0)
    shares = []
    for _ in range(5):
        ends = intervals(judged(), tasks, chance)
        shares.append(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    return float(np.mean(shares))


def main() -> None:
    """Print the comparison."""
    for rounds in (1, 2, 4, 8, 16):
        shares = [
            np.mean([coverage(tasks, rounds, seed) for seed in range(5)]) for tasks in (12, 100)
        ]
        few, many = (f"{share:.2f}" for share in shares)
        print(f"{rounds} rounds: 95 % intervals hold {few} of 12 tasks' ratings, {many} of 100")
    with tempfile.TemporaryDirectory() as folder:
        tasks, output = Path(folder) / "tasks.jsonl", Path(folder) / "ranked.jsonl"
        write_tasks(tasks)
        seconds, peak = command(tasks, output)
        kept = Path(str(tasks) + ".assay").stat().st_size
        floor = bare_writes(Path(folder) / "bare.sqlite", TASKS, kept // TASKS)
        print(
            f"ranking {TASKS:,} tasks in 2 rounds by rule: {seconds:.0f} s, {peak:.0f} MB at most, "
            f"a run file of {kept / 1e6:.0f} MB (its bytes written bare, as safely: {floor:.1f} s)"
        )
        print(arithmetic(output))


if __name__ == "__main__":
    main()
