"""The criteria of one task, asked of one model: several samples of weights, four lists."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import ValidationError

from deepassay.files import without_surrogates
from deepassay.models.ask import Asker
from deepassay.models.operation import In, OffMenu, Operation, Out, Unchecked
from deepassay.score import Cause, Json, Unscored
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria
from deepassay.wings.build.yardsticks.criteria import (
    DEVISE,
    SAMPLES,
    WEIGH,
    AllDevised,
    Query,
    QueryAndDimension,
    Weighed,
    mean_weights,
    normalised,
)


async def devise_criteria(
    task: Task,
    maker: Asker,
    samples: int = SAMPLES,
    edition: Literal["paper", "code"] = "paper",
) -> Criteria | Unscored:
    """Weights from so many samples, and criteria for each dimension; all asked at once.

    edition: `code` checks and averages as the released program does, and is Unscored where
    what comes of that cannot be used. An Unscored says at which step it failed.
    """
    make = _as_released if edition == "code" else _as_printed
    try:
        return await make(task, maker, samples)
    except _Failed as failed:
        return failed.unscored


class _Failed(Exception):
    """A step that came to nothing."""

    def __init__(self, step: str, unscored: Unscored) -> None:
        super().__init__(step)
        self.unscored = Unscored(unscored.cause, f"{step}: {unscored.detail}", unscored.details)


async def _as_printed(task: Task, maker: Asker, samples: int) -> Criteria:
    weighed, devised = await asyncio.gather(
        _samples(WEIGH, task, maker, samples), _lists(DEVISE, task, maker)
    )
    shares = [_usable(answer, "weights").weights for answer in weighed]
    return Criteria(
        dimension_weight=mean_weights([each.by_dimension for each in shares]),
        criterions={
            name: normalised(_usable(answer, name).criteria)
            for name, answer in zip(DIMENSIONS, devised, strict=True)
        },
    )


async def _as_released(task: Task, maker: Asker, samples: int) -> Criteria:
    """As the program does: what it cannot read after several tries is silently left out."""
    weighed, devised = await asyncio.gather(
        _samples(WEIGH_AS_RELEASED, task, maker, samples), _lists(DEVISE_AS_RELEASED, task, maker)
    )
    read = [_usable(answer, "weights").root for answer in weighed if not _unreadable(answer)]
    listed = {
        name: [_as_kept(each) for each in _usable(answer, name).root]
        for name, answer in zip(DIMENSIONS, devised, strict=True)
        if not _unreadable(answer)
    }
    try:
        fields = {"dimension_weight": released_mean(read), "criterions": listed}
        return Criteria.model_validate(fields)
    except (Abandoned, ValidationError) as error:
        reason = str(error) if isinstance(error, Abandoned) else error.errors()[0]["msg"]
        why = Unscored(Cause.ANSWER_UNREADABLE, f"no report can be scored by it ({reason})")
        raise _Failed("what the released program makes of the answers", why) from error


async def _samples(
    weigh: Operation[Query, Out], task: Task, maker: Asker, samples: int
) -> Sequence[Out | Unscored]:
    inputs = Query(language=task.language, query=task.prompt)
    return await _answers([(weigh, inputs, repeat) for repeat in range(samples)], maker)


async def _lists(
    devise: Operation[QueryAndDimension, Out], task: Task, maker: Asker
) -> Sequence[Out | Unscored]:
    """Criteria of each dimension, in the order of DIMENSIONS."""
    every = [
        QueryAndDimension(language=task.language, query=task.prompt, dimension=name)
        for name in DIMENSIONS
    ]
    return await _answers([(devise, inputs, 0) for inputs in every], maker)


async def _answers(
    questions: Sequence[tuple[Operation[In, Out], In, int]], maker: Asker
) -> Sequence[Out | Unscored]:
    asked = (maker(operation, inputs, repeat=n) for operation, inputs, n in questions)
    answers = await asyncio.gather(*asked)
    return [each if isinstance(each, Unscored) else each.value for each in answers]


def _usable(answer: Out | Unscored, step: str) -> Out:
    if isinstance(answer, Unscored):
        raise _Failed(step, answer)
    return answer


def _unreadable(answer: object) -> bool:
    return isinstance(answer, Unscored) and answer.cause is Cause.ANSWER_UNREADABLE


def _as_kept(item: Mapping[str, Json]) -> dict[str, Json]:
    """An item as a task holds it, without what else the model put there or halved characters."""
    kept = {key: item[key] for key in ("criterion", "explanation", "weight") if key in item}
    return {
        key: without_surrogates(value) if isinstance(value, str) else value
        for key, value in kept.items()
    }


# Edition `code`. The authors' program checks a sum and nothing else: weights may be negative or
# written as texts, a dimension that one sample leaves out is dropped, and rounding may leave
# readability below 0.

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


class RawWeights(Unchecked):
    """Whatever weights a model answered."""

    form = Weighed


class RawCriteria(Unchecked):
    """Whatever criteria a model answered."""

    form = AllDevised


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
    rule=WEIGH.rule,
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
    rule=DEVISE.rule,
)
