"""Whether keys, endpoints, prices and disk are fit for a run."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from deepassay import limits
from deepassay.agents import Agent, Stop
from deepassay.errors import BadInput, BadRunFile, BadSetting, DeepAssayError
from deepassay.models.client import Call, Client, Fault, ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.endpoints import endpoint
from deepassay.models.form import Form
from deepassay.models.functions import client_named
from deepassay.models.prices import OwnPrice, read_prices
from deepassay.models.prompt import Prompt
from deepassay.models.usage import Usage
from deepassay.network import proxy_of
from deepassay.plugins import KINDS, of_wing, one, plugins
from deepassay.reports.report import Report
from deepassay.run.asking.agent_runs import ResearchTerms
from deepassay.run.asking.plan import model_settings
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile, StoredRun
from deepassay.text import brief

ENOUGH_DISK = 500 * 1024 * 1024
SHORT_TASK = {"id": "doctor", "prompt": "In three sentences with a source: what causes tides?"}
QUESTION = Prompt("Answer with one word.", "", "Say yes.")
QUESTION_IN_FORM = Prompt(
    "Answer with one JSON object.", "", 'Is snow white? {"verdict": "yes" or "no"}'
)


class _DoctorReply(BaseModel):
    """The form in which a judge answers whose provider enforces one."""

    model_config = ConfigDict(extra="forbid")

    verdict: Literal["yes", "no"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. `says`: what was found, and what to do if it is not fit."""

    about: str
    fit: bool
    says: str


def examine_run(settings: Settings, *, ask: bool) -> list[Check]:
    """Look at everything that a run needs, for the judges of single protocols too.

    ask: put one short question to each judge.
    """
    checks = [*_disk(settings.run), *_limits(), *_packages()]
    if settings.engine != "local":  # loaded for nobody else
        checks += of_wing(f"bridges.{settings.engine}.doctor", "examine_cluster")(settings)
    own: dict[str, OwnPrice] | None = None
    if settings.prices is not None:
        try:
            own = dict(read_prices(settings.prices))
            checks.append(Check("prices", True, f"{len(own)} models in {settings.prices}"))
        except DeepAssayError as error:
            checks.append(Check("prices", False, str(error)))
    alike = (settings, *map(settings.of, settings.per_protocol))
    asked = ((name, each) for each in alike for name in each.judge)
    tried: dict[tuple[str, str | None, ModelSettings], None] = {}
    for name, each in asked:
        tried[name, each.base_url, model_settings(each)] = None
    for judge in tried:
        checks.extend(asyncio.run(_judge(*judge, own, ask)))
    return list(dict.fromkeys(checks))


def examine_agents(agents: Mapping[str, Agent], settings: Settings, *, ask: bool) -> list[Check]:
    """Look at what agents need: keys, programs, files.

    ask: have each answer one short task, in a run file that nobody keeps.
    """
    checks = []
    for name, agent in agents.items():
        try:
            agent.check(os.environ)
        except BadInput as error:
            checks.append(Check(name, False, str(error)))
            continue
        if not (ask and agent.writes):
            checks.append(Check(name, True, f"has what it takes; {agent.outlook()}"))
            continue
        with tempfile.TemporaryDirectory() as folder:
            own = settings.model_copy(update={"run": Path(folder) / "run.assay"})
            try:
                of_wing("research.answering", "research")(
                    [SHORT_TASK], {name: agent}, own, ResearchTerms()
                )
            except BadInput as error:
                checks.append(Check(name, False, str(error)))
                continue
            with RunFile.read(own.run) as file:
                checks += [_answered(each) for each in file.answering.runs()]
    return checks


def _answered(stored: StoredRun) -> Check:
    run = stored.run
    ended = f"ended with {run.stop} after {run.seconds:.1f} s"
    if run.report is None:
        return Check(stored.agent, False, f"{ended}: {run.detail}")
    report = Report(run.report)
    return Check(
        stored.agent,
        run.stop == Stop.DONE,
        f"{ended}: {len(run.report):,} characters, {len(report.citations)} citations"
        + (f"; {run.detail}" if run.detail else ""),
    )


def _limits() -> Iterator[Check]:
    """Said only where they are missing: pages and documents are read all the same."""
    if not limits.available():
        yield Check(
            "limits",
            True,
            "this system sets no limits of memory and processor time for what reads pages and "
            "documents; only the clock ends it: run it in a container",
        )


