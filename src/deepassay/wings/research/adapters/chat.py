"""An agent that is one model, with the search of its provider.

The prompt is sent as it is. What came back is kept whole in the run file, like any answer of a
model: sources stand in parts of it that libraries drop, and a call is paid once.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib.resources import files
from typing import Annotated, ClassVar, Final, Literal

from pydantic import PrivateAttr, model_validator

from deepassay.agents.agent import Agent, Session, Stop
from deepassay.errors import BadSetting
from deepassay.models.ask import Answer as AskedAnswer
from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.endpoints import endpoint
from deepassay.models.functions import client_named
from deepassay.models.operation import Inputs, Operation, Prose, Trusted
from deepassay.reports.answers import ProviderAnswer
from deepassay.runfile import AgentRun, StoredAnswer
from deepassay.score import Cause, Json, Unscored
from deepassay.tasks.task import Task
from deepassay.wings.research.concluding import concluded, read_answer

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


SETTINGS: Final = ("search", "searches", "thinking", "effort", "temperature")
"""What may be asked for besides the tokens of output; interfaces differ in what they take."""

Found = AskedAnswer[Prose] | Unscored

_NAMES_OF_IT: Final = re.compile(r"max[_ ]?(?:completion|output)?[_ ]?tokens", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?<![\w.-])(\d[\d,]*)(?![\w-])(?P<without>\W*\(?exclusive)?")


def maximum_in(refusal: str, sent: int) -> int | None:
    """The tokens of output that a provider says its model can give, where it refused `sent`.

    Refusals name the setting, and the maximum is the largest number in them below what was sent.
    None where they are about something else.
    """
    if not _NAMES_OF_IT.search(refusal):
        return None
    numbers = (
        int(found[1].replace(",", "")) - bool(found["without"])
        for found in _NUMBER.finditer(refusal)
    )
    return max((each for each in numbers if FEWEST <= each < sent), default=None)


FEWEST: Final = 1_000
"""Tokens of output that are a maximum; smaller numbers are a status, a version or the like."""


class ChatTask(Inputs):
    """A task. Its prompt needs no fence: it is all that the model is told."""

    prompt: Annotated[str, Trusted]


def _nobody(inputs: ChatTask) -> Prose:
    raise BadSetting("offline is no model that writes reports.", "Give chat:PROVIDER:MODEL.")


answer_task: Final = Operation(
    "chat/answer",
    prompts=files("deepassay.wings.research") / "prompts",
    takes=ChatTask,
    gives=Prose,
    offline=_nobody,
    raw=True,
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
    _most: int | None = PrivateAttr(None)

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
        return ModelSettings(**self.model_dump(include={*SETTINGS, "max_output"}))

    async def _ask(self, asked: ChatTask, session: Session) -> tuple[Found, int]:
        """What the model answered, and how many tokens it was allowed.

        A model that refuses so many, and says how many it can give, is asked once more with those;
        the next task begins with them.
        """
        settings = self._within(self._most or self.max_output)
        for is_last in (False, True):
            asker = await session.tools.models.asker(self.chat, settings, self.base_url)
            found = await asker(answer_task, asked, repeat=session.sample - 1)
            if is_last or not isinstance(found, Unscored):
                break
            most = maximum_in(found.detail, settings.max_output)
            if most is None:
                break
            self._most, settings = most, self._within(most)
        return found, settings.max_output

    def _within(self, most: int) -> ModelSettings:
        """The settings with so many tokens of output, and no thinking that needs as many."""
        thinking = self.thinking if self.thinking is None or self.thinking < most else None
        return replace(self._settings, max_output=most, thinking=thinking)

    def outlook(self) -> str:
        """One call, how long its answer may be, and which settings the model really gets."""
        told = f"one call of {self.chat} each, of {self.max_output} tokens at most"
        if client_named(self.chat) is not None:
            return told
        taken = asyncio.run(self._taken())
        sent = [f"{name} {value}" for name, (value, is_sent) in taken.items() if is_sent]
        lost = [name for name, (_, is_sent) in taken.items() if not is_sent]
        told += ", or the model's own maximum where it refuses so many"
        told += f"; sent: {', '.join(sent)}" if sent else ""
        return told + (f"; its interface takes no {', '.join(lost)}" if lost else "")

    async def _taken(self) -> dict[str, tuple[Json, bool]]:
        """The settings that were asked for, each with whether it changes what is sent."""
        wished = self._settings
        found: dict[str, tuple[Json, bool]] = {}
        async with Clients(keys=False) as clients:
            whole = await clients.connect(self.chat, wished, self.base_url)
            for name in SETTINGS:
                if (value := getattr(wished, name)) is not None:
                    less = ModelSettings(**{**asdict(wished), name: None})
                    without = await clients.connect(self.chat, less, self.base_url)
                    sent = without.identity["settings"] != whole.identity["settings"]
                    found[name] = value, sent
        return found

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise BadSetting for a model that nobody knows, and for a key that is not there."""
        if client_named(self.chat) is None:
            endpoint(self.chat, self.base_url).key(environment)

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """Ask the model, or take the answer that is there."""
        began = time.monotonic()
        asked = ChatTask(language=task.language, prompt=task.prompt)
        try:
            async with asyncio.timeout(None if session.tools.patient else self.limit_s):
                found, most = await self._ask(asked, session)
        except TimeoutError:
            run = AgentRun(None, Stop.TIME.value, f"It took longer than {self.limit_s:g} s.")
        else:
            if isinstance(found, Unscored):
                stop = _STOPS.get(found.cause, Stop.FAILED)
                run = AgentRun(None, stop.value, found.detail)
            else:
                run = self._concluded(found.value.text, session.tools.run.answer(found.key))
                if most < self.max_output:
                    run = replace(run, record={**run.record, "max_output": most})
        counted: dict[str, Json] = {**run.record, "counted": True}
        return replace(run, seconds=time.monotonic() - began, record=counted)

    def _concluded(self, body: str, stored: StoredAnswer | None) -> AgentRun:
        """What came of a body, which is kept as this answer."""
        answer = read_answer(body)
        cut = isinstance(answer, ProviderAnswer) and answer.status in _CUT
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
