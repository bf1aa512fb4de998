"""What `audit --quick` says that it will ask, beside what it asks, protocol by protocol."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from benchmarks.agents import equipped

from deepassay.models.functions import FunctionClient
from deepassay.reports.report import Report
from deepassay.run.asking.plan import AskedModel
from deepassay.run.settings import Settings
from deepassay.runfile import Capture, RunFile
from deepassay.tasks.criteria import CRITERIA_FILE
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.wings.trials.auditing.audit_plan import AuditOrder, Prepared, prepare
from deepassay.wings.trials.auditing.steps import audit
from tests.captured import keep
from tests.judging import verdicts

TOWNS = 8
_PAGE = re.compile(r"<<<BEGIN page .*?\n(.*)\n<<<END page", re.DOTALL)
_POINT = re.compile(r"^\d+\. ", re.MULTILINE)

DEFAULT = ("race", "coverage", "rubrics", "ace", "presentation", "consistency",
           "citation_association")  # fmt: skip
"""What runs without --protocol, where tasks have all that is needed."""


@dataclass
class Steady:
    """A judge of steady habits: so many key points a page, and every so many-th page off topic."""

    points: int
    off_topic: int

    async def __call__(self, prompt: str) -> str:
        page = _PAGE.search(prompt)
        if '"on_topic"' in prompt:
            found = re.search(r"Archive (\d+)", prompt)
            assert found is not None
            return json.dumps({"on_topic": int(found[1]) % self.off_topic > 0, "reason": "seen"})
        if '{"points":' in prompt:
            assert page is not None
            spans = page[1].strip().split("\n")[: self.points]
            return json.dumps({"points": [{"point": each, "spans": [each]} for each in spans]})
        if '{"groups":' in prompt:
            count = len(_POINT.findall(prompt))
            return json.dumps({"groups": [[number] for number in range(1, count + 1)]})
        return verdicts({"messages": [{"role": "user", "content": prompt}]})


def prepared(folder: Path, given: Any, protocol: str, few: int | None, judge: Steady) -> Prepared:
    tasks, reports = given
    settings = Settings(
        protocols=[protocol],
        reference="magpie",
        baseline="magpie",
        snapshots=folder / "pages.assay" if (folder / "pages.assay").exists() else None,
        offline_sources=True,
        date="2026-05-04",
        run=folder / f"{protocol}-{judge.points}.assay",
    )
    order = AuditOrder(quick=True, reports=few)
    judges = [AskedModel("steady", client=FunctionClient(judge, 50))]
    return prepare(tasks, reports, settings, order, judges=judges)


def likely_least_most(ready: Prepared) -> tuple[float, float, float]:
    (reckoned,) = ready.estimate(lambda done, total: None).models.values()
    return reckoned.of(lambda each: each.calls)


def asked(ready: Prepared) -> int:
    """How many questions an audit asks now."""
    before = answers_in(ready.settings.run)
    audit(ready)
    return answers_in(ready.settings.run) - before


def answers_in(path: Path) -> int:
    if not path.exists():
        return 0
    with RunFile.read(path) as run:
        return len(run.answers())


@pytest.fixture(scope="module")
def demo(repository: Path) -> tuple[list[Task], list[Report]]:
    """Three tasks of the demo with all that protocols need, and two agents' reports."""
    folder = repository / "examples" / "demo"
    known = CRITERIA_FILE.join(tuple(load_tasks(folder / "tasks.jsonl")), folder / "criteria.yaml")
    tasks = [equipped(each) for each in known[:3]]
    reports = [
        Report((folder / "reports" / agent / f"{each.id}.md").read_text("utf-8"), agent, each.id)
        for each in tasks
        for agent in ("heron", "magpie")
    ]
    return tasks, reports


@pytest.mark.parametrize("protocol", DEFAULT)
def test_what_runs_by_default_asks_just_what_was_said(protocol, demo, tmp_path):
    ready = prepared(tmp_path, demo, protocol, None, Steady(3, 9))
    likely, least, most = likely_least_most(ready)
    assert least == likely == most == asked(ready) > 0


@pytest.fixture(scope="module")
def towns() -> tuple[list[Task], list[Report]]:
    """Reports that cite four pages each."""
    tasks = [
        Task(id=f"t{town}", prompt=f"How many storms in town {town}?") for town in range(TOWNS)
    ]
    reports = [
        Report(
            "\n\n".join(
                [f"# Storms of town {task.id}"]
                + [
                    f"## Part {at}\n\nIn part {at} some {10 * at} storms were counted [{at}]. The "
                    f"archive of part {at} is kept in the old town hall by the clerk [{at}]."
                    for at in range(1, 5)
                ]
                + ["## Sources"]
                + [f"[{at}] https://town.example/{task.id}/{agent}/{at}" for at in range(1, 5)]
            ),
            agent,
            task.id,
        )
        for task in tasks
        for agent in ("heron", "magpie")
    ]
    return tasks, reports


@pytest.fixture
def pages(towns: tuple[list[Task], list[Report]], tmp_path: Path) -> Path:
    """Every fourth page is so long that it is asked about in two parts."""
    with RunFile.create(tmp_path / "pages.assay") as run:
        keep(
            run,
            *(
                Capture(
                    f"https://town.example/{task.id}/{agent}/{at}",
                    "2026-05-04T00:00:00Z",
                    "direct",
                    title=f"Archive {place * 4 + at}",
                    text="".join(
                        f"Line {line} of {task.id} {agent} {at} says how the weather was.\n"
                        for line in range(1_500 if at == 4 else 30)
                    ),
                )
                for place, task in enumerate(towns[0])
                for agent in ("heron", "magpie")
                for at in range(1, 5)
            ),
        )
    return tmp_path


STRICT, LENIENT = Steady(2, 2), Steady(12, 50)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "judge"),
    [("fact", STRICT), ("citation_accuracy", STRICT), ("kae", STRICT), ("kae", LENIENT)],
)
def test_where_answers_decide_all_lies_in_the_span_and_a_few_reports_tell_the_rest(
    protocol, judge, towns, pages
):
    few = prepared(pages, towns, protocol, 4, judge)
    _, least, most = likely_least_most(few)
    assert least <= asked(few) <= most
    whole = prepared(pages, towns, protocol, None, judge)
    likely, least, most = likely_least_most(whole)
    left = asked(whole)
    assert least <= left <= most
    assert likely == pytest.approx(left, rel=0.05)


def test_copies_are_asked_about_only_when_the_originals_are_judged(towns, pages):
    ready = prepared(pages, towns, "fact", 4, Steady(2, 50))
    first, then = ready.plan.waves
    assert {each.agent for each in first.reports} == {"heron"}
    assert [each.agent for each in then.reports] == [each.report.agent for each in ready.copies]
    assert first.size + then.size == ready.plan.size
    nothing_read = prepared(pages, towns, "consistency", 4, Steady(2, 50))
    assert nothing_read.plan.waves == (nothing_read.plan,)
