"""Every file of published sets, untouched, by command: as much is in it as other code counts."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.tasks.set_material import lines, listed, table

Counted = tuple[int, int, int]
"""Tasks, criteria, and works of an expert."""


def rows_with(field: str = "") -> Callable[[Path], Counted]:
    """A task a row, with the criteria in a field."""

    def count(path: Path) -> Counted:
        readers: Mapping[str, Callable[[Path], list[Any]]] = {".csv": table, ".json": listed}
        rows = readers.get(path.suffix, lines)(path)
        criteria = [each for row in rows for each in (row[field] if field else ())]
        return len(rows), len(criteria), 0

    return count


def document(field: str) -> Callable[[Path], Counted]:
    return lambda path: (1, len(json.loads(path.read_text("utf-8"))[field]), 0)


def bench_ii(path: Path) -> Counted:
    rubrics = [each["content"]["rubric"] for each in lines(path)]
    return len(rubrics), sum(len(own) for each in rubrics for own in each.values()), 0


def draco(path: Path) -> Counted:
    answers = [json.loads(each["answer"]) for each in lines(path)]
    return len(answers), sum(len(s["criteria"]) for a in answers for s in a["sections"]), 0


def python_lists(path: Path) -> Counted:
    rows = table(path)
    return len(rows), sum(row["supported_nuggets"].count("'importance':") for row in rows), 0


def cited(path: Path) -> Counted:
    rows = table(path)
    return len({row["parent_paper_arxiv_id"] for row in rows}), 0, len(rows)


FILES: Mapping[str, Callable[[Path], Counted]] = {
    "deephallubench/*.jsonl": rows_with(),
    "deepresearcheval/*.jsonl": rows_with(),
    "deepscholar/citations.odd.csv": cited,
    "deepscholar/papers_with_related_works.odd.csv": rows_with(),
    "deepscholar/gt_nuggets_outputs/**/res.json": document("supported_nuggets"),
    "deepscholar/gt_nuggets_outputs/**/res.csv": python_lists,
    "drb2/*.jsonl": bench_ii,
    "finder/*.jsonl": rows_with("checklist"),
    "layouts/asta_scholarqa.json": rows_with("ingredients"),
    "layouts/draco.jsonl": draco,
    "layouts/drgym_1*.json": document("key_points"),
    "layouts/drgym_queries.jsonl": rows_with(),
    "layouts/healthbench.jsonl": rows_with("rubrics"),
    "layouts/nuggets.jsonl": rows_with("nuggets"),
    "layouts/researchqa.json": rows_with("rubric"),
    "reportbench/ReportBench_v1.1.odd.jsonl": rows_with(),
    "reportbench/ReportBench_v1.1_GT/*.jsonl": lambda path: (1, 0, len(lines(path))),
    "researcherbench/questions.json": rows_with(),
    "researcherbench/rubric.json": rows_with("rubric"),
    "researchrubrics/mr-dre.jsonl": rows_with("checklist"),
    "researchrubrics/trec-rag-dev.jsonl": rows_with("rubrics"),
    "rigorousbench/*.jsonl": rows_with("checklist"),
    "ruverbench/deepresearch_dataset.odd.json": rows_with("rubric"),
    "trec-rag/*.jsonl": rows_with("nuggets"),
}
ELSEWHERE = {
    *("deepresearch_labels.odd.json", "deepresearch_taxonomy.odd.json"),
    *("Claude.jsonl", "Grok3deeper.jsonl", "OpenAI.jsonl", "Perplexity.jsonl"),
    "deep_research_1_20250819_222419.json",
}
"""Labels of people and reports, which other commands read."""


def test_every_file_is_read_whole(deepassay, shared, subtests):
    csv.field_size_limit(10**9)
    folder = shared / "data/sets"
    expected = {path: count for pattern, count in FILES.items() for path in folder.glob(pattern)}
    every = {each for each in folder.rglob("*") if each.is_file() and each.name != "ORIGIN"}
    assert {each.name for each in every - expected.keys()} == ELSEWHERE
    for path, count in expected.items():
        with subtests.test(str(path.relative_to(folder))):
            done = deepassay("tasks", "describe", path, "--format", "json")
            assert done.returncode == 0, done.stderr
            told = json.loads(done.stdout)
            works, criteria = told.get("works"), (told["rubrics"] or {}).get("criteria")
            sums = [
                round(each["count"] * each["mean"]) if each else 0 for each in (criteria, works)
            ]
            assert (told["tasks"], *sums) == count(path)


def test_the_folders_are_read_whole(deepassay, shared):
    sets = shared / "data/sets"
    nuggets, references = "deepscholar/gt_nuggets_outputs", "reportbench/ReportBench_v1.1_GT"
    for folder, field in ((sets / nuggets, "rubrics"), (sets / references, "works")):
        told = json.loads(deepassay("tasks", "describe", folder, "--format", "json").stdout)
        assert told["tasks"] == len([*folder.rglob("*.json*")]) and told[field]
