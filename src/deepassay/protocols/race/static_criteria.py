"""Criteria of RACE that are the same for every task (DeepResearch Bench, section 4.3, Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deepassay.score import digest
from deepassay.tasks.task import Language
from deepassay.tasks.yardsticks import Dimension, WeightedCriterion

_ENGLISH: Final[dict[Dimension, tuple[tuple[str, str], ...]]] = {
    "comprehensiveness": (
        ("Breadth", "Every part of the question is dealt with; no important area is left out."),
        ("Detail", "Each area is treated in enough detail to be of use, not merely named."),
        ("Evidence", "Claims rest on concrete facts, figures, cases or studies."),
        ("Points of view", "Differing positions, interests and limits are shown side by side."),
    ),
    "insight": (
        ("Causes", "It explains why things are as they are, and by what mechanism."),
        ("Synthesis", "Findings are put together into something no single source says."),
        ("Consequences", "It works out what follows: effects, trends, risks, open questions."),
        ("Judgement", "It weighs the evidence and comes to conclusions that it can defend."),
    ),
    "instruction_following": (
        ("Answer", "The question that was asked is answered, plainly and early enough to find."),
        ("Requirements", "Every requirement on content, form, period or place is met."),
        ("Scope", "It keeps to the topic; nothing is there only to fill space."),
        ("Purpose", "Depth, language and form suit the reader that the request lets expect."),
    ),
    "readability": (
        ("Order", "Sections and paragraphs follow one another so that the argument is clear."),
        ("Language", "Sentences are correct, fluent and exact; terms are used consistently."),
        ("Layout", "Headings, lists and tables are sound and make content easier to take in."),
        ("Economy", "Main points stand out; nothing is said twice or at needless length."),
    ),
}

_CHINESE: Final[dict[Dimension, tuple[tuple[str, str], ...]]] = {
    "comprehensiveness": (
        ("覆盖范围", "问题的每个部分都有论及，没有遗漏重要方面。"),
        ("详尽程度", "对各方面的论述足够具体、有用，而非一笔带过。"),
        ("事实依据", "论断以具体的事实、数据、案例或研究为依据。"),
        ("多方视角", "并列呈现不同的立场、利益与局限。"),
    ),
    "insight": (
        ("成因", "说明现状为何如此，其中的机制是什么。"),
        ("综合", "把各项发现整合成任何单一来源都没有给出的认识。"),
        ("推演", "推导后果：影响、趋势、风险以及尚待回答的问题。"),
        ("判断", "权衡证据，得出站得住脚的结论。"),
    ),
    "instruction_following": (
        ("作答", "直接回答所提的问题，且答案容易找到。"),
        ("要求", "满足对内容、形式、时间或地域的每一项要求。"),
        ("范围", "紧扣主题，没有凑篇幅的内容。"),
        ("用途", "深度、语言和形式适合该请求所预期的读者。"),
    ),
    "readability": (
        ("条理", "章节与段落前后相承，论证脉络清楚。"),
        ("语言", "语句正确、流畅、准确，术语前后一致。"),
        ("版式", "标题、列表和表格使用得当，使内容更易理解。"),
        ("精炼", "要点突出，不重复，不冗长。"),
    ),
}

_LISTS: Final = {"en": _ENGLISH, "zh": _CHINESE}

STATIC_DIGEST: Final = digest(_LISTS)
"""Changes with any word of the static criteria."""


def static_criterions(language: Language) -> Mapping[Dimension, tuple[WeightedCriterion, ...]]:
    """The static criteria of every dimension, all of one dimension weighing the same."""
    return {
        dimension: tuple(
            WeightedCriterion(criterion=name, explanation=text, weight=1 / len(listed))
            for name, text in listed
        )
        for dimension, listed in _LISTS[language].items()
    }
