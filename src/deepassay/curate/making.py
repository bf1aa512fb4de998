"""The criteria of one task, asked of one model: several samples of weights, four lists."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import ValidationError

from deepassay.curate.criteria import (
    DEVISE,
    SAMPLES,
    WEIGH,
    Query,
    QueryAndDimension,
    mean_weights,
    normalised,
)
from deepassay.curate.released import (
    DEVISE_AS_RELEASED,
    WEIGH_AS_RELEASED,
    Abandoned,
    released_mean,
)
from deepassay.files import without_surrogates
from deepassay.models.ask import Asker
from deepassay.models.operation import In, Operation, Out
from deepassay.score import Cause, Json, Unscored
from deepassay.tasks.criteria import DIMENSIONS, Criteria
from deepassay.tasks.task import Task


async def make_criteria(
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
        name: [_as_held(each) for each in _usable(answer, name).root]
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


def _as_held(item: Mapping[str, Json]) -> dict[str, Json]:
    """An item as a task holds it, without what else the model put there or halved characters."""
    held = {key: item[key] for key in ("criterion", "explanation", "weight") if key in item}
    return {
        key: without_surrogates(value) if isinstance(value, str) else value
        for key, value in held.items()
    }
