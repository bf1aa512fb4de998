"""An agent that is one model, with the search of its provider.

The prompt is sent as it is. What came back is kept whole in the run file, like any answer of a
model: sources stand in parts of it that libraries drop, and a call is paid once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Annotated, ClassVar, Final, Literal

from pydantic import model_validator

from deepassay.agents.agent import Agent, Session, Stop
from deepassay.agents.concluding import concluded, read_answer
from deepassay.errors import BadSetting
from deepassay.models.client import ModelSettings
from deepassay.models.endpoints import endpoint
from deepassay.models.functions import client_named
from deepassay.models.operation import Inputs, Operation, Prose, Trusted
from deepassay.reports.answers import Answer
from deepassay.runfile import AgentRun, StoredAnswer
from deepassay.score import Cause, Json, Unscored
from deepassay.tasks.task import Task

PRESETS: Final[Mapping[str, Mapping[str, Json]]] = {
    "bench": {
        "search": "high",
        "searches": 5,
        "thinking": 16_000,
        "effort": "high",
        "max_output": 36_000,
        "standard_form": True,
    }
}
"""Settings by name. `bench`: those of DeepResearch Bench, appendix H.2, for models with search."""

_CUT: Final = ("length", "max_tokens", "max_output_tokens", "incomplete")

_STOPS: Final[Mapping[Cause, Stop]] = {
    Cause.BUDGET: Stop.BUDGET,
    Cause.TIMEOUT: Stop.TIME,
    Cause.JUDGE_REFUSED: Stop.REFUSED,
    Cause.ANSWER_TRUNCATED: Stop.TRUNCATED,
}


class Asked(Inputs):
    """A task. Its prompt needs no fence: it is all that the model is told."""

    prompt: Annotated[str, Trusted]


def _nobody(inputs: Asked) -> Prose:
    raise BadSetting("offline is no model that writes reports.", "Give chat:PROVIDER:MODEL.")


answer_task: Final = Operation(
    "chat/answer",
    prompts=files("deepassay.agents") / "prompts",
    takes=Asked,
    gives=Prose,
    offline=_nobody,
    bare=True,
)


class Chat(Agent):
    """`chat:PROVIDER:MODEL`, or `chat:module:name` of Python code.

    base_url: of a compatible server. search: how much the provider's own search brings, `low`,
    `medium` or `high`; None for none. searches: at most, where the provider takes a number.
    thinking: tokens, where the provider takes a number, and effort for the others. preset: a name
    of `PRESETS`; what is said beside it goes before it.
    """

    kind: ClassVar[str] = "chat"

    chat: str
    base_url: str | None = None
    preset: str = ""
    search: Literal["low", "medium", "high"] | None = None
    searches: int | None = None
    thinking: int | None = None
    effort: str | None = None
    temperature: float | None = None
    max_output: int = 16_384
    standard_form: bool = False

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, given: Mapping[str, Json]) -> Mapping[str, Json]:
        name = given.get("preset")
        if not name:
            return given
        if name not in PRESETS:
            raise BadSetting(f"There is no preset {name!r}.", f"Give one of {', '.join(PRESETS)}.")
        return {**PRESETS[name], **given}

    @property
    def _settings(self) -> ModelSettings:
        names = {"temperature", "max_output", "effort", "search", "searches", "thinking"}
        return ModelSettings(**self.model_dump(include=names))

    def outlook(self) -> str:
        """One call, and how long its answer may be."""
        return f"one call of {self.chat} each, of {self.max_output} tokens at most"

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise BadSetting for a model that nobody knows, and for a key that is not there."""
        if client_named(self.chat) is None:
            endpoint(self.chat, self.base_url).key(environment)

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Ask the model, or take the answer that is there."""
        began = time.monotonic()
        asker = await session.tools.models.asker(self.chat, self._settings, self.base_url)
        asked = Asked(language=task.language, prompt=task.prompt)
        try:
            async with asyncio.timeout(None if session.tools.patient else self.limit_s):
                found = await asker(answer_task, asked, repeat=session.sample - 1)
        except TimeoutError:
            run = AgentRun(None, Stop.TIME.value, f"It took longer than {self.limit_s:g} s.")
        else:
            if isinstance(found, Unscored):
                stop = _STOPS.get(found.cause, Stop.FAILED)
                run = AgentRun(None, stop.value, found.detail)
            else:
                run = self._concluded(found.value.text, session.tools.run.answer(found.key))
        counted: dict[str, Json] = {**run.record, "counted": True}
        return replace(run, seconds=time.monotonic() - began, record=counted)

    def _concluded(self, body: str, stored: StoredAnswer | None) -> AgentRun:
        """What came of a body, which is kept as this answer."""
        answer = read_answer(body)
        cut = isinstance(answer, Answer) and answer.status in _CUT
        form = self.standard_form
        if stored is None:
            return concluded(answer, raw=body, cut=cut, standard_form=form)
        return concluded(
            answer,
            raw=body,
            cut=cut,
            standard_form=form,
            usage=stored.usage or None,
            cost=stored.cost,
            record={"served": stored.served_model or stored.model},
        )
