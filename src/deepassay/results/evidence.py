"""What protocols keep in the details of a score, as types: here alone details are read.

`EvidenceItem.to_json` keeps just the fields that were given; a new field has a default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from deepassay.errors import BadInput
from deepassay.results.records import Judged, differing
from deepassay.runfile.rows import RENAMED
from deepassay.score import Cause, Json, Score, Unscored

if TYPE_CHECKING:
    from deepassay.results.rewards import RatedCompletions
    from deepassay.results.weighing import GradedCriterion

Number = int | float

RELEASED_COUNTS: Final = "released_counts"
"""Under which name details hold the counts of the other edition, if they do."""


class DetailsObject(BaseModel):
    """A JSON object in details; what a field is not declared for is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    def to_json(self) -> dict[str, Json]:
        """The fields that were given, as the run file keeps them."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @classmethod
    def read(cls, kept: Json) -> Self:
        """What was kept. Raises BadInput for what a protocol should not have written."""
        try:
            return cls.model_validate(kept)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "all of it"
            raise BadInput(
                f"The details of a score hold what cannot be read: {where}: {first['msg']}.",
                "Correct the protocol that wrote it, and evaluate again.",
            ) from None


class ReportPlace(DetailsObject):
    """A place in the report. line, column: from 1. code: of the rule that found it."""

    line: int
    column: int
    message: str
    code: str = ""


class EvidenceItem(DetailsObject):
    """One criterion, check, statement or issue, and what was decided on it.

    key: unique among the items of a score. item: its wording. score: how far it is met, None while
    it is open. verdict: in a word, where there is one besides; answer: that word alone, where the
    verdict says more. dimension, reference: of a criterion
    that is marked on a scale, with the mark of the reference. axis, weight, mandatory: of a rubric.
    cause: why it is open. depth: in a tree, below the item before that has less. state: of a page
    at the top of a tree. url, urls: pages that it was judged by. quotes, spans: what it quotes.
    """

    key: str = ""
    item: str = ""
    score: Number | None = None
    verdict: JsonValue = None
    answer: str | None = None
    justification: JsonValue = None
    dimension: str | None = None
    reference: Number | None = None
    axis: str | None = None
    weight: Number | None = None
    mandatory: bool | None = None
    cause: str | None = None
    depth: int = 0
    state: str = ""
    decided_by: str | None = None
    url: str | None = None
    urls: tuple[str, ...] | None = None
    quotes: tuple[str, ...] | None = None
    spans: tuple[str, ...] | None = None
    places: tuple[ReportPlace, ...] | None = None

    def has(self, field: str) -> bool:
        """Whether the field was given, if only as null."""
        return field in self.model_fields_set

    @property
    def reason(self) -> str:
        """The justification as a text."""
        return str(self.justification or "")

    @cached_property
    def of_rubric(self) -> bool:
        """Whether it is a criterion of a weighted rubric."""
        return {"axis", "weight", "mandatory"} <= self.model_fields_set

    @cached_property
    def graded(self) -> GradedCriterion:
        """The item as a criterion of a weighted rubric."""
        from deepassay.results.weighing import GradedCriterion

        kept = (self.key, self.axis, self.weight, self.mandatory, self.verdict, self.cause)
        return GradedCriterion.kept(*kept)


class PageVisit(DetailsObject):
    """A page that a protocol came to. state: `read`, or why not; detail: the same as a sentence."""

    url: str
    state: str
    detail: str = ""


class PairOfJudges(DetailsObject):
    """Two judges of a panel: verdicts that both gave, and on how many they agree."""

    judges: tuple[str, ...]
    verdicts: int
    agreed: int


class PairTotals(DetailsObject):
    """Mean marks of two reports that are compared."""

    own: float
    baseline: float


class Ratings(DetailsObject):
    """Ratings of the completions of a prompt, of which the first `correct` are right."""

    ratings: tuple[Number, ...]
    correct: int

    @property
    def rated(self) -> RatedCompletions:
        """The right and the wrong ones."""
        from deepassay.results.rewards import RatedCompletions

        return RatedCompletions(self.ratings[: self.correct], self.ratings[self.correct :])


class Stages(DetailsObject):
    """Pages by how far they came, each stage a part of the one before.

    findable: those that answer the task, None where that is not known.
    """

    findable: int | None = None
    found: int = 0
    opened: int = 0
    cited: int = 0


class Funnel(DetailsObject):
    """What became of pages between search and report, see `protocols.retrieval`.

    pages: all that were seen. relevant: those that answer the task, None where they are not known.
    unopened: addresses that are cited and were never opened. lost: those that are cited and
    dead or blocked. closed: those that are relevant, dead or blocked, and were never opened; these
    are not findable.
    """

    pages: Stages
    relevant: Stages | None = None
    unopened: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


class OutcomeEvidence(NamedTuple):
    """The details of one outcome. Each property reads its own entry when it is asked for."""

    details: Mapping[str, Json]

    @property
    def judges(self) -> Mapping[str, JudgeOutcome]:
        """What each judge of a panel came to; empty where no panel judged."""
        kept = self.details.get("judges")
        return {name: JudgeOutcome.of(each) for name, each in kept.items()} if kept else {}

    @property
    def items(self) -> tuple[EvidenceItem, ...]:
        """All items, in the order in which they were kept."""
        kept = self.details.get("items") or ()
        # As a tuple they were read before, by who asks for them again.
        return kept if isinstance(kept, tuple) else tuple(map(EvidenceItem.read, kept))

    @property
    def item_count(self) -> int:
        """How many items there are."""
        return len(self.details.get("items") or ())

    @property
    def found_nothing(self) -> bool:
        """Whether items were looked for and there are none."""
        return self.details.get("items") == []

    @property
    def counts(self) -> Mapping[str, int] | None:
        """Pairs of statement and address by what became of them; see `citations.COUNTS`."""
        counts: Mapping[str, int] | None = self.details.get("counts")
        if not counts or RENAMED.keys().isdisjoint(counts):
            return counts
        return {RENAMED.get(name, name): count for name, count in counts.items()}

    @property
    def pairs_by_rule(self) -> bool:
        """Whether statements and addresses were paired by code instead of by a model."""
        return self.details.get("statements_by") == "mechanical"

    @property
    def dropped(self) -> int | None:
        """Statements of a model that are not in the report; None where no pairs are judged."""
        return self.details.get("dropped")

    @property
    def released_counts(self) -> Mapping[str, int] | None:
        """How the released program counts published verdicts: None where it stops, or `counts`."""
        kept = self.details.get(RELEASED_COUNTS, self.counts)
        return None if kept is None else dict(kept)

    @property
    def released_stops(self) -> bool:
        """Whether the released program stops at the file that this was published in."""
        return RELEASED_COUNTS in self.details and self.details[RELEASED_COUNTS] is None

    @property
    def page_classes(self) -> Mapping[str, int]:
        """Cited addresses by what came back; see `cited_pages`. Earlier versions kept none."""
        return self.details.get("page_classes") or {}

    @property
    def funnel(self) -> Funnel | None:
        """Pages that were found, opened and cited, where an agent was seen to search."""
        kept = self.details.get("funnel")
        return Funnel.read(kept) if kept else None

    @property
    def errors(self) -> Mapping[str, int] | None:
        """Citation errors of one report, see `citation_errors.COLUMNS`."""
        return self.details.get("errors")

    @property
    def agreement(self) -> tuple[PairOfJudges, ...]:
        """How far the judges of a panel agree on verdicts, pair by pair."""
        return tuple(map(PairOfJudges.read, self.details.get("agreement") or ()))

    @property
    def baseline(self) -> str:
        """The agent that the report was held against; empty where no pairs are compared."""
        return str(self.details.get("baseline") or "")

    @property
    def winner(self) -> str | None:
        """Of a pair: `own`, `baseline` or `tie`."""
        return self.details.get("winner")

    @property
    def games(self) -> tuple[str, ...] | None:
        """Of a pair, who won in each order: `own`, `baseline` or `tie`; None where none is kept."""
        return None if (games := self.details.get("games")) is None else tuple(games)

    @property
    def consistent(self) -> bool:
        """Whether both orders name one winner."""
        return bool(self.details.get("consistent", True))

    @property
    def totals(self) -> PairTotals | None:
        """Mean marks of both reports of a pair."""
        totals = self.details.get("totals")
        return PairTotals.read(totals) if totals and "own" in totals else None

    @property
    def weighing(self) -> tuple[Mapping[str, float], Mapping[str, Json]]:
        """Of marked criteria: what each dimension weighs, and the weighted totals."""
        return self.details.get("dimension_weight") or {}, self.details.get("totals") or {}

    @property
    def limits(self) -> tuple[float, float] | None:
        """What the value could be, had all that is open gone badly, and well."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def low(self) -> float | None:
        """The value, had all that is open gone badly."""
        return self.details.get("low")

    @property
    def high(self) -> float | None:
        """The value, had all that is open gone well."""
        return self.details.get("high")

    @property
    def is_open(self) -> bool:
        """Whether some item has no verdict."""
        return bool(self.details.get("open"))

    @property
    def lists_issues(self) -> bool:
        """Whether its items are issues that were found."""
        return "issues" in self.details

    @property
    def quirks(self) -> tuple[str, ...]:
        """Peculiarities of the released program that fired."""
        return tuple(self.details.get("quirks") or ())

    @property
    def not_asked(self) -> str:
        """Why nobody was asked; empty where somebody was."""
        return str(self.details.get("not_asked") or "")

    @property
    def summary(self) -> str:
        """A sentence on what the items come to."""
        return str(self.details.get("summary") or "")

    @property
    def visits(self) -> tuple[PageVisit, ...]:
        """The pages that the protocol came to."""
        return tuple(map(PageVisit.read, self.details.get("pages") or ()))


