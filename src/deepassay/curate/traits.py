"""What can be told of a prompt by its words: its parts, its subject, and what it wishes for.

Used by the offline rules only, a baseline: it sees words and not meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from deepassay.tasks.criteria import Dimension
from deepassay.tasks.dates import Language

MOST_PARTS: Final = 6
LONGEST: Final[Mapping[Language, int]] = {"en": 110, "zh": 48}
"""Characters of a part as it stands in a criterion."""

Kinds = Mapping[str, re.Pattern[str]]


def _kinds(flags: int = 0, **patterns: str) -> Kinds:
    return {kind: re.compile(pattern, flags) for kind, pattern in patterns.items()}


def _words(**patterns: str) -> Kinds:
    return {
        kind: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for kind, pattern in patterns.items()
    }


_ENGLISH: Final[Mapping[Dimension, Kinds]] = {
    "comprehensiveness": _words(
        overview=r"overview|surveys?|summar\w+|reviews?|landscape|state of the art",
        gathering=r"collect|gather|compile|lists?|identify|find|what are|which",
        completeness=r"all|every|each|comprehensive\w*|complete|detailed|various|many",
        data=r"data|statistic\w*|figures|how many|how much|number of|size|shares?|costs?|prices?",
    ),
    "insight": _words(
        causes=r"why|causes?|reasons?|mechanisms?|explain\w*|drivers?|factors?",
        effects=r"impacts?|effects?|influences?|implications?|consequences?|affects?",
        comparison=r"compar\w+|versus|vs|differ\w*|better|best|pros and cons|trade-?offs?",
        future=r"trends?|future|forecast\w*|predict\w*|projection\w*|outlook|potential|will",
        assessment=r"analy[sz]\w+|assess\w*|evaluat\w+|feasib\w+|critical\w*|effective\w*",
        advice=r"recommend\w*|strateg\w+|should|propos\w+|suggest\w*|solutions?|how (?:can|to)",
    ),
    "instruction_following": _words(
        limits=r"must|only|at least|at most|no more than|not|exclud\w+|without|limit\w*|within",
        period=r"(?:19|20)\d\d(?:s|-\d{2,4})?|(?:last|past|next|recent) (?:\w+ )?years?|decades?",
        form=r"report|paper|tables?|format|words|pages|articles?|essay|english|cit\w+|sources?",
        focus=r"focus\w*|specific\w*|particular\w*|especially|considering|given|based on|including",
    ),
    "readability": _words(
        display=r"tables?|charts?|figures|graphs?|diagrams?|visual\w*",
        guidance=r"guides?|tutorial|plans?|itinerary|steps?|step-by-step|teach\w*|introduc\w+",
        plainness=r"simple|simply|easy|easily|plain|concise|brief\w*|beginners?|public|clear\w*",
    ),
}

_CHINESE: Final[Mapping[Dimension, Kinds]] = {
    "comprehensiveness": _kinds(
        overview="综述|概述|概况|现状|梳理|总结|介绍|调研",
        gathering="收集|整理|列出|列举|罗列|搜集|查找|有哪些|哪些|哪几",
        completeness="全面|完整|详细|所有|各种|各类|各个|全部|尽可能",
        data="数据|统计|多少|规模|数量|人数|收入|份额|比例|价格|成本",
    ),
    "insight": _kinds(
        causes="为什么|为何|原因|机制|机理|成因|因素|动因|原理",
        effects="影响|作用|效应|后果|意义|启示",
        comparison="比较|对比|差异|区别|不同|优劣|优缺点|优势|更",
        future="趋势|未来|预测|前景|展望|发展方向|潜力|可能",
        assessment="分析|评估|评价|论证|可行性|研究|探讨",
        advice="建议|对策|策略|方案|如何|怎样|怎么|措施|推荐",
    ),
    "instruction_following": _kinds(
        limits="必须|只|仅|至少|至多|不超过|不要|不得|以内|除了|限于|要求",
        period=r"(?:19|20)\d\d|近\S{0,3}年|最近|过去|目前|当前|未来\S{0,3}年|年代|以来",
        form="报告|论文|表格|格式|字数|文章|提纲|文献|引用|来源|英文|中文",
        focus="特别|重点|尤其|聚焦|针对|结合|基于|具体|根据|包括",
    ),
    "readability": _kinds(
        display="表格|图表|图示|可视化|示意图|曲线",
        guidance="指南|教程|计划|规划|行程|步骤|入门|介绍|攻略",
        plainness="通俗|易懂|简明|简单|简要|清晰|大众|科普",
    ),
}

WISHES: Final[Mapping[Language, Mapping[Dimension, Kinds]]] = {"en": _ENGLISH, "zh": _CHINESE}

_ENDS: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(r"[.?!;:](?=\s)|\n"),
    "zh": re.compile(r"[。？！；：?!;\n]"),
}
_COMMA_OR_BRACKET = re.compile(r"[(（]|[)）]|[，；]|[,;](?=\s)")
_FRINGE: Final = " \t\r\n.,;:?!-*•，。；：？！、"
_LEADS_IN = re.compile(
    r"(?:please|and|or|but|also|then|including|such as|for example|i (?:want|need|would like) to|"
    r"could you|can you|help me)\b[\s,]{0,3}|"
    r"(?:请你?|为我|帮我|并且?|以及|同时|另外|其中|例如|我想要?|我需要)[\s，]{0,3}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Traits:
    """A prompt as the offline rules see it."""

    query: str
    language: Language

    @cached_property
    def _sentences(self) -> list[str]:
        whole = " ".join(self.query.split()).strip(_FRINGE)
        return _clean(_ENDS[self.language].split(self.query), self.language) or [whole]

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """What is asked, part by part, in the order of the prompt; the longest of too many."""
        pieces = self._sentences
        if len(pieces) < 3:
            clauses = [each for sentence in pieces for each in _clauses(sentence)]
            pieces = _clean(clauses, self.language) or pieces
        kept = set(sorted(pieces, key=len, reverse=True)[:MOST_PARTS])
        limit = LONGEST[self.language]
        shown = [_shortened(piece, limit) for piece in pieces if piece in kept]
        return tuple({piece.casefold(): piece for piece in reversed(shown)}.values())[::-1]

    @cached_property
    def subject(self) -> str:
        """What the prompt begins with, short: what criteria of every kind may name."""
        limit = LONGEST[self.language] * 6 // 10
        sentence = self._sentences[0]
        if len(sentence) > limit and limit // 2 <= len(self.parts[0]) <= limit:
            return self.parts[0]
        return _shortened(sentence, limit)

    def wishes(self, dimension: Dimension) -> dict[str, str]:
        """Kinds of wishes that raise a dimension, each with the words that voice it."""
        kinds = WISHES[self.language][dimension]
        found = {kind: pattern.search(self.query) for kind, pattern in kinds.items()}
        return {kind: match.group() for kind, match in found.items() if match}

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """Parts that set a limit, a period, a form or a focus."""
        kinds = WISHES[self.language]["instruction_following"].values()
        return tuple(part for part in self.parts if any(kind.search(part) for kind in kinds))


def traits_of(query: str, language: Language) -> Traits:
    """The traits of a prompt."""
    return Traits(query, language)


def in_hundredths(weights: Sequence[float]) -> list[float]:
    """At most 100 weights in whole hundredths, none of them 0, in proportion, with the sum 1."""
    total = sum(weights)
    exact = [100 * weight / total for weight in weights]
    whole = [max(1, int(each)) for each in exact]
    while sum(whole) > 100:  # what was raised to 1 is taken from those that can spare it
        whole[max(range(len(exact)), key=lambda i: (whole[i] > 1, whole[i] - exact[i]))] -= 1
    by_rest = sorted(range(len(exact)), key=lambda i: whole[i] - exact[i])
    for place in range(100 - sum(whole)):
        whole[by_rest[place % len(whole)]] += 1
    return [each / 100 for each in whole]


def _clauses(sentence: str) -> Iterator[str]:
    """A sentence cut at its commas, but not inside brackets."""
    depth = begin = 0
    for mark in _COMMA_OR_BRACKET.finditer(sentence):
        if mark.group() in "(（":
            depth += 1
        elif mark.group() in ")）":
            depth = max(0, depth - 1)
        elif depth == 0:
            yield sentence[begin : mark.start()]
            begin = mark.end()
    yield sentence[begin:]


def _clean(pieces: Iterable[str], language: Language) -> list[str]:
    """Pieces that say something, without blanks, marks and polite words around them."""
    cleaned = []
    for piece in pieces:
        text = " ".join(piece.split()).strip(_FRINGE)
        leads_in = _LEADS_IN.match(text)
        cleaned.append(text[leads_in.end() :] if leads_in else text)
    return [text for text in cleaned if _size(text, language) >= 2]


def _size(text: str, language: Language) -> int:
    return len(text.split()) if language == "en" else len(text) // 3


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[:limit]
    if " " in cut[limit // 2 :]:
        cut = cut[: cut.rindex(" ")]
    return cut.rstrip(_FRINGE) + "…"
