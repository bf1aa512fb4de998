"""An agent that is a service: it is given a job, polled, and asked for its result.

The identifier of a job is on the disk before the first poll. A command that is run again takes the
job up by it and pays nothing twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator

from deepassay.agents.agent import Agent, Session, Stop
from deepassay.agents.reported_usage import usage_counts
from deepassay.errors import BadSetting
from deepassay.reports.answers import ProviderAnswer, Source, answer_of
from deepassay.runfile import AgentRun
from deepassay.score import Json
from deepassay.tasks.task import Task
from deepassay.wings.research.adapters import templates
from deepassay.wings.research.adapters.recipe import ServiceRecipe, at, service_recipe_of
from deepassay.wings.research.concluding import concluded

if TYPE_CHECKING:
    from deepassay.wings.research.adapters.service import ServiceConnection, Told

PLACEHOLDERS: Final = frozenset({"prompt", "base", "model", "task_id", "language", "date"})

_GRACE = 10.0  # seconds for a submission under way, where the command is stopped


class Job(Agent):
    """`job:NAME` of a ready service, `job:FILE.toml`, or a table `[agent.NAME.job]`.

    base_url, model: what `{base}` and `{model}` stand for in it, in place of its own. body: fields
    that are added to what is submitted, or replace what is there. limit_s: by default its own.
    """

    kind: ClassVar[str] = "job"

    job: Annotated[ServiceRecipe, BeforeValidator(service_recipe_of)]
    base_url: str = ""
    model: str = ""
    body: Mapping[str, Any] = {}

    @property
    def _recipe(self) -> ServiceRecipe:
        submit = self.job.submit
        whole = {**(submit.body or {}), **self.body} or None
        return self.job.model_copy(update={"submit": submit.model_copy(update={"body": whole})})

    @property
    def _limit(self) -> float:
        return self.limit_s if "limit_s" in self.model_fields_set else self.job.poll.limit_s

    @property
    def identity(self) -> Mapping[str, Json]:
        """What is submitted. How the answer is waited for and read may be corrected afterwards."""
        read_only = {"job": {"poll", "cancel", "result"}}
        return {"kind": self.kind, **self.model_dump(mode="json", by_alias=True, exclude=read_only)}

    def outlook(self) -> str:
        """One job, and how long it may take."""
        return f"one job of {self.job.name} each, of {self._limit:g} s at most"

    def _values(self, task: Task | None) -> dict[str, str]:
        base = (self.base_url or self.job.base).rstrip("/")
        return templates.values_of(task) | {"base": base, "model": self.model or self.job.model}

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise BadSetting for placeholders that nothing fills and for what is no address."""
        recipe = self._recipe
        submit, *later = (recipe.submit, recipe.poll, *filter(None, [recipe.cancel]))
        templates.check_placeholders(submit.model_dump(), PLACEHOLDERS, environment)
        for request in later:
            templates.check_placeholders(request.model_dump(), PLACEHOLDERS | {"id"}, environment)
        values = {**self._values(None), "id": "id"}
        for url in (recipe.submit.url, *(each.url for each in later), *recipe.result.redirects):
            filled = templates.filled(url, values, environment)
            if not filled.startswith(("https://", "http://")):
                raise BadSetting(
                    f"{recipe.name}: {url} is no address of a service.",
                    "Write it like https://service.example, or give base_url.",
                )

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Begin the job, or take it up, and wait for its result."""
        from deepassay.wings.research.adapters.service import NotBegun, ServiceConnection

        began = time.time()
        values = self._values(task)
        async with ServiceConnection(
            self._recipe, values, session.tools.environment, self._limit
        ) as service:
            try:
                handle = session.handle or await _finished(self._begin(service, session))
            except NotBegun as problem:
                return AgentRun(None, Stop.FAILED.value, f"{problem}.", cost=None)
            began = min(began, handle["began"])
            told = await service.end(handle["id"], handle["began"])
            run = await self._outcome(told, handle["id"], service)
        if run.report is None and told.state in _ENDED and not self._unread(told):
            await session.keep(None)  # --retry begins another
        return replace(run, seconds=time.time() - began)

    def _unread(self, told: Told) -> bool:
        """Whether a job that is done has no text where one is looked for: --retry looks again."""
        if told.state not in ("done", "cut"):
            return False
        found = _answer(told.body, self.job)
        return not (found if isinstance(found, str) else found.text).strip()

    async def _begin(self, service: ServiceConnection, session: Session) -> Json:
        handle = {"id": await service.submit(), "began": time.time()}
        await session.keep(handle)
        return handle

    async def _outcome(self, told: Told, job: str, service: ServiceConnection) -> AgentRun:
        """What came of a job of which this is the last that was told."""
        about: dict[str, Json] = {"job": job, "service": self.job.name}
        if told.state not in ("done", "cut"):
            stop, why = self._stop(told)
            return AgentRun(None, stop.value, why, raw=told.raw, record=about)
        result = self.job.result
        answer = _answer(told.body, self.job)
        beginnings = tuple(templates.filled(result.redirects, service.values, service.environment))
        ways = await service.resolved(_urls(answer, beginnings))
        if ways:
            about["redirects"] = ways
        known = {url: target for url, target in ways.items() if target}
        usage, cost = usage_counts(at(told.body, result.usage), at(told.body, result.cost))
        return concluded(
            _led_on(answer, known),
            raw=told.raw,
            addresses=sorted(known.items(), key=lambda pair: -len(pair[0])),
            cut=told.state == "cut",
            usage=usage,
            cost=cost,
            record=about,
        )

    def _stop(self, told: Told) -> tuple[Stop, str]:
        """How a job ended that has no report, and the sentence for a person."""
        said = told.detail
        if told.state in ("running", "waiting"):
            return Stop.TIME, f"It had not ended after {self._limit:g} s; at last it said: {said}."
        stop, sentence = _SENTENCES[told.state]
        return stop, sentence.format(said)


_SENTENCES: Final[Mapping[str, tuple[Stop, str]]] = {
    "failed": (Stop.FAILED, "The service says: {}."),
    "overdue": (Stop.TIME, "It had not ended at its limit of time, and was cancelled ({})."),
    "cancelled": (Stop.CANCELLED, "The service cancelled it ({})."),
    "asked_back": (Stop.ASKED_BACK, "The service asks for more ({})."),
    "expired": (Stop.FAILED, "The service has the result no more ({})."),
    "refused": (Stop.FAILED, "The service does not say how far it is: {}."),
    "unknown": (
        Stop.FAILED,
        "Its status is {}, which the job has in none of running, done, cut, failed, cancelled and "
        "asked_back.",
    ),
}

_ENDED: Final = ("done", "cut", "failed", "cancelled", "asked_back", "overdue", "expired")
"""States after which a job is not taken up again."""


async def _finished(beginning: Any) -> Json:  # noqa: ANN401 - a coroutine
    """A submission that is under way comes to its end although we are stopped: it may be paid."""
    begun = asyncio.ensure_future(beginning)
    try:
        return await asyncio.shield(begun)
    except asyncio.CancelledError:
        with suppress(Exception):
            await asyncio.wait_for(begun, _GRACE)
        raise


def _answer(body: Json, recipe: ServiceRecipe) -> ProviderAnswer | str:
    """The answer where the recipe says that it stands, else of whatever interface it is."""
    result = recipe.result
    if not result.text:
        return answer_of(body) or ""
    text = at(body, result.text)
    if not isinstance(text, str):
        return ""
    beside = {
        "text": text,
        "annotations": at(body, result.annotations),
        "sources": at(body, result.sources),
    }
    return answer_of(beside) or text


def _urls(answer: ProviderAnswer | str, beginnings: tuple[str, ...]) -> list[str]:
    """The sources of an answer that begin so, each once."""
    if isinstance(answer, str):
        return []
    notes = [note for part in answer.parts for note in part.annotations]
    several = [*answer.sources, *(source for note in notes for source in note.sources)]
    return list(dict.fromkeys(each.url for each in several if each.url.startswith(beginnings)))


def _led_on(answer: ProviderAnswer | str, known: Mapping[str, str]) -> ProviderAnswer | str:
    """The answer with the pages in place of addresses that lead to them."""
    if isinstance(answer, str) or not known:
        return answer

    def page(source: Source) -> Source:
        return replace(source, url=known.get(source.url, source.url))

    return answer._replace(
        sources=tuple(map(page, answer.sources)),
        parts=tuple(
            part._replace(
                annotations=tuple(
                    note._replace(sources=tuple(dict.fromkeys(map(page, note.sources))))
                    for note in part.annotations
                )
            )
            for part in answer.parts
        ),
    )


class Responses(Agent):
    """`responses:MODEL`: OpenAI's Responses interface in the background, see `Job`."""

    kind: ClassVar[str] = "responses"

    responses: str
    base_url: str = ""
    body: Mapping[str, Any] = {}

    @property
    def _job(self) -> Job:
        limit = {"limit_s": self.limit_s} if "limit_s" in self.model_fields_set else {}
        return Job(
            job=service_recipe_of("openai"),
            model=self.responses,
            base_url=self.base_url,
            body=self.body,
            **limit,
        )

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise BadSetting where the key is not there."""
        self._job.check(environment)

    def outlook(self) -> str:
        """One job, and how long it may take."""
        return self._job.outlook()

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Have the model answer in the background."""
        return await self._job.answer(task, session)
