"""Rows of published sets, and how their files are laid out, for tests that damage them."""

from __future__ import annotations

import copy
import csv
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.tasks.mangled import DAMAGES, Damaged, Found, Published, Row, written


def lines(path: Path) -> list[Row]:
    """The objects of a file of JSON Lines."""
    return [json.loads(each) for each in path.read_text("utf-8").splitlines() if each.strip()]


def listed(path: Path) -> list[Row]:
    """The objects of a JSON list."""
    found: list[Row] = json.loads(path.read_text("utf-8"))
    return found


def table(path: Path) -> list[Row]:
    """The rows of a CSV file."""
    csv.field_size_limit(10**9)
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def research_rubrics(shared: Path) -> list[Row]:
    """Put back into the published layout from the rows that Mr Dre keeps."""
    return [
        {
            "prompt": each["question"],
            "sample_id": each["metadata"]["sample_id"],
            "domain": each["metadata"]["domain"],
            "rubrics": each["metadata"]["rubrics_original"],
        }
        for each in lines(shared / "researchrubrics/mr-dre.jsonl")
    ]


def draco(shared: Path) -> list[Row]:
    """With the JSON in `answer` opened, and its criteria in one section."""
    rows = []
    for each in lines(shared / "layouts/draco.jsonl"):
        answer = json.loads(each["answer"])
        criteria = [one for section in answer["sections"] for one in section["criteria"]]
        answer["sections"] = [{**answer["sections"][0], "criteria": criteria}]
        rows.append({**each, "answer": answer})
    return rows


def bench_ii(shared: Path) -> list[Row]:
    """With one dimension each, so that the criteria are one list."""
    rows = []
    for each in lines(shared / "drb2/tasks_and_rubrics.jsonl"):
        content = {**each["content"], "rubric": {"analysis": each["content"]["rubric"]["analysis"]}}
        rows.append({**each, "content": content, "idx": f"{each['idx']}"})
    return rows


LAYOUTS: Mapping[str, Published] = {
    "researchrubrics": Published(
        research_rubrics, "sample_id", "prompt", lambda r: r["rubrics"], "criterion", "weight"
    ),
    "mr-dre": Published(
        lambda s: lines(s / "researchrubrics/mr-dre.jsonl"),
        *("id", "question", lambda r: r["checklist"], "item", "weight"),
    ),
    "rigorous bench by mr dre": Published(
        lambda s: lines(s / "rigorousbench/RigorousBench.odd.jsonl"),
        *("id", "question", lambda r: r["checklist"], "item", "weight"),
    ),
    "finder": Published(
        lambda s: lines(s / "finder/checklist.odd.jsonl"),
        *("id", "prompt", lambda r: r["checklist"], "description"),
    ),
    "researcherbench": Published(
        lambda s: listed(s / "researcherbench/rubric.json"),
        *("id", "question", lambda r: r["rubric"], "point", "weight", "list", "rubric.json"),
        default=1.0,
    ),
    "ruverbench": Published(
        lambda s: [
            r for r in listed(s / "ruverbench/deepresearch_dataset.odd.json") if r["rubric"]
        ],
        *("id", "question", lambda r: r["rubric"], "point", "weight", "list", "rubric.json"),
        default=1.0,
    ),
    "nuggets": Published(
        lambda s: lines(s / "layouts/nuggets.jsonl"),
        *("qid", "query", lambda r: r["nuggets"], "text"),
    ),
    "trec rag nuggets": Published(
        lambda s: lines(s / "trec-rag/rag25-dev-nuggets.jsonl"),
        *("qid", "", lambda r: r["nuggets"], "text"),
    ),
    "trec rag rubrics": Published(
        lambda s: lines(s / "researchrubrics/trec-rag-dev.jsonl"),
        *("qid", "", lambda r: r["rubrics"], "criterion", "weight"),
    ),
    "healthbench": Published(
        lambda s: lines(s / "layouts/healthbench.jsonl"),
        *("prompt_id", "prompt", lambda r: r["rubrics"], "criterion", "points"),
    ),
    "draco": Published(
        draco,
        *("id", "problem", lambda r: r["answer"]["sections"][0]["criteria"]),
        *("requirement", "weight"),
        within="answer",
    ),
    "researchqa": Published(
        lambda s: listed(s / "layouts/researchqa.json"),
        *("id", "query", lambda r: r["rubric"], "rubric_item", "", "list", "test.json"),
    ),
    "scholarqa": Published(
        lambda s: listed(s / "layouts/asta_scholarqa.json"),
        *("case_id", "question", lambda r: r["ingredients"], "criterion", "weight"),
        *("list", "scholarqa.json"),
    ),
    "drb2": Published(bench_ii, "idx", "prompt", lambda r: r["content"]["rubric"]["analysis"]),
    "reportbench": Published(
        lambda s: lines(s / "reportbench/ReportBench_v1.1.odd.jsonl"), "arxiv_id", "prompt"
    ),
    "deephallubench": Published(
        lambda s: lines(s / "deephallubench/DeepHalluBench.odd.jsonl"), "", "question"
    ),
    "deepresearcheval": Published(
        lambda s: lines(s / "deepresearcheval/query.odd.jsonl"), "id", "prompt"
    ),
    "deepscholar papers": Published(
        lambda s: table(s / "deepscholar/papers_with_related_works.odd.csv"),
        *("arxiv_id", "abstract", None, "", "", "csv", "papers.csv"),
    ),
    "reportbench references": Published(
        lambda s: [
            {**each, "meta_info": {"year": "2020"}}
            for each in lines(s / "reportbench/ReportBench_v1.1_GT/2101.01507.jsonl")
        ],
        *("", "title", None, "", "", "jsonl", "2101.01507.jsonl"),
        references=True,
    ),
    "deepscholar references": Published(
        lambda s: [
            {**each, "cited_paper_arxiv_link": "", "bib_paper_doi": "", "bib_paper_url": ""}
            for each in table(s / "deepscholar/citations.odd.csv")
        ],
        *("parent_paper_arxiv_id", "cited_paper_title", None, "", "", "csv", "citations.csv"),
        references=True,
    ),
}

