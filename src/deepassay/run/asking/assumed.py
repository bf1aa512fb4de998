"""What an estimate takes for pages that nobody has fetched, and for verdicts that nobody gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Final

from deepassay.models.estimating import Scenario
from deepassay.models.usage import Range
from deepassay.protocols.protocol import SupportStore
from deepassay.run.settings import Settings
from deepassay.runfile import StoredVerdict
from deepassay.runfile.captures import Turns
from deepassay.sources.page import Failure, NoPage, Page, Pages
from deepassay.sources.snapshots import WORTH_ANOTHER_TRY

PAGE_LENGTHS: Final = (7_400, 9_700, 10_000, 18_000, 59_000, 88_000, 168_000)
"""Characters of pages that nobody has seen yet, each as likely as the next.

Of 49 pages with their texts in published files of FACT, these are the middles of seven equal parts;
a page above 80,000 is asked about in several.
"""

SHORT, LONG = 8_000, 90_000
"""Of every such page, at the least and at the most."""

GONE: Final = Range(4, 6, inf)
"""Of how many such pages one leads nowhere. By LiveResearchBench (Table 7) 7.6 a report do, of the
45 that 40 of its reports cite."""


IN_DOUBT: Final = Range(inf, 49, 10)
"""Of how many such pages one says so little that it is asked about first: 1 of the 49 in published
files of FACT, at the most 11 %."""


class ExpectedPages:
    """Pages that are kept, and for each other address that will be fetched one that is assumed.

    kept: where to look. assumed: the addresses of stand-ins with a number each, which grow.
    """

    def __init__(self, kept: Sequence[Pages], settings: Settings) -> None:
        self._kept = kept
        self._fetches = not settings.offline_sources
        self._again = WORTH_ANOTHER_TRY if settings.retry_unscored else frozenset()
        self._seen: dict[tuple[str, Scenario], Page | NoPage] = {}
        self.assumed: dict[str, int] = {}

    async def get(self, url: str, scenario: Scenario) -> Page | NoPage:
        """The page, or a stand-in where it will be fetched."""
        if (url, scenario) not in self._seen:
            if len(self._seen) >= MOST_SEEN:
                self._seen.clear()
            self._seen[url, scenario] = await self._expected(url, scenario)
        return self._seen[url, scenario]

    async def _expected(self, url: str, scenario: Scenario) -> Page | NoPage:
        page: Page | NoPage = NoPage(url, Failure.NOT_ARCHIVED, "No snapshot of it is kept.")
        for pages in self._kept:
            page = await pages.get(url)
            if isinstance(page, Page):
                break
        missing = isinstance(page, NoPage) and page.failure in {Failure.NOT_ARCHIVED, *self._again}
        if isinstance(page, Page) or not (self._fetches and missing):
            return page
        number = self.assumed.setdefault(url, len(self.assumed) + 1)
        if number % GONE[scenario] == 0:
            return replace(page, failure=Failure.GONE)
        typical = PAGE_LENGTHS[number % len(PAGE_LENGTHS)]
        length = (SHORT, typical, LONG)[scenario]
        doubt = "supposed" if number % IN_DOUBT[scenario] == 0 else ""
        return Page(url, _filling(length).replace("NUMBER", f"{number:06}"), doubt=doubt)


MOST_SEEN: Final = 500
"""Pages that are held; those of one report are asked for again and again."""


@dataclass(frozen=True)
class PagesIn:
    """Expected pages, as they are in one scenario."""

    pages: ExpectedPages
    scenario: Scenario

    async def get(self, url: str) -> Page | NoPage:
        """The page, or a stand-in."""
        return await self.pages.get(url, self.scenario)


@cache
def _filling(length: int) -> str:
    """The text of a page of so many characters, of which no two sentences say the same."""
    sentence = "Sentence {} of page NUMBER has words that nobody has read yet.\n"
    return "".join(map(sentence.format, range(10_000, 10_000 + length // 66)))


class FoundVerdicts:
    """Verdicts that are kept, and those of this estimate, which nobody keeps."""

    def __init__(self, verdicts: SupportStore | None) -> None:
        self._verdicts = verdicts
        self._assumed: dict[str, StoredVerdict] = {}
        self.turn = Turns()

    async def find_all(self, keys: Iterable[str]) -> dict[str, StoredVerdict]:
        """The verdicts under these keys, as far as there are any."""
        wanted = list(keys)
        kept = await self._verdicts.find_all(wanted) if self._verdicts is not None else {}
        return {key: self._assumed[key] for key in wanted if key in self._assumed} | dict(kept)

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        """Remember them while the estimate is made: who asks the same again need not pay."""
        self._assumed.update((each.key, each) for each in verdicts)
