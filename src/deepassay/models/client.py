"""What a client is: one model behind one interface, asked one prompt at a time.

`Client` is the seam for other ways to reach a model. `batches` asks the same clients in batches.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, Protocol

from deepassay.models.form import Form
from deepassay.models.prompt import Prompt
from deepassay.models.schema import Dialect
from deepassay.models.usage import Usage
from deepassay.score import Cause, Json
from deepassay.text import HAN_CHARACTER

if TYPE_CHECKING:
    from deepassay.models.prices import Price

LARGEST_ANSWER: Final = 16 * 1024 * 1024
"""Bytes. The longest real answers have a fraction of this."""


CHARACTERS: Final = 3.0
"""Of English in a token, where an answer is to fit; of Chinese it is one."""


@dataclass(frozen=True)
class ModelSettings:
    """What is asked of the provider besides the prompt; what it does not take is left out.

    temperature: None (nothing is sent) for the provider's default, since some models take no
    other. max_output: tokens, thinking included.
    effort: of thinking, `minimal` to `max`, None for the default. structured: send the form of the
    answer as a JSON schema that the provider enforces (the prompt shows it all the same).
    quotes: ask once more where a quote is not found on which no verdict rests; it is not sent.
    context_window: tokens that the model takes, where no library knows; it is not sent.
    search: how much of the web the provider's own search brings, `low`, `medium` or `high`; None
    for no search. searches: at most, where the provider takes a number. thinking: tokens of
    thinking, where the provider takes a number; `effort` is for the others.
    """

    temperature: float | None = None
    max_output: int = 16_384
    effort: str | None = None
    structured: bool = False
    quotes: bool = False
    context_window: int | None = None
    search: Literal["low", "medium", "high"] | None = None
    searches: int | None = None
    thinking: int | None = None


@dataclass
class Call:
    """One request. form: of the answer, for providers that enforce a schema; None for prose.

    again: earlier answers that could not be used, each with the reason. whole: the text of the
    answer is to be the body as it came, for who reads more in it than the text.
    body_digest: SHA-256 of the body, set by the client as it is sent. received: of a whole body,
    what has come so far.
    """

    prompt: Prompt
    form: Callable[[], Form] | None = None
    again: Sequence[tuple[str, str]] = ()
    whole: bool = False
    body_digest: str | None = None
    received: bytearray = field(default_factory=bytearray)

    def schema(self, dialect: Dialect, max_output: int) -> dict[str, Json] | None:
        """The schema of the answer, which so many tokens hold; None where nothing enforces one.

        Lists are no answers that all providers take.
        """
        if self.form is None:
            return None
        script = self.prompt.question
        each = 1.0 if HAN_CHARACTER.search(script) else CHARACTERS
        schema = self.form().within(max_output * each, dialect)
        return None if schema.get("type") != "object" and dialect != "full" else schema


@dataclass(frozen=True)
class Completion:
    """What came back. finish: `stop` is the only one that ends with an answer.

    thought: characters of thinking that came beside the text. note: what is odd about it.
    """

    text: str
    finish: Literal["stop", "length", "refusal"]
    usage: Usage | None
    served_model: str
    thought: int = 0
    note: str = ""


class FaultKind(Enum):
    """What went wrong with a request, and the cause if it stays so."""

    RATE_LIMIT = ("rate_limit", Cause.JUDGE_UNREACHABLE)
    SERVER = ("server", Cause.JUDGE_UNREACHABLE)
    CONNECTION = ("connection", Cause.JUDGE_UNREACHABLE)
    GARBLED = ("garbled", Cause.JUDGE_UNREACHABLE)  # what came is no answer of a model
    EMPTY = ("empty", Cause.ANSWER_UNREADABLE)
    TIMEOUT = ("timeout", Cause.TIMEOUT)
    ACCESS = ("access", Cause.JUDGE_UNREACHABLE)
    REJECTED = ("rejected", Cause.JUDGE_UNREACHABLE)
    UNREADABLE = ("unreadable", Cause.ANSWER_UNREADABLE)  # as every answer before it
    REFUSED = ("refused", Cause.JUDGE_REFUSED)
    OVERFLOW = ("overflow", Cause.CONTEXT_OVERFLOW)

    def __init__(self, label: str, cause: Cause) -> None:
        self.label = label
        self.cause = cause

    @property
    def passes(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self in _PASSING

    @property
    def silent(self) -> bool:
        """Whether the endpoint said nothing at all."""
        return self in (FaultKind.CONNECTION, FaultKind.TIMEOUT)

    @property
    def billed(self) -> bool:
        """Whether the provider may have worked, and may charge, although no answer came."""
        return self in (FaultKind.CONNECTION, FaultKind.TIMEOUT, FaultKind.GARBLED, FaultKind.EMPTY)


_PASSING = (
    FaultKind.RATE_LIMIT,
    FaultKind.SERVER,
    FaultKind.CONNECTION,
    FaultKind.GARBLED,
    FaultKind.EMPTY,
    FaultKind.TIMEOUT,
)


class Fault(Exception):
    """A request came to nothing.

    retry_after: seconds that the provider asks to wait. usage: what it counts all the same.
    """

    def __init__(
        self,
        kind: FaultKind,
        detail: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        self.usage = usage

    def too_long(self) -> Fault:
        """The fault, with how many seconds the provider asks to wait in its detail, if it does."""
        if self.retry_after is None:
            return self
        asked = f"{self.detail}; the provider asks to wait {self.retry_after:.0f} s"
        after = self.retry_after
        return Fault(self.kind, asked, status=self.status, retry_after=after, usage=self.usage)


class NotSent(Fault):
    """Nothing was sent and nothing will be, so that there is nothing to wait for."""


class Overdue(Fault):
    """The deadline of the question has come, and not only that of a request."""


class Client(Protocol):
    """One model with fixed settings. Deadlines, retries and budget are the work of `exchange`."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """Model, endpoint, settings that are really sent."""
        ...

    @property
    def pace(self) -> AdaptivePace:
        """How many calls at once the endpoint takes; clients of one endpoint share it."""
        ...

    @property
    def price(self) -> Price | None:
        """None where nobody knows it."""
        ...

    @property
    def max_output(self) -> int:
        """Tokens that one answer can have at most."""
        ...

    @property
    def context_window(self) -> int | None:
        """Tokens that prompt and answer can have at most, where it is known."""
        ...

    async def complete(self, call: Call) -> Completion:
        """Send one request, once. Raises Fault."""
        ...


SHRINK: Final = 0.8
COOLDOWN: Final = 15.0


class AdaptivePace:
    """A limit on concurrent calls that gives way to rate limits and recovers.

    It begins at `most`. A rate limit (429) shrinks it by a fifth, once an episode: further ones
    within `cooldown` seconds belong to the same. After that each answered call wins back a
    part of a slot, so that a full round of answers brings one more. It never falls below one.
    Server errors say nothing about the rate and do not shrink it.
    """

    def __init__(self, most: int, cooldown: float = COOLDOWN) -> None:
        self.most = most
        self.limit = float(most)
        self.busy = 0
        self._cooldown = cooldown
        self._calm_from = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self, retry: bool = False) -> AsyncIterator[None]:
        """Wait for a slot and hold it. First come, first served, but what was begun goes on."""
        if self._waiting or self.busy >= int(self.limit):
            admitted = asyncio.get_running_loop().create_future()
            self._waiting.appendleft(admitted) if retry else self._waiting.append(admitted)
            try:
                await admitted
            except asyncio.CancelledError:
                if admitted.done() and not admitted.cancelled():
                    self._release()
                raise
        else:
            self.busy += 1
        try:
            yield
        finally:
            self._release()

    def slow_down(self) -> None:
        """The endpoint said: too many requests."""
        now = asyncio.get_running_loop().time()
        if now >= self._calm_from:
            self.limit = max(1.0, self.limit * SHRINK)
            self._calm_from = now + self._cooldown

    def went_well(self) -> None:
        """Note that the endpoint answered: after a calm time more requests go at once."""
        if self.limit < self.most and asyncio.get_running_loop().time() >= self._calm_from:
            self.limit = min(float(self.most), self.limit + 1 / self.limit)
            self._admit()

    def _release(self) -> None:
        self.busy -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.busy < int(self.limit):
            admitted = self._waiting.popleft()
            if not admitted.done():
                self.busy += 1
                admitted.set_result(None)
