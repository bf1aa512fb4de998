"""The two questions with their answers read and checked as the released program does."""

from __future__ import annotations

from typing import Final

from pydantic import RootModel

from deepassay.curate.criteria import DEVISE, AllDevised, QueryAndDimension
from deepassay.curate.released import released_fit, released_reading
from deepassay.curate.weights import WEIGH, Query, Weighed
from deepassay.models.operation import OffMenu, Operation
from deepassay.score import Json


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
