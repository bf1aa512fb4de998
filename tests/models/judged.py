"""A judge on loopback, and askers of it that write to one run file."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.live import LiveAsker
from deepassay.models.operation import Operation
from deepassay.models.service import RetryPolicy
from deepassay.runfile import RunFile
from tests.loopback import FakeJudge

from .conftest import GOOD, Question, Verdict

Op = Operation[Question, Verdict]
WAITS = (0.2, 2.0, 20.0)
"""Seconds that a silent server is given: on a busy machine they may be over before it is asked."""

QUICK = RetryPolicy(request_seconds=60.0, attempts=3, first_wait=0.02)


def question(report: str = "A report.") -> Question:
    return Question(language="en", report=report)


@dataclass
class Judge:
    """A server, and askers of it that write to one run file."""

    server: FakeJudge
    run: RunFile
    clients: Clients

    async def asker(
        self, model: str, settings: ModelSettings | None = None, **more: Any
    ) -> LiveAsker:
        client = await self.clients.connect(f"openai:{model}", settings, self.server.base_url)
        more = {"retries": QUICK, "chance": np.random.default_rng(7)} | more
        return LiveAsker(client, self.run, **more)

    def attempts(self) -> list[tuple[Any, ...]]:
        """kind, status, detail, usage, cost, body digest of every attempt."""
        with closing(sqlite3.connect(self.run.path)) as db, db:
            columns = "kind, status, detail, usage, cost, body_digest"
            rows = db.execute(f"SELECT {columns} FROM attempts ORDER BY rowid").fetchall()
        db.close()
        return rows

    def kept(self) -> list[str]:
        """The keys of all answers and failures that are kept."""
        with closing(sqlite3.connect(self.run.path)) as db, db:
            found = [key for (key,) in db.execute("SELECT key FROM answers")]
        db.close()
        return found


@asynccontextmanager
async def judged(run: RunFile, connections: int = 8, **options: Any) -> AsyncIterator[Judge]:
    prices = options.pop("prices", None)
    with FakeJudge(options.pop("answer", GOOD), **options) as server:
        async with Clients(connections, seconds=60.0, prices=prices) as clients:
            yield Judge(server, run, clients)
