"""An agent: whoever answers a task with a report, ours or somebody else's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, Field

from deepassay.agents.search_results import Search
from deepassay.models.ask import Asker
from deepassay.models.budget import Budget
from deepassay.models.client import Client, ModelSettings
from deepassay.runfile import AgentRun, RunFile
from deepassay.score import Json
from deepassay.sources.page import Pages
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


class Models(Protocol):
    """Models by name, each connected once; all share the budget of the command."""

    async def asker(self, name: str, settings: ModelSettings, base_url: str | None) -> Asker:
        """Who answers operations: `offline`, `provider:NAME` or `module:name`. BadSetting."""
        ...

    async def client(self, name: str, settings: ModelSettings, base_url: str | None) -> Client:
        """The model itself, for agents that are one model. Raises BadSetting."""
        ...


class Searches(Protocol):
    """Searches by the words that name them, each opened once."""

    async def get(self, spec: str) -> Search:
        """`corpus:PATH`, or a provider. Raises BadSetting."""
        ...


@dataclass(frozen=True)
class Tools:
    """What all agents of a command share.

    run: where answers, searches and pages are kept. budget: USD, of all of them together.
    pages: the guarded reader of the web. environment: where keys are. searches: those
    that are open. patient: models are asked in batches, whose time counts against no limit.
    """

    run: RunFile
    models: Models
    budget: Budget
    pages: Pages
    environment: Mapping[str, str] = field(repr=False)
    searches: Searches
    patient: bool = False


@dataclass(frozen=True)
class Session:
    """What an agent is given besides the task, for one run.

    sample: which of several answers, from 1. folder: an empty folder of its own. handle: what was
    kept of a job that an earlier process began; such a job is taken up and not begun again. keep:
    keeps a handle; a job is polled only after that. None: it is over, and nothing takes it up.
    sandbox: the address under which a sandbox serves this run alone, without a slash at the end,
    or "".
    """

    sample: int
    folder: Path
    tools: Tools
    keep: Callable[[Json], Awaitable[None]]
    handle: Json = None
    sandbox: str = ""

    @property
    def addresses(self) -> tuple[tuple[str, str], ...]:
        """What the sandbox puts before the addresses of pages, and what stands in its place."""
        return ((f"{self.sandbox}/w/", ""),) if self.sandbox else ()


class Agent(BaseModel, ABC):
    """Whoever answers tasks: a value whose fields are its settings in `assay.toml`.

    The field named as its `kind` says who it is (`command`, `job`, ...); keys are named by
    `{env:NAME}` and never stand in a field. limit_s: seconds that one run may take.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    kind: ClassVar[str]
    writes: ClassVar[bool] = True
    """Whether it writes when it is asked; else its reports are there, whatever it is told."""

    limit_s: float = Field(default=1800.0, gt=0)

    @property
    def identity(self) -> Mapping[str, Json]:
        """All that can change its answers: a run file goes on only with the same."""
        return {"kind": self.kind, **self.model_dump(mode="json", by_alias=True)}

    @abstractmethod
    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Answer a task, whose dates are filled in, within `limit_s`.

        What goes wrong with the agent is a `Stop` with its detail and never an exception; BadInput
        is for what the user can mend. Where it is cancelled it leaves nothing running behind.
        """

    def outlook(self) -> str:
        """What one run takes, in words, as far as that is known before."""
        return "what it takes, only the agent knows"

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise BadSetting where it cannot work: a missing file, program or variable."""