FOLDERS: Mapping[str, Published] = {
    "key points": Published(
        lambda s: [
            {**json.loads((s / f"layouts/drgym_{n}_aggregated.json").read_text("utf-8")), "*": n}
            for n in ("100001", "100002")
        ],
        *("", "question", lambda r: r["key_points"], "point_content", ""),
        *("document", "{}_aggregated.json"),
    ),
    "deepscholar": Published(
        lambda s: [
            json.loads(path.read_text("utf-8"))
            for path in sorted((s / "deepscholar/gt_nuggets_outputs").rglob("res.json"))
        ],
        *("qid", "query", lambda r: r["supported_nuggets"], "text", "", "document"),
        "{}/res.json",
    ),
}
"""Layouts of a folder with a document for each task."""


def damaged_folder(
    layout: Published, rows: Sequence[Row], dice: random.Random
) -> tuple[dict[str, bytes], Damaged]:
    """The files of a folder by their names, one of them damaged. An empty one is none."""
    own = copy.deepcopy([*rows[:3]])
    number = dice.randrange(len(own))
    names = [layout.name.format(row.get("*", place)) for place, row in enumerate(own)]
    bare = [{key: value for key, value in row.items() if key != "*"} for row in own]
    made = None
    while made is None:
        damage = dice.choice(DAMAGES)
        before = copy.deepcopy(own[number : number + 1])
        made = damage(layout, before, dice)
    files = {name: written(layout, [row]).encode() for name, row in zip(names, bare, strict=True)}
    files[names[number]] = made.content.replace(STAR.format(own[number].get("*")).encode(), b"")
    found = [layout.found(row, 0) for row in own]
    others = found[:number], found[number + 1 :]
    right: list[Found | None] = [
        None if each is None else [*others[0], *each, *others[1]] for each in made.right
    ]
    if made.what == "empty":
        right.append([*others[0], *others[1]])
    return files, Damaged(b"", right, made.what)


STAR = ',\n  "*": "{}"'
"""How the name of a file stands in a document, which it is no part of."""
