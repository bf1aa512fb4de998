"""A run: its configuration, tasks, reports, pages, answers and scores, in one file.

Everything already paid for survives a kill: an answer is handed out only after its row is on
the disk (`synchronous=FULL`, one commit for all answers that wait).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from deepassay.runfile.agent_runs import Answering, StoredRun
from deepassay.runfile.annotating import Annotating
from deepassay.runfile.batching import Batching
from deepassay.runfile.captures import Captures, SourceVerdicts
from deepassay.runfile.lock import Lock
from deepassay.runfile.registering import MERGED, Part, Parts, Registration, Written, parts_of
from deepassay.runfile.rows import (
    RENAMED_ATTEMPTS,
    Attempt,
    Body,
    SentBack,
    StoredAnswer,
    StoredReport,
    bad_row,
)
from deepassay.runfile.schema import checked_version, make, not_there
from deepassay.runfile.scores import Scores
from deepassay.runfile.seals import Verified
from deepassay.runfile.shapes import BadShape, shaped
from deepassay.runfile.store import Store, Writer, open_to_write
from deepassay.score import Cause, Json, Metric, ReportKey, canonical_json

_CUT_OFF: Final = (Cause.BUDGET, Cause.JUDGE_UNREACHABLE, Cause.TIMEOUT)
"""Ends of questions that may go on where they were."""


class RunFile(Scores):
    """A run file, opened by `create`, `share` (both to write), `read` or `in_memory`.

    captures: the pages that reports cite. verdicts: what judges said of them. answering: what
    agents did that wrote the reports. batching: batches of questions at providers.
    annotating: what people say of reports.
    """

    def __init__(self, store: Store, lock: Lock | None = None) -> None:
        self.path = store.path
        self.captures = Captures(store)
        self.verdicts = SourceVerdicts(store)
        self.answering = Answering(store)
        self.batching = Batching(store)
        self.annotating = Annotating(store)
        super().__init__(store)
        self._lock = lock
        self._fresh = False
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def create(cls, path: Path) -> Self:
        """Open `path` to carry out a run, making it if it is missing; one process may at a time.

        Raises BadRunFile if the file is foreign, damaged, newer, or in use by another process.
        """
        lock = Lock(path)
        try:
            fresh = not path.exists()
            run = cls(open_to_write(path), lock)
        except BaseException:
            lock.release()
            raise
        run._fresh = fresh
        return run

    @classmethod
    def share(cls, path: Path) -> Self:
        """Open `path` to add pages, making it if it is missing; several processes may.

        Raises BadRunFile if the file is foreign, damaged or newer.
        """
        return cls(open_to_write(path))

    @classmethod
    def read(cls, path: Path, *, to_verify: bool = False) -> Self:
        """Open an existing run file to read. Raises BadRunFile if that cannot be done.

        to_verify: no row is passed over that cannot be read.
        """
        if not path.exists():
            raise not_there(path)
        checked_version(path)
        return cls(Store(path, strict=to_verify))

    @classmethod
    def in_memory(cls) -> Self:
        """A run that nobody keeps: a scratch file, gone when it is closed."""
        scratch = tempfile.TemporaryDirectory(prefix="deepassay-")
        path = Path(scratch.name) / "run.assay"
        make(path)
        run = cls(Store(path, Writer(path, synchronous="OFF")))
        run._scratch = scratch
        return run

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(given_up=error is not None)

    def close(self, *, given_up: bool = False) -> None:
        """Commit what is left and let go of the file.

        given_up: leave no file behind if it was made just now and nothing was kept. Raises
        BadRunFile if the file was removed, moved or replaced meanwhile.
        """
        if unused := given_up and self._fresh:
            wait([self._store.put([])])  # what is on its way was kept as well
            unused = self.is_empty
        try:
            self._store.close()
        finally:
            if unused:
                self.path.unlink(missing_ok=True)
            if self._lock is not None:
                self._lock.release()
            if self._scratch is not None:
                self._scratch.cleanup()

    @property
    def is_empty(self) -> bool:
        """Whether the run has not begun, and nothing was kept for it either."""
        tables = ("protocols", "answers", "attempts", "captures", "agents", "served", "items")
        return not any(self._store.rows(f"SELECT 1 FROM {each} LIMIT 1") for each in tables)

    def verify(self) -> Verified:
        """Look at every row, whether it is what was written.

        Raises BadRunFile where rows that are as they were written are none of a run.
        """
        found = self._store.verify()
        if not found.damage:
            _ = self.salt  # which no run is without
        return found

    @property
    def forgotten(self) -> int:
        """How many damaged records were dropped since the file was opened, to come by them anew."""
        return self._store.forgotten

    @property
    def salt(self) -> str:
        """Random text of this run, from which the fences around untrusted text are derived."""
        for (salt,) in self._store.rows("SELECT value FROM meta WHERE key='salt'"):
            return str(salt)
        raise bad_row(self.path, "meta, salt is missing")

    @property
    def configuration(self) -> dict[str, Json]:
        """What the run was configured with; empty before `configure`."""
        return dict(self._store.told("configuration", "configuration") or {})

    def register(
        self,
        configuration: Mapping[str, Json],
        protocols: Mapping[str, Json],
        tasks: Mapping[str, Json],
        reports: Iterable[Written],
        judged_by: Mapping[str, Iterable[StoredReport]] | None = None,
        runs: Iterable[StoredRun] = (),
        part: Part | None = None,
    ) -> Future[None]:
        """Say what the run is about: all of it, or nothing where anything is refused.

        configuration: as when the run began. protocols: name -> identity of their scores. tasks:
        identifier -> JSON. judged_by: role -> what reports are judged by, one for each task:
        criteria, rubric, how that was made, reference. runs: by which agents came to the reports.
        part: the shard of the plan, None for all. Any may be added; what is there must be what it
        was. Done once it is on the disk. Raises ConfigurationChanged naming each difference.
        """
        new = Registration(self._store)
        places = part.places if part else {}
        if part is None and "evaluate" in self.parts():  # the rest of what shards began
            places = {task: place for place, task in enumerate(tasks)}
        added = [
            *new.configuration(self.configuration, configuration),
            *new.protocols(self.protocols(), protocols),
            *new.part("evaluate", part),
            *new.tasks(tasks, places),
            *new.reports(reports),
            *new.judged_by(judged_by or {}),
        ]
        new.refuse_changes()
        return self._store.put([*added, *self.answering.added(runs)])

    def parts(self) -> dict[str, Parts]:
        """The shards that the file holds, by the command that was sharded."""
        return parts_of(self._store)

    @property
    def merged(self) -> bool:
        """Whether it was merged of several files."""
        return bool(self._store.rows("SELECT 1 FROM meta WHERE key=?", MERGED))

    def add_part(self, command: str, part: Part | None) -> None:
        """Say which shard of what a command does is kept here; None for all of it.

        Raises ConfigurationChanged where the file holds shards of another count.
        """
        self._store.write([*Registration(self._store).part(command, part)])

    def protocols(self) -> dict[str, Json]:
        """Name and identity of every protocol that the run is to score by."""
        rows = self._store.rows("SELECT name, identity FROM protocols ORDER BY name")
        shape: Final = "identity of a protocol"
        return {
            name: self._store.checked(shape, f"protocol {name}", identity)
            for name, identity in rows
        }

    def metrics(self) -> dict[str, Metric]:
        """What the file says of its protocols; nothing of those that older versions scored by."""
        kept = self._store.told("metrics", "objects") or {}
        return {name: self._metric(name, each) for name, each in kept.items()}

    def _metric(self, name: str, kept: Mapping[str, Json]) -> Metric:
        try:
            return shaped(Metric, vars(Metric.from_json(name, kept)))
        except (BadShape, TypeError) as error:  # TypeError: bounds or roles that are no list
            raise bad_row(self.path, f"meta, metrics, {name}: {error}") from None

    def describe(self, metrics: Iterable[Metric]) -> None:
        """Keep what reading scores needs of their protocols, in place of what was kept before."""
        kept = self.metrics() | {each.name: each for each in metrics}
        text = canonical_json({name: each.to_json() for name, each in kept.items()})
        self._store.write([("REPLACE INTO meta VALUES('metrics', ?)", [text])])

    def tasks(self) -> Iterator[tuple[str, Json]]:
        """Identifier and JSON of each task, in the order in which they came."""
        sql = "SELECT id, body, sha256 FROM tasks ORDER BY position"
        for identifier, *body in self._store.rows(sql):
            yield identifier, self._store.body("object", f"task {identifier}", *body)

    def reports(self) -> Iterator[StoredReport]:
        """The reports, ordered by agent, task and sample."""
        sql = "SELECT agent, task, sample, body, sha256 FROM reports ORDER BY agent, task, sample"
        for agent, task, sample, *body in self._store.each(sql):
            with self._store.passing():
                yield self._report(agent, task, sample, *body)

    def report(self, agent: str, task: str, sample: int) -> StoredReport | None:
        """One report, if it is there."""
        sql = "SELECT body, sha256 FROM reports WHERE agent=? AND task=? AND sample=?"
        for body in self._store.rows(sql, agent, task, sample):
            return self._report(agent, task, sample, *body)
        return None

    def _report(self, agent: str, task: str, sample: int, *body: Any) -> StoredReport:  # noqa: ANN401
        name = f"the report of {agent} for task {task}"
        return StoredReport(agent, task, sample, self._store.body("text", name, *body))

    def report_digests(self) -> Iterator[tuple[str, str, int, str]]:
        """Agent, task and sample of each report, and what it is told from others by."""
        yield from self._store.each("SELECT agent, task, sample, sha256 FROM reports")

    def reports_since(self, number: int) -> Iterator[tuple[int, StoredReport]]:
        """Reports that came after the one of a number, each with its own, in their order."""
        # What is read passes the rules of its table, which has no numbers when it does.
        sql = (
            "SELECT kept.rowid, agent, task, sample, own.body, own.sha256 FROM main.reports kept "
            "JOIN reports own USING(agent, task, sample) WHERE kept.rowid>? ORDER BY kept.rowid"
        )
        for place, *row in self._store.each(sql, number):
            with self._store.passing():
                yield place, self._report(*row)

    def report_places(self, agent: str | None = None) -> Iterator[ReportKey]:
        """Agent, task and sample of each report, or of those of an agent, in their order."""
        where, values = ("", []) if agent is None else ("WHERE agent=?", [agent])
        sql = f"SELECT agent, task, sample FROM reports {where} ORDER BY 1, 2, 3"
        yield from self._store.each(sql, *values)

    def judged_by(self, role: str) -> Iterator[tuple[str, str, str]]:
        """Task, agent and text of what reports are judged by in a role, ordered by task."""
        sql = "SELECT task, agent, body, sha256 FROM yardsticks WHERE role=? ORDER BY task"
        for task, agent, *body in self._store.rows(sql, role):
            yield task, agent, self._store.body("text", f"the {role} of task {task}", *body)

    def answer(self, key: str) -> StoredAnswer | None:
        """The answer or failure kept under this key; none if it is damaged, see `Store.come_by`."""
        return self._store.come_by("answers", StoredAnswer, key)

    async def look_up(self, key: str) -> StoredAnswer | None:
        """What `answer` gives, for `models.live`, which asks: one of `models.ask.Answers`."""
        return self.answer(key)

    def answers(self) -> dict[str, str | None]:
        """Key and cause (None for an answer) of every exchange that came to an end."""
        return dict(self._store.rows("SELECT key, cause FROM answers"))

    def exchanges(
        self, answers_of: tuple[str, str] | None = None, most: int = -1
    ) -> Iterator[StoredAnswer]:
        """Every answer or failure, whole, ordered by key.

        answers_of: only what answers one operation by one model, without failures. most: so many.
        """
        where = "WHERE operation = ? AND model = ? AND cause IS NULL " if answers_of else ""
        sql = f"SELECT key, body, sha256 FROM answers {where}ORDER BY key LIMIT ?"
        for key, *body in self._store.each(sql, *(answers_of or ()), most):
            with self._store.passing():
                yield self._store.record(StoredAnswer, f"answer {key[:12]}", *body)

    async def keep_answer(
        self, answer: StoredAnswer, attempts: Sequence[Attempt], batched: Sequence[str] = ()
    ) -> None:
        """Keep an answer and its attempts; returns once they are on the disk.

        A failure gives way to a later answer; an answer gives way to nothing. batched: requests
        that waited in batches for it, and do so no more.
        """
        row = [answer.key, answer.operation, answer.model, answer.repeat, answer.cause]
        sql = (
            "INSERT INTO answers VALUES(?,?,?,?,?,?,?) ON CONFLICT(key) DO UPDATE SET "
            "cause=excluded.cause, body=excluded.body, sha256=excluded.sha256 "
            "WHERE answers.cause IS NOT NULL"
        )
        kept = [
            (sql, [*row, Body(vars(answer))]),
            *(attempt.row() for attempt in attempts),
            *self.batching.forgotten(answer.key, batched),
        ]
        if answer.cause not in _CUT_OFF:
            kept.append(("DELETE FROM sent_back WHERE key=?", [answer.key]))
        await self._store.write_later(kept)

    async def sent_back(self, key: str) -> Sequence[SentBack]:
        """What was answered to a question that has no end yet, and sent back; damaged, nothing."""
        return self._store.come_by("sent_back", list[SentBack], key) or []

    async def keep_sent_back(
        self, key: str, answers: Sequence[SentBack], batched: Sequence[str] = ()
    ) -> None:
        """Keep what was answered to a question so far, the last of it with its attempts.

        batched: as for `keep_answer`.
        """
        kept = [
            (
                "REPLACE INTO sent_back VALUES(?,?,?)",
                [key, Body([asdict(each) for each in answers])],
            ),
            *(attempt.row() for attempt in answers[-1].attempts),
            *self.batching.forgotten(key, batched),
        ]
        await self._store.write_later(kept)

    async def keep_attempt(self, attempt: Attempt) -> None:
        """Keep an attempt before the next one, or what one may cost before it is sent."""
        await self._store.write_later([attempt.row()])

    def keep_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Keep the attempts at a question that was broken off without an answer."""
        self._store.write([attempt.row() for attempt in attempts])

    def spent(self) -> float:
        """USD of all attempts so far, as far as known; in full for those that a kill cut off."""
        return float(self._store.rows("SELECT coalesce(sum(cost), 0) FROM attempts")[0][0])

    def unpriced(self) -> bool:
        """Whether a model worked for us at a price, or so much, that nobody knows."""
        worked = "(usage<>'{}' OR status=200 AND kind<>'garbled')"
        return bool(self._store.rows(f"SELECT 1 FROM attempts WHERE {worked} AND cost IS NULL"))

    def attempts(self) -> dict[str, int]:
        """How many attempts came to which kind of end."""
        sql = "SELECT kind, count(*) FROM attempts GROUP BY kind ORDER BY kind"
        counts: Counter[str] = Counter()
        for kind, count in self._store.rows(sql):
            counts[RENAMED_ATTEMPTS.get(kind, kind)] += count
        return dict(sorted(counts.items()))

    def usage(self) -> dict[str, int]:
        """Tokens of all attempts so far, by kind."""
        total: dict[str, int] = {}
        for key, tokens in self._store.each("SELECT key, usage FROM attempts"):
            name = f"an attempt at {key:.12}"
            for kind, count in self._store.checked("counts", name, tokens).items():
                total[kind] = total.get(kind, 0) + count
        return total
