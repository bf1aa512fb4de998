"""Pages by address: each is read once, kept for ever, and the same when it is asked for again."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from deepassay.runfile import DAMAGED, Capture
from deepassay.sources.page import DOUBTFUL, OK, Failure, NoPage, Page
from deepassay.stopping import begin
from deepassay.text import canonical

if TYPE_CHECKING:
    from deepassay.runfile.captures import Captures
    from deepassay.sources.readers import PageReader

WORTH_ANOTHER_TRY: Final = frozenset({*Failure, DOUBTFUL} - {Failure.NOT_TEXT, Failure.TOO_LARGE})
"""States that may be others tomorrow, with another reader, or with `--allow-host`."""


class ReadOnce(ABC):
    """Pages that are kept somewhere, and read where they are not; several who ask share a reading.

    reader: who reads an address that is not kept, or of which only the text is damaged; None for
    nobody. retry: read once more what failed before, for failures that are WORTH_ANOTHER_TRY;
    otherwise a failure is final.
    """

    def __init__(self, reader: PageReader | None, *, retry: bool) -> None:
        self._reader = reader
        self._retry = retry
        self._reading: dict[str, asyncio.Future[Capture | None]] = {}
        self._tried: set[str] = set()

    @abstractmethod
    async def look_up(self, url: str) -> Capture | None:
        """What is kept of a canonical address: a text from wherever it is, else the failure."""

    @abstractmethod
    async def keep(self, capture: Capture) -> None:
        """Keep a capture; returns once it is on the disk."""

    async def get(self, url: str) -> Page | NoPage:
        """The page under an address. Those who ask for the same one meanwhile share it."""
        url = canonical(url)
        capture = await self.look_up(url)
        while self._reader is not None and self._is_missing(url, capture):
            if (underway := self._reading.get(url)) is None:
                return _seen(url, await self._lead(self._reader, url))
            # None: whoever was reading it was stopped, somebody else may go on
            capture = await asyncio.shield(underway) or await self.look_up(url)
        return _seen(url, capture)

    def _is_missing(self, url: str, capture: Capture | None) -> bool:
        if capture is None or capture.failure == DAMAGED:
            return True
        again = self._retry and url not in self._tried
        return again and state_of_capture(capture) in WORTH_ANOTHER_TRY

    async def _lead(self, reader: PageReader, url: str) -> Capture:
        """Read an address for all who wait for it."""
        underway = self._reading[url] = asyncio.get_running_loop().create_future()
        kept = None
        try:
            begin()
            capture = await reader.read(url)
            await self.keep(capture)
            self._tried.add(url)
            kept = capture
        finally:
            del self._reading[url]
            underway.set_result(kept)
        return kept


class Snapshots(ReadOnce):
    """Pages from captures, and from the network where a reader is given.

    kept: those of the run itself, so that it can be replayed without any other file. shared: of
    a file that several runs use. pinned: names of captures by address, to see what was seen then;
    an empty name stands for no capture at all. reader, retry: see `ReadOnce`.
    """

    def __init__(
        self,
        kept: Captures,
        shared: Captures | None = None,
        reader: PageReader | None = None,
        *,
        retry: bool = False,
        pinned: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(reader, retry=retry)
        self._kept = kept
        self._shared = shared
        self._pinned = dict(pinned or {})

    async def get(self, url: str) -> Page | NoPage:
        """The page under an address, or its pinned capture."""
        if (pinned := self._pinned.get(url := canonical(url))) is not None:
            return _seen(url, self._kept.to_read(pinned))
        return await super().get(url)

    async def look_up(self, url: str) -> Capture | None:
        """What is kept, in either file; what only the shared one has is kept in both then."""
        own = self._kept.best_to_read(url)
        if self._shared is None or (own is not None and state_of_capture(own) == OK):
            return own
        other = self._shared.best_to_read(url)
        if other is None or other.failure == DAMAGED:
            return own
        if (
            own is not None
            and state_of_capture(other) != OK
            and (own.failure is None or other.failure is not None)
        ):
            return own
        await self._kept.keep(other, body=False)
        return other

    async def keep(self, capture: Capture) -> None:
        """Keep a capture; its body, which is not needed to replay a run, in one file only."""
        if self._shared is not None:
            await self._shared.keep(capture)
        await self._kept.keep(capture, body=self._shared is None)


def state_of_capture(capture: Capture) -> str:
    """`ok`, `doubtful`, or the failure."""
    return capture.failure or (DOUBTFUL if capture.is_doubtful else OK)


def _seen(url: str, capture: Capture | None) -> Page | NoPage:
    """A capture as protocols see it."""
    if capture is None:
        return NoPage(url, Failure.NOT_ARCHIVED, "No snapshot of it is kept.")
    if capture.text is None:
        damaged = capture.failure == DAMAGED
        return NoPage(
            url,
            Failure.NOT_ARCHIVED if damaged else Failure(capture.failure or Failure.NOT_TEXT),
            capture.detail,
            capture.status,
            capture.fetched,
            capture.id,
        )
    return Page(
        url,
        capture.text,
        capture.title,
        capture.final_url,
        capture.fetched,
        capture.reader,
        capture.id,
        capture.detail,
    )
