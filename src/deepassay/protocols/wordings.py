"""Wordings, English and Chinese, by which the offline rule for coverage reads a report."""

from __future__ import annotations

import re
from typing import Final

from deepassay.text import IN_EVERY_TEXT

_WORDS = """
    compare compared contain describe described discuss discussed explain explained include
    included includes including list listed mention mentioned name named provide provided
    provides report reported several stated
"""

NO_CONTENT: Final = IN_EVERY_TEXT | frozenset(_WORDS.split())
"""English words that tell nothing about the topic of a checklist item."""

NO_CONTENT_HAN: Final = re.compile(
    "是否|给出|说明|列出|报告|提供|包括|包含|以及|具体|进行|对于|关于|至少|如何|哪些|什么|多少|"
    "分析|比较|讨论|提到|提出|需要|几个|指出|明确|[的了和与及或在对为其各等将并有无被把个之而且也都]"
)
"""Chinese words of the same kind; they cut a run of characters into content words."""

ASKS_FOR_NUMBER: Final = re.compile(
    r"\b(?:how (?:many|much)|numbers?|figures?|quantif\w*|rates?|shares?|costs?|prices?|amounts?|"
    r"percent\w*|decibels?|years?|months?|sizes?)\b|多少|数量|数据|比例|成本|造价|金额|费用|系数|"
    r"月数|价格|率|标准",
    re.IGNORECASE,
)
"""An item that is not delivered without a figure."""

ADMITS_GAP: Final = re.compile(
    r"\bnot (?:provided|available|found|given|stated|disclosed|specified|known)\b|"
    r"\bno (?:data|information|figures?)\b|\bunavailable\b|\bTBD\b|\bplaceholder\b|"
    r"\bto be (?:determined|added|confirmed|completed|filled)\b|"
    r"\bcould not (?:be found|find)\b|"
    r"未提供|暂无|待补充|待定|尚不清楚|无法(?:获取|查到|确定)|未(?:找到|查到|公开|披露)|"
    r"没有(?:数据|找到|查到|提供)",
    re.IGNORECASE,
)
"""A sentence that says that something is missing."""

TELLS_METHOD: Final = re.compile(
    r"\b(?:can|could|should|may|might|must|needs? to|would) be (?:found|obtained|calculated|"
    r"estimated|collected|gathered|compared|checked|determined|looked up|researched|requested)\b|"
    r"\b(?:this|the) report (?:will|aims|intends|is going)\b|"
    r"\bwe (?:will|(?:plan|intend|propose) to)\b|"
    r"\bone (?:can|could|should) (?:find|consult|check|compare|ask)\b|"
    r"(?:可以|可|应当|应该|需要|建议)(?:通过|查阅|查询|收集|调查|咨询|测算|进一步)|"
    r"本报告(?:将|旨在|拟)|(?:我们|笔者)(?:将|计划|打算)",
    re.IGNORECASE,
)
"""A sentence that says how an answer could be come by, and does not give it."""
