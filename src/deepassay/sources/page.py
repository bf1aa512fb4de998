"""A cited page as protocols see it: its text, or the kind of reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final, Protocol

from deepassay.score import digest

EXTRACTION: Final = "text-2"
"""Names how bytes become text: it changes when the same page could give another text."""


class Failure(StrEnum):
    """Why there is no text of a page. What it means for a score, each protocol decides."""

    DEAD = "dead"  # there is no such page or host, also after several tries
    BLOCKED = "blocked"  # it is there, but not for us: 401, 403, 429, challenge pages
    TIMEOUT = "timeout"  # no end within the deadline, or the network was down
    TOO_LARGE = "too_large"
    NOT_TEXT = "not_text"  # an image, a film, a scan, an empty page
    REFUSED = "refused"  # by the guard: an address that nobody outside may reach
    NOT_ARCHIVED = "not_archived"  # no snapshot, and nothing may be fetched


@dataclass(frozen=True)
class Page:
    """The text of a page at the time when it was captured.

    url: canonical, as asked for. final_url: where redirects led. fetched: UTC, ISO 8601.
    reader: who made the text of it: direct, jina, archive, import. capture: the name of the
    snapshot, under which the same text can be had again.
    """

    url: str
    text: str
    title: str = ""
    final_url: str = ""
    fetched: str = ""
    reader: str = "direct"
    capture: str = ""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal: the page, for those who judge it."""
        return digest(self.text)


@dataclass(frozen=True)
class NoPage:
    """A page that could not be had. `detail`: one sentence for a person."""

    url: str
    failure: Failure
    detail: str = ""
    status: int | None = None
    fetched: str = ""
    capture: str = ""


@dataclass(frozen=True)
class Extracted:
    """What a page says, in Markdown or plain, and its title."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class NoText:
    """Why a body gave no text. `detail`: one sentence for a person."""

    failure: Failure
    detail: str


class Pages(Protocol):
    """Whoever gives pages by address: each address is fetched once, however many ask."""

    async def get(self, url: str) -> Page | NoPage:
        """The page under a canonical address. Never raises for what the web does."""
        ...
