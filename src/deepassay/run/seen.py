"""Who answered and which pages were read while one case was scored: for the score's record."""

from __future__ import annotations

from collections.abc import Mapping

from deepassay.models.ask import Answer, Asker
from deepassay.models.operation import In, Operation, Out
from deepassay.protocols.protocol import Roles, Sources
from deepassay.score import Json, Unscored
from deepassay.sources.page import NoPage, Page, Pages


class Seen:
    """Takes note of one case. Put its roles and sources in place of those that are watched."""

    def __init__(self) -> None:
        self._served: dict[str, set[str]] = {}
        self._pages: dict[str, str] = {}

    def roles(self, roles: Roles) -> Roles:
        """The same roles, watched."""
        return Roles(*(_Heard(each, self._served) for each in vars(roles).values()))

    def sources(self, sources: Sources) -> Sources:
        """The same sources, watched."""
        return Sources(_Visited(sources.pages, self._pages), sources.verdicts)

    @property
    def record(self) -> dict[str, Json]:
        """The models that providers say they served, and the snapshot of each page."""
        served = {model: sorted(names) for model, names in sorted(self._served.items())}
        pages = {"pages": dict(sorted(self._pages.items()))} if self._pages else {}
        return {"served": served, **pages}


class _Heard:
    """An asker that remembers which models the provider says it served."""

    def __init__(self, asker: Asker, served: dict[str, set[str]]) -> None:
        self._asker = asker
        self._served = served

    @property
    def identity(self) -> Mapping[str, Json]:
        """That of the asker."""
        return self._asker.identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0
    ) -> Answer[Out] | Unscored:
        """Ask, and take note of who answered."""
        answer = await self._asker(operation, inputs, repeat=repeat)
        if isinstance(answer, Answer):
            self._served.setdefault(str(self.identity["model"]), set()).add(answer.model)
        return answer


class _Visited:
    """Pages that remember which snapshot was handed out under each address."""

    def __init__(self, pages: Pages, captures: dict[str, str]) -> None:
        self._pages = pages
        self._captures = captures

    async def get(self, url: str) -> Page | NoPage:
        """The page, of which a note is taken."""
        page = await self._pages.get(url)
        self._captures[url] = page.capture
        return page
