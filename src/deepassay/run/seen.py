"""Who answered and which pages were read while one case was scored: for the score's record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepassay.models.ask import Answer, Asker
from deepassay.models.operation import In, Operation, Out
from deepassay.protocols.protocol import Roles, Sources, Verdicts
from deepassay.runfile import RunFile, StoredVerdict
from deepassay.score import Json, Unscored
from deepassay.sources.page import NoPage, Page, Pages

Served = dict[str, set[str]]
"""By the name of a model, the names that its provider says it served."""


class Seen:
    """Takes note of one case. Put its roles and sources in place of those that are watched."""

    def __init__(self, run: RunFile) -> None:
        self._run = run
        self._served: Served = {}
        self._pages: dict[str, str] = {}

    def roles(self, roles: Roles) -> Roles:
        """The same roles, watched."""
        return Roles(*(_WatchedAsker(each, self._served) for each in vars(roles).values()))

    def sources(self, sources: Sources) -> Sources:
        """The same sources, watched."""
        return Sources(
            _WatchedPages(sources.pages, self._pages),
            _WatchedVerdicts(sources.verdicts, self._run, self._served),
        )

    @property
    def record(self) -> dict[str, Json]:
        """The models that providers say they served, and the snapshot of each page."""
        served = {model: sorted(names) for model, names in sorted(self._served.items())}
        pages = {"pages": dict(sorted(self._pages.items()))} if self._pages else {}
        return {"served": served, **pages}


class _WatchedAsker:
    """An asker that remembers which models the provider says it served."""

    def __init__(self, asker: Asker, served: Served) -> None:
        self._asker = asker
        self._served = served

    @property
    def identity(self) -> Mapping[str, Json]:
        return self._asker.identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0
    ) -> Answer[Out] | Unscored:
        answer = await self._asker(operation, inputs, repeat=repeat)
        if isinstance(answer, Answer):
            self._served.setdefault(str(self.identity["model"]), set()).add(answer.model)
        return answer


class _WatchedVerdicts:
    """Verdicts that remember who gave them, so that one found is recorded like one asked for."""

    def __init__(self, verdicts: Verdicts, run: RunFile, served: Served) -> None:
        self._verdicts = verdicts
        self._run = run
        self._served = served
        self._known: set[str] = {""}  # the answer of a verdict that failed

    def find(self, key: str) -> StoredVerdict | None:
        verdict = self._verdicts.find(key)
        if verdict is not None and verdict.answer not in self._known:
            self._known.add(verdict.answer)
            if (answer := self._run.answer(verdict.answer)) is not None:
                served = answer.served_model or answer.model
                self._served.setdefault(answer.model, set()).add(served)
        return verdict

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        await self._verdicts.keep(verdicts)


class _WatchedPages:
    """Pages that remember which snapshot was handed out under each address."""

    def __init__(self, pages: Pages, captures: dict[str, str]) -> None:
        self._pages = pages
        self._captures = captures

    async def get(self, url: str) -> Page | NoPage:
        page = await self._pages.get(url)
        self._captures[url] = page.capture
        return page
