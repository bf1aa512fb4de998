"""A large run, made fast: of some reports all is evaluated, the others are copies of them.

It holds what `evaluate` would have written: five protocols, judged offline, every outcome under
the key that its own case has, and one answer more for each, so that there are as many as judging
takes. One in `LACKING` of the reports was never written.

    python -m benchmarks.large_run FOLDER REPORTS
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from benchmarks.scale import PROTOCOLS
from deepassay.protocols.protocol import Case
from deepassay.reports.report import Report
from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.asking.plan import Plan, outcome_key
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.run.showing.yardsticks import as_stored, judged_by_of, keep_descriptions
from deepassay.runfile import RunFile, StoredReport
from deepassay.score import Json, digest
from deepassay.tasks.loaders import load_tasks

AGENTS: Final = 100
TASKS: Final = 8
TEXTS: Final = 12
LACKING: Final = 97
"""Agents; different tasks; different reports for each; of so many reports one was never written."""

DAY: Final = "2026-05-04"
AT_ONCE: Final = 500
SEED: Final = 17

PARTS: Final = ("boilers", "roofs", "meters", "pumps", "pipes", "windows", "walls", "cellars")
ASPECTS: Final = ("cost", "noise", "lifetime", "repair", "heat", "permit")
PAGE: Final = "https://{part}.example/{aspect}"


def said(part: str, aspect: str, number: int) -> str:
    """What a page has to say."""
    return (
        f"The {aspect} of new {part} in terraced houses came to {number} points in the survey of "
        f"forty streets, and tenants with old {part} reported twice as much {aspect} over the year."
    )


def task_row(part: str, name: str) -> dict[str, object]:
    """A task as a file has it."""
    rubric = [
        {
            "id": f"{kind}-{aspect}",
            "criterion": f"{verb} the {aspect} of {part} in terraced houses.",
            "weight": weight,
            "axis": axis,
        }
        for aspect in ASPECTS
        for kind, verb, weight, axis in (
            ("names", "States", 4, "Explicit Criteria"),
            ("omits", "Leaves out", -2, "Implicit Criteria"),
        )
    ]
    return {
        "id": name,
        "prompt": f"What do new {part} cost a housing association, and what do tenants get?",
        "labels": {"part": part},
        "checklist": [f"Does the report give the {aspect} of new {part}?" for aspect in ASPECTS],
        "rubric": rubric,
    }


def report_text(part: str, text: int) -> str:
    """A report of about 2 kB; those with a higher number say more, and make fewer mistakes."""
    aspects = ASPECTS[: 4 + text % 3]
    lines = [f"# New {part}", ""]
    for number, aspect in enumerate(aspects, start=1):
        right = said(part, aspect, 10 + number)
        wrong = f"Nobody in any street ever measured {aspect}, and {part} were not looked at."
        lines += [f"## On {aspect}", "", f"{right if number <= text else wrong} [{number}]", ""]
        lines += [f"Street {each} was {aspect} case {each * text}." for each in range(1, 4)]
        lines += [f"A plan for {part} has to begin early, and its {aspect} comes last.", ""]
    lines += ["## References", ""]
    cited = [PAGE.format(part=part, aspect=aspect) for aspect in aspects]
    lines += [f"[{number}] {url}" for number, url in enumerate(cited, start=1 + (text < 3))]
    return "\n".join(lines) + "\n"


def task_name(number: int) -> str:
    """Tasks are numbered; TASKS of them differ."""
    return f"task-{number:05}"


def agent_name(number: int) -> str:
    """Agents are numbered; those with higher numbers write better reports."""
    return f"agent-{number:03}"


def places(reports: int) -> Iterator[tuple[int, int]]:
    """Agent and task of each report, task by task; one in LACKING was never written."""
    known = ((agent, task) for task in range(reports) for agent in range(AGENTS))
    original = (each for each in known if _is_original(*each) or hash(each) % LACKING)
    return islice(original, reports)


def _is_original(agent: int, task: int) -> bool:
    return agent < TEXTS and task < TASKS


def text_of(agent: int, task: int) -> int:
    """Which of the reports for a task an agent wrote."""
    if _is_original(agent, task):
        return agent
    drawn = random.Random(SEED + agent * 1_000_003 + task)
    return min(TEXTS - 1, int(drawn.betavariate(1 + agent / AGENTS, 1.2) * TEXTS))


def make(folder: Path, reports: int) -> None:
    """A run, and the files that it is of: `run.assay`, `tasks.jsonl` and `reports`."""
    whole = [*places(reports)]
    rows = [
        task_row(PARTS[task % TASKS], task_name(task))
        for task in range(1 + max(task for _, task in whole))
    ]
    tasks = folder / "tasks.jsonl"
    tasks.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answers = folder / "reports"
    answers.mkdir()
    written: dict[int, list[str]] = {}
    for agent, task in whole:
        article = report_text(PARTS[task % TASKS], text_of(agent, task))
        row = json.dumps({"id": task_name(task), "article": article})
        written.setdefault(agent, []).append(row + "\n")
    for agent, lines in written.items():
        (answers / f"{agent_name(agent)}.jsonl").write_text("".join(lines), encoding="utf-8")
    pages = folder / "pages.jsonl"
    pages.write_text("".join(map(_page_row, PARTS)), encoding="utf-8")
    run = folder / "run.assay"
    import_pages([pages], run, None)
    settings = Settings(protocols=PROTOCOLS, run=run, date=DAY, offline_sources=True)
    originals = [
        Report(report_text(part, text), agent_name(text), task_name(number))
        for number, part in enumerate(PARTS)
        for text in range(TEXTS)
    ]
    evaluate(load_tasks(tasks)[:TASKS], originals, settings)
    asyncio.run(_extend(run, plan_of(tasks, [answers], settings)))


def _page_row(part: str) -> str:
    rows = (
        {
            "url": PAGE.format(part=part, aspect=aspect),
            "text": f"{aspect} of {part}\n\n{said(part, aspect, 10 + number)}\n",
        }
        for number, aspect in enumerate(ASPECTS, start=1)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


async def _extend(path: Path, plan: Plan) -> None:
    """Put every outcome of the plan into the run, and for each an answer of the usual size."""
    with RunFile.create(path) as run:
        known = {(each.protocol, each.agent, each.task): each for each in run.scores()}
        answers = [*run.exchanges()]
        identities = run.protocols()
        await asyncio.wrap_future(
            run.register(
                run.configuration,
                identities,
                {name: as_stored(task) for name, task in plan.tasks.items()},
                [StoredReport(each.agent, each.task, 1, each.text) for each in plan.reports],
                judged_by_of(plan),
            )
        )
        keep_descriptions(run, plan.protocols)
        cases = ((p, c) for p, c in plan.cases() if not _is_original(*_numbers(c)))
        while some := [*islice(cases, AT_ONCE)]:
            waiting = []
            for number, (protocol, case) in enumerate(some):
                agent, task = _numbers(case)
                original = agent_name(text_of(agent, task)), task_name(task % TASKS)
                name = str(protocol)
                score = replace(
                    known[name, *original],
                    key=outcome_key(identities[name], protocol, case),
                    agent=case.report.agent,
                    task=case.task.id,
                    outcome=_renamed(known[name, *original].outcome, original[1], case.task.id),
                )
                answer = replace(answers[number % len(answers)], key=digest(score.key))
                waiting += [run.keep_score(score), run.keep_answer(answer, ())]
            await asyncio.gather(*waiting)


def _renamed(outcome: dict[str, Json], task: str, name: str) -> dict[str, Json]:
    """The outcome for another task: the parts of `coverage` are named after theirs."""
    parts = outcome.get("parts", {}).items()
    return outcome | {"parts": {part.replace(task, name): value for part, value in parts}}


def _numbers(case: Case) -> tuple[int, int]:
    agent, task = (int(name.rpartition("-")[2]) for name in (case.report.agent, case.task.id))
    return agent, task


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
