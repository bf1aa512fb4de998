"""Who reads cited pages in a run: the reader that was asked for, connected."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import date

from deepassay.errors import BadSetting
from deepassay.sources.extract import Extractor
from deepassay.sources.fetch import Fetcher
from deepassay.sources.guard import allowing
from deepassay.sources.readers import ArchiveReader, DirectReader, JinaReader, Reader

KEY = "JINA_API_KEY"


@asynccontextmanager
async def open_reader(
    name: str, *, allow_hosts: Collection[str] = (), deadline: float = 30.0, connections: int = 32
) -> AsyncIterator[Reader]:
    """The reader `direct`, `jina` or `archive:YYYY-MM-DD`, as long as the context lasts.

    allow_hosts: HOST or HOST:PORT that may be reached although they are not public. deadline:
    seconds for one page. connections: at the same time at most. Raises BadSetting.
    """
    day = _day(name)
    key = os.environ.get(KEY, "").strip()
    if name == "jina" and not key:
        raise BadSetting(
            f"--reader jina needs a key, and {KEY} is not set.",
            f"Set {KEY} to the key of your account, or use --reader direct.",
        )
    rule = allowing(allow_hosts)
    async with (
        Fetcher(allow=rule, deadline=deadline, connections=connections) as fetcher,
        Extractor() as extractor,
    ):
        if day is not None:
            yield ArchiveReader(fetcher, extractor, day)
        elif name == "jina":
            yield JinaReader(fetcher, key)
        else:
            yield DirectReader(fetcher, extractor)


def check_reader(name: str, allow_hosts: Collection[str]) -> None:
    """Raise BadSetting for a reader or a host that is written as none can be."""
    _day(name)
    allowing(allow_hosts)


def _day(name: str) -> date | None:
    """The day that the Internet Archive is asked for, if it is."""
    if name in {"direct", "jina"}:
        return None
    service, _, day = name.partition(":")
    try:
        if service == "archive":
            return date.fromisoformat(day)
    except ValueError:
        pass
    raise BadSetting(
        f"--reader {name}: there is no such reader.",
        "Use direct, jina, or archive:YYYY-MM-DD with the day that the copy shall be near to.",
    )
