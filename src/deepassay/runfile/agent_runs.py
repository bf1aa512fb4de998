"""What agents did: their runs, jobs that were begun, searches, and what a sandbox served."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from deepassay.errors import ConfigurationChanged, NotKept
from deepassay.runfile.rows import Body, without_nan
from deepassay.runfile.shapes import shaped
from deepassay.runfile.store import Store, Write
from deepassay.score import Cause, Json, ReportKey, canonical_json, report_key


@dataclass(frozen=True)
class TraceEvent:
    """A search or a page that an agent asked for, or what else a tool brought.

    kind: `search`, `page` or `other`. query: of a search. urls: canonical addresses, of its hits
    in their order, or of the page, then of where it led. status: as of HTTP: below 400 something
    came back, 599 is a failure without a number, None is not known. text: what came back, None
    where that was not kept. whole: False where some of it is missing, as the end of a text. listed:
    False for a search whose hits have no address. tool: what was called. span: the name that the
    trace has for the call. at: seconds since the run began, None where nobody knows.
    """

    kind: str
    query: str = ""
    urls: tuple[str, ...] = ()
    status: int | None = 200
    text: str | None = None
    whole: bool = True
    listed: bool = True
    tool: str = ""
    span: str = ""
    at: float | None = None

    @property
    def came(self) -> bool:
        """Whether something came back, as far as is known."""
        return self.status is not None and self.status < 400


@dataclass(frozen=True)
class AgentRun:
    """What came of asking an agent once.

    report: what is scored, None where the agent wrote none. stop: how it ended, a value of
    `agents.Stop`. detail: one sentence for a person. raw: the answer as it came, and steps: what
    was done to it to arrive at the report. usage: tokens by kind, None where nobody knows.
    seconds: wall time, 0.0 where nobody knows. cost: USD, None where nobody knows. sources, found,
    opened: addresses that the agent names, that its searches found, and that it opened; None where
    nobody saw it search, or not all of it. events: what it asked for, in order; None where nobody
    saw that.
    record: what else is known, e.g. served model, identifier of a job, exit status.
    """

    report: str | None
    stop: str
    detail: str = ""
    raw: str = ""
    steps: tuple[str, ...] = ()
    usage: Mapping[str, int] | None = None
    seconds: float = 0.0
    cost: float | None = None
    sources: tuple[str, ...] = ()
    found: tuple[str, ...] | None = None
    opened: tuple[str, ...] | None = None
    events: tuple[TraceEvent, ...] | None = None
    record: Mapping[str, Json] = field(default_factory=dict)

    @property
    def tokens(self) -> Mapping[str, int] | None:
        """The usage by one vocabulary: `input`, `output`, ...; who reports of itself may have said
        `input_tokens`.
        """
        if self.usage is None:
            return None
        return {name.removesuffix("_tokens"): count for name, count in self.usage.items()}

    def watched(self, events: Sequence[TraceEvent], *, whole: bool = True) -> Self:
        """The run with what was seen of it, as far as it does not say so itself.

        whole: whether nothing that it asked for is missing. Found is what searches brought, opened
        is what came back; neither is known where some of it is missing.
        """
        searches = [each for each in events if each.kind == "search"]
        pages = [each for each in events if each.kind == "page"]
        found = dict.fromkeys(url for each in searches for url in each.urls)
        opened = dict.fromkeys(url for each in pages if each.came for url in each.urls)
        all_found = whole and all(each.whole and each.listed for each in searches)
        all_opened = whole and all(each.status is not None for each in pages)
        return replace(
            self,
            found=tuple(found) if self.found is None and all_found else self.found,
            opened=tuple(opened) if self.opened is None and all_opened else self.opened,
            events=tuple(events) if self.events is None else self.events,
        )


@dataclass(frozen=True)
class StoredRun:
    """A run of an agent on a task. `sample`: which of several answers, from 1."""

    agent: str
    task: str
    sample: int
    run: AgentRun


@dataclass(frozen=True)
class Served:
    """One request that a sandbox served.

    session: whose; kind: `search` or `page`; body: query, dialect and addresses in their order,
    or address, status and the way it was asked for.
    """

    session: str
    number: int
    kind: str
    body: Mapping[str, Json]


def _came_by(run: AgentRun) -> tuple[str | None, tuple[str, ...] | None, tuple[str, ...] | None]:
    """The report and what decides scores besides it."""
    return run.report, run.found, run.opened


def _unseen(run: AgentRun) -> bool:
    """Whether nobody saw what the agent asked for."""
    return run.found is None and run.opened is None and run.events is None


def _written(run: StoredRun) -> Iterator[Write]:
    """Keep a run. With it, what was unscored for want of an input is forgotten."""
    place = report_key(run)
    kept = asdict(run.run)
    if run.run.events is None:
        del kept["events"]  # most runs were not seen, and their rows stay as they were
    if run.run.raw and run.run.raw == run.run.report:
        kept["raw"] = None  # one text is kept once
    row = [*place, run.run.stop, Body(kept)]
    yield "REPLACE INTO runs VALUES(?,?,?,?,?,?)", row
    if run.run.report is not None:
        sql = "DELETE FROM outcomes WHERE agent=? AND task=? AND sample=? AND cause=?"
        yield sql, [*place, str(Cause.MISSING_INPUT)]


def _misfit(run: AgentRun) -> str:
    """Why a run could not be read back; "" where it can be. Raises RecursionError."""
    try:
        shaped(AgentRun, without_nan(asdict(run)))
        canonical_json([run.usage, run.seconds, run.cost])
    except (ValueError, TypeError) as error:  # TypeError: of what cannot be copied, as a lock
        return f"{error}."
    return ""


def _fitting(run: AgentRun) -> AgentRun:
    """What can be read back of a run; its report outlives amounts that are none."""
    if not (why := _misfit(run)):
        return run
    detail = f"{run.detail} What it counted was not kept: {why}".strip()
    uncounted = replace(run, detail=detail, usage=None, seconds=0.0, cost=None)
    return _lost(run, why) if _misfit(uncounted) else uncounted


def _lost(run: AgentRun, why: str) -> AgentRun:
    """What is kept of a run whose report or answer cannot be."""
    detail = f"What it returned was not kept: {why}"
    told = {name: run.record[name] for name in ("prompt", "told") if name in run.record}
    lost = AgentRun(None, "failed", detail, record=told)
    counted = replace(lost, usage=run.usage, seconds=run.seconds, cost=run.cost)
    return lost if _misfit(counted) else counted


class Answering:
    """What the agents of one run file did."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def register(self, agents: Mapping[str, Json]) -> None:
        """Say which agents answer: name -> identity. More may be added later.

        As long as nothing was asked, each may be declared otherwise. Raises ConfigurationChanged
        naming each setting in which one differs from before.
        """
        kept = self.agents()
        for name, identity in agents.items():
            text = canonical_json(identity)
            if name not in kept or self._nothing_yet():
                self._store.write([("REPLACE INTO agents VALUES(?,?)", [name, text])])
            elif canonical_json(kept[name]) != text:
                raise self._changed(name, kept[name], json.loads(text))

    def agents(self) -> dict[str, Json]:
        """Name and identity of every agent that answered here."""
        rows = self._store.rows("SELECT name, identity FROM agents ORDER BY name")
        return {
            name: self._store.checked("object", f"agent {name}", identity)
            for name, identity in rows
        }

    async def keep(self, run: StoredRun) -> AgentRun:
        """Keep a run, in place of one that had no report; returns once it is on the disk.

        Of one that could not be read back it is kept that it was. What was kept is given.
        """
        try:
            run = replace(run, run=_fitting(run.run))
            await self._store.write_later([*_written(run)])
        except (NotKept, RecursionError) as error:
            is_deep = isinstance(error, RecursionError)
            why = "it is nested too deep." if is_deep else str(error.args[0]).partition(": ")[2]
            run = replace(run, run=_lost(run.run, why))
            await self._store.write_later([*_written(run)])
        return run.run

    def added(self, runs: Iterable[StoredRun]) -> Iterator[Write]:
        """The statements that add runs which wrote reports that are scored here, or none.

        One that is there stays, and is told what was seen of it where nobody had seen it; one that
        wrote no report gives way to one that did. Of two that did not, the later stands where the
        first was brought here too: of agents that answered here, no other file has the raw answer.
        Raises ConfigurationChanged where one wrote, found or opened something else: scores of both
        would be mixed.
        """
        kept = {report_key(each): each.run for each in self.runs()}
        own = {name for (name,) in self._store.rows("SELECT name FROM agents")}
        for each in runs:
            there = kept.get(report_key(each))
            if there is None or (there.report is None and each.run.report is not None):
                yield from _written(each)
            elif each.run.report is None:
                brought = there.report is None and not there.raw and each.agent not in own
                if brought and there != each.run:
                    yield from _written(each)
            elif there.report == each.run.report and _unseen(there) and not _unseen(each.run):
                seen = each.run
                told = replace(there, found=seen.found, opened=seen.opened, events=seen.events)
                known = replace(told, record={**seen.record, **there.record})
                yield from _written(replace(each, run=known))
            elif _came_by(there) != _came_by(each.run):
                raise ConfigurationChanged(
                    f"{self._store.path} holds another run of {each.agent} on task {each.task}.",
                    "Use another --run FILE for the reports of the new one.",
                )

    def runs(self) -> Iterator[StoredRun]:
        """All runs, ordered by agent, task and sample."""
        sql = "SELECT agent, task, sample, body, sha256 FROM runs ORDER BY agent, task, sample"
        yield from self._runs(sql)

    def _runs(self, sql: str, *values: Json) -> Iterator[StoredRun]:
        for agent, task, sample, *body in self._store.each(sql, *values):
            with self._store.passing():
                name = f"the run of {agent} on task {task}"
                kept = self._store.body("object", name, *body)
                if "raw" in kept and kept["raw"] is None:  # it is the report
                    kept["raw"] = kept.get("report")
                run = self._store.shaped(AgentRun, name, kept)
                yield StoredRun(agent, task, sample, run)

    def without_report(self) -> Iterator[StoredRun]:
        """The runs without a report, in their order; of those that are done none is read."""
        sql = (
            "SELECT agent, task, sample, body, sha256 FROM runs WHERE stop IS NOT 'done' "
            "ORDER BY agent, task, sample"
        )
        return (each for each in self._runs(sql) if each.run.report is None)

    def unwritten(self, agent: str | None = None) -> Iterator[ReportKey]:
        """Agent, task and sample of runs without a report, as far as there is none otherwise.

        Of tasks of the run alone, and of an agent if one is named; in their order.
        """
        sql = (
            "SELECT agent, task, sample, body, sha256 FROM runs "
            "WHERE task IN (SELECT id FROM tasks) AND agent=coalesce(?, agent) "
            "AND NOT EXISTS (SELECT 1 FROM reports own WHERE own.agent=runs.agent "
            "AND own.task=runs.task AND own.sample=runs.sample) ORDER BY agent, task, sample"
        )
        for each in self._runs(sql, agent):
            if each.run.report is None:
                yield report_key(each)

    def stops(self) -> dict[ReportKey, str]:
        """How each run ended, by agent, task and sample, without reading it."""
        rows = self._store.rows("SELECT agent, task, sample, stop FROM runs")
        return {(agent, task, sample): stop for agent, task, sample, stop in rows}

    async def keep_job(self, key: str, handle: Json) -> None:
        """Keep what takes up a job that somebody else carries out; done once it is on the disk."""
        await self._store.write_later([("REPLACE INTO jobs VALUES(?,?,?)", [key, Body(handle)])])

    def job(self, key: str) -> Json:
        """What `keep_job` was given under this key, or None."""
        found = self._store.rows("SELECT body, sha256 FROM jobs WHERE key=?", key)
        return self._store.body("any", f"job {key[:12]}", *found[0]) if found else None

    async def keep_search(self, key: str, provider: str, query: str, found: Json) -> None:
        """Keep what a search brought, under a digest of provider, settings and query."""
        sql = "INSERT INTO searches VALUES(?,?,?,?,?) ON CONFLICT(key) DO NOTHING"
        await self._store.write_later([(sql, [key, provider, query, Body(found)])])

    def search(self, key: str) -> Json:
        """What a search brought before, or None."""
        return self._store.come_by("searches", Any, key)

    async def log(self, session: str, kind: str, body: Json) -> None:
        """Note a request that was served; returns once it is on the disk."""
        sql = (
            "INSERT INTO served SELECT ?, 1 + coalesce(max(number), 0), ?, ?, ? "
            "FROM served WHERE session=?"
        )
        await self._store.write_later([(sql, [session, kind, Body(body), session])])

    def served(self, session: str | None = None) -> Iterator[Served]:
        """What was served, of one session or of all, in order."""
        sql = (
            "SELECT session, number, kind, body, sha256 FROM served "
            "WHERE session=coalesce(?, session) ORDER BY session, number"
        )
        for name, number, kind, *body in self._store.each(sql, session):
            with self._store.passing():
                kept = self._store.body("object", f"request {number} of {name}", *body)
                yield Served(name, number, kind, kept)

    def _nothing_yet(self) -> bool:
        """Whether no agent did anything that is kept, as after a command that was refused."""
        tables = ("runs", "jobs", "searches", "served", "answers")
        return not any(self._store.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in tables)

    def _changed(self, agent: str, kept: Json, wanted: Json) -> ConfigurationChanged:
        lines = "\n  ".join(
            f"{agent}, {key}: {kept.get(key)!r} when the run began, {wanted.get(key)!r} now"
            for key in sorted({*kept, *wanted})
            if kept.get(key) != wanted.get(key)
        )
        return ConfigurationChanged(
            f"{self._store.path}: an agent was declared otherwise:\n  {lines}",
            "Declare it as before to resume, give it another name, or use another --run FILE.",
        )
