"""Weights of the four dimensions for one task: several samples of one question, averaged.

DeepResearch Bench, section 3.1.1. How many samples, the paper leaves open; the released program
takes five, rounds their mean to two decimals, and has readability take what is left over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from pydantic import Field

from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.tasks.fields import Text
from deepassay.tasks.task import sentences_asked
from deepassay.tasks.yardsticks import DIMENSIONS, Dimension, Share, WeightedCriterion
from deepassay.wings.build.wording import PROMPTS, wordings

SAMPLES: Final = 5
PRECISION: Final = 1e-6
"""How far from 1 the weights in an answer may sum."""


class Query(Inputs):
    """What an agent was asked."""

    query: str


class DimensionWeights(Reply):
    """A weight from 0 to 1 for each of the four dimensions of RACE."""

    comprehensiveness: Share
    insight: Share
    instruction_following: Share
    readability: Share

    @property
    def by_dimension(self) -> dict[Dimension, float]:
        """The weights by the name of their dimension."""
        return {name: getattr(self, name) for name in DIMENSIONS}


class Weighed(Reply):
    """The weights that a model gives to dimensions, and its reasons."""

    analysis: Text
    weights: DimensionWeights


def sum_to_one(weights: Sequence[float]) -> None:
    """Raise OffMenu unless the weights in an answer sum to 1."""
    total = sum(weights)
    if abs(total - 1) > PRECISION:
        raise OffMenu(f"the weights sum to {total:.6g}; they must sum to exactly 1")


def _check_weights(inputs: Query, answer: Weighed) -> None:
    sum_to_one(list(answer.weights.by_dimension.values()))


MEANS: Final = {
    "comprehensiveness": 30,
    "insight": 35,
    "instruction_following": 21,
    "readability": 14,
}
"""Means of the published criteria, in hundredths: the answer of the offline rule."""


def weighed_by_rule(inputs: Query) -> Weighed:
    """The mean weights of the published criteria, whatever the prompt."""
    shares = {name: hundredths / 100 for name, hundredths in MEANS.items()}
    return Weighed(analysis="means of the published criteria", weights=DimensionWeights(**shares))


WEIGH: Final = Operation(
    "criteria/weigh",
    prompts=PROMPTS,
    takes=Query,
    gives=Weighed,
    offline=weighed_by_rule,
    check=_check_weights,
    rule=2,
)


def mean_weights(samples: Sequence[Mapping[Dimension, float]]) -> dict[Dimension, float]:
    """The mean of the samples in whole hundredths that sum to 1.

    What rounding leaves over goes to readability, or, where that would fall below 0, to the
    largest weight.
    """
    means = {name: sum(sample[name] for sample in samples) for name in DIMENSIONS}
    total = sum(means.values())
    hundredths = {name: round(100 * mean / total) for name, mean in means.items()}
    rest = 100 - sum(hundredths.values())
    taker: Dimension = "readability"
    if hundredths[taker] + rest < 0:
        taker = max(DIMENSIONS, key=hundredths.__getitem__)
    hundredths[taker] += rest
    return {name: hundredths[name] / 100 for name in DIMENSIONS}


def in_hundredths(weights: Sequence[float]) -> list[float]:
    """At most 100 weights in whole hundredths, none of them 0, in proportion, with the sum 1."""
    total = sum(weights)
    exact = [100 * weight / total for weight in weights]
    whole = [max(1, int(each)) for each in exact]
    while sum(whole) > 100:  # what was raised to 1 is taken from those that can spare it
        whole[max(range(len(exact)), key=lambda i: (whole[i] > 1, whole[i] - exact[i]))] -= 1
    by_rest = sorted(range(len(exact)), key=lambda i: whole[i] - exact[i])
    for place in range(100 - sum(whole)):
        whole[by_rest[place % len(whole)]] += 1
    return [each / 100 for each in whole]


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


PARTICULAR: Final = 1.5
"""Share of what a prompt asks for itself, against 1 for what every report needs."""


def devised_by_rule(inputs: QueryAndDimension) -> AllDevised:
    """What any good report needs, said of the sentences of this prompt."""
    words, parts = wordings("baseline", inputs.language), sentences_asked(inputs.query)
    always = words["always"][inputs.dimension]
    asked = parts if inputs.dimension == "comprehensiveness" else []
    weights = in_hundredths([PARTICULAR] * len(asked) + [1.0] * len(always))
    drafts = [words["part"]] * len(asked) + always
    return AllDevised(
        analysis="by rule, from the words of the request",
        criteria=[
            Devised(
                criterion=draft["criterion"].format(part=part, subject=parts[0]),
                explanation=draft["explanation"].format(part=part, subject=parts[0]),
                weight=weight,
            )
            for draft, part, weight in zip(drafts, asked + [""] * len(always), weights, strict=True)
        ],
    )


DEVISE: Final = Operation(
    "criteria/devise",
    prompts=PROMPTS,
    takes=QueryAndDimension,
    gives=AllDevised,
    offline=devised_by_rule,
    check=_check,
    rule=2,
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
