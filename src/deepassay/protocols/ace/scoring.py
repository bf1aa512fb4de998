"""The question how well a report does on one item of a checklist: a whole number from 0 to 10.

DeepResearch Arena, appendix "Single criterion scoring prompt". The judge is not told the weight.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, StringConstraints

from deepassay.models.operation import Operation, Reply
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.overlap import mark, readable
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.reports.clean import clean
from deepassay.score import Json
from deepassay.tasks.ace import AceItem

HIGHEST: Final = 10

LABELS: Final = ("category", "domain", "discipline", "phase", "family", "difficulty")
"""What a judge is told of a task besides its prompt, where its labels say it."""


class ItemOnReport(ReportAndQuery):
    """A report, the request that it answers, what is known of it, and one item."""

    context: str
    title: str
    description: str


def _whole(value: Json) -> Json:
    # JSON has one 7, also written 7.0.
    return int(value) if isinstance(value, float) and value.is_integer() else value


class ItemScore(Reply):
    """How well the report does on the item, and why."""

    justification: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    rating: Annotated[int, BeforeValidator(_whole), Field(ge=0, le=HIGHEST)]


def score_by_rule(inputs: ItemOnReport) -> ItemScore:
    """The floor: how many words of the item the report holds, and how much it says at all."""
    rating = round(mark(clean(readable(inputs.report)), f"{inputs.title} {inputs.description}"))
    return ItemScore(justification="By rule: shared words counted, no judgement.", rating=rating)


SCORE_ITEM: Final = Operation(
    "ace/score_item",
    prompts=PROMPTS,
    takes=ItemOnReport,
    gives=ItemScore,
    offline=score_by_rule,
    version=2,
)


def context_of(case: Case) -> str:
    """What a judge is told of a task besides its prompt."""
    labels = case.task.labels
    return "\n".join(f"{name}: {labels[name]}" for name in LABELS if labels.get(name))


def question_about(item: AceItem, case: Case) -> ItemOnReport:
    """What the judge is asked about one item."""
    return ItemOnReport(
        language=case.task.language,
        report=case.report.text,
        query=case.task.prompt,
        context=context_of(case),
        title=item.title,
        description=item.description,
    )
