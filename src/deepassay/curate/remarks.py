"""What is worth a look in a rubric: findings, which refuse nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from deepassay.curate.demands import joints
from deepassay.tasks.rubric import Criterion

FEW: Final = 0.5
"""Mandatory criteria are few up to this share of a rubric; in the published set they are 44 %."""

_WORDS: Final = {
    "and": ('asks for two things? "{}"', "可能含有两项要求：“{}”"),
    "list": ('asks for several things? "{}"', "可能含有多项要求：“{}”"),
    "figures": ("asks for several figures? {}", "可能含有多个数字：{}"),
    "positive": (
        "no criterion has a weight above 0: no report can score",
        "没有权重大于 0 的条目：任何报告都无法得分",
    ),
    "mandatory": (
        "{} criteria are mandatory (a weight of 4 or more, of either sign)",
        "{} 条为必须项（权重绝对值不小于 4）",
    ),
    "twice": ("says the same as {}", "与 {} 相同"),
}


class Remark(NamedTuple):
    """One finding. of: the criterion, empty for the rubric. rule: its name. words: its place."""

    of: str
    rule: str
    words: str = ""

    def told(self, language: Literal["en", "zh"] = "en") -> str:
        """In words for a person."""
        return _WORDS[self.rule][language == "zh"].format(self.words)


def remarks_on(criterion: Criterion) -> list[Remark]:
    """On one criterion: whether it asks for more than one thing."""
    return [Remark(criterion.id, each.rule, each.words) for each in joints(criterion.criterion)]


def remarks_of(rubric: Sequence[Criterion]) -> list[Remark]:
    """On a rubric: its criteria, whether any weight is above 0, whether the mandatory are few."""
    found = [remark for each in rubric for remark in remarks_on(each)]
    first: dict[str, str] = {}
    for each in rubric:
        words = " ".join(each.criterion.casefold().split())
        if (known := first.setdefault(words, each.id)) != each.id:
            found.append(Remark(each.id, "twice", known))
    if rubric and not any(each.weight > 0 for each in rubric):
        found.append(Remark("", "positive"))
    mandatory = sum(each.mandatory for each in rubric)
    if mandatory > FEW * len(rubric):
        found.append(Remark("", "mandatory", f"{mandatory}/{len(rubric)}"))
    return found
