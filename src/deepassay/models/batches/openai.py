"""Batches as OpenAI takes them: a file of requests, a job over it, and files of results.

Servers that speak its interface take the same for chat completions, some as files alone (see
`folder`). Lines are split at the line feed and nowhere else: a report may hold any other
separator, which a line of JSON need not escape.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Protocol

import openai
from pydantic_ai.models.batch import BatchResult

from deepassay.errors import BadSetting
from deepassay.models.batches.interface import MAY_EXIST, Collected, Encoded, Looked
from deepassay.models.batches.library import decoded, encoded, without_key
from deepassay.models.client import Call, Completion, Fault
from deepassay.models.direct import DirectClient, not_connected
from deepassay.models.faults import HttpError, fault_of, fault_of_broken_request
from deepassay.score import Json, digest

if TYPE_CHECKING:
    from deepassay.models.chat import ChatClient

MARK: Final = "deepassay"
"""The entry of a batch's metadata that says which requests it is made of."""
NO_ROOM: Final = "token_limit_exceeded"
"""The error of a batch that the queue of an account has no room for: it fails when it is looked
through, minutes after it was made."""
_ENDED: Final = ("completed", "failed", "expired", "cancelled")
_UNRUN: Final = {"batch_expired": "expired", "batch_cancelled": "canceled"}
_SLACK: Final = timedelta(hours=1)
"""By which the clocks of two machines may differ."""


class Codec(Protocol):
    """One endpoint of OpenAI's: what a request is, and what an answer says."""

    endpoint: str

    async def encode(self, call: Call) -> Encoded:
        """A request. Raises Fault."""
        ...

    def decode(self, result: Json, call: Call) -> Completion:
        """An answer or an error. Raises Fault."""
        ...


@dataclass
class ChatCodec:
    """Chat completions, as `ChatClient` sends and reads them."""

    client: ChatClient
    endpoint = "/v1/chat/completions"

    async def encode(self, call: Call) -> Encoded:
        """A call as the body of a request for chat completions."""
        return Encoded(self.client.body(call).decode("utf-8", "replace"))

    def decode(self, result: Json, call: Call) -> Completion:
        """An answer or an error. Raises Fault."""
        body = _answered(result, self.client.key)
        raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        return self.client.completion(body, call, raw, len(self.client.body(call)))


@dataclass
class ResponsesCodec:
    """The Responses interface, as `DirectClient` sends and reads it."""

    client: DirectClient
    endpoint = "/v1/responses"

    async def encode(self, call: Call) -> Encoded:
        """A call as the body of a request for responses."""
        return Encoded((await encoded(self.client, call)).body)

    def decode(self, result: Json, call: Call) -> Completion:
        """An answer or an error. Raises Fault."""
        body = json.dumps(_answered(result, self.client.key))
        return decoded(self.client, BatchResult(custom_id="", status="succeeded", body=body), call)


def _answered(result: Json, key: str | None) -> Json:
    """The body of a result that succeeded. Raises Fault for one that did not."""
    if result["status"] != "succeeded":
        raise fault_of(HttpError(result["code"], {}, result["body"]), key)
    return result["body"]


def line_of(name: str, endpoint: str, encoded: Encoded) -> str:
    """A request as a line of the file of a batch. The body is ASCII: no reader splits it."""
    head = {"custom_id": name, "method": "POST", "url": endpoint}
    return json.dumps({**head, "body": json.loads(encoded.body)}, separators=(",", ":"))


def names_in(content: bytes) -> set[str]:
    """The identifiers of a file of requests."""
    return {json.loads(line)["custom_id"] for line in content.split(b"\n") if line}


def _mark(names: Collection[str]) -> str:
    return digest(sorted(names))[:32]


def results_in(content: bytes, key: str | None) -> Iterator[tuple[str, Json]]:
    """Identifier and result of each line of a file of results; what is no line of one is none.

    key: of ours, which no result keeps.
    """
    for line in content.split(b"\n"):
        try:
            found = without_key(json.loads(line), key)
            name, result = found["custom_id"], _result(found)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if isinstance(name, str):
            yield name, result


def _result(found: Mapping[str, Json]) -> Json:
    """What a line of results says of its request."""
    response, wrong = found.get("response"), found.get("error") or {}
    if response is None:
        status = _UNRUN.get(str(wrong["code"]), "errored")
        return {"status": status, "code": 500, "body": {"error": wrong}}
    code, body = response["status_code"], response["body"]
    if type(code) is not int or not 100 <= code < 600:
        code = 500
    is_answer = 200 <= code < 300 and isinstance(body, dict)
    if not is_answer and code < 300:  # it says that all is well, and gives no answer
        code = 500
    return {"status": "succeeded" if is_answer else "errored", "code": code, "body": body}


