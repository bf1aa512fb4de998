"""How well a report does on one item of a checklist: a whole number from 0 to 10.

DeepResearch Arena, appendix "Single criterion scoring prompt". The judge is not told the weight.
On a report that exceeds its context, passages are gathered first, which is ours.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from deepassay.models.form import Form
from deepassay.models.operation import Operation, Reply, Whole
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.expected import MARK, for_each
from deepassay.protocols.overlap import mark, readable
from deepassay.protocols.protocol import PROMPTS
from deepassay.protocols.windows import EvidenceAndQuery, WindowAndQuery, gathering
from deepassay.reports.clean import clean
from deepassay.tasks.ace import AceItem
from deepassay.tasks.task import Task

HIGHEST: Final = 10

LABELS: Final = ("category", "domain", "discipline", "phase", "family", "difficulty")
"""What a judge is told of a task besides its prompt, where its labels say it."""


class ItemOnReport(ReportAndQuery):
    """A report, the request that it answers, what is known of it, and one item."""

    context: str
    title: str
    description: str


class ItemScore(Reply):
    """How well the report does on the item, and why."""

    justification: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    rating: Annotated[Whole, Field(ge=0, le=HIGHEST)]


def score_by_rule(inputs: ItemOnReport) -> ItemScore:
    """The floor: how many words of the item the report holds, and how much it says at all."""
    rating = round(mark(clean(readable(inputs.report)), f"{inputs.title} {inputs.description}"))
    return ItemScore(justification="By rule: shared words counted, no judgement.", rating=rating)


def rating_form(inputs: object, form: Form) -> None:
    """The scale, which the schema of the type does not tell."""
    form.override_field("rating", {"enum": [*range(HIGHEST + 1)]})


SCORE_ITEM: Final = Operation(
    "ace/score_item",
    prompts=PROMPTS,
    takes=ItemOnReport,
    gives=ItemScore,
    offline=score_by_rule,
    shape=rating_form,
    rule=2,
    expected=for_each(MARK),
)


def about(item: AceItem, task: Task) -> dict[str, str]:
    """What the judge is told of one item, and of its task besides the prompt."""
    labels = task.labels
    context = "\n".join(f"{name}: {labels[name]}" for name in LABELS if labels.get(name))
    return {"context": context, "title": item.title, "description": item.description}


KEY: Final = "a1"
"""Of the one item that is asked about."""


class WindowAndItem(WindowAndQuery):
    """One window, the request, what is known of it, and one item."""

    context: str
    title: str
    description: str


class EvidenceOnItem(EvidenceAndQuery):
    """What was gathered from all windows, the request, what is known of it, and one item."""

    context: str
    title: str
    description: str


def _by_rule(inputs: EvidenceOnItem) -> ItemScore:
    return score_by_rule(
        ItemOnReport(
            language=inputs.language,
            report="\n\n".join(each.quote for each in inputs.evidence),
            query=inputs.query,
            context=inputs.context,
            title=inputs.title,
            description=inputs.description,
        )
    )


GATHER_EVIDENCE: Final = gathering(
    "ace", WindowAndItem, lambda inputs: {KEY: f"{inputs.title}: {inputs.description}"}
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "ace/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnItem,
    gives=ItemScore,
    offline=_by_rule,
    shape=rating_form,
    rule=2,
    expected=for_each(MARK),
)
