"""Pages and verdicts for an estimate: what is kept, and stand-ins for what is not there yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.protocols.protocol import Verdicts
from deepassay.runfile import StoredVerdict
from deepassay.sources.page import Failure, NoPage, Page, Pages

TYPICAL_PAGE: Final = 30_000
"""Characters of a page that nobody has seen yet: an article or a paper's first sections."""


TYPICAL_POINTS: Final = 8
"""Sentences of it that bear on the task for which it is cited."""

LONGEST_POINT: Final = 200
"""Characters of the task that such a sentence repeats."""


class AssumedPages:
    """Pages that are kept, and for each other address one of typical length.

    query: the task for which they are cited. assumed: the addresses of stand-ins, over all tasks,
    with the number of their first sentence: no two of them say the same.
    """

    def __init__(
        self, pages: Pages, query: str = "", assumed: dict[str, int] | None = None
    ) -> None:
        self._pages = pages
        self._query = " ".join(query[:LONGEST_POINT].split())
        self.assumed: dict[str, int] = {} if assumed is None else assumed

    def about(self, query: str) -> AssumedPages:
        """The same pages, as they are cited for this task."""
        return AssumedPages(self._pages, query, self.assumed)

    async def get(self, url: str) -> Page | NoPage:
        """The page, or a stand-in where it was not fetched."""
        page = await self._pages.get(url)
        if isinstance(page, NoPage) and page.failure is Failure.NOT_ARCHIVED:
            first = self.assumed.setdefault(url, TYPICAL_POINTS * len(self.assumed))
            numbers = range(first, first + TYPICAL_POINTS)
            about = self._query.strip(".?!。？！")
            points = "".join(f"{about}: {number}.\n\n" for number in numbers)
            filling = "lorem ipsum " * ((TYPICAL_PAGE - len(points)) // 12)
            return Page(url, f"{url}\n\n{points}{filling}")
        return page


class FoundVerdicts:
    """Verdicts that are kept, and those of this estimate, which nobody keeps."""

    def __init__(self, verdicts: Verdicts) -> None:
        self._verdicts = verdicts
        self._assumed: dict[str, StoredVerdict] = {}

    def find(self, key: str) -> StoredVerdict | None:
        """The verdict under this key."""
        return self._verdicts.find(key) or self._assumed.get(key)

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        """Remember them while the estimate is made: who asks the same again need not pay."""
        self._assumed.update((each.key, each) for each in verdicts)
