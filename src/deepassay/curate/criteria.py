"""The criteria of one dimension for one task, each with an explanation and a weight.

DeepResearch Bench, section 3.1.1 and appendix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from deepassay.curate.baseline import baseline
from deepassay.curate.traits import in_hundredths, traits_of
from deepassay.curate.weights import PROMPTS, Query, sum_to_one
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.tasks.criteria import Dimension, WeightedCriterion
from deepassay.tasks.fields import Text

FEWEST: Final = 4
MOST: Final = 10


class QueryAndDimension(Query):
    """What an agent was asked, and the dimension that criteria are wanted for."""

    dimension: Dimension


class Devised(Reply):
    """One criterion of an answer."""

    criterion: Text
    explanation: Text
    weight: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class AllDevised(Reply):
    """Reasons, and the criteria of one dimension."""

    analysis: Text
    criteria: list[Devised]


def _check(inputs: QueryAndDimension, answer: AllDevised) -> None:
    number = len(answer.criteria)
    if not FEWEST <= number <= MOST:
        raise OffMenu(f"there are {number} criteria; give {FEWEST} to {MOST}")
    names = [" ".join(each.criterion.casefold().split()) for each in answer.criteria]
    if twice := [name for name in names if names.count(name) > 1]:
        raise OffMenu(f"the criterion {twice[0]!r} stands there twice")
    sum_to_one([each.weight for each in answer.criteria])


def devised_by_rule(inputs: QueryAndDimension) -> AllDevised:
    """Criteria without a model, from the parts and the wishes of the prompt."""
    drafts = baseline(traits_of(inputs.query, inputs.language), inputs.dimension)
    weights = in_hundredths([draft.weight for draft in drafts])
    return AllDevised(
        analysis="by rule, from the words of the request",
        criteria=[
            Devised(criterion=draft.criterion, explanation=draft.explanation, weight=weight)
            for draft, weight in zip(drafts, weights, strict=True)
        ],
    )


DEVISE: Final = Operation(
    "criteria/devise",
    prompts=PROMPTS,
    takes=QueryAndDimension,
    gives=AllDevised,
    offline=devised_by_rule,
    check=_check,
)


def normalised(devised: Sequence[Devised]) -> tuple[WeightedCriterion, ...]:
    """The criteria of an answer as a task holds them; their weights sum to 1."""
    total = sum(each.weight for each in devised)
    if abs(total - 1) < 1e-9:  # a last digit is no reason to change what people will read
        total = 1.0
    return tuple(
        WeightedCriterion(
            criterion=" ".join(each.criterion.split()),
            explanation=each.explanation.strip(),
            weight=each.weight / total,
        )
        for each in devised
    )
