"""What agents did, kept and read back."""

from __future__ import annotations

import asyncio

import pytest

from deepassay.errors import BadRunFile, ConfigurationChanged
from deepassay.runfile import AgentRun, RunFile, Served, StoredRun

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
