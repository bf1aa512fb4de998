"""A model that Python plays, behind everything that stands before a real one, and its faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from deepassay.agents import Stop
from deepassay.models.ask import OfflineAsker
from deepassay.models.budget import Budget
from deepassay.models.client import AdaptivePace, Completion
from deepassay.models.live import LiveAsker
from deepassay.models.service import RetryPolicy
from deepassay.models.usage import Usage
from deepassay.reports.numbering import check_citations
from deepassay.runfile import AgentRun
from deepassay.tasks.task import Task
from deepassay.wings.research.deerflow.context import estimated_tokens
from deepassay.wings.research.deerflow.researcher import Researcher
from deepassay.wings.research.search.corpus import Corpus, open_corpus
from tests.wings.research.sessions import session

DAY = date(2026, 5, 4)
EN = Task(
    id="buses",
    prompt="Have the on-call buses of the Marle valley replaced journeys by car? Say which share "
    "of the car journeys they replaced in 2024, and what a ride costs the council.",
).on(DAY)
ZH = Task(
    id="gardens",
    prompt="柳塘片区的雨水花园效果如何？请说明2024年削减了多少雨水径流，居民有什么意见。",
).on(DAY)
EDITIONS = ("ours", "paper")
PROSE = ("write_section", "synthesise", "lede", "mend", "findings", "report")

Script = Callable[[str, Any, str], Any]
"""What a model says instead: from operation, inputs and the answer of the rule."""


@dataclass
class Model:
    """A client that answers as the rule of the operation does, unless the script says else.

    asked: names of the operations, one for each request. largest: tokens of the largest request,
    room for the answer included. outputs: tokens that an answer to each operation may have.
    answered: prompts that were answered, by digest.
    """

    script: Script = lambda operation, inputs, answer: answer
    window: int | None = None
    price: Any = None
    usage: bool = True
    asked: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    largest: float = 0.0
    outputs: dict[str, int] = field(default_factory=dict)
    known: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    max_output: int = 16_384
    main: Any = None
    money: Budget = field(default_factory=Budget)
    corrections: int = 1

    def __post_init__(self) -> None:
        self.identity = {"model": "scripted", "max_output": self.max_output}
        self.pace = AdaptivePace(1)

    @property
    def context_window(self) -> int | None:
        return self.window

    async def complete(self, call: Any) -> Completion:
        operation, inputs = self.known[call.prompt.digest]
        self.asked.append(operation.name.partition("/")[2])
        self.outputs[self.asked[-1]] = self.max_output
        tokens = estimated_tokens(f"{call.prompt.system}\n{call.prompt.text}")
        self.largest = max(self.largest, tokens + self.max_output)
        said = self.script(self.asked[-1], inputs, operation.written(operation.offline(inputs)))
        said = await said if asyncio.iscoroutine(said) else said
        if isinstance(said, Exception):
            raise said
        self.answered.append(call.prompt.digest)
        usage = Usage(input=int(tokens), output=int(estimated_tokens(said))) if self.usage else None
        return Completion(said, "stop", usage, "scripted")


class Models:
    """Every role is played by the same model, asked through the run file."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.run: Any = None

    async def client(self, name: str, settings: Any, base_url: str | None) -> Any:
        mine = Model(self.model.script, self.model.window, self.model.price, self.model.usage)
        for shared in ("asked", "answered", "known", "outputs"):
            setattr(mine, shared, getattr(self.model, shared))
        mine.max_output = settings.max_output
        mine.__post_init__()
        mine.pace = self.model.pace
        return mine

    async def asker(self, name: str, settings: Any, base_url: str | None) -> Any:
        if name == "offline":
            return OfflineAsker(self.run)
        client = await self.client(name, settings, base_url)
        rng = np.random.default_rng(0)
        policy = RetryPolicy(1, corrections=self.model.corrections, first_wait=0.0)
        money = self.model.money
        live = LiveAsker(client, self.run, chance=rng, budget=money, retries=policy)
        return Asker(live, client, self.run, self.model)


