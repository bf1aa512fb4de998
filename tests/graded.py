"""Sets for `rubrics` of any size: long reports and rubrics, mixed from those of the demo."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from deepassay.tasks.rubric import RUBRIC_FILE

DEMO = Path(__file__).resolve().parent.parent / "examples" / "demo"
ENGLISH = ("terrace-heat", "swift-boxes", "open-library", "repair-bonus")
SEED = 20261120


@dataclass(frozen=True)
class GradedSet:
    """Where a set is: its tasks, the reports of one agent, and the rubrics."""

    tasks: Path
    reports: Path
    rubrics: Path

    @property
    def options(self) -> tuple[str, ...]:
        """What the command line wants of it."""
        return (str(self.tasks), str(self.reports), "--rubric", str(self.rubrics))


def write_graded_set(
    folder: Path, reports: int, criteria: int = 26, characters: int = 40_000
) -> GradedSet:
    """So many tasks with a report of that length each, and a rubric of so many criteria."""
    made = GradedSet(folder / "tasks.jsonl", folder / "heron", folder / "rubrics.jsonl")
    made.reports.mkdir(parents=True)
    known = RUBRIC_FILE.load(DEMO / "rubrics.yaml")
    rubric = [
        each.model_dump(include={"id", "criterion", "weight", "axis"}) | {"id": f"c{number}"}
        for number, each in enumerate(
            islice((each for name in ENGLISH for each in known[name].rubric), criteria)
        )
    ]
    texts = [(DEMO / "reports" / "heron" / f"{name}.md").read_text("utf-8") for name in ENGLISH]
    paragraphs = [each for text in texts for each in text.split("\n\n")]
    chance = random.Random(SEED)
    tasks, rubrics = [], []
    for number in range(reports):
        name = f"t{number}"
        mixed = cycle(chance.sample(paragraphs, len(paragraphs)))
        text = "\n\n".join(islice(mixed, characters // 50))[:characters]
        (made.reports / f"{name}.md").write_text(text, "utf-8")
        tasks.append({"id": name, "prompt": f"What came of the works in street {number}?"})
        rubrics.append({"id": name, "rubric": rubric})
    made.tasks.write_text("\n".join(map(json.dumps, tasks)), "utf-8")
    made.rubrics.write_text("\n".join(map(json.dumps, rubrics)), "utf-8")
    return made
