"""Batches of questions at providers: planned, submitted, collected, each step on the disk.

A request is planned before the provider hears of it, and its result is kept before anybody reads
it. It is forgotten in the transaction that keeps the answer to its question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from deepassay.runfile.rows import Attempt, Body
from deepassay.runfile.store import Store, Write
from deepassay.score import Json

State = Literal["planned", "submitted", "collected", "gone"]
"""`gone`: the provider never had it, or knows it no more."""

OPEN = ("planned", "submitted")


class Request(NamedTuple):
    """A request that waits in a batch, or for one.

    name: of the question and what was said about earlier answers to it. key: of the question.
    batch: in which it waits or came back; None before it is in one. tries: batches in which it
    came to nothing. cost: USD set aside for it, None where no price is known. back: whether its
    result is here. sent: SHA-256 of its body.
    """

    name: str
    key: str
    batch: int | None = None
    tries: int = 0
    cost: float | None = None
    back: bool = False
    sent: str = ""

    @property
    def custom_id(self) -> str:
        """Under which the provider knows it; at most 64 letters, digits and hyphens."""
        return f"{self.name}-{self.batch}"


@dataclass(frozen=True)
class Batch:
    """A batch.

    service: who carries it out, the same for the same model with the same settings; provider: for
    people. times: when it was `planned`, `submitted`, `collected`, and from when on the provider
    has `deleted` the results, where it says so; UTC, ISO 8601. handle: what takes it up again,
    None before it is submitted. requests, answered: how many. reserved: USD set aside for them,
    None where no price is known. detail: what went wrong.
    """

    number: int
    service: str
    state: State
    provider: str
    requests: int
    times: Mapping[str, str]
    answered: int = 0
    reserved: float | None = None
    handle: Json = None
    detail: str = ""

    def write(self) -> Write:
        """The statement that keeps it as it is now."""
        body = asdict(self)
        place = [body.pop(name) for name in ("number", "service", "state")]
        return "REPLACE INTO batches VALUES(?,?,?,?,?)", [*place, Body(body)]


class Batching:
    """The batches of one run file, and the requests that wait in them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._number: int | None = None

    def batches(self) -> Iterator[Batch]:
        """Every batch of the file, in the order of numbers."""
        for number, service, state, *body in self._store.rows(
            "SELECT number, service, state, body, sha256 FROM batches ORDER BY number"
        ):
            columns = {"number": number, "service": service, "state": state}
            yield self._store.record(Batch, f"batch {number}", *body, **columns)

    def open(self) -> list[Batch]:
        """Batches that are planned or submitted, and not collected."""
        return [batch for batch in self.batches() if batch.state in OPEN]

    @cached_property
    def requests(self) -> dict[str, Request]:
        """Every request that waits, or whose answer is not kept yet, by name."""
        sql = "SELECT name, key, batch, tries, cost, back, sent FROM waiting"
        return {row[0]: Request(*row) for row in self._store.rows(sql)}

    @cached_property
    def _between(self) -> dict[str, set[str]]:
        """The names of requests that are in no batch, by the keys of their questions."""
        found: dict[str, set[str]] = {}
        for each in self.requests.values():
            if each.batch is None:
                found.setdefault(each.key, set()).add(each.name)
        return found

    def result(self, name: str) -> Json:
        """What came back for a request."""
        (body,) = self._store.rows("SELECT body, sha256 FROM waiting WHERE name=?", name)
        return self._store.body("any", f"the result of request {name}", *body)

    def unpaid(self) -> dict[str, float]:
        """USD set aside for each request in a batch whose attempt is not on record yet."""
        sql = (
            "SELECT name, coalesce(cost, 0) FROM waiting WHERE batch IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM attempts WHERE attempts.id = waiting.name || '-' || waiting.batch)"
        )
        return dict(self._store.rows(sql))

    def costs(self) -> dict[int, float | None]:
        """USD of what is on record of each batch; None where some of it has no known price."""
        found: dict[int, float | None] = {}
        for number, cost in self._attempts():
            before = found.get(number, 0.0)
            found[number] = None if before is None or cost is None else before + cost
        return found

    def _attempts(self) -> list[tuple[int, float | None]]:
        """The batch of each attempt that was made in one, and what it cost.

        Also of batches of other files, which were merged into this one without them.
        """
        rows = self._store.rows("SELECT id, cost FROM attempts WHERE id GLOB '*-[0-9]*'")
        made = ((custom_id.rpartition("-")[2], cost) for custom_id, cost in rows)
        return [(int(number), cost) for number, cost in made if number.isdecimal()]

    async def plan(
        self, service: str, provider: str, requests: Sequence[Request], when: str
    ) -> tuple[Batch, list[Request]]:
        """Put requests into a new batch. It is on the disk before the provider hears of it."""
        if self._number is None:
            (own,) = self._store.rows("SELECT coalesce(max(number), 0) FROM batches")[0]
            self._number = max([own, *(number for number, _ in self._attempts())])
        self._number += 1
        placed = [each._replace(batch=self._number) for each in requests]
        costs = [each.cost for each in placed]
        reserved = None if None in costs else sum(filter(None, costs))
        times = {"planned": when}
        batch = Batch(
            self._number, service, "planned", provider, len(placed), times, reserved=reserved
        )
        await self._store.write_later([batch.write(), *(_row(each, None) for each in placed)])
        self.requests.update((each.name, each) for each in placed)
        for each in placed:
            self._between.get(each.key, set()).discard(each.name)
        return batch, placed

    async def keep(self, batch: Batch) -> None:
        """Keep what became of a batch; done once it is on the disk."""
        await self._store.write_later([batch.write()])

    async def collect(self, batch: Batch, results: Mapping[str, Json]) -> None:
        """Keep what came back for each request of a batch, by its name."""
        back = {name: self.requests[name]._replace(back=True) for name in results}
        rows = [_row(each, results[name]) for name, each in back.items()]
        await self._store.write_later([batch.write(), *rows])
        self.requests.update(back)

    async def drop(self, batch: Batch, why: str, *, charged: bool = False) -> list[Request]:
        """Note that a batch is waited for no more: its requests, which are in none now.

        charged: what was set aside for them counts as spent.
        """
        gone = replace(batch, state="gone", detail=why)
        freed = [each for each in self.requests.values() if each.batch == batch.number]
        unpaid = self.unpaid() if charged else {}
        attempts = [
            Attempt(
                each.key, each.tries + 1, "given up", detail=why, cost=each.cost, id=each.custom_id
            )
            for each in freed
            if each.name in unpaid
        ]
        await self._store.write_later(
            [
                gone.write(),
                ("DELETE FROM waiting WHERE batch=?", [batch.number]),
                *(each.row() for each in attempts),
            ]
        )
        for each in freed:
            del self.requests[each.name]
        return [each._replace(batch=None) for each in freed]

    async def again(self, request: Request, attempt: Attempt) -> Request:
        """Note that a request came to nothing and is to be in another batch."""
        fresh = request._replace(batch=None, tries=request.tries + 1, back=False)
        await self._store.write_later([attempt.row(), _row(fresh, None)])
        self.requests[fresh.name] = fresh
        self._between.setdefault(fresh.key, set()).add(fresh.name)
        return fresh

    def forgotten(self, key: str, names: Sequence[str]) -> Iterator[Write]:
        """The statements that forget requests, to be written with the answer to a question.

        names: of those that led to it. Those that are in no batch are forgotten with them: it was
        answered live meanwhile.
        """
        for name in {*names, *self._between.pop(key, ())}:
            self.requests.pop(name, None)
            yield "DELETE FROM waiting WHERE name=?", [name]


def _row(request: Request, result: Json) -> Write:
    sql = "REPLACE INTO waiting VALUES(?,?,?,?,?,?,?,?,?)"
    return sql, [*request, Body(result)]
