"""A rubric: weighted criteria by which experts say what a good answer to one task holds.

ResearchRubrics, section 3 and Table 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from deepassay.score import Json, digest
from deepassay.tasks.text import Text, Writable
from deepassay.weighing import MANDATORY, Level, level_of

HEAVIEST: Final = 5.0


def _written_out(identifier: Json) -> Json:
    whole = isinstance(identifier, int) and not isinstance(identifier, bool)
    return str(identifier) if whole else identifier


def _one_word(identifier: str) -> str:
    if identifier != "".join(identifier.split()):
        raise ValueError("must be one word, without blanks")
    return identifier


def _weighing(weight: float) -> float:
    if weight == 0:
        raise ValueError("is 0: a criterion that weighs nothing decides nothing")
    if not -HEAVIEST <= weight <= HEAVIEST:
        raise ValueError("is outside [-5, 5]")
    return weight


Weight = Annotated[float, Field(allow_inf_nan=False), AfterValidator(_weighing)]


class Criterion(BaseModel):
    """One line of a rubric (ResearchRubrics, section 3).

    id: unique in its rubric; `c1`, `c2`, … by order where a file gives none. weight: in [-5, 5]
    and not 0; negative for a fault, which a good report does not have. axis: the kind of
    requirement, in the words of the file: an open vocabulary.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: Annotated[Writable, BeforeValidator(_written_out), AfterValidator(_one_word)] = ""
    criterion: Text
    weight: Weight
    axis: Writable = ""

    def reworded(self, words: str) -> Criterion:
        """The same criterion in other words."""
        return self if words == self.criterion else self.model_copy(update={"criterion": words})

    @property
    def mandatory(self) -> bool:
        """Whether a report stands or falls with it: a weight of 4 or more, of either sign."""
        return abs(self.weight) >= MANDATORY

    @property
    def level(self) -> Level:
        """What its weight means (Table 4)."""
        return level_of(self.weight)


class Repeated(ValueError):
    """A criterion that stands in its rubric already. number: which one, from 1 on."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"criterion {number} {what}")
        self.number = number


def _identified(rubric: Sequence[Criterion]) -> tuple[Criterion, ...]:
    """Every criterion with an identifier of its own. Raises Repeated for a duplicate."""
    identifiers: dict[str, int] = {}
    nameless: dict[str, int] = {}
    for number, each in enumerate(rubric, start=1):
        identifier = each.id or f"c{number}"
        if (first := identifiers.setdefault(identifier, number)) != number:
            raise Repeated(number, f"has the identifier {identifier!r} of criterion {first}")
        # Where identifiers are lacking, nothing but its words tells one criterion from another.
        words = " ".join(each.criterion.split())
        if not each.id and (first := nameless.setdefault(words, number)) != number:
            raise Repeated(number, f"repeats criterion {first} word for word")
    return tuple(
        each if each.id else each.model_copy(update={"id": f"c{number}"})
        for number, each in enumerate(rubric, start=1)
    )


Rubric = Annotated[tuple[Criterion, ...], Field(strict=False), AfterValidator(_identified)]
"""The criteria of one task in their order, each with an identifier of its own."""


def rubric_digest(rubric: Sequence[Criterion]) -> str:
    """SHA-256 of everything that decides a score by this rubric."""
    return digest([each.model_dump(mode="json") for each in rubric])