def _packages() -> Iterator[Check]:
    """What other packages bring, and whether it can be used."""
    others = [
        plugin
        for kind in KINDS
        for those in plugins(kind).values()
        for plugin in those
        if not plugin.ours
    ]
    for plugin in others:
        what = f"{plugin.name} ({plugin.kind})"
        try:
            one(plugin.kind, plugin.name)
            plugin.load()
        except BadSetting as error:
            yield Check(plugin.package, False, f"{what}: {error}")
        else:
            yield Check(plugin.package, True, f"{what}, version {plugin.version}")


def _disk(run: Path) -> Iterator[Check]:
    folder = run.resolve().parent
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    yield Check(
        "disk", free >= ENOUGH_DISK, f"{free / 1024**3:.1f} GB are free in the folder of {run}"
    )
    if not os.access(folder, os.W_OK):
        yield Check("run file", False, f"{folder} may not be written to: choose another --run")
    if not run.exists():
        return
    try:
        with RunFile.read(run) as file:
            outcomes = file.count_scores()
        yield Check("run file", True, f"{run} is sound and holds {outcomes} outcomes")
    except BadRunFile as error:
        yield Check("run file", False, str(error))


async def _judge(
    judge: str,
    base_url: str | None,
    settings: ModelSettings,
    prices: dict[str, OwnPrice] | None,
    ask: bool,
) -> list[Check]:
    if judge == "offline":
        return [Check("offline", True, "needs nothing; it is a baseline, not a published judge")]
    async with Clients(1, seconds=30.0, prices=prices) as clients:
        try:
            client = client_named(judge)
            client = client or await clients.connect(judge, settings, base_url)
        except DeepAssayError as error:
            return [Check(judge, False, str(error))]
        checks = [await _place(judge, client, base_url, ask), _price(judge, client)]
        if ask:
            checks.append(await _answer(judge, client, settings.structured))
        return checks


async def _place(judge: str, client: Client, base_url: str | None, ask: bool) -> Check:
    """Where a judge is asked and, unless it is asked now, whether somebody listens there.

    Only servers of the user's own are connected to; a proxy would answer in place of the server.
    """
    where = client.identity.get("endpoint")
    if where is None:
        return Check(judge, True, f"can be asked: {client.identity['model']}, Python code")
    if ask:
        return Check(judge, True, f"is asked at {where}")
    place = endpoint(judge, base_url)
    if (place.own and place.provider != "ollama") or proxy_of(place.base_url):
        return Check(judge, True, f"has what asking at {where} takes; --ask says if it answers")
    if await _listens(urlsplit(place.base_url)):
        return Check(judge, True, f"a server listens at {where}; --ask says if it answers")
    return Check(judge, False, f"nobody answers at {where}: start the server, or give --base-url")


async def _listens(address: SplitResult) -> bool:
    """Whether a connection can be made; nothing is sent."""
    port = address.port or {"http": 80, "https": 443}[address.scheme]
    try:
        async with asyncio.timeout(10.0):
            _, writer = await asyncio.open_connection(address.hostname, port)
    except (OSError, UnicodeError):  # also of a timeout; the other of a name that is none
        return False
    writer.close()
    return True


def _price(judge: str, client: Client) -> Check:
    if client.price is None:
        return Check(
            judge,
            True,
            "its price is not known: for a --budget, give one with --prices FILE",
        )
    # Of a short call: long ones may have another price.
    price_in, price_out = client.price(Usage(input=1000)), client.price(Usage(output=1000))
    return Check(
        judge,
        True,
        f"${1000 * price_in:.2f} a million tokens in, ${1000 * price_out:.2f} a million out",
    )


async def _answer(judge: str, client: Client, structured: bool) -> Check:
    """Whether it answers and, where its form is enforced, whether that is kept."""
    call = Call(QUESTION_IN_FORM, lambda: Form(_DoctorReply)) if structured else Call(QUESTION)
    began = time.monotonic()
    try:
        async with asyncio.timeout(30.0):
            completion = await client.complete(call)
    except (Fault, TimeoutError) as error:
        says = error.detail if isinstance(error, Fault) else "no answer within 30 seconds"
        return Check(judge, False, f"did not answer: {says}")
    took = time.monotonic() - began
    answered = f"answered in {took:.1f} s as {completion.served_model}"
    if not structured:
        return Check(judge, True, answered)
    try:
        _DoctorReply.model_validate_json(completion.text)
    except ValidationError:
        said = brief(completion.text)
        return Check(judge, False, f"{answered}, but not in the form of --structured: {said}")
    return Check(judge, True, f"{answered}, in the form of --structured")
