"""Readers of pages by their names in options, ready to read."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from deepassay.errors import BadSetting

if TYPE_CHECKING:
    from deepassay.sources.readers import PageReader

KEY = "JINA_API_KEY"


@asynccontextmanager
async def open_reader(
    name: str,
    *,
    allow_hosts: Collection[str] = (),
    deadline: float = 30.0,
    connections: int = 32,
    proxy: str | None = None,
    to_read: Callable[[], Iterable[str]] = tuple,
) -> AsyncIterator[PageReader]:
    """The reader `direct`, `jina` or `archive:YYYY-MM-DD`, as long as the context lasts.

    allow_hosts: HOST or HOST:PORT that may be reached although they are not public. deadline:
    seconds for one page. connections: at the same time at most. proxy: http://HOST:PORT, which
    is asked for every page and resolves their names itself. to_read: all the addresses that are
    read or kept here; where a host is not found, theirs tell whether any is. Raises BadSetting.
    """
    from deepassay.sources.extract import Extractor
    from deepassay.sources.fetch import Fetcher  # loads what the network needs
    from deepassay.sources.guard import allowing
    from deepassay.sources.readers import ArchiveReader, DirectReader, JinaReader

    day = _day(name)
    key = os.environ.get(KEY, "").strip()
    if name == "jina" and not key:
        raise BadSetting(
            f"--reader jina needs a key, and {KEY} is not set.",
            f"Set {KEY} to the key of your account, or use --reader direct.",
        )
    rule = allowing(allow_hosts)
    _check_proxy(proxy)
    given: dict[str, Any] = {"deadline": deadline, "connections": connections, "proxy": proxy}
    if name == "direct":  # else hosts are looked up by a service
        given["to_read"] = to_read
    async with Fetcher(allow=rule, **given) as fetcher, Extractor() as extractor:
        if day is not None:
            yield ArchiveReader(fetcher, extractor, day)
        elif name == "jina":
            yield JinaReader(fetcher, key)
        else:
            yield DirectReader(fetcher, extractor)


def check_reader(name: str, allow_hosts: Collection[str], proxy: str | None = None) -> None:
    """Raise BadSetting for a reader, a host or a proxy that is written as none can be."""
    _day(name)
    _check_proxy(proxy)
    if allow_hosts:
        from deepassay.sources.guard import allowing  # loads what the network needs

        allowing(allow_hosts)


def _check_proxy(proxy: str | None) -> None:
    if proxy is None:
        return
    try:
        parts = urlsplit(proxy)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise BadSetting(
            f"--page-proxy {proxy}: this is not the address of a proxy.",
            "Write it as http://HOST:PORT.",
        )


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
