"""Pages and verdicts for an estimate: what is kept, and stand-ins for what is not there yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.protocols.protocol import Verdicts
from deepassay.runfile import StoredVerdict
from deepassay.sources.page import Failure, NoPage, Page, Pages

TYPICAL_PAGE: Final = 30_000
"""Characters of a page that nobody has seen yet: an article or a paper's first sections."""


class AssumedPages:
    """Pages that are kept, and for each other address one of typical length."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self.assumed: set[str] = set()

    async def get(self, url: str) -> Page | NoPage:
        """The page, or a stand-in where it was not fetched."""
        page = await self._pages.get(url)
        if isinstance(page, NoPage) and page.failure is Failure.NOT_ARCHIVED:
            self.assumed.add(url)
            return Page(url, f"{url}\n" + "lorem ipsum " * (TYPICAL_PAGE // 12))
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
