"""A cited page as protocols see it: its text, or the kind of reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final, Protocol

from deepassay.score import digest

EXTRACTION: Final = "text-5"
"""Names how bytes become text, and what is told from a page: it changes with either."""

OK: Final = "ok"
"""The state of a page that has a text, of which nothing says that it is not the page."""

NO_HOST: Final = "There is no such host."
"""The detail of a page that is gone because nobody knows its host."""

NAMES_LATER: Final = "Names could not be looked up: is there a network?"
"""The detail of a page whose host may be found at another time."""

NO_NAMES: Final = "Neither its host nor any other was found: is there a network?"
"""The detail of a page of which nothing is known because no name is found here."""

DOUBTFUL: Final = "doubtful"
"""The state of a text that may not be the page: no rule can say, somebody has to read it."""


ENOUGH: Final = 500
"""What says less than this, as `weight` counts, is in doubt: about 85 words of English.

Of the pages of our own making that were at hand, no notice says more. Of 49 pages in published
files of FACT one says less, a check for robots; of 349 that WiCE's labels cite, none.
"""


class Failure(StrEnum):
    """Why there is no text of a page. What it means for a score, each protocol decides."""

    GONE = "gone"  # no such page or host, after several tries, or something else in its place
    BLOCKED = "blocked"  # it is there, but not for us: 401, 403, 429, checks, logins, consent
    SCRIPT_ONLY = "script_only"  # nothing is there before scripts have run
    PAYWALLED = "paywalled"  # no more than its beginning came
    REDIRECTED_HOME = "redirected_home"  # a deep link that leads to the front page of its site
    NOT_TEXT = "not_text"  # an image, a film, a scan, an empty page
    TIMEOUT = "timeout"  # no end within the deadline, or the network was down
    TOO_LARGE = "too_large"
    REFUSED = "refused"  # by the guard: an address that nobody outside may reach
    NOT_ARCHIVED = "not_archived"  # no snapshot, and nothing may be fetched

    @property
    def page_class(self) -> str:
        """The failure itself, or `failed` where nothing is known of the page."""
        return "failed" if self in _FAILED else self.value


HOLDS_NOTHING: Final = (Failure.GONE, Failure.REDIRECTED_HOME, Failure.REFUSED)
"""Of a page that is not there, or that nobody may read; others may hold what nobody saw."""

_FAILED: Final = frozenset(
    {Failure.TIMEOUT, Failure.TOO_LARGE, Failure.REFUSED, Failure.NOT_ARCHIVED}
)


@dataclass(frozen=True)
class Page:
    """The text of a page at the time when it was captured.

    url: canonical, as asked for. final_url: where redirects led. fetched: UTC, ISO 8601.
    reader: who made the text of it: direct, jina, archive, import. capture: the name of the
    snapshot, under which the same text can be had again. doubt: why the text may not be the page,
    in a sentence; empty where nothing speaks against it.
    """

    url: str
    text: str
    title: str = ""
    final_url: str = ""
    fetched: str = ""
    reader: str = "direct"
    capture: str = ""
    doubt: str = ""

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

    @property
    def is_unasked(self) -> bool:
        """Whether nobody was asked for it, since no name is found here, of any host."""
        return self.detail == NO_NAMES


def state_of(page: Page | NoPage) -> str:
    """`ok`, `doubtful`, or the failure."""
    if isinstance(page, NoPage):
        return page.failure.value
    return DOUBTFUL if page.doubt else OK


@dataclass(frozen=True)
class ExtractedPage:
    """What a page says, in Markdown or plain, and its title.

    said: letters and digits outside of menus, as `weight` counts them up to ENOUGH; None where
    nothing but the text is known.
    """

    text: str
    title: str = ""
    said: int | None = None


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
