"""The question how well a report does on one item of a checklist: a whole number from 0 to 10.

DeepResearch Arena, appendix "Single criterion scoring prompt". The judge is not told the weight.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, StringConstraints

from deepassay.files import without_surrogates
from deepassay.models.operation import Operation, Reply
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.race.traits import grades
from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from deepassay.score import Json
from deepassay.tasks.ace import AceItem
from deepassay.tasks.criteria import Dimension

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


_SIDES: Final[tuple[tuple[Dimension, re.Pattern[str]], ...]] = (
    (
        "readability",
        re.compile(
            r"\b(?:clarity|readab\w+|presentation|format\w*|order|structure|documentation|style)\b|"
            r"清晰|条理|可读|格式|结构|表达",
            re.IGNORECASE,
        ),
    ),
    (
        "instruction_following",
        re.compile(
            r"\b(?:instruct\w+|asked|requested|complian\w+|adheren\w+|deliverables?)\b|"
            r"要求|遵循|遵守|落实",
            re.IGNORECASE,
        ),
    ),
    (
        "insight",
        re.compile(
            r"\b(?:depth|insight\w*|rigou?r\w*|reasoning|interpret\w+|analy\w+|theor\w+|fair\w*|"
            r"valid\w*|bias\w*|testab\w+|feasib\w+)\b|"
            r"深度|见解|严谨|推理|解释|分析|理论|公平|效度|偏差|检验|可行",
            re.IGNORECASE,
        ),
    ),
)
"""Words of a title by which the offline rule tells what side of a report is meant."""


@lru_cache(maxsize=8)  # a report comes back with every item
def _readable(text: str) -> Report:
    return Report(clean(without_surrogates(text)))


def score_by_rule(inputs: ItemOnReport) -> ItemScore:
    """The baseline: how far the words of the item are treated, and traits of the whole report."""
    side: Dimension = next(
        (name for name, words in _SIDES if words.search(inputs.title)), "comprehensiveness"
    )
    (grade,) = grades(
        _readable(inputs.report), inputs.query, [(side, inputs.title, inputs.description)]
    )
    return ItemScore(
        justification=f"By rule: counted traits of {side.replace('_', ' ')}, no judgement.",
        rating=max(0, min(HIGHEST, round(grade))),
    )


SCORE_ITEM: Final = Operation(
    "ace/score_item",
    prompts=PROMPTS,
    takes=ItemOnReport,
    gives=ItemScore,
    offline=score_by_rule,
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
