"""What reports for a task are held against, as values: criteria, rubric, items, works, remarks.

Each has a file in which people write it, and a module that reads and writes that: `criteria`,
`rubric`, `ace`, `bibliography`, `feedback`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from deepassay.score import Json, canonical_json, digest
from deepassay.tasks.fields import Misplaced, Record, Text, Writable, brief_text

if TYPE_CHECKING:
    from deepassay.results.weighing import Level


def yardstick_digest(entries: Sequence[Record]) -> str:
    """SHA-256 of everything that decides a score by a rubric, a checklist or a list of works."""
    return digest([each.model_dump(mode="json") for each in entries])


# ------------------------------------------------------------------ RACE's criteria

Dimension = Literal["comprehensiveness", "insight", "instruction_following", "readability"]

DIMENSIONS: Final[tuple[Dimension, ...]] = (
    "comprehensiveness",
    "insight",
    "instruction_following",
    "readability",
)

_FROM_ONE: Final = 0.005
"""How far from 1 weights may sum that people have edited; they are normalised when used."""

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class WeightedCriterion(Record):
    """One criterion of a dimension. weight: in [0, 1], of its dimension."""

    criterion: Text
    explanation: Writable = ""
    weight: Share


class Criteria(Record):
    """Weights of the four dimensions, summing to 1, and the criteria of each, likewise.

    The names of the fields are those of the published `criteria.jsonl`.
    """

    dimension_weight: Mapping[Dimension, Share]
    criterions: Mapping[Dimension, Annotated[tuple[WeightedCriterion, ...], Field(strict=False)]]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for field, found in (
            ("dimension_weight", self.dimension_weight),
            ("criterions", self.criterions),
        ):
            if missing := [name for name in DIMENSIONS if name not in found]:
                raise ValueError(f"{field} lacks {', '.join(missing)}")
        _refuse_other_sum("dimension_weight", self.dimension_weight.values())
        for name in DIMENSIONS:
            own = self.criterions[name]
            texts = [each.criterion.strip() for each in own]
            if len(set(texts)) < len(texts):
                raise ValueError(f"criterions of {name} hold the same criterion twice")
            _refuse_other_sum(f"criterions of {name}", [each.weight for each in own])
        return self

    @cached_property
    def canonical(self) -> str:
        """Its one spelling as JSON, see `canonical_json`."""
        return canonical_json(self.model_dump(mode="json"))

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hexadecimal."""
        return digest(self.canonical)


def _refuse_other_sum(what: str, weights: Iterable[float]) -> None:
    total = sum(weights)
    if abs(total - 1.0) > _FROM_ONE:
        raise ValueError(f"the weights of {what} sum to {total:.4g} and not to 1")


# ------------------------------------------------------------------ rubrics

HEAVIEST: Final = 5.0
"""Where Table 4's scale ends, of either sign."""

LARGEST: Final = 1e100
"""Of a weight, so that a sum of them is a number."""


def _written_out(identifier: Json) -> Json:
    whole = isinstance(identifier, int) and not isinstance(identifier, bool)
    return str(identifier) if whole else identifier


def _one_word(identifier: str) -> str:
    if identifier != "".join(identifier.split()):
        raise ValueError("must be one word, without blanks")
    return identifier


def _listed(said: Json) -> Json:
    return [said] if isinstance(said, str) else said


Texts = Annotated[tuple[Text, ...], Field(strict=False), BeforeValidator(_listed)]
"""A list of texts; a text alone is a list of one."""

Weight = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]


