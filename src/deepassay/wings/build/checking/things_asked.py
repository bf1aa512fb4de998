"""Whether a criterion asks two things, of which a report may have one: a question to a model."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from deepassay.models.operation import Operation, Reply
from deepassay.tasks.fields import Text
from deepassay.wings.build.wording import PROMPTS
from deepassay.wings.build.yardsticks.rubrics import CriterionOfTask


class ThingsAsked(Reply):
    """What a criterion asks for, each thing of which a report may have one without the others."""

    things: Annotated[list[Text], Field(min_length=1)]


def _as_one(inputs: CriterionOfTask) -> ThingsAsked:
    """No rule tells: one thing, which nobody takes for a finding."""
    return ThingsAsked(things=[inputs.criterion])


THINGS_ASKED: Final = Operation(
    "rubric/things_asked",
    prompts=PROMPTS,
    takes=CriterionOfTask,
    gives=ThingsAsked,
    offline=_as_one,
)