@dataclass
class OpenAIBatches:
    """Files and batches below one base URL. provider: them for people."""

    client: openai.AsyncOpenAI
    codec: Codec
    provider: str
    key: str | None = None
    kind: str = "files"
    most: int = 50_000
    most_bytes: int = 50_000_000  # a quarter of what they take: it is made in memory

    async def encode(self, call: Call) -> Encoded:
        """A call as the body of a request that can go into a batch."""
        return await self.codec.encode(call)

    async def create(self, number: int, requests: Mapping[str, Encoded]) -> Json:
        """Upload a file and make a batch of it."""
        lines = [line_of(name, self.codec.endpoint, each) for name, each in requests.items()]
        content = "".join(f"{line}\n" for line in lines).encode()
        with self._faults(first=True):
            file = await self.client.files.create(
                file=(f"deepassay-{number}.jsonl", content), purpose="batch"
            )
        try:
            with self._faults(first=True):
                batch = await self.client.batches.create(
                    input_file_id=file.id,
                    endpoint=self.codec.endpoint,  # type: ignore[arg-type]
                    completion_window="24h",
                    metadata={MARK: _mark(requests)},
                )
        except (Fault, BadSetting) as error:
            if getattr(error, "kind", None) not in MAY_EXIST:
                await self._delete(file.id)
            raise
        return _handle(batch, self.key)

    async def _delete(self, file: str) -> None:
        """Delete a file of requests that nobody carries out; one that stays does no harm."""
        with suppress(openai.APIError):
            await self.client.files.delete(file)

    async def find(
        self, number: int, names: Collection[str], since: str, besides: Sequence[Json]
    ) -> Json:
        """The batch that is marked with these requests, or whose file has just these."""
        oldest = datetime.fromisoformat(since) - _SLACK
        with self._faults():
            async for batch in self.client.batches.list(limit=100):
                if datetime.fromtimestamp(batch.created_at, UTC) < oldest:
                    return None
                mark = (batch.metadata or {}).get(MARK)
                if mark is None and not batch.metadata:
                    mark = await self._mark_in(batch.input_file_id)
                if mark == _mark(names):
                    return _handle(batch, self.key)
        return None

    async def _mark_in(self, file: str) -> str | None:
        """What a batch of this file would be marked with, where the server keeps no marks."""
        try:
            return _mark(names_in((await self.client.files.content(file)).content))
        except (openai.NotFoundError, ValueError, KeyError, TypeError):
            return None

    async def look(self, handle: Json) -> Looked:
        """How a batch is, and when the file of its answers is deleted."""
        with self._faults():
            batch = await self.client.batches.retrieve(handle["id"])
        ended = batch.status in _ENDED
        deleted = ""
        if ended and batch.output_file_id:
            with suppress(openai.APIError):
                file = await self.client.files.retrieve(batch.output_file_id)
                if file.expires_at:
                    deleted = datetime.fromtimestamp(file.expires_at, UTC).isoformat()
        handle = _handle(batch, self.key)
        if no_room := _no_room(handle):
            await self._delete(handle["input_file_id"])
        return Looked(handle, ended, deleted, no_room)

    async def results(self, handle: Json) -> Collected:
        """The lines of both files of results."""
        found: dict[str, Json] = {}
        for each in ("output_file_id", "error_file_id"):
            if handle[each]:
                with self._faults():
                    file = await self.client.files.content(handle[each])
                found.update(results_in(file.content, self.key))
        return Collected(found, _otherwise(handle))

    def decode(self, result: Json, call: Call) -> Completion:
        """The completion that a result of a batch holds."""
        return self.codec.decode(result, call)

    @contextmanager
    def _faults(self, *, first: bool = False) -> Iterator[None]:
        """Raise what the library raises as Fault, or as BadSetting where there are no batches.

        first: whether this is the first time that this address is asked for a batch.
        """
        try:
            yield
        except openai.APIStatusError as error:
            status = error.status_code
            if first and status in (404, 405, 501) and "model" not in str(error.body):
                raise BadSetting(
                    f"{self.provider} takes no batches: status {status}.",
                    "Ask without --batch, or write files for it with --batch-file FOLDER.",
                ) from None
            found = HttpError(status, dict(error.response.headers), error.body)
            raise fault_of(found, self.key) from None
        except openai.APIError as error:
            cause = error.__cause__
            unsent = cause if isinstance(cause, Exception) else error
            raise not_connected(unsent) or fault_of_broken_request(unsent) from None


def _handle(batch: openai.types.Batch, key: str | None) -> Json:
    """What takes a batch up again; where its errors name our key, without it."""
    names = ("id", "status", "input_file_id", "output_file_id", "error_file_id")
    errors = batch.errors.data if batch.errors and batch.errors.data else []
    return {name: getattr(batch, name) for name in names} | {
        "errors": [
            without_key(each.model_dump(mode="json", exclude_none=True), key) for each in errors
        ]
    }


def _no_room(handle: Json) -> str:
    """What is said of a batch that failed because too many tokens wait in the account's queue."""
    wrong = [each for each in handle["errors"] if each.get("code") == NO_ROOM]
    full = handle["status"] == "failed" and wrong
    return str(wrong[0].get("message") or NO_ROOM) if full else ""


def _otherwise(handle: Json) -> Json:
    """The result of requests that have no line in the files of results."""
    if handle["status"] == "failed":
        wrong = handle["errors"][0] if handle["errors"] else {"message": "the batch failed"}
        return {"status": "errored", "code": 400, "body": {"error": wrong}}
    return {
        "status": {"completed": "missing", "cancelled": "canceled"}.get(handle["status"], "expired")
    }
