"""Runs of agents without a report, among what is given: expected, counted, and never lost."""

import asyncio
import shutil
from dataclasses import replace
from itertools import product

import pytest

from deepassay import Report, evaluate
from deepassay.errors import BadReports, Notice
from deepassay.results.agents import run_totals
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.run.showing.contents import coverage_of
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
        assert coverage_of(run)[0] == (0.0, "surface", "broken")
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


def runs_in(path):
    with RunFile.read(path) as run:
        return {(e.agent, e.task): (e.run.stop, e.run.raw) for e in run.answering.runs()}


@pytest.mark.filterwarnings("ignore:Reports that came again")  # of one file evaluated into another
def test_a_raw_answer_that_only_the_file_of_the_research_has_is_kept(tmp_path):
    own, other = tmp_path / "own.assay", tmp_path / "other.assay"
    late, failed = AgentRun(None, "time"), AgentRun(None, "refused", raw="never")
    keep(own, {"a": [replace(late, raw="no"), late, WROTE], "b": [replace(late, raw="so"), WROTE]})
    with RunFile.create(own) as run:
        run.answering.register({"a": {"kind": "files"}})
    keep(other, {"a": [failed] * 3, "b": [failed, failed, WROTE], "c": [failed, WROTE]})
    before = runs_in(own)
    for given in ([other, own], [own, other]):
        evaluate(TASKS, given, "surface", run=own, **SETTINGS)
        assert runs_in(own) == before | {
            ("b", "t3"): ("done", ""),
            ("c", "t1"): ("refused", ""),
            ("c", "t2"): ("done", ""),
        }

    keep(other, {"c": [late]})  # what was brought here is told of anew
    evaluate(TASKS, [other, own], "surface", run=own, **SETTINGS)
    assert runs_in(own)["c", "t1"] == ("time", "")


def keep_as(path, names, ends):
    with RunFile.create(path) as run:
        for agent, runs in ends.items():
            for name, each in zip(names, runs, strict=False):
                asyncio.run(run.answering.keep(StoredRun(agent, name, 1, each)))


@pytest.mark.parametrize("name", ["task_{}", "t{} final"])
@pytest.mark.parametrize("apart", [False, True])
def test_runs_without_a_report_are_joined_as_the_reports_are(tmp_path, name, apart):
    agents = tmp_path / "agents.assay"
    ends = {"halfway": ENDS["halfway"], "broken": ENDS["broken"]}
    keep_as(agents, [name.format(number) for number in range(1, 5)], ends)
    good = [Report(f"# {n}\n\nIt is so.", "good", f"t{n}") for n in range(1, 5)] if apart else []
    with pytest.warns(Notice) as told:
        evaluate(TASKS, [agents, *good], "surface", run=tmp_path / "s", **SETTINGS)

    said = "7 runs without a report joined as reports of such names are: "
    assert sum(str(each.message).startswith(said) for each in told) == 1
    assert lacking_in(tmp_path / "s") == {
        *product(["broken"], ["t1", "t2", "t3", "t4"], [1]),
        *product(["halfway"], ["t1", "t2", "t4"], [1]),
    }
    assert {key[:2] for key in runs_in(tmp_path / "s")} == {
        *product(ends, ("t1", "t2", "t3", "t4"))
    }


OTHERS = ["ebb", "flow", "neap", "spring"]


def test_a_run_without_a_report_that_answers_no_task_is_told_of(tmp_path):
    agents = tmp_path / "agents.assay"
    keep(agents, {"good": [WROTE] * 4, "halfway": ENDS["halfway"]})
    keep_as(agents, OTHERS, {"broken": ENDS["broken"], "good": [WROTE]})
    older = tmp_path / "older.assay"
    keep_as(older, OTHERS, {"good": ENDS["broken"][:2]})  # one of which wrote a report later
    with pytest.warns(Notice) as told:
        evaluate(TASKS, [agents, older], "surface", run=tmp_path / "s", **SETTINGS)
    said = [str(each.message) for each in told if "without a report" in str(each.message)]
    assert said == [
        "5 runs without a report left out, as of no task here: broken on ebb, broken on flow, "
        "broken on neap and 2 more."
    ]
    assert {agent for agent, *_ in lacking_in(tmp_path / "s")} == {"halfway"}


def test_a_run_file_of_failures_alone_counts_beside_reports(tmp_path):
    files = [tmp_path / f"{name}.assay" for name in ("one", "two")]
    for path, agent in zip(files, ("b", "c"), strict=True):
        keep(path, {agent: ENDS["broken"]})
    good = [Report(f"# {n}\n\nIt is so.", "good", f"t{n}") for n in range(1, 5)]
    with pytest.warns(Notice) as told:
        evaluate(TASKS, [*files, *good], "surface", run=tmp_path / "s", **SETTINGS)
    assert lacking_in(tmp_path / "s") == {*product("bc", ["t1", "t2", "t3", "t4"], [1])}
    assert sum("holds no report" in str(each.message) for each in told) == 2

    with RunFile.create(tmp_path / "empty.assay"):
        pass
    for given in (files, [tmp_path / "empty.assay", *good]):
        with pytest.raises(BadReports, match="holds no report"):
            evaluate(TASKS, given, "surface", run=tmp_path / "n", **SETTINGS)


WAYS = {"generator": iter, "keys": lambda given: dict.fromkeys(given).keys(), "set": frozenset}


@pytest.mark.parametrize("way", WAYS)
def test_run_files_are_found_in_whatever_holds_them(tmp_path, way):
    keep(tmp_path / "a.assay", {"broken": ENDS["broken"], "good": ENDS["good"]})
    keep(tmp_path / "b.assay", {"halfway": ENDS["halfway"]})
    given = WAYS[way]([tmp_path / "a.assay", tmp_path / "b.assay"])
    evaluate(TASKS, given, "surface", run=tmp_path / "s", **SETTINGS)
    assert len(lacking_in(tmp_path / "s")) == 4 + 3
