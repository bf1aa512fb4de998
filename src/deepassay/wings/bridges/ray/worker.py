"""A worker: carries out cases for a driver that it reaches by messages.

Nothing here knows of Ray: `actor.py` makes an actor of it, and tests call it in one process.
"""

from __future__ import annotations

import asyncio
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import date
from pathlib import Path
from typing import Final

from deepassay import __version__
from deepassay.errors import DeepAssayError
from deepassay.files import write_whole
from deepassay.models.budget import Budget
from deepassay.protocols.protocol import Protocol, Sources
from deepassay.run.asking.connecting import connected, reader_of
from deepassay.run.asking.execute import LocalRunner
from deepassay.run.asking.plan import Plan, identity_of
from deepassay.run.settings import Settings
from deepassay.run.showing.yardsticks import protocol_for
from deepassay.score import Json, Metric, to_json
from deepassay.stopping import piece_of_work
from deepassay.wings.bridges.ray.line import (
    CASE,
    DriverLine,
    LeasedBudget,
    RemotePages,
    RemoteRun,
    RemoteVerdicts,
)
from deepassay.wings.bridges.ray.wire import Message, case_of, model_as_json, model_of

BEAT: Final = 10.0
"""Seconds after which a worker that has nothing to say says so."""

SENT: Final = (
    *("deadline", "allow_unpriced", "retry_unscored", "offline_sources", "reader"),
    *("allow_host", "page_proxy"),
)
"""Settings that workers take as they are."""


def brief_of(plan: Plan, settings: Settings, salt: str, budget: Budget, connections: int) -> Json:
    """All that a worker has to know before its first case. No key is in it.

    connections: how many calls it makes at a time.
    """
    prices = settings.prices
    return {
        "salt": salt,
        "cap": budget.cap,
        "rate": budget.rate,
        "day": plan.day.isoformat(),
        "repeat": plan.repeat,
        "pages": plan.pages,
        "protocols": {str(each): each.describe().to_json() for each in plan.protocols},
        "judges": [model_as_json(each) for each in plan.judges],
        "judges_of": {
            name: [model_as_json(each) for each in panel] for name, panel in plan.judges_of.items()
        },
        "others": {role: model_as_json(each) for role, each in plan.others.items()},
        "settings": {
            name: value for name in SENT if (value := getattr(settings, name)) not in (None, ())
        }
        | {"max_connections": connections},
        "prices": prices and [prices.suffix, prices.read_text("utf-8")],
    }


def plan_of_brief(brief: Json) -> Plan:
    """The plan of a brief, without tasks and reports. Raises DeepAssayError."""
    protocols = tuple(
        _protocol(Metric.from_json(name, each)) for name, each in brief["protocols"].items()
    )
    return Plan(
        tasks={},
        reports=(),
        protocols=protocols,
        judges=tuple(map(model_of, brief["judges"])),
        day=date.fromisoformat(brief["day"]),
        judges_of={name: tuple(map(model_of, each)) for name, each in brief["judges_of"].items()},
        others={role: model_of(each) for role, each in brief["others"].items()},
        pages=brief["pages"],
        repeat=brief["repeat"],
    )


def _protocol(metric: Metric) -> Protocol:
    if (protocol := protocol_for(metric)) is None:
        raise DeepAssayError(
            f"the protocol {metric.name} cannot be loaded",
            "Install the package that brings it on every node.",
        )
    return protocol


class Worker:
    """Carries out cases. `start` it, then `hear` it out and have it `talk`."""

    def __init__(self) -> None:
        self._out: asyncio.Queue[Message | None] = asyncio.Queue()
        self._line = DriverLine(self._out.put_nowait)
        self._opened = AsyncExitStack()
        self._cases: dict[int, asyncio.Task[None]] = {}
        self._stopping = False

    async def start(self, brief: Json) -> Json:
        """Make ready, and say by which recipes cases are scored here, or why they cannot be."""
        try:
            return {"version": __version__, "identities": await self._start(brief)}
        except DeepAssayError as error:
            return {"version": __version__, "refused": [error.problem, error.remedy]}

    async def _start(self, brief: Json) -> Json:
        plan = plan_of_brief(brief)
        prices = None
        if brief["prices"]:
            folder = Path(self._opened.enter_context(tempfile.TemporaryDirectory()))
            prices = (folder / "prices").with_suffix(brief["prices"][0])
            write_whole(prices, brief["prices"][1])
        settings = Settings(**brief["settings"], prices=prices)
        run = RemoteRun(self._line, brief["salt"])
        budget = LeasedBudget(self._line, brief["cap"], brief["rate"])
        asked = await self._opened.enter_async_context(connected(plan, settings, run, budget))
        panels = asked.panels
        reader = None
        if plan.reads_pages:
            reader = await self._opened.enter_async_context(reader_of(settings))
        pages = RemotePages(self._line, reader, retry=settings.retry_unscored)
        self._here = LocalRunner(run, panels, Sources(pages, RemoteVerdicts(self._line)))
        self._protocols: Mapping[str, Protocol] = {str(each): each for each in plan.protocols}
        return {
            name: identity_of(plan, protocol, panels[name])
            for name, protocol in self._protocols.items()
        }

    async def hear(self, messages: Sequence[bytes]) -> None:
        """Take messages of the driver, in their order."""
        for kind, number, value in map(Message.of, messages):
            match kind:
                case "answer":
                    self._line.answered(number, value)
                case "case":
                    self._cases[number] = asyncio.create_task(self._carry_out(number, value))
                case "stop":
                    self._stopping = True
                case "break off":
                    if (case := self._cases.get(number)) is not None:
                        case.cancel()
                case "end":
                    await self._end()

    async def talk(self) -> list[bytes] | None:
        """What the driver is to hear next, all that is there at once; None at the end."""
        try:
            async with asyncio.timeout(BEAT):
                said = [await self._out.get()]
        except TimeoutError:
            return []
        while not self._out.empty():
            said.append(self._out.get_nowait())
        if said[-1] is None:
            if len(said) == 1:
                return None
            self._out.put_nowait(None)
        return [each.packed() for each in said if each is not None]

    async def _carry_out(self, number: int, value: Json) -> None:
        CASE.set(number)
        with piece_of_work(lambda: not self._stopping):
            try:
                outcome, record = await self._here.judge(*case_of(value, self._protocols))
                self._line.tell("outcome", [to_json(outcome), record], number)
            except asyncio.CancelledError:
                self._line.tell("stopped", None, number)
            except DeepAssayError as error:
                self._line.tell("failed", [error.problem, error.remedy], number)
            except Exception:  # whatever it is, the driver must hear of it, and where it was
                self._line.tell("broke", traceback.format_exc(), number)
            finally:
                del self._cases[number]

    async def _end(self) -> None:
        """Break off what is under way, and say so before anything else ends."""
        for case in (under_way := list(self._cases.values())):
            case.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self._opened.aclose()
        self._out.put_nowait(None)
