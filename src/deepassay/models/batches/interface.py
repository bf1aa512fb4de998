"""What a provider's batch interface is: requests in, results out, by their identifiers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeVar

from deepassay.models.client import Call, Completion, Fault, FaultKind
from deepassay.score import Json

T = TypeVar("T")

MAY_EXIST: Final = (FaultKind.SERVER, FaultKind.CONNECTION, FaultKind.GARBLED, FaultKind.TIMEOUT)
"""Ends of making a batch that leave open whether it was made."""


class Encoded(NamedTuple):
    """A request as the provider takes it. body: JSON. group: what requests of a batch share."""

    body: str
    group: str = ""


class Looked(NamedTuple):
    """A batch as it was when it was looked at.

    deleted: from when on its results are gone. no_room: what the provider says where its queue was
    too full for the batch, of which nothing was carried out.
    """

    handle: Json
    ended: bool
    deleted: str = ""
    no_room: str = ""


class Collected(NamedTuple):
    """What a batch came back with.

    results: by the identifiers of requests. otherwise: the result of those that are not there.
    Of a result, `status` is succeeded, errored, expired, canceled or missing, `body` what the
    provider wrote.
    """

    results: Mapping[str, Json]
    otherwise: Json


class NotYetKnown(Exception):
    """Whether the provider has a batch cannot be told before one of its batches has ended."""


class BatchInterface(Protocol):
    """The batch interface of one model. A batch is known by its handle, JSON without secrets."""

    @property
    def provider(self) -> str:
        """Who carries batches out, for people."""
        ...

    @property
    def kind(self) -> str:
        """Tells the ways apart in which one model can be asked in batches."""
        ...

    @property
    def most(self) -> int:
        """Requests in a batch at most."""
        ...

    @property
    def most_bytes(self) -> int:
        """Bytes of a batch at most."""
        ...

    async def encode(self, call: Call) -> Encoded:
        """A request for a batch. Nothing is sent. Raises Fault where it cannot be one."""
        ...

    async def create(self, number: int, requests: Mapping[str, Encoded]) -> Json:
        """Submit a batch, once: its handle. number: of the run file. Raises Fault, BadSetting."""
        ...

    async def find(
        self, number: int, names: Collection[str], since: str, besides: Sequence[Json]
    ) -> Json:
        """The handle of the batch of just these requests, or None if the provider has none.

        since: when it was planned. besides: handles of other batches. Raises NotYetKnown, Fault.
        """
        ...

    async def look(self, handle: Json) -> Looked:
        """How a batch is. Raises Fault, with status 404 where there is none."""
        ...

    async def results(self, handle: Json) -> Collected:
        """What a batch came back with that has ended. Raises Fault."""
        ...

    def decode(self, result: Json, call: Call) -> Completion:
        """The answer of a result that succeeded or errored. Raises Fault."""
        ...


UNDONE = {
    "expired": "the batch expired before the model was asked",
    "missing": "the batch came back without a line for this request",
    "lost": "the provider knows the batch no more",
}
"""Results of requests that nobody pays for and that may be in another batch."""


def outcome_of_result(interface: BatchInterface, result: Json, call: Call) -> Completion | Fault:
    """The completion of a result of a batch, or the fault that stands for one that failed."""
    status = result["status"]
    if status in UNDONE:
        return Fault(FaultKind.SERVER, UNDONE[status])
    if status == "canceled":
        return Fault(FaultKind.REJECTED, "the batch was canceled before the model was asked")
    if status == "refused":
        kind = next(each for each in FaultKind if each.label == result["kind"])
        return Fault(kind, result["detail"], status=result["code"])
    try:
        return interface.decode(result, call)
    except Fault as fault:
        return fault


def refused(fault: Fault) -> Json:
    """The result of requests that no batch was made for."""
    told = {"kind": fault.kind.label, "detail": fault.detail, "code": fault.status}
    return {"status": "refused", **told}


@dataclass(frozen=True)
class Pacing:
    """Seconds. idle: without a new question until a batch is submitted that is not full.

    first: until a batch is looked at; each further wait is half as long again, up to `longest`.
    patience: for one request to the provider, however slowly it answers.
    """

    idle: float = 2.0
    first: float = 1.0
    longest: float = 300.0
    patience: float = 600.0

    async def within(self, request: Awaitable[T]) -> T:
        """What a provider answers. Raises Fault where that takes longer than our patience."""
        try:
            return await asyncio.wait_for(request, self.patience)
        except TimeoutError:
            told = f"no whole answer within {self.patience:g} seconds"
            raise Fault(FaultKind.TIMEOUT, told) from None

    def waits(self) -> Iterator[float]:
        """Seconds to wait before each look at a batch, without end: they grow up to `longest`."""
        wait = self.first
        while True:
            yield wait
            wait = min(self.longest, wait * 1.5)


PACING: Final = Pacing()
