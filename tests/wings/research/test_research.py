"""Answering as a command does it: signals, agents that ask back, retries, what is paid."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

import deepassay
from deepassay.agents import Agent, Stop
from deepassay.agents.registry import agents_of
from deepassay.cli.assay_toml import read_settings
from deepassay.errors import BadSetting, ConfigurationChanged
from deepassay.run.asking.agent_runs import NO_QUESTIONS, ResearchTerms, told_before
from deepassay.run.settings import Settings
from deepassay.runfile import AgentRun, RunFile
from deepassay.wings.research.answering import research
from tests.run.kills import left_behind, wait_until

TASKS = [
    {"id": "a", "prompt": "Why is the sky blue?"},
    {"id": "b", "prompt": "天空为什么是蓝色的？"},
]

AGENT = """
import os, pathlib, sys, time
here = pathlib.Path({here!r})

def answer(prompt, task_id, **context):
    with (here / "log").open("a") as log:
        log.write(task_id + "\\n")
    while (here / f"hold-{{len((here / 'log').read_text().split())}}").exists():
        time.sleep(0.01)
    return f"# {{task_id}}\\n\\n{{prompt}} It is so [1].\\n"

if __name__ == "__main__":
    open(sys.argv[3], "w").write(answer(open(sys.argv[2]).read(), sys.argv[1]))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)))
    (tmp_path / "held_agent.py").write_text(AGENT.format(here=str(tmp_path)))
    (tmp_path / "heron").mkdir()
    for task in TASKS:
        (tmp_path / "heron" / f"{task['id']}.md").write_text("# Sky\n\nIt is so.\n")
    command = [sys.executable, "held_agent.py", "{task_id}", "{prompt_file}", "{out_file}"]
    (tmp_path / "assay.toml").write_text(
        f'[agent.heron]\nfiles = "heron"\n[agent.program]\ncommand = {json.dumps(command)}\n'
        '[agent.function]\npython = "held_agent:answer"\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@contextmanager
def started(run):
    """A process that researches; what it gives waits for its end, for the status."""

    def answer():
        agents = agents_of(["heron", "program", "function"], read_settings().agent)
        settings = Settings(run=run, offline_sources=True)
        terms = ResearchTerms(at_once=1, output=Path(f"{run}-reports"))
        told = Path("told").touch
        done = research("tasks.jsonl", agents, settings, terms, tell_of_signal=told)
        raise SystemExit(done.signal)

    process = multiprocessing.get_context("fork").Process(target=answer)
    process.start()
    yield process
    process.join(60)
    assert process.exitcode is not None


def calls(here):
    return (here / "log").read_text().split() if (here / "log").exists() else []


def stored(run):
    with RunFile.read(Path(run)) as file:
        assert not file.verify().damage
        return [replace(each, run=replace(each.run, seconds=0)) for each in file.answering.runs()]


@pytest.mark.parametrize("signals", [1, 2])
def test_a_signal_ends_it_in_good_order(here, signals):
    (here / "hold-1").touch()
    with started("r.assay") as process:
        wait_until(lambda: calls(here))
        os.kill(process.pid, signal.SIGINT)
        wait_until((here / "told").exists)
        if signals == 2:
            os.kill(process.pid, signal.SIGINT)
        else:  # what is under way may end
            (here / "hold-1").unlink()
    assert process.exitcode == signal.SIGINT and not left_behind(here)
    assert [each.agent for each in stored("r.assay")] == ["heron", "program"][: 3 - signals]


class Drawn(Agent):
    """An agent that gives what a list says, one after another."""

    kind: ClassVar[str] = "drawn"
    drawn: tuple[AgentRun, ...]
    _asked: ClassVar[list[str]] = []

    @property
    def identity(self):
        return {"kind": "drawn"}

    async def answer(self, task, session):
        self._asked.append(task.prompt)
        return self.drawn[len(self._asked) - 1]


REPORT = AgentRun("# Sky\n\nBlue.\n", Stop.DONE, cost=0.5, usage={"input_tokens": 7}, seconds=3.0)
QUESTION = AgentRun(
    None, Stop.ASKED_BACK, "It asked: Which?", "Which?", usage={"input_tokens": 5}, cost=0.25,
    seconds=2.0,
)  # fmt: skip
FAILED = AgentRun(None, Stop.FAILED, "It broke.", cost=0.25, seconds=1.0)


@pytest.fixture
def answer(tmp_path):
    Drawn._asked.clear()

    def answer(*runs, tasks=tuple(TASKS[:1]), retry=False, repeat=1, **settings):
        settings = Settings(run=tmp_path / "r.assay", offline_sources=True, **settings)
        terms = ResearchTerms(retry=retry, repeat=repeat, at_once=1)
        done = research(tasks, {"drawn": Drawn(drawn=runs)}, settings, terms)
        return done, [each.run for each in stored(tmp_path / "r.assay")], Drawn._asked

    return answer


@pytest.mark.parametrize("task", TASKS)
def test_who_asks_back_is_told_once_to_assume(answer, task):
    done, (run,), asked = answer(QUESTION, REPORT, tasks=[task])
    told = NO_QUESTIONS["zh" if task["id"] == "b" else "en"]
    assert asked == [task["prompt"], f"{task['prompt']}\n\n{told}"]
    assert (run.stop, run.cost, run.usage) == (Stop.DONE, 0.75, {"input_tokens": 12})
    assert run.record["told"] == told
    (before,) = run.record["earlier"]
    assert (before["stop"], before["detail"]) == (Stop.ASKED_BACK, "It asked: Which?")
    assert done.spent == 0.75


def test_who_asks_back_again_is_not_asked_a_third_time(answer):
    done, (run,), asked = answer(QUESTION, QUESTION, REPORT)
    assert len(asked) == 2 and run.stop == Stop.ASKED_BACK and not done.reports
    done, _, asked = answer(QUESTION, QUESTION, REPORT)
    assert len(asked) == 2 and done.progress.kept == 1


def test_what_failed_is_asked_again_where_that_is_wanted_and_stays_paid(answer):
    answer(FAILED, REPORT)
    done, (run,), asked = answer(FAILED, REPORT)
    assert len(asked) == 1 and run.stop == Stop.FAILED
    done, (run,), asked = answer(FAILED, REPORT, retry=True)
    assert asked == [TASKS[0]["prompt"]] * 2
    assert (run.report, run.cost, done.spent) == (REPORT.report, 0.5, 0.75)
    assert [each["stop"] for each in run.record["earlier"]] == [Stop.FAILED]


def test_the_budget_ends_it_and_a_larger_one_goes_on(answer):
    runs = [REPORT] * 6
    done, kept, asked = answer(*runs, tasks=TASKS, repeat=3, budget=1.0)
    assert (len(asked), len(kept), done.out_of_budget, done.progress.left) == (2, 2, True, 4)
    done, kept, asked = answer(*runs, tasks=TASKS, repeat=3, budget=9.0)
    assert (len(asked), len(kept), done.spent, done.progress.stopped) == (6, 6, 3.0, "")
    assert [each.report for each in kept] == [REPORT.report] * 6


def test_what_runs_took_says_what_the_rest_may_cost(answer, tmp_path):
    answer(REPORT, FAILED, tasks=TASKS)
    settings = Settings(run=tmp_path / "r.assay")
    first, second = told_before(
        TASKS, {"drawn": Drawn(drawn=())}, settings, ResearchTerms(repeat=2)
    )
    assert first.startswith("drawn: 2 runs (2 are there already); ")
    told = "0.0 min, 7 tokens, $0.38; at that rate the rest costs $0.75"
    assert second == f"  runs that are there, on average: {told}"


def test_a_budget_of_the_agent_itself_ends_its_run_only(answer):
    over = AgentRun(None, Stop.BUDGET, "calls: 9 needed, 0 left for writing")
    done, kept, _ = answer(over, REPORT, tasks=TASKS)
    assert [each.stop for each in kept] == [Stop.BUDGET, Stop.DONE]
    assert not done.progress.stopped


def test_answers_to_another_prompt_are_not_taken_for_answers(answer):
    answer(REPORT)
    with pytest.raises(ConfigurationChanged, match="task a was asked of drawn with another prompt"):
        answer(REPORT, tasks=[{"id": "a", "prompt": "Why is grass green?"}])


@pytest.mark.parametrize(
    ("agent", "task", "odd"),
    [
        ("files:reports/heron", "a", "Name the agent"),
        ("a", "x/y", "Give the task"),
        ("a", "../evil", "Give the task"),
        ("a", "..", "Give the task"),
        ("a", "x" * 300, "Give the task"),
    ],
)
def test_reports_that_would_not_be_found_again_are_not_written(tmp_path, agent, task, odd):
    terms = ResearchTerms(output=tmp_path / "out")
    settings = Settings(run=tmp_path / "r.assay")
    tasks = [{"id": task, "prompt": "Why?"}]
    with pytest.raises(BadSetting, match="cannot be names of a folder and a file") as told:
        research(tasks, {agent: Drawn(drawn=())}, settings, terms)
    assert told.value.remedy.startswith(odd)
    assert not (tmp_path / "r.assay").exists()


def test_a_file_that_somebody_worked_on_is_left_as_it_is_and_told_of(tmp_path):
    Drawn._asked.clear()
    agents = {"drawn": Drawn(drawn=[REPORT] * 4)}
    settings = Settings(run=tmp_path / "r.assay", offline_sources=True)
    terms = ResearchTerms(repeat=2, output=tmp_path / "out")
    files = [tmp_path / "out" / "drawn" / name for name in ("a.md", "b.md", "b/answer_2.md")]

    assert not research(TASKS, agents, settings, terms).unlike
    before = [each.read_text() for each in files]
    files[0].write_text(f"{before[0]}\nMy edit.\n")
    files[1].unlink()
    files[2].write_text("")
    done = research(TASKS, agents, settings, terms)

    assert [*done.unlike] == [files[0], files[2]]
    assert "My edit." in files[0].read_text() and files[1].read_text() == before[1]
    assert files[2].read_text() == "" and done.reports == 4
    (said,) = [line for line in done.lines() if "not written" in line]
    assert "2 reports" in said and str(files[0]) in said


def test_many_agents_at_a_time_leave_the_same(here):
    agents = agents_of(["program"], read_settings().agent)
    for number in (1, 8):
        settings = Settings(run=here / f"{number}.assay", offline_sources=True)
        research("tasks.jsonl", agents, settings, ResearchTerms(repeat=3, at_once=number))
    assert stored("1.assay") == stored("8.assay")
    assert len(stored("8.assay")) == 6 and not left_behind(here)


def test_python_has_agents_answer_and_scores_them(here):
    agents = {
        "heron": "files:heron",
        "table": {"files": "heron"},
        "drawn": Drawn(drawn=[REPORT] * 2),
    }
    Drawn._asked.clear()
    answered = deepassay.research(TASKS, agents, offline_sources=True)
    assert [each.run.stop for each in stored(answered.path)] == [Stop.DONE] * 6
    scored = deepassay.evaluate(TASKS, [answered.path], "presentation")
    assert {row["agent"] for row in scored.scores()} == set(agents)