class Asker:
    """Tells the client what a prompt was made of."""

    def __init__(self, live: LiveAsker, client: Model, run: Any, model: Model) -> None:
        self._live, self._client, self._run, self._model = live, client, run, model
        self.identity = live.identity

    async def __call__(
        self, operation: Any, inputs: Any, *, repeat: int = 0, most: Any = None
    ) -> Any:
        prompt = operation.render(inputs, self._run.salt)
        self._model.known[prompt.digest] = operation, inputs
        outcome = await self._live(operation, inputs, repeat=repeat, most=most)
        self._model.largest = max(self._model.largest, self._client.largest)
        return outcome


@contextmanager
def laboratory(folder: Path, corpus: Path):
    """One run file: `answer(model, task, **settings)` runs the agent in it, again and again."""
    with session(folder) as given:
        yield Laboratory(given, corpus)


def fresh(lab):
    """Another run file over the same corpus."""
    return laboratory(lab.given.folder, lab.corpus)


def sound(run):
    """A report that the linter's rules on citations accept, or a stop with its cause."""
    if run.report is None:
        assert run.stop != Stop.DONE and run.detail
        return False
    assert check_citations(run.report) == ()
    assert set(run.sources) <= set(run.opened)
    assert run.stop in (Stop.DONE, Stop.BUDGET, Stop.TIME, Stop.TRUNCATED)
    return True


@dataclass
class Laboratory:
    """kept: the handles that the agent kept, of all its runs."""

    given: Any
    corpus: Path

    def __post_init__(self) -> None:
        self.kept = self.given.kept

    def answer(
        self,
        model: Model | None,
        task: Task = EN,
        *,
        money: Budget | None = None,
        search: Any = None,
        pages: Any = None,
        **settings: Any,
    ) -> AgentRun:
        """What the agent gives; no model stands for the rules.

        money: what is left of the command's, at a cent per 1,000 tokens. search: in place of the
        corpus. pages: who reads what it finds.
        """
        if pages is not None:
            self.given = replace(self.given, tools=replace(self.given.tools, pages=pages))
        corpus = search or pages_of(self.corpus)
        if model is not None and money is not None:
            model.price, model.money = (lambda usage: (usage.input + usage.output) / 1e5), money
        return asyncio.run(self._answering(corpus, model, task, **settings))

    async def _answering(
        self, corpus: Any, model: Model | None, task: Task, **settings: Any
    ) -> AgentRun:
        run = self.given.tools.run
        if model is not None:
            model.main = asyncio.current_task()
        name = "offline" if model is None else "scripted:model"
        agent = Researcher(search=f"corpus:{self.corpus}", model=name, **settings)
        agent.check({})
        models: Any = Models(model) if model else Rules(OfflineAsker(run))
        models.run = run
        kept = self.kept
        tools = replace(self.given.tools, models=models, searches=Open(corpus))
        own = replace(self.given, tools=tools, handle=kept[-1] if kept else None)
        return await agent.answer(task, own)


class Remembering(Corpus):
    """A corpus that looks for a query once, however many runs ask for it."""

    @cached_property
    def _known(self) -> dict[Any, Any]:
        return {}

    async def search(self, query: str, *, count: int = 10, language: str | None = None) -> Any:
        if (query, count) not in self._known:
            self._known[query, count] = await super().search(query, count=count)
        return self._known[query, count]


@cache
def pages_of(path: Path) -> Corpus:
    """A corpus, which is read once for all tests."""

    async def read() -> Corpus:
        async with open_corpus(path) as corpus:
            return Remembering(str(path), list(corpus.pages.values()))

    return asyncio.run(read())


@dataclass
class Open:
    """A search that is open already."""

    corpus: Any

    async def get(self, spec: str) -> Any:
        return self.corpus


@dataclass
class Rules:
    """Every role is played by the rules."""

    rules: Any

    async def asker(self, name: str, settings: Any, base_url: str | None) -> Any:
        assert name == "offline"
        return self.rules
