"""Servers that drip: a byte now and then is no silence, and no limit is passed by it."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from deepassay.agents import Stop
from deepassay.models.ask import OfflineAsker
from deepassay.tasks.task import Task
from deepassay.wings.research.adapters import service
from deepassay.wings.research.adapters.job import Job
from deepassay.wings.research.deerflow.researcher import Researcher
from tests.wings.research.deerflow.scripted import EN
from tests.wings.research.sessions import session

TASK = Task(id="tides", prompt="How high is the tide?")
LIMIT = 1.0


@contextmanager
def dripping(at):
    """A service whose answers are whole up to the request of this number, and then drip."""
    stop = threading.Event()
    server = socket.create_server(("127.0.0.1", 0))
    heard = []

    def serve(connection):
        with connection, suppress(OSError):
            connection.recv(65536)
            heard.append(0)
            if len(heard) < at:
                body = json.dumps({"id": "job-1", "state": "working"}).encode()
                head = (
                    f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                )
                connection.sendall(head.encode() + body)
                return
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while not stop.wait(0.05):
                connection.sendall(b"1\r\n \r\n")

    def accept():
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=server.accept()[:1], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}", heard
    stop.set()
    server.close()


def test_a_service_that_drips_ends_at_the_limit_of_its_job(tmp_path, monkeypatch):
    """From the submission, or from any poll on: ten jobs at a time."""
    monkeypatch.setattr(service, "SHORTEST_WAIT", 0.0)
    monkeypatch.setattr(service, "LAST", 0.3)

    async def all_of_them():
        await asyncio.gather(*(_job_ends(at, tmp_path / f"{at}") for at in range(1, 11)))

    asyncio.run(all_of_them())


async def _job_ends(at, folder):
    folder.mkdir()
    with dripping(at) as (base, heard):
        recipe = {
            "name": "ours",
            "submit": {"url": f"{base}/jobs", "id": "id"},
            "poll": {"url": f"{base}/jobs/{{id}}", "status": "state", "running": ["working"],
                     "done": ["ready"], "every_s": 0.01},
            "cancel": {"url": f"{base}/jobs/{{id}}/cancel"},
        }  # fmt: skip
        agent = Job(job=recipe, limit_s=2 * LIMIT)
        with session(folder) as given:
            began = time.monotonic()
            run = await agent.answer(TASK, given)
    assert run.stop == (Stop.FAILED if at == 1 else Stop.TIME) and run.report is None, at
    assert time.monotonic() - began < 30 and len(heard) >= at


def test_addresses_that_drip_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(service, "RESOLVING", 0.5)

    async def resolved(base):
        recipe = {
            "name": "x",
            "submit": {"url": base},
            "poll": {"url": base, "running": ["r"], "done": ["d"]},
        }
        async with service.ServiceConnection(Job(job=recipe).job, {}, {}) as asked:
            return await asked.resolved([f"{base}/{number}" for number in range(200)])

    with dripping(1) as (base, _):
        began = time.monotonic()
        found = asyncio.run(resolved(base))
    assert set(found.values()) == {None} and len(found) == 200
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("edition", ["ours", "paper"])
def test_a_search_that_drips_ends_with_the_time_of_research(tmp_path, edition):
    class Rules:
        async def asker(self, *asked):
            return OfflineAsker(given.tools.run)

    with dripping(1) as (base, heard), session(tmp_path, models=Rules()) as given:
        agent = Researcher(edition=edition, search=f"searxng:{base}", limit_s=2 * LIMIT)
        began = time.monotonic()

        async def answer():
            async with given.tools.searches:
                return await agent.answer(EN, given)

        run = asyncio.run(answer())
    assert run.report is None and run.stop in (Stop.TIME, Stop.NO_SOURCES), run.detail
    assert heard and time.monotonic() - began < 30
