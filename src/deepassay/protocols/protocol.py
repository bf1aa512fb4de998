"""What a protocol is: a frozen value whose name is how one writes it.

`Coverage()` is written `coverage`, `Presentation(mechanical=True)` is written
`presentation(mechanical=True)`: in code, on the command line and in every table. It makes scores of
cases; `ScoreDetails` is what it keeps beside one.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import Field, dataclass, fields, replace
from importlib.resources import files
from inspect import CORO_CREATED, getcoroutinestate
from typing import Any, ClassVar, Final, Literal, Self, TypeVar, get_args
from typing import Protocol as Shape

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.models.panel import combine
from deepassay.plugins import code_of, module_and_name
from deepassay.reports.report import Report
from deepassay.results.evidence import DetailsObject, EvidenceItem, Number, PageVisit
from deepassay.runfile import StoredVerdict
from deepassay.score import Direction, Json, Metric, Score, Unscored
from deepassay.sources.page import Pages
from deepassay.tasks.task import Task

Edition = Literal["paper", "code"]

PROMPTS: Final = files(__package__) / "prompts"
"""The prompt files of this room."""


@dataclass(frozen=True)
class Case:
    """One report to be scored for one task.

    repeat: which of several independent judgements. reference: the report that it is held
    against, where a protocol compares and there is one. rival: the baseline agent's report for
    the same task, for a protocol that compares pairs.
    """

    task: Task
    report: Report
    repeat: int = 0
    reference: Report | None = None
    rival: Report | None = None


class ScoreDetails(DetailsObject):
    """What protocols keep in the details of a score; `OutcomeEvidence` reads it. None: not kept.

    A protocol that keeps more adds fields in a class of its own. items: what was decided one by
    one. low, high: the value, had all that is open gone badly, and well. open: whether some item
    has no verdict. again: whether it may come out otherwise if it is tried again. summary: a
    sentence on what the items come to. windows: of how many the report was read. quotes_not_found:
    how many were left out. page_classes: cited addresses by what came back. pages: each of them.
    quirks: peculiarities of the released program that fired.
    """

    items: tuple[EvidenceItem, ...] | None = None
    low: Number | None = None
    high: Number | None = None
    open: bool | None = None
    again: bool | None = None
    summary: str | None = None
    windows: int | None = None
    quotes_not_found: int | None = None
    page_classes: Mapping[str, int] | None = None
    pages: tuple[PageVisit, ...] | None = None
    quirks: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Json]:
        """What is kept, as the run file has it."""
        return {name: each for name, each in super().to_json().items() if each is not None}


Role = Literal["judge", "extractor", "cleaner", "maker", "verifier"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)


@dataclass(frozen=True)
class RoleAskers:
    """Who plays which role for a protocol. A panel of judges is asked one judge at a time.

    verifier: says whether a page supports a statement; the judge does, unless one is named.
    """

    judge: Asker
    extractor: Asker
    cleaner: Asker
    maker: Asker
    verifier: Asker

    @classmethod
    def alone(cls, asker: Asker) -> Self:
        """One model in every role."""
        return cls(**dict.fromkeys(ROLES, asker))


class SupportStore(Shape):
    """Where support verdicts are kept: a row for each statement, page, judge and prompt."""

    def turn(self, names: Sequence[str]) -> AbstractAsyncContextManager[Sequence[str]]:
        """Of what is named, what nobody else judges, as soon as there is some: to be judged within.

        Who comes to the others later finds their rows.
        """
        ...

    async def find_all(self, keys: Iterable[str]) -> Mapping[str, StoredVerdict]:
        """The verdicts under these keys, as far as there are any."""
        ...

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        """Keep verdicts; one that is there already stays as it is."""
        ...


@dataclass(frozen=True)
class Sources:
    """What reports cite, and what was said of it before."""

    pages: Pages
    verdicts: SupportStore


@dataclass(frozen=True)
class Protocol(ABC):
    """How a report is scored. Subclasses are frozen dataclasses; their fields are its options.

    name: how it is written. title, source: what it measures and where it was published. needs:
    what it has to be given beside reports. calls: what it asks, as a rule.
    bounds: lowest and highest value of its score, or None. editions: in which it exists.
    beside: whether it is an analysis beside the metrics, which is made only where it is named.
    offline_reads, importance: see `Metric`.
    effects: which way its metrics should move under a perturbation, see `protocols.effects`.
    Subclasses are decorated with `@dataclass(frozen=True, repr=False)`, to keep this repr.
    """

    edition: Edition = "paper"

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    needs: ClassVar[str] = ""
    calls: ClassVar[str] = ""
    bounds: ClassVar[tuple[float, float] | None] = None
    editions: ClassVar[tuple[Edition, ...]] = ("paper", "code")
    beside: ClassVar[bool] = False
    importance: ClassVar[int] = 0
    effects: ClassVar[Mapping[str, Mapping[str, Direction]] | None] = None

    def __post_init__(self) -> None:
        if self.edition not in self.editions:
            raise BadSetting(
                f"{self.name} has no edition {self.edition!r}.",
                f"Its editions: {', '.join(self.editions)}.",
            )

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that it asks with these options."""
        return ("judge",)

    @property
    def reads_pages(self) -> bool:
        """Whether it looks at what reports cite, with these options."""
        return False

    @property
    def held_against(self) -> Collection[str] | None:
        """States of cited pages that count against the report; it leaves out all others unread.

        None where it is neither: the protocol tells of such pages itself.
        """
        return ()

    @property
    def offline_reads(self) -> bool:
        """Whether the offline judge tells good from bad with these options."""
        return True

    @property
    def cleans(self) -> bool:
        """Whether it takes citations out of a report before anybody is asked."""
        return False

    @property
    def pools(self) -> bool:
        """Whether the score of an agent is one share over the items of all its reports."""
        return False

    @property
    def rules(self) -> dict[str, int]:
        """Versions of our own rules that decide a score beside what models answer."""
        return {}

    @abstractmethod
    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Score one report with one judge. A pure function of case, answers and pages."""

    @abstractmethod
    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """What it asks; their digests are part of the signature. Other questions are refused."""

    def lacks(self, case: Case) -> str:
        """What is missing without which no such case can be scored, in a sentence, or nothing."""
        return ""

    def is_settled(self, case: Case) -> bool:
        """Whether the score of a case is what it is by definition, so that nobody judges it."""
        return False

    def basis(self, case: Case) -> dict[str, str]:
        """Digests of what decides the score besides prompt and report, e.g. a checklist."""
        return {}

    def made_basis(self, details: Mapping[str, Json]) -> dict[str, str]:
        """Digests of what decided a score and was made on the way to it, from its details."""
        return {}

    @property
    def code(self) -> str:
        """Which code computes it, where that is not ours: a part of the recipe, see `code_of`."""
        kind = type(self)
        if kind.__module__.partition(".")[0] == "deepassay":
            return ""
        return f"{module_and_name(kind)} {code_of(kind)}".strip()

    @property
    def definition(self) -> str:
        """The text that defines it, where that is a file instead of code."""
        return ""

    def describe(self) -> Metric:
        """What a run file keeps of it, so that reading the file does not need this class."""
        return Metric(
            str(self),
            self.title,
            self.source,
            self.bounds,
            roles=self.roles,
            reads_pages=self.reads_pages,
            offline_reads=self.offline_reads,
            pools=self.pools,
            importance=self.importance,
            definition=self.definition,
            code=self.code or module_and_name(self),
        )

    def combine(self, outcomes: Mapping[str, Score | Unscored]) -> Score | Unscored:
        """One outcome from those of a panel, by the names of its judges."""
        return combine(outcomes)

    def __str__(self) -> str:
        """The name with every option that is not the default: `presentation(mechanical=True)`."""
        return self._written(fields(self))

    @property
    def without_edition(self) -> str:
        """The name with every option but the edition, which recipes have beside it."""
        return self._written([f for f in fields(self) if f.name != "edition"])

    def _written(self, options: Sequence[Field[Any]]) -> str:
        given = [
            f"{f.name}={getattr(self, f.name)!r}"
            for f in options
            if getattr(self, f.name) != f.default
        ]
        return f"{self.name}({', '.join(given)})" if given else self.name

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Pairwise(Protocol):
    """A protocol that holds each agent's reports against those of one other, the baseline.

    baseline: the name of that agent. Without one, a run makes such a protocol for every agent.
    """

    baseline: str = ""

    def excuses(self, agent: str) -> bool:
        """Whether it has nothing to say of an agent: the baseline is not held against itself."""
        return agent == self.baseline

    def describe(self) -> Metric:
        """What a run file keeps of it, the baseline too."""
        return replace(super().describe(), baseline=self.baseline)


MOST_AT_ONCE: Final = 32
"""Pieces of work on one report that are done at a time, each with the text that it is about."""

Outcome = TypeVar("Outcome")


async def gather_limited(work: Iterable[Coroutine[Any, Any, Outcome]]) -> list[Outcome]:
    """What comes of every piece of work, in their order; MOST_AT_ONCE of them run at a time."""
    room, pieces = asyncio.Semaphore(MOST_AT_ONCE), [*work]

    async def one(piece: Awaitable[Outcome]) -> Outcome:
        async with room:
            return await piece

    try:
        return await asyncio.gather(*map(one, pieces))
    finally:
        for piece in pieces:  # where it was stopped, nobody comes to those whose turn was not yet
            if getcoroutinestate(piece) == CORO_CREATED:
                piece.close()
