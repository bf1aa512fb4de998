"""Batches through pydantic-ai: all of Anthropic and Google, the requests of Responses."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.batch import Batch, BatchRequest, BatchResult, EncodedBatchRequest
from pydantic_ai.settings import ModelSettings

from deepassay.models.batches.interface import Collected, Encoded, Looked, NotYetKnown, refused
from deepassay.models.client import Call, Completion, Fault, FaultKind
from deepassay.models.direct import DirectClient, library_fault
from deepassay.models.prompt import Prompt
from deepassay.score import Json
from deepassay.text import unkeyed


async def encoded(client: DirectClient, call: Call, name: str = "") -> EncodedBatchRequest:
    """A call as a request of a batch. Raises Fault where it cannot be one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of settings that are dropped, as when asked live
            return await client.model.batch_encode(_request(client, call, name))
    except UserError as error:
        raise Fault(FaultKind.REJECTED, str(error)) from None


def decoded(client: DirectClient, result: BatchResult, call: Call) -> Completion:
    """The answer of a result that succeeded. Raises Fault for every other one."""
    try:
        response = client.model.batch_decode(result, _request(client, call, result.custom_id))
    except Exception as error:  # of whichever kind: a server has said or done something
        raise library_fault(error, client.key) from None
    return client.completion(response, call, lambda: (result.body or "").encode("utf-8", "replace"))


def _request(client: DirectClient, call: Call, name: str) -> BatchRequest:
    # A deadline and retries are those of one request, which a batch has not.
    settings = ModelSettings(**client.settings)
    settings.pop("timeout", None)
    settings.pop("max_retries", None)
    return BatchRequest(
        custom_id=name,
        messages=client.messages(call),
        model_settings=settings,
        model_request_parameters=client.parameters(call) or ModelRequestParameters(),
    )


_BATCH = TypeAdapter(Batch)
_SLACK: Final = timedelta(hours=1)
"""By which the clocks of two machines may differ."""
_KEPT: Final = {"anthropic": timedelta(days=29)}
"""How long after its creation a provider keeps the results of a batch, where it says so."""


@dataclass
class LibraryBatches:
    """Batches of Anthropic or Google."""

    client: DirectClient
    provider: str
    kind: str = "library"
    most_bytes: int = 50_000_000  # less than they take: it is made in memory

    @property
    def most(self) -> int:
        """Requests in a batch at most."""
        return self.client.model.batch_max_requests or 1

    async def encode(self, call: Call) -> Encoded:
        """A call as the body of a request that can go into a batch, and its group."""
        made = await encoded(self.client, call)
        return Encoded(made.body, made.group)

    async def create(self, number: int, requests: Mapping[str, Encoded]) -> Json:
        """Submit a batch of requests, by name. Gives its handle, JSON without secrets."""
        made = [
            EncodedBatchRequest(custom_id=name, group=each.group, body=each.body)
            for name, each in requests.items()
        ]
        with self._faults():
            return _plain(await self.client.model.batch_create(made), self.client.key)

    async def find(
        self, number: int, names: Collection[str], since: str, besides: Sequence[Json]
    ) -> Json:
        """The batch whose results are of these requests.

        Of a batch that has not ended nobody tells the requests. Raises NotYetKnown.
        """
        oldest, unknown = datetime.fromisoformat(since) - _SLACK, False
        known = {handle.get("id") for handle in besides}
        with self._faults():
            group = (await encoded(self.client, Call(Prompt("", "?", "?")))).group
            async for name, created in self._recent():
                if created < oldest:
                    break
                if name in known:
                    continue
                batch = await self.client.model.batch_status(self._batch(name, created, group))
                if batch.request_count not in (0, len(names)):
                    continue
                if batch.status != "ended":
                    unknown = True
                    continue
                found = {each.custom_id for each in await self.client.model.batch_results(batch)}
                if found and found <= {*names}:
                    return _plain(batch, self.client.key)
        if unknown:
            raise NotYetKnown
        return None

    async def _recent(self) -> AsyncIterator[tuple[str, datetime]]:
        """Identifier and time of each batch that the provider has, the newest first."""
        client: Any = self.client.model.client  # type: ignore[attr-defined]
        if self.client.model.system == "anthropic":
            async for batch in client.beta.messages.batches.list(limit=100):
                yield batch.id, batch.created_at
        else:
            async for job in await client.aio.batches.list(config={"page_size": 100}):
                yield job.name, job.create_time or datetime.now(UTC)

    def _batch(self, name: str, created: datetime, group: str) -> Batch:
        return Batch(
            id=name,
            model_name=self.client.model.model_name,
            provider_name=self.client.model.system,
            group=group,
            status="in_progress",
            created_at=created,
            request_count=0,
        )

    async def look(self, handle: Json) -> Looked:
        """How a batch is, and until when its results are kept where that is known."""
        with self._faults():
            batch = await self.client.model.batch_status(_BATCH.validate_python(handle))
        kept = _KEPT.get(self.client.model.system)
        deleted = (batch.created_at + kept).isoformat(timespec="seconds") if kept else ""
        return Looked(_plain(batch, self.client.key), batch.status == "ended", deleted)

    async def results(self, handle: Json) -> Collected:
        """What a batch came back with."""
        batch = _BATCH.validate_python(handle)
        state = str((batch.provider_details or {}).get("state"))
        try:
            found = await self.client.model.batch_results(batch)
        except Exception as error:  # of whichever kind: a server has said or done something
            fault = library_fault(error, self.client.key)
            if state in _WITHOUT_RESULTS:
                return Collected({}, _WITHOUT_RESULTS[state] or refused(fault))
            raise fault from None
        results = {
            each.custom_id: {
                "status": each.status,
                "body": without_key(each.body, self.client.key),
            }
            for each in found
        }
        return Collected(results, {"status": "missing"})

    def decode(self, result: Json, call: Call) -> Completion:
        """The completion that a result of a batch holds."""
        return decoded(self.client, BatchResult(custom_id="", **result), call)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Raise what the library raises as Fault."""
        try:
            yield
        except (NotYetKnown, Fault):
            raise
        except UserError as error:
            raise Fault(FaultKind.REJECTED, str(error)) from None
        except Exception as error:  # of whichever kind: a server has said or done something
            raise library_fault(error, self.client.key) from None


_WITHOUT_RESULTS: Final[Mapping[str, Json]] = {
    "JOB_STATE_EXPIRED": {"status": "expired"},
    "JOB_STATE_CANCELLED": {"status": "canceled"},
    "JOB_STATE_FAILED": None,
}
"""States in which a job of Google's may leave no results; what is wrong with one that failed, the
answer says."""


def _plain(batch: Batch, key: str | None) -> Json:
    return without_key(_BATCH.dump_python(batch, mode="json"), key)


def without_key(said: Json, key: str | None) -> Json:
    """What a provider said, wherever in it our key stands."""
    if isinstance(said, str):
        return unkeyed(said, key)
    if isinstance(said, dict):
        return {unkeyed(str(name), key): without_key(each, key) for name, each in said.items()}
    return [without_key(each, key) for each in said] if isinstance(said, list) else said
