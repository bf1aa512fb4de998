"""How often the rules for criteria with several demands are right, on criteria they never saw.

The rules were made on every other task of ResearchRubrics and DeepResearch Bench II. Of the other
tasks 150 criteria were drawn (60, 45 English, 45 Chinese) and read, before the rules had seen them,
by the one who wrote the rules: SEVERAL are those of which a report can meet one part and miss
another. Beside the rules stands what a search for "and" finds.

    python -m benchmarks.demands FOLDER   (which has researchrubrics/ and drb2/ as published)
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from deepassay.stats.intervals import wilson_interval
from deepassay.wings.build.authoring.remarks import joints

DRAWN = {"researchrubrics": 60, "drb2 en": 45, "drb2 zh": 45}
SEVERAL = frozenset(
    """
    3 7 8 11 12 14 15 17 18 21 24 25 26 30 32 40 44 52
    64 66 70 71 73 77 80 84 85 87 90 91 95 97 100 103
    106 108 111 116 117 118 120 127 128 130 133 134 136 137 138 145 148 150
    """.split()  # noqa: SIM905 - so it can be read
)
AND = re.compile(r"\band\b|[和与及并且、]")
RULES: dict[str, Callable[[str], bool]] = {
    "rules": lambda text: bool(joints(text)),
    "and": lambda text: bool(AND.search(text)),
    "and, or a figure": lambda text: bool(AND.search(text) or re.search(r"\d", text)),
}


def unseen(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Criteria of the tasks that the rules were not made on, by set."""
    lines = (folder / "researchrubrics/mr-dre.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row["id"] % 2 == 0]
    yield "researchrubrics", [each["item"] for row in rows for each in row["checklist"]]
    lines = (folder / "drb2/tasks_and_rubrics.jsonl").read_text().splitlines()
    tasks = [json.loads(line) for line in lines]
    for language in ("en", "zh"):
        own = [row for row in tasks if row["language"] == language][1::2]
        rubrics = [row["content"]["rubric"].values() for row in own]
        yield f"drb2 {language}", [each for axes in rubrics for axis in axes for each in axis]


def told(found: Sequence[bool], several: Sequence[bool]) -> str:
    """Precision and recall with their intervals."""
    hits = sum(a and b for a, b in zip(found, several, strict=True))
    shown = []
    for name, whole in (("precision", sum(found)), ("recall", sum(several))):
        low, high = wilson_interval(hits / whole, whole)[:2]
        shown.append(f"{name} {hits / whole:.2f} ({low:.2f} to {high:.2f})")
    return f"{sum(found):4} found, {', '.join(shown)}"


def main(folder: Path) -> None:
    """Print a line for each rule and set."""
    rng = random.Random(20261123)
    drawn = [
        (name, text.strip())
        for name, texts in unseen(folder)
        for text in rng.sample(texts, DRAWN[name])
    ]
    several = [str(number) in SEVERAL for number in range(1, len(drawn) + 1)]
    for rule, finds in RULES.items():
        for part in ("all", *DRAWN):
            own = [at for at, (name, _) in enumerate(drawn) if part in ("all", name)]
            line = told([finds(drawn[at][1]) for at in own], [several[at] for at in own])
            print(f"{rule:18}{part:18}{len(own):4} criteria, {line}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
