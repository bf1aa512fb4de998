"""What is seen while a case is carried out: the models that were served, and the snapshots.

A question that the recipe does not have is refused here.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from deepassay.models.ask import Answer, Answers, Asker
from deepassay.models.operation import In, Operation, Out
from deepassay.protocols.protocol import RoleAskers, Sources, SupportStore
from deepassay.runfile import StoredVerdict
from deepassay.score import Json, Unscored
from deepassay.sources.page import NoPage, Page, Pages


@dataclass
class ServedModels:
    """Who answered. names: by a model's name, those that its provider says it served.

    batched: models of which answers came in batches.
    """

    names: dict[str, set[str]] = field(default_factory=dict)
    batched: set[str] = field(default_factory=set)

    def note(self, model: str, served: str, batched: bool) -> None:
        """Note that `served` answered in the name of `model`, and whether in a batch."""
        self.names.setdefault(model, set()).add(served)
        if batched:
            self.batched.add(model)


class CaseWatch:
    """Takes note of one case. Put its roles and sources in place of those that are watched.

    operations: what may be asked, see `Protocol.operations`.
    """

    def __init__(self, answers: Answers, operations: Iterable[Operation[Any, Any]]) -> None:
        self._answers = answers
        self._declared = frozenset(each.digest("en") for each in operations)
        self._served = ServedModels()
        self._pages: dict[str, str] = {}

    def roles(self, roles: RoleAskers) -> RoleAskers:
        """RoleAskers that ask these, and note which models were served."""
        return RoleAskers(
            *(_WatchedAsker(each, self._served, self._declared) for each in vars(roles).values())
        )

    def sources(self, sources: Sources) -> Sources:
        """Sources that look into these, and note snapshots and who gave the verdicts."""
        return Sources(
            _WatchedPages(sources.pages, self._pages),
            _WatchedVerdicts(sources.verdicts, self._answers, self._served),
        )

    @property
    def record(self) -> dict[str, Json]:
        """The models that providers say they served, in batches or not, and the snapshots."""
        served = {model: sorted(names) for model, names in sorted(self._served.names.items())}
        batched = {"batched": sorted(self._served.batched)} if self._served.batched else {}
        pages = {"pages": dict(sorted(self._pages.items()))} if self._pages else {}
        return {"served": served, **batched, **pages}


class _WatchedAsker:
    """An asker that remembers which models the provider says it served.

    declared: digests of what may be asked.
    """

    def __init__(self, asker: Asker, served: ServedModels, declared: Container[str]) -> None:
        self._asker = asker
        self._served = served
        self._declared = declared

    @property
    def identity(self) -> Mapping[str, Json]:
        return self._asker.identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
    ) -> Answer[Out] | Unscored:
        """Ask. Raises LookupError for a question that is no part of the recipe of the score."""
        if operation.digest("en") not in self._declared:
            raise LookupError(f"{operation.name} is asked: name it in operations()")
        answer = await self._asker(operation, inputs, repeat=repeat, most=most)
        if isinstance(answer, Answer):
            self._served.note(str(self.identity["model"]), answer.model, answer.batched)
        return answer


class _WatchedVerdicts:
    """Verdicts that remember who gave them, so that one found is recorded like one asked for."""

    def __init__(self, verdicts: SupportStore, answers: Answers, served: ServedModels) -> None:
        self._verdicts = verdicts
        self._answers = answers
        self._served = served
        self._known: set[str] = {""}  # the answer of a verdict that failed

    def turn(self, names: Sequence[str]) -> AbstractAsyncContextManager[Sequence[str]]:
        return self._verdicts.turn(names)

    async def find_all(self, keys: Iterable[str]) -> Mapping[str, StoredVerdict]:
        verdicts = await self._verdicts.find_all(keys)
        for key in dict.fromkeys(verdict.answer for verdict in verdicts.values()):
            if key not in self._known:
                self._known.add(key)
                if (answer := await self._answers.look_up(key)) is not None:
                    served = answer.served_model or answer.model
                    self._served.note(answer.model, served, answer.batched)
        return verdicts

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
