"""An agent: whoever answers a task with a report, ours or somebody else's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from deepassay.runfile import AgentRun
from deepassay.score import Json
from deepassay.tasks.task import Task


class Stop(StrEnum):
    """How a run of an agent ended. There is a report after `done`, and where it is told below."""

    DONE = "done"
    BUDGET = "budget"  # calls, tokens or money are used up; what was written by then is kept
    TIME = "time"  # the limit of seconds; what was written by then is kept
    NO_SOURCES = "no_sources"  # nothing was found to write from
    ASKED_BACK = "asked_back"  # it asked the user a question in place of a report
    REFUSED = "refused"
    FAILED = "failed"  # an error, also one that came as the text of the report
    TRUNCATED = "truncated"  # the report is cut off, and kept
    CANCELLED = "cancelled"  # by the user, or by the service that ran it


@dataclass(frozen=True)
class Session:
    """What an agent is given besides the task, for one run.

    sample: which of several answers, from 1. folder: an empty folder of its own. seconds: how long
    it may take. sandbox: where a sandbox serves this run alone, without a slash at the end, or
    "". handle: what was kept of a job that an earlier process began; such a job is taken up and not
    begun again. keep: keeps a handle; a job is polled only after that.
    """

    sample: int
    folder: Path
    seconds: float
    keep: Callable[[Json], Awaitable[None]]
    handle: Json = None
    sandbox: str = ""


class Agent(Protocol):
    """Whoever answers tasks."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """All settings that can change its answers, without keys: a run goes on only with these."""
        ...

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Answer a task, whose dates are filled in.

        What goes wrong with the agent is a `Stop` with its detail and never an exception; BadInput
        is for what the user can mend before anything was paid. Where it is cancelled it leaves
        nothing running behind.
        """
        ...
