"""What answers to one kind of question are like before anybody was asked: estimates rest on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from deepassay.models.usage import Range
from deepassay.score import Json

SimulatedAnswer = Callable[[Any, float], Json]
"""From the inputs of a question and a rate to an answer; None where no question depends on it."""

NEVER: Final = Range(0, 0, 0)


@dataclass(frozen=True)
class Expected:
    """What answers to one kind of question are like.

    tokens: of an answer to these inputs. simulated: an answer to go on with; by_rule: that of the
    offline rule, for questions about reports and tasks alone. decides: what of the answer decides
    how many questions follow, in words, or nothing. rate: how often, or how many, in each scenario:
    what `simulated` is given. most: of it for these inputs, as long as no answer was given. told:
    what an answer that was given tells of the rate, as a sum and what it is divided by: such
    answers make the likely rate, where there are any.
    """

    tokens: Callable[[Any], Range]
    simulated: SimulatedAnswer = lambda inputs, rate: None
    by_rule: bool = False
    decides: str = ""
    rate: Range = NEVER
    most: Callable[[Any], float] = lambda inputs: inf
    told: Callable[[Any], tuple[float, float]] | None = None


UNKNOWN: Final = Range(30, 200, 1_000)
"""Tokens of an answer of which nothing is known: a verdict with its reason, or a few of them."""

UNLISTED: Final = Expected(lambda inputs: UNKNOWN, by_rule=True)
"""What is expected of a question that does not say it."""
