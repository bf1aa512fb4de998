"""A thousand manipulations of bundles, and how long it takes to verify a hundred reports.

    python -m benchmarks.bundles [MANIPULATIONS] [SEED]
    python -m benchmarks.bundles --keep FOLDER      only the bundle of a hundred reports, kept there

The bundles are of the demo's tasks and reports by five protocols that ask a judge on loopback;
signed, and promised before. A manipulation is found where anything is said against the bundle, and
named where what is said names what was done: `says` of each in `tests/wings/bundles`.
"""

from __future__ import annotations

import re
import socket
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import SystemRandom
from unittest import mock

from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.wings.bundles.honest import JUDGED, honest_of_demo, promised_run
from tests.wings.bundles.manipulating import KINDS

from benchmarks.material import DEMO, ROOT
from deepassay.wings.bundles.packing import write_bundle
from deepassay.wings.bundles.verifying import verify

MANIPULATIONS = 1000
REPORTS = 100


def main(count: int = MANIPULATIONS, seed: int | None = None) -> None:
    """Manipulate, verify, and print the counts; then verify a hundred reports."""
    manipulated(count, SystemRandom().randrange(10**9) if seed is None else seed)
    with tempfile.TemporaryDirectory() as folder:
        verified(hundred(Path(folder)))


def manipulated(count: int, seed: int) -> None:
    """So many manipulations, of each kind its share. What is missed or not named is printed."""
    found: Counter[str] = Counter()
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder, FakeJudge(verdicts) as judge:
        by = honest_of_demo(Path(folder), DEMO.parent, judge.base_url, seed)
        for kind, share in KINDS.items():
            for _ in range(round(share * count / MANIPULATIONS) or 1):
                done = kind(by)
                problems = by.problems(done)
                found["made"] += 1
                found["found"] += bool(problems)
                named = any(re.search(done.says, each) for each in problems)
                found["named"] += named
                if not named:
                    print(f"  {kind.__name__}, {done.what}: {problems[:2]}")
    print(
        f"bundles: {found['made']} manipulations of {len(KINDS)} kinds, {found['found']} found, "
        f"{found['named']} named (seed {seed}, {time.process_time() - began:.0f} s of processor)"
    )


def hundred(folder: Path) -> Path:
    """A bundle of a hundred reports: those of the demo, each agent's under several names."""
    tasks = folder / "all.jsonl"
    tasks.write_text((DEMO.parent / "tasks.jsonl").read_text("utf-8"), "utf-8")
    sources = sorted(DEMO.rglob("*.md"))
    for number in range(REPORTS):
        source = sources[number % len(sources)]
        name = f"{source.parent.name}-{number // len(sources)}".removesuffix("-0")
        target = folder / "demo" / "reports" / name / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text("utf-8")
        target.write_text(f"{text}\n\nEdition {number}.\n", "utf-8")
    for each in ("criteria.yaml", "rubrics.yaml", "pages.jsonl"):
        (folder / "demo" / each).write_bytes((DEMO.parent / each).read_bytes())
    with FakeJudge(verdicts) as judge:
        run, promise = promised_run(folder, folder / "demo", tasks, judge.base_url)
    bundle = folder / "hundred.assay.zip"
    write_bundle(run, bundle, commitment=promise, force=True)
    return bundle


def verified(bundle: Path) -> None:
    """Verify it where no socket connects; print the processor's time."""
    with mock.patch.object(socket.socket, "connect", side_effect=AssertionError("a network")):
        began = time.process_time()
        found = verify(bundle)
    seconds = time.process_time() - began
    assert found.holds and found.promised, found.problems
    print(
        f"bundles: {REPORTS} reports by {len(JUDGED)} protocols ({bundle.stat().st_size / 1e6:.1f} "
        f"MB) verified without a network in {seconds:.1f} s of processor time; {found.proved[1]}"
    )


if __name__ == "__main__":
    if "--keep" in sys.argv:
        kept = ROOT / sys.argv[-1]
        kept.mkdir(parents=True, exist_ok=True)
        verified(hundred(kept))
    else:
        main(*map(int, sys.argv[1:]))
