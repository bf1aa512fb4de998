"""The criteria of one dimension for one task, each with an explanation and a weight.

DeepResearch Bench, section 3.1.1 and appendix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

from pydantic import Field

from deepassay.curate.weights import PROMPTS, Query, in_hundredths, sum_to_one
from deepassay.files import read_yaml
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.reports.sentences import split
from deepassay.score import Json
from deepassay.tasks.criteria import Dimension, WeightedCriterion
from deepassay.tasks.dates import Language
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


MOST_PARTS: Final = 6
LONGEST_PART: Final = 100
"""Characters of a part of the prompt as it stands in a criterion."""

PARTICULAR: Final = 1.5
"""Weight of what a prompt asks for itself, against 1 for what every report needs."""


def parts_of(query: str) -> list[str]:
    """What is asked, sentence by sentence in the order of the prompt; the longest of too many."""
    sentences = [" ".join(query[start:end].split()) for start, end in split(query)]
    parts = {part.casefold(): part for each in sentences if (part := each[:LONGEST_PART].strip())}
    kept = sorted(parts.values(), key=len, reverse=True)[:MOST_PARTS]
    return [part for part in parts.values() if part in kept] or [query.strip()[:LONGEST_PART]]


def devised_by_rule(inputs: QueryAndDimension) -> AllDevised:
    """What any good report needs, said of the sentences of this prompt."""
    wordings, parts = _wordings(inputs.language), parts_of(inputs.query)
    always = wordings["always"][inputs.dimension]
    asked = parts if inputs.dimension == "comprehensiveness" else []
    weights = in_hundredths([PARTICULAR] * len(asked) + [1.0] * len(always))
    drafts = [wordings["part"]] * len(asked) + always
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


@cache
def _wordings(language: Language) -> Mapping[str, Json]:
    return dict(read_yaml((files(__package__) / f"baseline.{language}.yaml").read_text("utf-8")))


DEVISE: Final = Operation(
    "criteria/devise",
    prompts=PROMPTS,
    takes=QueryAndDimension,
    gives=AllDevised,
    offline=devised_by_rule,
    check=_check,
    version=2,
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
