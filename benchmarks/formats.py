"""A hundred drawn runs in other people's formats, looked at by other people's readers.

    python -m benchmarks.formats write FOLDER [RUNS] [SEED]     by this Python
    python benchmarks/foreign_readers.py FOLDER               by any that has their packages

Their packages want another Python than ours, or other versions of what we have, so the second half
is a program of its own, which imports nothing of DeepAssay: `pip install every-eval-ever harbor
inspect-ai opentelemetry-proto junitparser` into an environment of Python 3.12 or later. What the
first half leaves beside the files is what each figure was, in hexadecimal.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import SystemRandom

from tests.wings.bridges.formats.random_runs import random_run
from tests.wings.bundles.honest import typed

from deepassay.results.ranking import rank
from deepassay.run.showing.boards import read_scores
from deepassay.run.showing.records import records_of
from deepassay.score import Score

RUNS = 100
FORMATS = {"eee": "eee", "eval": "eval", "junit": "junit.xml", "openinference": "scores.otlp.jsonl"}
"""Where each goes: a folder or a file."""


def main(folder: Path, runs: int = RUNS, seed: int | None = None) -> None:
    """Draw runs, write each in every format, and what its figures are."""
    seed = SystemRandom().randrange(10**9) if seed is None else seed
    for number in range(runs):
        place = folder / f"run{number:03}"
        place.mkdir(parents=True)
        run = place / f"run{number:03}.assay"
        random_run(run, seed + number)
        found = figures(run) | {"rewards": rewarded(place, seed + number)}
        (place / "figures.json").write_text(json.dumps(found), encoding="utf-8")
        for name, output in FORMATS.items():
            exported(run, place / output, name)
    print(f"formats: {runs} runs in {', '.join(FORMATS)} into {folder} (seed {seed})")


def exported(run: Path, output: Path, name: str, *more: str) -> None:
    typed("export", run, "--format", name, "-o", output, *more)


def rewarded(place: Path, seed: int) -> dict[str, str]:
    """The rewards of a drawn run of one report, by protocol; none of what has no mean or range."""
    run = place / "alone.assay"
    random_run(run, seed, alone=True)
    found = {}
    for number, board in enumerate(rank(read_scores([run]))):
        mean, limits = board.standings[0].summary.mean, board.limits
        if mean is not None and limits is not None:
            folder = place / "rewards" / str(number)
            exported(run, folder, "harbor", "--reward", board.protocol)
            (folder / "place.json").write_text(json.dumps(board.protocol), encoding="utf-8")
            share = (mean - limits.low) / (limits.high - limits.low)
            found[json.dumps(board.protocol)] = min(max(share, 0.0), 1.0).hex()
    return found


def figures(run: Path) -> dict[str, dict[str, str]]:
    """Every mean by protocol and agent, every score by its place: to the bit."""
    return {
        "means": {
            json.dumps([board.protocol, row.agent]): float(row.summary.mean).hex()
            for board in rank(read_scores([run]))
            for row in board.standings
            if row.summary.mean is not None
        },
        "scores": {
            json.dumps([each.protocol, each.agent, each.task, each.sample, each.repeat]): (
                float(each.outcome.value).hex()
            )
            for each in records_of([run])
            if isinstance(each.outcome, Score)
        },
    }


if __name__ == "__main__":
    main(Path(sys.argv[2]), *map(int, sys.argv[3:]))
