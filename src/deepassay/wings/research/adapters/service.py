"""Requests to a service that carries out jobs. Loads aiohttp: import it late.

A submission is sent once: where it is not known what became of it, it is not sent again, because
the job may have been begun and charged. Polls are repeated as long as the job has time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Self
from urllib.parse import quote, urljoin

from deepassay.files import strangers_json
from deepassay.models.client import Fault
from deepassay.models.wire import Posted, sent, session
from deepassay.network import retry_after
from deepassay.score import Json
from deepassay.text import unkeyed
from deepassay.wings.research.adapters import templates
from deepassay.wings.research.adapters.recipe import ServiceRecipe, ServiceRequest, State, at

SECONDS: Final = 60.0
"""For one request; the service answers at once and works afterwards."""

LONGEST_WAIT: Final = 60.0
"""Seconds between two polls at most, whatever a service asks for."""

SHORTEST_WAIT: Final = 1.0
"""At least, unless the recipe itself asks more often."""

LAST: Final = 20.0
"""Seconds for each request that comes after the limit of a job."""

SUBMISSIONS: Final = 6
"""Requests for one job at most, where the service says that it took none."""

NOT_TAKEN: Final = (429, 503, 529)
"""Statuses that say that nothing was begun."""

RESOLVING: Final = 120.0
"""Seconds for all addresses of an answer that only lead on; the others stay as they are."""

NEW: Final = 60.0
"""Seconds for which a service may not know yet of a job that it has taken."""


class Told(NamedTuple):
    """What a service says of a job.

    state: as the recipe reads the status; `waiting`: it said nothing for now; `overdue`: we had it
    cancelled; `expired`: it knows of no such job any more; `refused`: it does not tell us;
    `unknown`: no list has the status.
    """

    state: State | Literal["waiting", "overdue", "expired", "refused", "unknown"]
    detail: str = ""
    body: Json = None
    raw: str = ""
    wait: float | None = None


class NotBegun(Exception):
    """There is no job, and why."""


@dataclass
class ServiceConnection:
    """A service, over connections that last as long as the context. values: of placeholders.

    limit: seconds of a job. No request outlasts it, however slowly its answer drips, but for the
    last ones: the cancellation and the poll after it, which have `LAST` each.
    """

    recipe: ServiceRecipe
    values: Mapping[str, str]
    environment: Mapping[str, str]
    limit: float = SECONDS

    async def __aenter__(self) -> Self:
        self._session = session(SECONDS, SECONDS, {"Accept": "application/json"})
        self._end = asyncio.get_running_loop().time() + self.limit
        self._secrets = [*templates.secrets(self.recipe.model_dump(), self.environment)]
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()

    async def submit(self) -> str:
        """Begin a job; its identifier. Raises NotBegun."""
        wait = 0.0
        for attempt in range(SUBMISSIONS):
            await asyncio.sleep(min(wait, self._left))
            try:
                posted = await self._sent(self.recipe.submit)
            except Fault as fault:
                raise NotBegun(
                    f"No answer to the submission: {self._clean(fault.detail)}. The service may "
                    "have begun the job all the same"
                ) from None
            if posted.status not in NOT_TAKEN or not self._left:
                break
            wait = self._wait(attempt, retry_after(posted.headers.get("retry-after")))
        text, body = self._read(posted)
        if not 200 <= posted.status < 300:
            raise NotBegun(f"It did not take the job: {self._why(posted.status, text, body)}")
        found = at(body, [self.recipe.submit.id])
        if not isinstance(found, str | int) or not str(found):
            raise NotBegun(
                f"Its answer has no identifier under {self.recipe.submit.id!r}: {_line(text)}"
            )
        return str(found)

    @property
    def _left(self) -> float:
        """Seconds until the limit."""
        return max(0.0, self._end - asyncio.get_running_loop().time())

    async def end(self, job: str, began: float) -> Told:
        """Poll until the job has ended; at the limit of seconds it is cancelled.

        began: time of the submission, by the clock of the machine. What is still `running` or
        `waiting` then had not ended at the last poll, which comes after the cancellation.
        """
        loop = asyncio.get_running_loop()
        self._end = loop.time() + self.limit - max(0.0, time.time() - began)
        failures = 0
        while True:
            told = await self._poll(job, began)
            failures = failures + 1 if told.state == "waiting" else 0
            if told.state not in ("running", "waiting"):
                return told
            if not self._left:
                break
            await asyncio.sleep(min(self._left, self._wait(failures, told.wait)))
        if self.recipe.cancel is None:
            return told
        with suppress(Fault):  # the last poll tells what became of it
            await self._sent(self.recipe.cancel, job)
        told = await self._poll(job, began)
        return told._replace(state="overdue") if told.state == "cancelled" else told

    def _wait(self, failures: int, asked: float | None) -> float:
        """Seconds to wait. asked: what the service asks for."""
        every = self.recipe.poll.every_s
        wanted = every * 2.0 ** min(failures, 8) if asked is None else asked
        return float(min(LONGEST_WAIT, max(min(SHORTEST_WAIT, every), wanted)))

    async def _poll(self, job: str, began: float) -> Told:
        try:
            posted = await self._sent(self.recipe.poll, job)
        except Fault as fault:
            return Told("waiting" if fault.kind.passes else "refused", self._clean(fault.detail))
        text, body = self._read(posted)
        why = self._why(posted.status, text, body)
        if posted.status in (408, 425, 429) or posted.status >= 500:
            return Told("waiting", why, wait=retry_after(posted.headers.get("retry-after")))
        if posted.status in (404, 410):
            return Told("waiting" if time.time() - began < NEW else "expired", why)
        if not 200 <= posted.status < 300:
            return Told("refused", why)
        return self._told(posted, text, body)

    def _told(self, posted: Posted, text: str, body: Json) -> Told:
        """What an answer of status 200 says."""
        if body is None:
            return Told("waiting", f"this is no JSON: {_line(text)}")
        poll = self.recipe.poll
        word = at(body, [poll.status])
        asked = retry_after(posted.headers.get(poll.every_header_ms.lower()))
        wait = None if asked is None else asked / 1000
        said = at(body, poll.error)
        why = f"{word}: {_line(str(said))}" if said else str(word)
        return Told(poll.state(word) or "unknown", why, body, text, wait)

    async def resolved(self, urls: Sequence[str]) -> dict[str, str | None]:
        """Where addresses lead that are only on the way; None where that is not told."""
        slots = asyncio.Semaphore(8)
        end = asyncio.get_running_loop().time() + RESOLVING

        async def one(url: str) -> str | None:
            for method in ("HEAD", "GET"):
                try:
                    async with slots:
                        left = end - asyncio.get_running_loop().time()
                        if left <= 0:
                            return None
                        seconds = min(left, SECONDS / 2)
                        posted = await sent(self._session, method, url, seconds=seconds)
                except Fault:  # the address stays, and the record of the run says unresolved
                    continue
                place = posted.headers.get("location", "")
                if 300 <= posted.status < 400 and place:
                    target = urljoin(url, place)
                    return target if target.startswith(("http://", "https://")) else None
            return None

        return dict(zip(urls, await asyncio.gather(*map(one, urls)), strict=True))

    async def _sent(self, request: ServiceRequest, job: str = "") -> Posted:
        # Names of jobs have slashes at some services; none leads out of its path.
        values = {**self.values, "id": quote(job, safe=":@" if ".." in job else "/:@")}
        headers = self.recipe.submit.headers if request.headers is None else request.headers
        filled: Any = templates.filled(
            {"url": request.url, "headers": headers or {}, "json": request.body},
            values,
            self.environment,
        )
        seconds = min(SECONDS, self._left) or min(LAST, SECONDS)
        return await sent(self._session, request.method, seconds=seconds, **filled)

    def _read(self, posted: Posted) -> tuple[str, Json]:
        """The text of an answer without keys, and the JSON in it or None."""
        text = self._clean(posted.body.decode("utf-8", "replace"))
        try:
            return text, strangers_json(text)
        except ValueError:
            return text, None

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = unkeyed(text, secret)
        return text

    def _why(self, status: int, text: str, body: Json) -> str:
        told = at(body, ["error.message", "error", "detail", "message"])
        return f"status {status}: {_line(told if isinstance(told, str) else text)}"


def _line(text: str) -> str:
    return " ".join(text[:2000].split())[:200] or "nothing"
