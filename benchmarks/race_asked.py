"""How fast RACE is against a judge of fixed latency, and how much it sends.

100 comparisons at 0.2 s and 50 connections, every one stored: of the published articles (a pair
has 40,000 characters), and of their beginnings. The floor is the waiting alone; the peer is
pydantic-ai asked in a loop that cleans, checks and stores nothing. The characters of a prompt, with
the report as its own reference, stand beside those of the released program (measured so too: 58 k a
report, of which cleaning by a model takes 20 k).
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from benchmarks.evaluating import bare
from benchmarks.loopback import running
from benchmarks.material import ROOT, report_texts

BENCH = ROOT.parent / "shared" / "data" / "bench"
LATENCY, CONNECTIONS, TASKS, ROUNDS = 0.2, 50, 100, 5
SHORT = 2_000
"""Characters of articles that are hardly any work to clean, write out, pack and send."""
RELEASED = 58_407
"""Characters a report that the released program sends, cleaning included (measured, 100 tasks)."""
DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")


Rows = list[tuple[dict, str, str]]


def rows() -> Rows:
    """Task with criteria, report, and reference: the published ones if they are there."""
    if not BENCH.exists():
        texts = list(islice(cycle(report_texts()), TASKS + 1))
        return [(_invented(n), texts[n], texts[n + 1]) for n in range(TASKS)]
    criteria = {row["id"]: row for row in _read(BENCH / "criteria.jsonl")}
    onyx = {row["id"]: row for row in _read(BENCH / "reports/onyx.cleaned.jsonl")}
    claude = _read(BENCH / "reports/claude-3-7-sonnet.raw.jsonl")
    there = [row for row in claude if row["id"] in criteria and row["id"] in onyx]
    return [
        (criteria[row["id"]], f"{row['article']}\n\nCopy {n}.", onyx[row["id"]]["article"])
        for n, row in enumerate(islice(cycle(there), TASKS))
    ]


def _read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _invented(number: int) -> dict:
    listed = [{"criterion": f"Part {n}", "explanation": "Is it?", "weight": 0.2} for n in range(5)]
    weights = dict.fromkeys(DIMENSIONS, 0.25)
    criterions = dict.fromkeys(DIMENSIONS, listed)
    return {"prompt": f"Task {number}", "dimension_weight": weights, "criterions": criterions}


def write_set(folder: Path, own: Rows) -> list[Path]:
    """Tasks, reports, references and criteria as files."""
    lines: dict[str, list[dict]] = {"tasks": [], "criteria": [], "agent": [], "authors": []}
    for number, (task, report, reference) in enumerate(own):
        name = {"id": f"t{number:03}", "prompt": f"{task['prompt']} ({number})"}
        weights = {key: task[key] for key in ("dimension_weight", "criterions")}
        lines["tasks"].append(name)
        lines["criteria"].append(name | weights)
        lines["agent"].append(name | {"article": report})
        lines["authors"].append(name | {"article": reference})
    for name, records in lines.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in records)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return [folder / f"{name}.jsonl" for name in lines]


def main() -> None:
    """Print the wall times beside floor and peer, and the characters of a prompt."""
    whole = rows()
    short = [(task, report[:SHORT], reference[:SHORT]) for task, report, reference in whole]
    for what, own in (("as published", whole), (f"cut to {SHORT:,} characters", short)):
        prompts = list(rendered(own))
        with running("judge", str(LATENCY)) as port:
            url = f"http://127.0.0.1:{port}/v1"
            # What is loaded on the way, in the first round, is not what is measured.
            peer = [bare(url, CONNECTIONS, prompts) for _ in range(2)][-1]
            seconds = median([asked(url, own) for _ in range(1 + ROUNDS)][1:])
        floor = TASKS * LATENCY / CONNECTIONS
        print(f"RACE, {TASKS} tasks at {LATENCY} s and {CONNECTIONS} connections, articles {what}:")
        print(f"  {seconds:.2f} s, {seconds / floor:.2f} x floor {floor:.2f} s; median of {ROUNDS}")
        print(f"  bare client calls {peer:.2f} s, {peer / floor:.2f} x floor")
        if own is whole:
            sent = sum(map(len, prompts)) / TASKS
            print(
                f"  characters a report: {sent:,.0f}; released {RELEASED:,}: {sent / RELEASED:.2f}"
            )


def asked(url: str, own: Rows) -> float:
    """Seconds from the first file read to the last score stored, of a run of its own."""
    from deepassay.run.evaluate import evaluate
    from deepassay.run.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        tasks, criteria, reports, references = write_set(Path(folder), own)
        began = time.perf_counter()
        summary = evaluate(
            tasks,
            [reports],
            Settings(
                protocols=["race"],
                judge=("openai:bench",),
                base_url=url,
                reference=str(references),
                criteria=criteria,
                run=Path(folder) / "run.assay",
                max_connections=CONNECTIONS,
                allow_unpriced=True,
            ),
        )
        seconds = time.perf_counter() - began
    assert summary.tally.scored == TASKS, summary
    assert summary.calls == {"answered": TASKS}, "there are calls for cleaning, or twice"
    return seconds


def rendered(own: Rows) -> Iterator[str]:
    """Every prompt, system prompt included, the report being its own reference."""
    from deepassay.protocols.race.marksheet import CriteriaList
    from deepassay.protocols.race.questions import COMPARE, TwoArticles
    from deepassay.reports.clean import clean
    from deepassay.tasks.criteria import Criteria
    from deepassay.tasks.task import detect_language

    for task, report, _ in own:
        criteria = {key: task[key] for key in ("dimension_weight", "criterions")}
        inputs = TwoArticles(
            language=detect_language(task["prompt"]),
            article_1=clean(report),
            article_2=clean(report),
            query=task["prompt"],
            criteria=CriteriaList.of(Criteria.model_validate(_bare(criteria)).criterions),
        )
        prompt = COMPARE.render(inputs, salt="bench")
        yield f"{prompt.system}{prompt.material}{prompt.question}"


def _bare(criteria: dict) -> dict:
    """Criteria without the remarks that some of the published ones carry."""
    keys = ("criterion", "explanation", "weight")
    criterions = {
        name: [{key: each[key] for key in keys} for each in listed]
        for name, listed in criteria["criterions"].items()
    }
    return criteria | {"criterions": criterions}


if __name__ == "__main__":
    main()
