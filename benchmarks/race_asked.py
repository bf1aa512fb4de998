"""How fast RACE is against a judge of fixed latency, and how much it sends.

100 comparisons at 0.2 s and 50 connections, every one stored. The floor is the waiting alone; the
peer is the same client library asked in a loop that cleans, checks and stores nothing. The
characters of a prompt, with the report as its own reference, stand beside those of the released
program (measured so too: 58 k a report, of which cleaning by a model takes 20 k).
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from benchmarks.evaluating import bare, judge
from benchmarks.material import ROOT, report_texts

BENCH = ROOT.parent / "shared" / "data" / "bench"
LATENCY, CONNECTIONS, TASKS = 0.2, 50, 100
RELEASED = 58_407
"""Characters a report that the released program sends, cleaning included (measured, 100 tasks)."""
DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")


def rows() -> list[tuple[dict, str, str]]:
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


def write_set(folder: Path) -> list[Path]:
    """Tasks, reports, references and criteria as files."""
    lines: dict[str, list[dict]] = {"tasks": [], "criteria": [], "agent": [], "authors": []}
    for number, (task, report, reference) in enumerate(rows()):
        name = {"id": f"t{number:03}", "prompt": f"{task['prompt']} ({number})"}
        weights = {key: task[key] for key in ("dimension_weight", "criterions")}
        lines["tasks"].append(name)
        lines["criteria"].append(name | weights)
        lines["agent"].append(name | {"article": report})
        lines["authors"].append(name | {"article": reference})
    for name, own in lines.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in own)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return [folder / f"{name}.jsonl" for name in lines]


def main() -> None:
    """Print the wall time beside floor and peer, and the characters of a prompt."""
    from deepassay.run.evaluate import evaluate
    from deepassay.run.request import Request

    prompts = list(rendered())
    with tempfile.TemporaryDirectory() as folder, judge(LATENCY) as url:
        bare(url, CONNECTIONS, prompts)  # imports and first connections are not what is measured
        peer = bare(url, CONNECTIONS, prompts)
        tasks, criteria, reports, references = write_set(Path(folder))
        began = time.perf_counter()
        summary = evaluate(
            Request(
                tasks=tasks,
                reports=[reports],
                protocols=["race"],
                judges=["openai:bench"],
                base_url=url,
                reference=str(references),
                criteria=criteria,
                run=Path(folder) / "run.assay",
                max_connections=CONNECTIONS,
                allow_unpriced=True,
            )
        )
        seconds = time.perf_counter() - began
        assert summary.tally.scored == TASKS, summary
    sent = sum(map(len, prompts)) / TASKS
    floor = TASKS * LATENCY / CONNECTIONS
    print(f"RACE, {TASKS} tasks at {LATENCY} s and {CONNECTIONS} connections: {seconds:.2f} s")
    print(f"  {seconds / floor:.2f} x floor {floor:.2f} s; bare client calls {peer:.2f} s")
    print(f"  requests: {summary.calls}; none of them for cleaning")
    print(f"  characters a report: {sent:,.0f}; released {RELEASED:,}: {sent / RELEASED:.2f}")


def rendered() -> Iterator[str]:
    """Every prompt, system prompt included, the report being its own reference."""
    from deepassay.protocols.race.marksheet import CriteriaList
    from deepassay.protocols.race.questions import COMPARE, TwoArticles
    from deepassay.reports.clean import clean
    from deepassay.tasks.criteria import Criteria
    from deepassay.tasks.task import detect_language

    for task, report, _ in rows():
        own = {key: task[key] for key in ("dimension_weight", "criterions")}
        inputs = TwoArticles(
            language=detect_language(task["prompt"]),
            article_1=clean(report),
            article_2=clean(report),
            query=task["prompt"],
            criteria=CriteriaList.of(Criteria.model_validate(_bare(own)).criterions),
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
