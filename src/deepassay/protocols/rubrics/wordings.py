"""Wordings, English and Chinese, by which the offline rule for rubrics reads a criterion."""

from __future__ import annotations

import re
from typing import Final

_WORDS = """
    response answer text author clearly explicitly accurately correctly specifically identifies
    identify identified gives give given cites cite offers offer addresses address acknowledges
    acknowledge highlights highlight shows show presents present covers cover defines define
    summarizes summarize summarises summarise notes note uses use makes make user users
    states explains claims claim claiming describes discusses mentions compares lists names includes
    fails fail omits omit omitted neglects lacks leaves wrongly incorrectly mistakenly falsely
    回答 答案 文章
"""

FRAMING: Final = frozenset(_WORDS.split())
"""Words that say that a report says something, and not what."""

ILLUSTRATION: Final = re.compile(
    r"[(（]\s?(?:e\.\s?g\.|eg\b|for example|for instance|such as|例如|比如|如(?!果))"
    r"[^()（）]*[)）]",
    re.IGNORECASE,
)
"""Examples in brackets: they show what is meant, and none of them is required."""

TELLS_OMISSION: Final = re.compile(
    r"\b(?:fail(?:s|ed)? to|omit(?:s|ted)?|neglect(?:s|ed)?|leaves? out|lacks?|"
    r"(?:does|do|did)(?: not|n['’]t) (?:mention|include|provide|cite|discuss|address|give|explain|"
    r"state|name|define|identify|consider|acknowledge|cover))\b|"
    r"未能|没有(?:提到|提及|说明|给出|讨论|引用|包括|包含|解释|指出)|遗漏|缺少|缺乏|忽略|未(?:提及|给出|说明|引用)",
    re.IGNORECASE,
)
"""A criterion that says that something is not in the report."""

TELLS_FAULT: Final = re.compile(
    r"\b(?:incorrect|wrong|mistaken|erroneous|inaccurate|mis(?:stat|represent|lead|attribut|quot)|"
    r"confus|conflat|invent(?:s|ed)\b|fabricat|hallucinat|contradict|irrelevant|off[- ]topic|"
    r"verbose|overstat|exaggerat|unsupported|repetiti|redundan|biased|false)|"
    r"错误|有误|虚构|编造|捏造|自相矛盾|无关|跑题|冗长|夸大|混淆|误导|重复",
    re.IGNORECASE,
)
"""A criterion that describes a mistake or another fault."""
