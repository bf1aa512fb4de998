"""How tasks are worded: what names a deliverable, what gives a talk away, what shows a type.

The tables of the construction rules. The paper states the rules and leaves open how to check
them; these words are ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from deepassay.curate.arena.inspiration import Kind
from deepassay.tasks.dates import Language

_GIVE: Final = (
    r"deliver(?:able)?|provide|produce|submit|present|write|compile|prepare|draw up|report|publish|"
    r"return|hand (?:in|over)|release|document|build|create|draft|specify|develop|summari[sz]e|"
    r"tabulate|propose|assemble|construct|define|design|formulate|generate|give|output|map|rank"
)
_PRODUCT: Final = (
    r"tables?|matri(?:x|ces)|reports?|reviews?|memos?|briefs?|briefing|maps?|taxonom(?:y|ies)|"
    r"datasets?|databases?|spreadsheets?|code|scripts?|notebooks?|protocols?|specifications?|spec|"
    r"plans?|blueprints?|prototypes?|models?|simulations?|metrics?|scores?|scorecards?|ind(?:ex|"
    r"ices)|rubrics?|checklists?|frameworks?|hypothes[ie]s|lists?|inventor(?:y|ies)|catalogues?|"
    r"catalogs?|rankings?|figures?|charts?|plots?|diagrams?|papers?|essays?|summar(?:y|ies)|"
    r"questionnaires?|guides?|guidelines?|timelines?|templates?|benchmarks?|audits?|comparisons?|"
    r"bibliograph(?:y|ies)|roadmaps?|recommendations?|proposals?|dashboards?|manuscripts?|"
    r"documents?|documentation|forecasts?|workflows?|pipelines?|estimates?|formulas?|equations?"
)
# A point inside a number or an abbreviation does not end the sentence.
_WITHIN: Final = r"(?:[^.?!\n]|\.(?=\S)){0,160}?"

_GIVE_ZH: Final = (
    "提交|交付|给出|提供|形成|产出|撰写|编写|编制|输出|绘制|列出|汇总|整理|制作|完成|写出|写成|"
    "制定|拟定|提出|构建|建立|设计"
)
_PRODUCT_ZH: Final = (
    "表|报告|综述|清单|方案|图|模型|代码|数据集|数据库|协议|规范|说明书|说明|指标|矩阵|分类|假设|"
    "论文|提纲|计划|框架|量表|问卷|手册|脚本|目录|时间线|建议|备忘录|文档|简报|名录|公式|流程|排序"
)

DELIVERABLE: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(rf"\b(?:{_GIVE})s?\b{_WITHIN}\b(?:{_PRODUCT})\b", re.IGNORECASE),
    "zh": re.compile(rf"(?:{_GIVE_ZH})[^。？！\n]{{0,60}}?(?:{_PRODUCT_ZH})"),
}
"""A product, and in the same sentence before it a word for handing it over."""

_POINTING: Final = "the|this|that|these|our|said|original|above|source|given"

LEANING: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:seminars?|webinars?|colloqui(?:um|a)|panell?ists?|discussants?|"
        rf"(?:{_POINTING}) (?:talk|lecture|lecturer|keynote|presentation|presenter|transcript|"
        r"speaker|recording|session|workshop|audience|inspiration)s?|"
        r"inspirations? (?:\d|one|two|above)|"
        r"(?:the|this) (?:above|previous|preceding|following|other) (?:task|discussion)s?|"
        r"(?:mentioned|discussed|noted|described|explained) (?:above|earlier|before)|"
        r"(?:speaker|presenter|lecturer)s? (?:sa(?:ys?|id)|not(?:es?|ed)|argue[sd]?|mention\w*))\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        "研讨会|讲座|座谈会|报告人|主讲人|讲者|演讲|发言人|发言者|提问者|文字稿|录音稿|转录文本|"
        "启发点|本次报告|本场报告|该报告中|上述(?:任务|讨论|发言)|(?:前一|上一|另一)个?任务|"
        "如[前上]所述|[前上]文(?:所述|提到)"
    ),
}
"""Words by which a task leans on the talk that it came from, or on another task."""


def _english(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


EMPHASIS: Final[Mapping[Language, Mapping[Kind, re.Pattern[str]]]] = {
    "en": {
        "Limitation": _english(
            r"gaps?|missing|lack\w*|un(?:solved|resolved|known|answered|tested|met|explained)|"
            r"limitations?|limits|bottlenecks?|weakness\w*|blind spots?|shortcomings?|obstacles?|"
            r"open (?:questions?|problems?)|not yet|under-?stud\w+|neglect\w*|barriers?|fails?"
        ),
        "Methodology": _english(
            r"design\w*|methods?|methodolog\w+|protocols?|procedures?|workflows?|pipelines?|"
            r"blueprints?|specif\w+|prototyp\w+|frameworks?|approach\w*|algorithms?|technique\w*"
        ),
        "Transdisciplinarity": _english(
            r"bridg\w+|across|transfer\w*|fields?|disciplin\w+|cross-\w+|borrow\w*|combin\w+|"
            r"integrat\w+|translat\w+|analog\w+|adapt\w*|(?:inter|trans|multi)disciplin\w+"
        ),
        "Hypothesis": _english(
            r"test\w*|hypothes\w+|verif\w+|falsif\w+|refut\w+|predict\w*|confirm\w*|whether|claims?"
        ),
    },
    "zh": {
        "Limitation": re.compile(
            "空白|缺口|不足|局限|瓶颈|未解|尚未|缺乏|缺少|短板|未知|悬而未决|盲区|障碍|失效"
        ),
        "Methodology": re.compile("设计|方法|方案|流程|协议|框架|原型|规范|技术路线|算法|步骤"),
        "Transdisciplinarity": re.compile(
            "跨学科|跨领域|学科|领域|借鉴|移植|迁移|引入|结合|融合|类比|桥梁|衔接"
        ),
        "Hypothesis": re.compile("检验|验证|假设|假说|证伪|是否|预测|论断|推断|成立"),
    },
}
"""Words by which a task takes up what an inspiration of this type asks for."""
