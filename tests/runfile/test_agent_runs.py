"""What agents did, kept and read back."""

from __future__ import annotations

import asyncio
import json
import math
import os
import sqlite3
import threading
import warnings
from contextlib import closing
from datetime import date
from decimal import Decimal

import pytest

from deepassay.errors import BadRunFile, ConfigurationChanged, Notice
from deepassay.runfile import AgentRun, RunFile, Served, StoredRun, rows

RUN = AgentRun(
    report="# Tides\n",
    stop="done",
    raw='{"output": "# Tides"}',
    steps=("think", "list"),
    usage={"input_tokens": 12},
    seconds=1.5,
    sources=("https://a.example/",),
    found=("https://a.example/", "https://b.example/"),
    opened=("https://a.example/",),
    record={"exit": 0},
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.assay"


def test_a_run_is_read_back_as_it_was(path):
    unseen = AgentRun(report=None, stop="failed", detail="It ended with status 1.")
    with RunFile.create(path) as run:
        asyncio.run(run.answering.keep(StoredRun("heron", "t2", 1, RUN)))
        asyncio.run(run.answering.keep(StoredRun("heron", "t1", 1, unseen)))
    with RunFile.read(path) as run:
        assert [(each.task, each.run) for each in run.answering.runs()] == [
            ("t1", unseen),
            ("t2", RUN),
        ]
        assert run.answering.stops() == {("heron", "t1", 1): "failed", ("heron", "t2", 1): "done"}
        assert not run.verify().damage


def test_a_later_run_takes_the_place_of_an_earlier_one(path):
    with RunFile.create(path) as run:
        asyncio.run(run.answering.keep(StoredRun("heron", "t", 1, AgentRun(None, "time"))))
        asyncio.run(run.answering.keep(StoredRun("heron", "t", 1, RUN)))
        assert [each.run.stop for each in run.answering.runs()] == ["done"]


def test_an_agent_that_was_declared_otherwise_is_refused_with_what_differs(path):
    with RunFile.create(path) as run:
        run.answering.register({"heron": {"model": "a", "calls": 5}})
        run.answering.register({"heron": {"model": "a", "calls": 5}, "ibis": {}})
        asyncio.run(run.answering.keep_job("k", {"id": "resp_1"}))
        with pytest.raises(ConfigurationChanged, match="heron, calls: 5 when the run began, 6 now"):
            run.answering.register({"heron": {"model": "a", "calls": 6}})
        assert list(run.answering.agents()) == ["heron", "ibis"]


def test_an_agent_that_did_nothing_yet_may_be_declared_otherwise(path):
    with RunFile.create(path) as run:
        run.answering.register({"heron": {"calls": 5}})
        run.answering.register({"heron": {"calls": 6}})
        assert run.answering.agents() == {"heron": {"calls": 6}}


def test_a_job_is_taken_up_by_what_was_kept_of_it(path):
    with RunFile.create(path) as run:
        assert run.answering.job("k") is None
        asyncio.run(run.answering.keep_job("k", {"id": "resp_1"}))
    with RunFile.create(path) as run:
        assert run.answering.job("k") == {"id": "resp_1"}


def test_a_job_that_is_damaged_is_no_job_that_was_not_begun(path):
    with RunFile.create(path) as run:
        asyncio.run(run.answering.keep_job("k", {"id": "resp_1"}))
        run._store.write([("UPDATE jobs SET sha256='0'", [])])
        with pytest.raises(BadRunFile, match="job k"):
            run.answering.job("k")


def test_a_search_is_kept_once(path):
    with RunFile.create(path) as run:
        asyncio.run(run.answering.keep_search("k", "corpus", "tides", ["first"]))
        asyncio.run(run.answering.keep_search("k", "corpus", "tides", ["second"]))
        assert run.answering.search("k") == ["first"]
        assert run.answering.search("other") is None


def test_what_was_served_is_numbered_by_session(path):
    with RunFile.create(path) as run:
        asyncio.run(run.answering.log("a", "search", {"query": "tides"}))
        asyncio.run(run.answering.log("b", "page", {"url": "https://a.example/"}))
        asyncio.run(run.answering.log("a", "page", {"url": "https://b.example/"}))
        assert list(run.answering.served("a")) == [
            Served("a", 1, "search", {"query": "tides"}),
            Served("a", 2, "page", {"url": "https://b.example/"}),
        ]
        assert len(list(run.answering.served())) == 3


def agent_run(text, **more):
    return StoredRun("heron", "t", 1, AgentRun(text, "done", raw=text, **more))


def test_a_report_too_large_to_be_read_back_costs_its_own_task(path, monkeypatch):
    monkeypatch.setattr(rows, "LARGEST_BODY", 100_000)
    with RunFile.create(path) as run:
        kept = asyncio.run(run.answering.keep(agent_run("\0" * 90_000, record={"prompt": "p"})))
        assert kept.report is None and kept.stop == "failed"
        assert "can be read" in kept.detail and kept.record == {"prompt": "p"}
        other = StoredRun("wren", "t", 1, AgentRun("# Tides", "done"))
        asyncio.run(run.answering.keep(other))
    with RunFile.read(path) as run:
        found = {each.agent: each.run for each in run.answering.runs()}
        assert found["wren"].report == "# Tides" and found["heron"].report is None
        assert not run.verify().damage


def test_one_text_is_kept_once_and_read_back_twice(path):
    text = os.urandom(200_000).hex()
    with RunFile.create(path) as run:
        asyncio.run(run.answering.keep(agent_run(text)))
    assert path.stat().st_size < 1.5 * len(text) / 2 + 300_000
    with RunFile.read(path) as run:
        (found,) = run.answering.runs()
        assert found == agent_run(text)


@pytest.mark.parametrize(
    "record", [{"x": math.nan}, {"x": [math.inf, {"y": -math.inf}]}, {"x": (math.nan, 1)}]
)
def test_a_number_that_is_none_is_kept_as_null(path, record):
    with RunFile.create(path) as run:
        asyncio.run(run.answering.keep(agent_run("# Tides", record=record)))
    with RunFile.read(path) as run:
        (found,) = run.answering.runs()
        assert "NaN" not in json.dumps(dict(found.run.record)) and found.run.report == "# Tides"


def test_what_is_nested_too_deep_costs_its_own_task(path):
    deep = []
    for _ in range(5000):
        deep = [deep]
    with RunFile.create(path) as run:
        kept = asyncio.run(run.answering.keep(agent_run("# Tides", record={"x": deep})))
        assert kept.report is None and "nested too deep" in kept.detail


def test_a_damaged_run_costs_that_run(path):
    with RunFile.create(path) as run:
        for agent in ("heron", "wren", "stork"):
            asyncio.run(run.answering.keep(StoredRun(agent, "t", 1, AgentRun("# Tides", "done"))))
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE runs SET body=x'00' WHERE agent='stork'")
        db.commit()
    with RunFile.read(path) as run, pytest.warns(Notice, match="the run of stork on task t"):
        assert [each.agent for each in run.answering.runs()] == ["heron", "wren"]


def test_of_runs_that_are_done_none_is_read_to_find_those_without_a_report(path):
    ends = {"done": "# Tides", "truncated": "# Ti", "failed": None, "time": None}
    with RunFile.create(path) as run:
        for agent in ("heron", "wren"):
            for task, (stop, report) in enumerate(ends.items()):
                kept = StoredRun(agent, f"t{task}", 1, AgentRun(report, stop, raw="no"))
                asyncio.run(run.answering.keep(kept))
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE runs SET body=x'00' WHERE stop='done'")  # which reading would tell of
        db.commit()
    with RunFile.read(path) as run, warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [(e.agent, e.task, e.run.raw) for e in run.answering.without_report()]
    assert found == [(agent, task, "no") for agent in ("heron", "wren") for task in ("t2", "t3")]


UNKEPT = {
    "keys of several types": {"record": {1: "a", "b": 2}},
    "a key that is none": {"record": {None: 1, "a": 2}},
    "a key of two": {"record": {(1, 2): 3}},
    "bytes": {"record": {"x": b"\xff"}},
    "a set": {"record": {"x": {1}}},
    "a number of a library": {"record": {"x": Decimal(1)}},
    "a day": {"record": {"x": date(2026, 5, 4)}},
    "a number of 5,000 digits": {"record": {"x": 10**5000}},
    "a lock": {"record": {"x": threading.Lock()}},
    "an answer of bytes": {"raw": b"x"},
    "an address that is none": {"found": ("https://a.example/", None)},
    "a step that is a number": {"steps": (1,)},
}
UNCOUNTED = {
    "tokens of 5,000 digits": {"usage": {"input": 10**5000}},
    "tokens that are a text": {"usage": {"input": "many"}},
    "a cost that is a text": {"cost": "dear"},
    "a cost past all numbers": {"cost": 10**400},
    "seconds that are none": {"seconds": math.nan},
    "seconds without an end": {"seconds": math.inf},
    "no seconds": {"seconds": None},
}


@pytest.mark.parametrize("name", [*UNKEPT, *UNCOUNTED])
def test_what_could_not_be_read_back_costs_no_more_than_itself(path, name):
    odd = AgentRun("# Tides", "done", **(UNKEPT | UNCOUNTED)[name])
    with RunFile.create(path) as run:
        kept = asyncio.run(run.answering.keep(StoredRun("heron", "t", 1, odd)))
        asyncio.run(run.answering.keep(StoredRun("wren", "t", 1, AgentRun("# Tides", "done"))))
    assert "not kept" in kept.detail
    with RunFile.read(path) as run:
        found = {each.agent: each.run for each in run.answering.runs()}
        assert found == {"heron": kept, "wren": AgentRun("# Tides", "done")}
        assert kept.report == (None if name in UNKEPT else "# Tides")
        assert not run.verify().damage
