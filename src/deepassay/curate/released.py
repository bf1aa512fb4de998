"""Weights and criteria as the authors' released program reads and averages them: edition `code`.

The program checks a sum and nothing else. Weights may be negative or written as texts, a
dimension that one sample leaves out is dropped, and rounding may leave readability below 0.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import RootModel

from deepassay.curate.criteria import DEVISE, WEIGH, AllDevised, Query, QueryAndDimension, Weighed
from deepassay.models.operation import OffMenu, Operation
from deepassay.score import Json

PRECISION: Final = 1e-6
_OPENS = re.compile(r"<json_output>", re.IGNORECASE)
_CLOSES = re.compile(r"</json_output>", re.IGNORECASE)


class Abandoned(Exception):
    """The program gives the task up here."""


def released_reading(raw: str) -> Json:
    """The JSON in an answer: between tags, else the whole text without fences.

    Raises ValueError (of `json`) where that is none. An unclosed tag is no tag.
    """
    opens = _OPENS.search(raw)
    closes = _CLOSES.search(raw, opens.end()) if opens else None
    if opens and closes:
        return json.loads(raw[opens.end() : closes.start()].strip())
    text = raw.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    return json.loads(text.strip())


def released_fit(value: Json) -> bool:
    """Whether the program takes these weights, an object, or these criteria, a list."""
    if not isinstance(value, dict | list) or not value:
        return False
    try:
        given = value.values() if isinstance(value, dict) else [each["weight"] for each in value]
        return abs(sum(float(weight) for weight in given) - 1) < PRECISION
    except (KeyError, TypeError, ValueError, OverflowError):
        return False


def released_mean(samples: Sequence[Mapping[str, Json]]) -> dict[str, float]:
    """The mean over the dimensions that every sample has, brought to a sum of 1 and rounded.

    Raises Abandoned, also for weights that are texts, though they passed the check.
    """
    if not samples:
        raise Abandoned("no sample has weights that sum to 1")
    names = [name for name in samples[0] if all(name in sample for sample in samples)]
    try:
        means = {name: sum(each[name] for each in samples) / len(samples) for name in names}
        total = sum(means.values())
        return released_rounding({name: mean / total for name, mean in means.items()})
    except (TypeError, ZeroDivisionError) as error:
        raise Abandoned(f"the weights cannot be averaged ({error})") from error


def released_rounding(weights: Mapping[str, float]) -> dict[str, float]:
    """Two decimals; what is left over goes to readability. Raises Abandoned if there is none."""
    rounded = {name: round(weight, 2) for name, weight in weights.items()}
    rest = round(1 - sum(rounded.values()), 2)
    if not math.isfinite(rest):
        raise Abandoned("the weights are no finite numbers")
    if rest:
        if "readability" not in rounded:
            raise Abandoned("what rounding leaves over has nowhere to go: no readability")
        rounded["readability"] = round(rounded["readability"] + rest, 2)
    return rounded


# ------------------------------------------------------------------ as released


class RawWeights(RootModel[Json]):
    """Whatever weights a model answered."""

    @classmethod
    def model_json_schema(cls, *args: Json, **options: Json) -> dict[str, Json]:
        """The form that the model is shown."""
        return Weighed.model_json_schema(*args, **options)


class RawCriteria(RootModel[Json]):
    """Whatever criteria a model answered."""

    @classmethod
    def model_json_schema(cls, *args: Json, **options: Json) -> dict[str, Json]:
        """The form that the model is shown."""
        return AllDevised.model_json_schema(*args, **options)


# The program's prompts ask for bare weights and bare lists; ours want the reasons beside them.


def weights_as_released(raw: str) -> Json:
    """The weights in an answer, in or out of our envelope. Raises ValueError."""
    return _out_of(released_reading(raw), "weights")


def criteria_as_released(raw: str) -> Json:
    """The criteria in an answer, in or out of our envelope. Raises ValueError."""
    return _out_of(released_reading(raw), "criteria")


def _out_of(found: Json, envelope: str) -> Json:
    return found[envelope] if isinstance(found, dict) and envelope in found else found


def _check_weights(inputs: Query, answer: RawWeights) -> None:
    _refuse_unfit(answer.root, dict)


def _check_criteria(inputs: QueryAndDimension, answer: RawCriteria) -> None:
    _refuse_unfit(answer.root, list)


def _refuse_unfit(value: Json, kind: type) -> None:
    if not (isinstance(value, kind) and released_fit(value)):
        raise OffMenu("there are no weights that sum to 1")


WEIGH_AS_RELEASED: Final = Operation(
    WEIGH.name,
    prompts=WEIGH.prompts,
    takes=Query,
    gives=RawWeights,
    offline=lambda inputs: RawWeights(WEIGH.offline(inputs).weights.model_dump()),
    check=_check_weights,
    reading=weights_as_released,
    version=WEIGH.version,
)

DEVISE_AS_RELEASED: Final = Operation(
    DEVISE.name,
    prompts=DEVISE.prompts,
    takes=QueryAndDimension,
    gives=RawCriteria,
    offline=lambda inputs: RawCriteria(DEVISE.offline(inputs).model_dump()["criteria"]),
    check=_check_criteria,
    reading=criteria_as_released,
    version=DEVISE.version,
)
