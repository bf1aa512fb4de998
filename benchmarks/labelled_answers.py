"""Real answers and the passages that they cite, as tasks, reports and pages for an audit of FACT.

    python -m benchmarks.labelled_answers FOLDER

AttributionBench holds claims of published systems with the answers that they stand in, and the
passages that people held them against. Every answer of a source with at least two such claims
becomes a report with a marker behind each of them, and the passages of a claim become the page of
that marker. Its own markers, which lead nowhere, go. The addresses are made; the page is kept, so
that nobody asks for them. A question is one task; of several answers to it the one with most claims
is taken.

The labels stand beside the checkout in ../shared/data/labels.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.support import LABELS

SOURCES: Final = {"ExpertQA": "expertqa", "Stanford-GenSearch": "gensearch"}
FEWEST: Final = 2
SHORTEST: Final = 4
"""Words of a claim: what is shorter is the number of a list."""

_MARKER = re.compile(r"\s*\[\d{1,3}\](?:\([^()\s]*\))?")

Row = Mapping[str, Any]


def main(folder: Path) -> None:
    """Write the tasks, answers and pages of each source."""
    lines = (LABELS / "attributionbench-dev.jsonl").read_text("utf-8").splitlines()
    for source, name in SOURCES.items():
        claims: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in map(json.loads, lines):
            if row["src_dataset"] == source and len(row["claim_raw_string"].split()) >= SHORTEST:
                claims[row["question"], row["response"]].append(row)
        most: dict[str, list[Row]] = {}
        for (question, _), own in claims.items():
            most[question] = max(most.get(question, []), own, key=len)
        write(folder / name, name, [own for own in most.values() if len(own) >= FEWEST])


def write(folder: Path, name: str, answers: Sequence[Sequence[Row]]) -> None:
    """The files of one source."""
    tasks, reports, pages = [], [], []
    for number, rows in enumerate(answers, start=1):
        question = rows[0]["question"]
        task = f"{name}-{number}"
        urls = [f"https://passages.example/{name}/{number}/{at}" for at in range(len(rows))]
        tasks.append({"id": task, "prompt": question})
        reports.append({"id": task, "article": report(question, rows, urls)})
        pages += [
            {"url": url, "text": "\n\n".join(row["references"])}
            for url, row in zip(urls, rows, strict=True)
        ]
    folder.mkdir(parents=True, exist_ok=True)
    for file, written in (("tasks", tasks), (name, reports), ("pages", pages)):
        text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in written)
        (folder / f"{file}.jsonl").write_text(text, "utf-8")
    print(f"{folder}: {len(reports)} answers, {len(pages)} claims")


def report(question: str, rows: Sequence[Row], urls: Sequence[str]) -> str:
    """An answer below its question, a marker at the end of each claim, and the addresses."""
    answer = rows[0]["response"]
    ends: defaultdict[int, str] = defaultdict(str)
    for number, row in enumerate(rows, start=1):
        claim = row["claim_raw_string"].strip().rstrip(".!?")
        ends[answer.index(claim) + len(claim)] += f" ⟦{number}⟧"
    for end in sorted(ends, reverse=True):
        answer = answer[:end] + ends[end] + answer[end:]
    answer = _MARKER.sub("", answer).replace("⟦", "[").replace("⟧", "]")
    links = "\n".join(f"[{number}] {url}" for number, url in enumerate(urls, start=1))
    return f"# {question}\n\n{answer}\n\n## Sources\n\n{links}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/labelled"))
