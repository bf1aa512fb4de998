"""Bodies to texts, in worker processes under limits of memory and time."""

from __future__ import annotations

import signal
from types import TracebackType
from typing import Self

from deepassay.sources.document import Extracted, NoText
from deepassay.sources.page import Failure
from deepassay.sources.workers import WorkerDied, Workers

__all__ = ["Extracted", "Extractor", "NoText"]


class Extractor:
    """Reads bodies as text; to be used in `async with`, by any number of tasks.

    processes: how many bodies are read at a time. seconds: for one body, of clock and processor.
    """

    def __init__(self, processes: int = 2, seconds: float = 20.0) -> None:
        self._seconds = seconds
        self._workers = Workers(processes, seconds)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._workers.__aexit__(kind, error, trace)

    async def extract(self, body: bytes, media: str, url: str) -> Extracted | NoText:
        """The text of a body and its title, or why there is none. Never raises for a body.

        body: without the encodings of the transport. media: the content type as served, with
        its charset. url: for its ending, where the content type says nothing.
        """
        try:
            reply = await self._workers.ask({"media": media, "url": url}, body)
        except TimeoutError:
            detail = f"The page could not be read within {self._seconds:g} s."
            return NoText(Failure.TIMEOUT, detail)
        except WorkerDied as death:
            return _died(death.status)
        if "failure" in reply:
            return NoText(Failure(reply["failure"]), reply["detail"])
        return Extracted(reply["text"], reply["title"])


# Killed from outside, as systems do that run out of memory; or how C programs end which are
# denied it.
_OUT_OF_MEMORY = (-signal.SIGKILL, -signal.SIGABRT, -signal.SIGTRAP, -signal.SIGILL)


def _died(status: int) -> NoText:
    if status == -signal.SIGXCPU:
        return NoText(Failure.TIMEOUT, "The page takes more processor time than it may.")
    if status in _OUT_OF_MEMORY:
        detail = f"The page needs more memory than it may (its parser: {_name(status)})."
        return NoText(Failure.TOO_LARGE, detail)
    return NoText(Failure.NOT_TEXT, f"The page made its parser crash ({_name(status)}).")


def _name(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"status {status}"