class JudgeOutcome(NamedTuple):
    """What one judge, or a panel together, came to: a value, or a cause and a sentence."""

    value: float | None
    cause: Cause | None
    detail: str
    bounds: tuple[float, float] | None
    parts: Mapping[str, float | None]
    tally: tuple[float, float] | None
    evidence: OutcomeEvidence

    @classmethod
    def of(cls, kept: Mapping[str, Json]) -> JudgeOutcome:
        """An outcome as `score.to_json` wrote it."""
        bounds, tally = kept.get("bounds"), kept.get("tally")
        return cls(
            kept.get("value"),
            Cause(kept["cause"]) if "cause" in kept else None,
            str(kept.get("detail") or ""),
            tuple(bounds) if bounds else None,
            kept.get("parts") or {},
            tuple(tally) if tally else None,
            OutcomeEvidence(kept.get("details") or {}),
        )


TOGETHER: Final = ""
"""The name under which `panel_then_judges` has what a panel, or the only judge, came to."""


def reading_of(outcome: Score | Unscored) -> JudgeOutcome:
    """An outcome with its details as types."""
    evidence = OutcomeEvidence(outcome.details)
    if isinstance(outcome, Unscored):
        return JudgeOutcome(None, outcome.cause, outcome.detail, None, {}, None, evidence)
    return JudgeOutcome(
        outcome.value, None, "", outcome.bounds, outcome.parts, outcome.tally, evidence
    )


def evidence_of(record: Judged) -> OutcomeEvidence:
    """The details of a judgement."""
    return OutcomeEvidence(record.outcome.details)


def baseline_of(records: Iterable[Judged]) -> str:
    """The agent that others are held against, or nothing where no pairs are compared."""
    return next((name for each in differing(records) if (name := evidence_of(each).baseline)), "")


def single_outcomes(record: Judged) -> list[JudgeOutcome]:
    """What each judge of a panel came to; of an outcome without panel, that outcome alone."""
    whole = reading_of(record.outcome)
    judges = whole.evidence.judges
    return list(judges.values()) if judges else [whole]


def panel_then_judges(record: Judged) -> Iterator[tuple[str, JudgeOutcome]]:
    """The outcome, under the name TOGETHER, then that of each judge of a panel."""
    whole = reading_of(record.outcome)
    yield TOGETHER, whole
    yield from whole.evidence.judges.items()
