"""Runs of agents without a report, among what is given: expected, counted, and never lost."""

import asyncio
import shutil
from itertools import product

import pytest

from deepassay import Report, evaluate
from deepassay.errors import BadReports
from deepassay.results.agents import run_totals
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.run.showing.contents import min_coverage
from deepassay.run.showing.records import judged
from deepassay.runfile import AgentRun, RunFile, StoredRun
from deepassay.score import Cause, Unscored

TASKS = [{"id": f"t{number}", "prompt": f"Why {number}?"} for number in range(1, 5)]
SETTINGS = {"date": "2026-11-28"}
WROTE = AgentRun("# R\n\nIt is so [1].\n\n[1] https://a.example/\n", "done")
ENDS = {
    "broken": [AgentRun(None, "failed", raw="no")] * 4,
    "good": [WROTE] * 4,
    "halfway": [AgentRun(None, "failed"), AgentRun(None, "time"), WROTE, AgentRun(None, "failed")],
}


def keep(path, ends, sample=1):
    with RunFile.create(path) as run:
        for agent, runs in ends.items():
            for task, each in zip(TASKS, runs, strict=False):
                asyncio.run(run.answering.keep(StoredRun(agent, task["id"], sample, each)))


def lacking_in(path):
    with RunFile.read(path) as run:
        found = [each for each in judged(run) if isinstance(each.outcome, Unscored)]
    assert {each.outcome.cause for each in found} <= {Cause.MISSING_INPUT}
    return {(each.agent, each.task, each.sample) for each in found}


@pytest.mark.parametrize("own", ["agents.assay", "scores.assay"])
def test_an_agent_without_any_report_is_expected_for_every_task(tmp_path, own):
    keep(tmp_path / "agents.assay", ENDS)
    evaluate(TASKS, tmp_path / "agents.assay", "surface", run=tmp_path / own, **SETTINGS)

    with RunFile.read(tmp_path / own) as run:
        assert min_coverage(run) == (0.0, "surface", "broken")
        totals = {name: each.row() for name, each in run_totals(run.answering.runs()).items()}
        raw = {each.run.raw for each in run.answering.runs() if each.agent == "broken"}
    assert lacking_in(tmp_path / own) == {
        *product(["broken"], ["t1", "t2", "t3", "t4"], [1]),
        *product(["halfway"], ["t1", "t2", "t4"], [1]),
    }
    assert {name: (each["reports"], each["runs"]) for name, each in totals.items()} == {
        "broken": (0, 4),
        "good": (4, 4),
        "halfway": (1, 4),
    }
    assert totals["halfway"]["stops"] == {"done": 1, "failed": 2, "time": 1}
    assert raw == {"no" if own == "agents.assay" else ""}


def test_what_is_said_before_counts_as_the_run_file_does(tmp_path):
    keep(tmp_path / "agents.assay", ENDS)
    keep(tmp_path / "agents.assay", {"good": ENDS["halfway"]}, sample=2)

    plan = plan_of(TASKS, tmp_path / "agents.assay", Settings(protocols=["surface"]))
    evaluate(TASKS, tmp_path / "agents.assay", "surface", run=tmp_path / "s", **SETTINGS)

    second = {*product(["good"], ("t1", "t2", "t4"), [2])}
    assert {each for each in lacking_in(tmp_path / "s") if each[2] == 2} == second
    assert plan.missing == len(lacking_in(tmp_path / "s")) == 4 + 3 + 3
    (said,) = plan.joins()
    assert said.startswith("4 tasks, 3 agents, 5 of 12 reports and 1 more answers")


def test_a_report_that_came_otherwise_or_later_stands(tmp_path):
    agents, scores = tmp_path / "agents.assay", tmp_path / "scores.assay"
    keep(agents, ENDS)
    own = Report(f"# By hand\n\n{WROTE.report}", "halfway", "t1")
    evaluate(TASKS, [agents, own], "surface", run=scores, **SETTINGS)
    assert ("halfway", "t1", 1) not in lacking_in(scores)

    keep(agents, {"broken": [WROTE, AgentRun(None, "refused")]})
    evaluate(TASKS, [agents, own], "surface", run=scores, **SETTINGS)

    assert {each for each in lacking_in(scores) if each[0] == "broken"} == {
        ("broken", "t2", 1), ("broken", "t3", 1), ("broken", "t4", 1)
    }  # fmt: skip
    with RunFile.read(scores) as run:
        assert run.answering.stops()["broken", "t2", 1] == "refused"
    shutil.copy(agents, tmp_path / "older.assay")
    evaluate(TASKS, [tmp_path / "older.assay"], "surface", run=tmp_path / "of-older", **SETTINGS)


def test_runs_on_tasks_that_are_not_scored_are_no_part_of_it(tmp_path):
    keep(tmp_path / "agents.assay", {"good": [WROTE], "broken": ENDS["broken"]})
    for limit, lacking in ((1, {"t1"}), (3, {"t1", "t2", "t3"})):
        path = tmp_path / f"{limit}.assay"
        evaluate(TASKS, tmp_path / "agents.assay", "surface", run=path, limit=limit, **SETTINGS)
        assert {task for agent, task, _ in lacking_in(path) if agent == "broken"} == lacking


def test_where_nobody_wrote_anything_there_is_nothing_to_score(tmp_path):
    keep(tmp_path / "agents.assay", {"broken": ENDS["broken"]})
    with pytest.raises(BadReports, match="holds no report"):
        evaluate(TASKS, tmp_path / "agents.assay", "surface", run=tmp_path / "s", **SETTINGS)
