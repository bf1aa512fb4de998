"""Weights of the four dimensions for one task: several samples of one question, averaged.

DeepResearch Bench, section 3.1.1. How many samples, the paper leaves open; the released program
takes five, rounds their mean to two decimals, and has readability take what is left over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.tasks.criteria import DIMENSIONS, Dimension, Weight
from deepassay.tasks.fields import Text

PROMPTS: Final = files(__package__) / "prompts"
SAMPLES: Final = 5
PRECISION: Final = 1e-6
"""How far from 1 the weights in an answer may sum."""


class Query(Inputs):
    """What an agent was asked."""

    query: str


class DimensionWeights(Reply):
    """One weight a dimension."""

    comprehensiveness: Weight
    insight: Weight
    instruction_following: Weight
    readability: Weight

    @property
    def by_dimension(self) -> dict[Dimension, float]:
        """The weights by the name of their dimension."""
        return {name: getattr(self, name) for name in DIMENSIONS}


class Weighed(Reply):
    """Reasons and weights."""

    analysis: Text
    weights: DimensionWeights


def sum_to_one(weights: Sequence[float]) -> None:
    """Raise OffMenu unless the weights in an answer sum to 1."""
    total = sum(weights)
    if abs(total - 1) > PRECISION:
        raise OffMenu(f"the weights sum to {total:.6g}; they must sum to exactly 1")


def _check(inputs: Query, answer: Weighed) -> None:
    sum_to_one(list(answer.weights.by_dimension.values()))


MEANS: Final = {
    "comprehensiveness": 30,
    "insight": 35,
    "instruction_following": 21,
    "readability": 14,
}
"""Means of the published criteria, in hundredths: the answer of the offline rule."""


def weighed_by_rule(inputs: Query) -> Weighed:
    """The same weights for every prompt."""
    shares = {name: hundredths / 100 for name, hundredths in MEANS.items()}
    return Weighed(analysis="means of the published criteria", weights=DimensionWeights(**shares))


WEIGH: Final = Operation(
    "criteria/weigh",
    prompts=PROMPTS,
    takes=Query,
    gives=Weighed,
    offline=weighed_by_rule,
    check=_check,
    version=2,
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
