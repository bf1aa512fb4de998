"""A run of several of everything, made by code, and its raw rows as plain code reads them."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from deepassay.run.asking.evaluate import evaluate
from deepassay.runfile import RunFile
from tests.asked import asked
from tests.judging import verdicts
from tests.loopback import FakeJudge

TASKS = [f"t{number:02}" for number in range(8)]
AGENTS = ("cuckoo", "heron", "magpie", "wren")
REFERENCE = "ref"
RATERS = ("ada", "ben", "陈")
JUDGES = ("openai:good", "openai:strict")
RACE = "race(dimension_weights=False, criteria='static', cleaning='none')"
PROTOCOLS = ("coverage", "rubrics", RACE)
ITEMS = ("q1", "q2", "q3")
CRITERIA = ("names", "dates", "costs", "none")
GRADES = ("Satisfied", "Partially Satisfied", "Not Satisfied")
NO_REPORT = ("wren", "t07")
"""Withheld on purpose: of this agent on this task there is no report."""

NO_SCORE = ("magpie", "t03")
"""Likewise: on this report no judge gives a readable answer about coverage."""

Row = Mapping[str, Any]


def draw(*of: object) -> int:
    """A number that everything it is of decides."""
    return int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:4])


def chinese(task: str) -> bool:
    """Every third task is in Chinese."""
    return int(task[1:]) % 3 == 2


def answering() -> Callable[[dict[str, Any]], str]:
    """What judges say: two of them often differ, and one differs from itself."""
    asked_before: Counter[tuple[str, str]] = Counter()

    def answer(body: dict[str, Any]) -> str:
        messages = [dict(each) for each in body["messages"]]
        text = "\n".join(each["content"] for each in messages)
        if all(word in text for word in (*NO_SCORE, "<<<BEGIN checklist")):
            return "I would rather not."
        question = body["model"], re.sub(r"<<<(BEGIN|END) (\w+) \w+", "", text)
        asked_before[question] += 1
        messages[1]["content"] += f"\n{body['model']} {asked_before[question]}"
        return verdicts({**body, "messages": messages})

    return answer


def _task(task: str) -> dict[str, Any]:
    prompt = (
        f"{task} 的风暴为什么更强？" if chinese(task) else f"Why are the storms of {task} worse?"
    )
    axes = ("Explicit", "Implicit", "Explicit", "Style")
    return {
        "id": task,
        "prompt": prompt,
        "labels": {} if task == "t05" else {"field": "wind" if draw(task) % 2 else "sea"},
        "checklist": [f"Is {item} of {task} there?" for item in ITEMS],
        "rubric": [
            {"id": each, "criterion": f"Says {each} of {task}.", "weight": weight, "axis": axis}
            for each, weight, axis in zip(CRITERIA, (5, 2, 3, -4), axes, strict=True)
        ],
    }


def _report(agent: str, task: str) -> str:
    if chinese(task):
        return f"# 风暴\n\n{agent} 看到了 {draw(agent, task) % 90} 场风暴 [1]。\n\n[1] https://a.example/{task}\n"
    count = draw(agent, task) % 90
    return f"# Storms\n\n{agent} counted {count} storms [1].\n\n[1] https://a.example/{task}\n"


def lay_out(folder: Path, ids: Sequence[str] = TASKS) -> Path:
    """The file of tasks; beside it stands a folder of reports for each agent."""
    folder.mkdir(parents=True)
    tasks = folder / "tasks.jsonl"
    tasks.write_text("\n".join(json.dumps(_task(task)) for task in ids), encoding="utf-8")
    for agent in (*AGENTS, REFERENCE):
        (folder / agent).mkdir()
        for task in ids:
            if (agent, task) != NO_REPORT:
                (folder / agent / f"{task}.md").write_text(_report(agent, task), encoding="utf-8")
    return tasks


def make(folder: Path, *, repeats: int = 1) -> Path:
    """The run file: 8 tasks, 4 agents and a reference, a panel of 2 judges, 3 protocols."""
    tasks = lay_out(folder)
    with FakeJudge(answering()) as one:
        evaluate(
            *asked(
                tasks,
                [folder / agent for agent in (*AGENTS, REFERENCE)],
                protocols=list(PROTOCOLS),
                judge=list(JUDGES),
                base_url=one.base_url,
                reference=REFERENCE,
                repeat=repeats,
                run=folder / "run.assay",
                date="2026-11-20",
                allow_unpriced=True,
            )
        )
    return folder / "run.assay"


class Said(NamedTuple):
    """What one judge said of one item, or of a whole report where there is no item."""

    protocol: str
    agent: str
    task: str
    repeat: int
    judge: str
    item: str
    score: float


def raw(run: Path) -> list[Said]:
    """Everything that single judges said, from the rows of the run file."""
    found = []
    with RunFile.read(run) as file:
        for row in file.scores():
            for judge, own in row.outcome["details"].get("judges", {}).items():
                place = row.protocol, row.agent, row.task, row.repeat, judge
                if own.get("value") is not None:
                    found.append(Said(*place, "", own["value"]))
                for item in own["details"].get("items", []):
                    if item.get("score") is not None:
                        found.append(Said(*place, item["key"], item["score"]))
    return found


class Label(NamedTuple):
    """One row of people's file."""

    agent: str
    task: str
    rater: str
    protocol: str
    item: str = ""
    score: str = ""
    verdict: str = ""


def on_items() -> list[Label]:
    """Of three people each decides on about two items of three, of every report."""
    words = ("no", "yes")
    return [
        Label(
            agent, task, rater, "coverage", item, verdict=words[draw(agent, task, item, rater) % 2]
        )
        for agent in AGENTS
        for task in TASKS
        for rater in RATERS
        for item in ITEMS
        if draw("has", rater, agent, task, item) % 3
    ]


def on_reports() -> list[Label]:
    """Of three people each gives most reports a number from 1 to 10, the reference too."""
    return [
        Label(agent, task, rater, RACE, score=str(1 + draw(rater, agent, task) % 10))
        for agent in (*AGENTS, REFERENCE)
        for task in TASKS
        for rater in RATERS
        if draw("has", rater, agent, task) % 4
    ]


def criteria() -> dict[tuple[str, str, str], str]:
    """One person's verdict on most criteria, by agent, task and criterion."""
    return {
        (agent, task, item): GRADES[draw("grade", agent, task, item) % 3]
        for agent in AGENTS
        for task in TASKS
        for item in CRITERIA
        if draw("has", agent, task, item) % 5
    }


def written(path: Path, head: Iterable[str], rows: Iterable[Iterable[str]]) -> Path:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([list(head), *map(list, rows)])
    return path


def has_report(label: Label) -> bool:
    """Whether the report was there to be judged."""
    return (label.agent, label.task) != NO_REPORT