class Criterion(Record):
    """One line of a rubric (ResearchRubrics, section 3).

    id: unique in its rubric; `c1`, `c2`, … by order where a file gives none. weight: negative for
    a fault, which a good report does not have; 0 for what is judged and counts nothing; from -5 to
    5 on the scale of ResearchRubrics. axis: the kind of requirement, in the words of the file: an
    open vocabulary.

    What only some sets have: tags, more names that tables are cut by; importance, `vital` or
    `okay`; examples of what is meant; grades, its own number for each verdict, in place of weight
    times merit; within, its place in a tree, the
    names of what it stands in from the root on; critical, whether what it stands in fails with it.
    """

    id: Annotated[Writable, BeforeValidator(_written_out), AfterValidator(_one_word)] = ""
    criterion: Text
    weight: Weight
    axis: Writable = ""
    tags: Texts = ()
    importance: Writable = ""
    examples: Texts = ()
    grades: Mapping[str, Weight] = Field(default_factory=dict)
    within: Texts = ()
    critical: bool = False

    @model_serializer(mode="wrap")
    def _without_unset(self, whole: SerializerFunctionWrapHandler) -> dict[str, Json]:
        """Rubrics without what only some sets have are kept, and have the digest, that they had."""
        return {
            name: value
            for name, value in whole(self).items()
            if name in _OF_ALL or value not in ("", (), [], {}, False)
        }

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the parts of a score that it belongs to: its axis, and its tags."""
        return (*filter(None, (self.axis,)), *self.tags)

    def reworded(self, words: str) -> Criterion:
        """A copy of the criterion in other words; itself where these are its own."""
        return self if words == self.criterion else self.model_copy(update={"criterion": words})

    @property
    def mandatory(self) -> bool:
        """Whether a report stands or falls with it: a weight of 4 or more, of either sign."""
        from deepassay.results.weighing import MANDATORY  # only who describes criteria asks

        return abs(self.weight) >= MANDATORY

    @property
    def level(self) -> Level:
        """What its weight means (Table 4)."""
        from deepassay.results.weighing import level_of

        return level_of(self.weight)


_OF_ALL: Final = frozenset(("id", "criterion", "weight", "axis"))


def _identified(rubric: Sequence[Criterion]) -> tuple[Criterion, ...]:
    """Every criterion with an identifier of its own. Raises Misplaced for a duplicate."""
    identifiers: dict[str, int] = {}
    for number, each in enumerate(rubric, start=1):
        identifier = each.id or f"c{number}"
        if (first := identifiers.setdefault(identifier, number)) != number:
            raise Misplaced(
                number - 1,
                f"criterion {number} has the identifier {identifier!r} of criterion {first}",
            )
    return tuple(
        each if each.id else each.model_copy(update={"id": f"c{number}"})
        for number, each in enumerate(rubric, start=1)
    )


Rubric = Annotated[tuple[Criterion, ...], Field(strict=False), AfterValidator(_identified)]
"""The criteria of one task in their order, each with an identifier of its own."""


def odd_criteria(rubrics: Mapping[str, Sequence[Criterion]]) -> str:
    """What is odd of rubrics and taken as it stands, counted, with the first task where it is."""
    weightless: list[str] = []
    repeated: list[str] = []
    for task, rubric in rubrics.items():
        weightless += [task] * sum(not each.weight for each in rubric)
        words = {" ".join(each.criterion.split()) for each in rubric}
        repeated += [task] * (len(rubric) - len(words))
    heavy = [task for task, rubric in rubrics.items() for c in rubric if abs(c.weight) > HEAVIEST]
    if len(heavy) * 20 > sum(map(len, rubrics.values())):
        heavy = []  # the set has a scale of its own
    told = (
        (heavy, "beyond a weight of 5, where the scale of the others ends"),
        (weightless, "with the weight 0, which are judged and count nothing"),
        (repeated, "that repeat another one of their task word for word, each of which counts"),
    )
    return "; ".join(
        f"criteria {what}: {len(found)}, first in task {brief_text(found[0])}"
        for found, what in told
        if found
    )


# ------------------------------------------------------------------ ACE's checklists

Phase = Literal["Synthesize", "Design", "Evaluate"]
"""What a task of DeepResearch Arena is a part of."""

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)

FEWEST_ITEMS: Final = 3

MOST_ITEMS: Final = 6

_ABOUT_ONE: Final = 0.02
"""How far from 1 the weights may sum, which the paper wants to be approximately 1."""


class AceItem(Record):
    """One item. weight: above 0 and at most 1, its share of the whole."""

    title: Text
    description: Text
    weight: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


def checklist_flaw(items: Sequence[AceItem]) -> str:
    """What is wrong with items as a checklist, in words, or nothing."""
    if not FEWEST_ITEMS <= len(items) <= MOST_ITEMS:
        return f"has {len(items)} items; {FEWEST_ITEMS} to {MOST_ITEMS} are needed"
    titles = [" ".join(each.title.casefold().split()) for each in items]
    if twice := next((title for title in titles if titles.count(title) > 1), ""):
        return f"has the title {twice!r} twice"
    total = sum(each.weight for each in items)
    if abs(total - 1) > _ABOUT_ONE + 1e-9:
        return f"has weights that sum to {total:.4g}; they must sum to 1"
    return ""


def _right_items(items: tuple[AceItem, ...]) -> tuple[AceItem, ...]:
    if flaw := checklist_flaw(items):
        raise ValueError(flaw)
    return items


AceChecklist = Annotated[tuple[AceItem, ...], Field(strict=False), AfterValidator(_right_items)]
"""The items of one task in their order."""


def shares_of(items: Sequence[AceItem]) -> list[float]:
    """The weights, brought to the sum 1."""
    total = sum(each.weight for each in items)
    if abs(total - 1) < 1e-9:  # a last digit is no reason to change what people have read
        return [each.weight for each in items]
    return [each.weight / total for each in items]


# ------------------------------------------------------------------ works that an expert cites

_BARE_IDENTIFIER: Final = re.compile(
    r"\s*(?:(?P<doi>10\.\d{4,9}/\S+)|(?P<arxiv>\d{4}\.\d{4,5}|[a-z.\-]{2,20}/\d{7})(?:v\d+)?)\s*",
    re.IGNORECASE,
)


def _as_mapping(given: Json) -> Json:
    return {"title": given} if isinstance(given, str) else given


class ListedWork(Record):
    """A work that an expert cites. doi, arxiv: as written, also as addresses."""

    title: Writable = ""
    doi: Writable = ""
    arxiv: Writable = ""

    @model_validator(mode="after")
    def _says_which(self) -> ListedWork:
        if not (self.title.strip() or self.identifiers):
            raise ValueError("has neither a title nor a DOI nor an arXiv number")
        return self

    @property
    def identifiers(self) -> frozenset[str]:
        """Its DOIs and arXiv numbers, as `identifiers_in` spells them."""
        return identifiers_of_work(self.doi) | identifiers_of_work(self.arxiv)

    @property
    def shown(self) -> str:
        """Its title on one line; what it has in place of one."""
        return " ".join(self.title.split()) or self.doi or self.arxiv


def identifiers_of_work(text: str) -> frozenset[str]:
    """The DOIs and arXiv numbers in a text, as `identifiers_in` spells them; also a bare one."""
    from deepassay.reports.papers import identifiers_in  # most tasks name no works

    bare = _BARE_IDENTIFIER.fullmatch(text)
    if bare is None:
        return identifiers_in(text)
    return identifiers_in(f"doi:{bare['doi']}" if bare["doi"] else f"arXiv:{bare['arxiv']}")


Bibliography = Annotated[
    tuple[Annotated[ListedWork, BeforeValidator(_as_mapping)], ...], Field(strict=False)
]
"""The works of one task. In files a text is the title of one."""


# ------------------------------------------------------------------ what readers said

ALL_AGENTS: Final = ""
"""Stands for all agents."""


class EarlierVersion(Record):
    """An earlier version of a report. sample: of which of the agent's answers."""

    agent: Writable
    sample: int
    text: Writable


def _by_agent(given: Json) -> Json:
    return {ALL_AGENTS: given} if isinstance(given, list | tuple) else given


Feedback = Annotated[
    Mapping[str, Annotated[tuple[Text, ...], Field(strict=False, min_length=1)]],
    BeforeValidator(_by_agent),
]
"""What is to be changed, by the agent whose report it was said of; ALL_AGENTS: of all."""
