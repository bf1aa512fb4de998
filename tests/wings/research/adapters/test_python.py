"""Python functions as agents, in a process of their own and in ours."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from deepassay.agents import Stop
from deepassay.agents.registry import agents_of
from deepassay.tasks.task import Task
from deepassay.wings.research.adapters.python import Python
from tests.wings.research.sessions import session

TASK = Task(id="tides", prompt="How high is the tide? 潮汐")
MODULE = """
import asyncio, os
TEXT = "# Tides\\n\\nHigh [1].\\n"

def plain(prompt, **context):
    assert prompt.endswith("潮汐") and context["language"] == "en"
    return TEXT

async def later(prompt, *, task_id, **context):
    await asyncio.sleep(0)
    return {"report": TEXT + task_id, "sources": ["https://a.example/"]}

def bad(prompt, **context):
    raise ValueError("no key")

def odd(prompt, **context):
    os.chdir("/")
    return "5"

def nothing(prompt, **context):
    return None

def no_report(prompt, **context):
    return {"report": None}

def an_error(prompt, **context):
    return {"error": "out of quota"}

def slow(prompt, **context):
    import time
    time.sleep(600)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "drawn_agent.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answered(here, name, **settings):
    with session(here / "work") as given:
        agent = Python(python=f"drawn_agent:{name}", **settings)
        agent.check({})
        return asyncio.run(agent.answer(TASK, given))


@pytest.mark.parametrize("in_process", [False, True])
def test_a_function_answers(here, in_process):
    assert answered(here, "plain", in_process=in_process).report == "# Tides\n\nHigh [1].\n"


@pytest.mark.parametrize("in_process", [False, True])
def test_sources_that_a_function_names_become_the_list(here, in_process):
    run = answered(here, "later", in_process=in_process)
    assert run.sources == ("https://a.example/",) and "## References" in run.report


@pytest.mark.parametrize("in_process", [False, True])
def test_an_exception_is_a_stop(here, in_process):
    run = answered(here, "bad", in_process=in_process)
    assert run.stop == Stop.FAILED and "ValueError: no key" in run.detail


@pytest.mark.parametrize("name", ["nothing", "no_report", "an_error"])
@pytest.mark.parametrize("in_process", [False, True])
def test_a_value_without_a_report_is_none(here, name, in_process):
    run = answered(here, name, in_process=in_process)
    assert run.report is None and run.stop == Stop.FAILED


def test_what_it_does_to_its_process_is_its_own_affair(here):
    before = Path.cwd()
    run = answered(here, "odd")
    assert Path.cwd() == before and run.report == "5"


def test_one_that_never_ends_is_ended(here):
    assert answered(here, "slow", limit_s=0.5).stop == Stop.TIME


def test_a_reference_alone_is_a_python_agent():
    (agent,) = agents_of(["drawn_agent:plain"], {}).values()
    assert agent == Python(python="drawn_agent:plain")
