"""What can be measured of a research task without a model: the offline rule of RankEval.

A baseline: it sees whether a task names a deliverable, keeps to the length, asks, is specific and
stands alone, and nothing of what the task is worth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from deepassay.curate.arena.construction import MOST_WORDS
from deepassay.curate.arena.key_words import key_words
from deepassay.curate.arena.phrasing import DELIVERABLE, EMPHASIS, LEANING
from deepassay.tasks.dates import Language
from deepassay.text import count_words

MARKED: Final = ("clarity", "actionability", "novelty", "depth_fit", "consistency")

LOOKED_AT: Final = 8000
"""Characters of a task; a longer one breaks the limit of words many times over as it is."""

WORDS_A_SENTENCE: Final[Mapping[Language, int]] = {"en": 35, "zh": 60}
"""On average, above which a task is hard to read."""

_END: Final = re.compile(r"[.?!](?=\s|$)|[。？！\n]")
_FIGURE: Final = re.compile(r"\d")
_VAGUE: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:etc|and so on|various|some|several|certain|things?|aspects?|stuff|issues?)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("等等|各种|一些|若干|某些|某种|方方面面|有关问题|相关问题"),
}
_ASKS: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"[?]|\b(?:how|why|whether|which|what|when|where|who|to what extent)\b", re.IGNORECASE
    ),
    "zh": re.compile("[?？]|如何|为何|为什么|是否|哪些|哪种|什么|多少|怎样|多大"),
}
_DEMANDS: Final[Mapping[Language, tuple[re.Pattern[str], ...]]] = {
    "en": tuple(
        re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
        for words in (
            r"simulat\w+|prototyp\w+|implement\w*|software|code|algorithms?",
            r"experiment\w*|trials?|pre-?register\w*|pilot\w*|field (?:study|work|test)s?",
            r"new data|collect\w*|interviews?|surveys? of|questionnaires?|measure\w*",
            r"causal\w*|identif\w+ strateg\w+|sensitivity|robust\w*|proofs?|derive\w*|replicat\w+",
        )
    ),
    "zh": tuple(
        re.compile(words)
        for words in (
            "仿真|模拟|原型|实现|编程|算法|代码",
            "实验|试验|预注册|试点|田野",
            "新数据|采集|访谈|问卷|测量|调查",
            "因果|识别策略|敏感性|稳健性|证明|推导|复现|重复检验",
        )
    ),
}
"""What takes more than public data and a few hours, by kind."""


@dataclass(frozen=True)
class Measured:
    """Marks from 1 to 5 in the order of MARKED. richness: key words; remark: what was found."""

    marks: tuple[int, int, int, int, int]
    richness: int
    remark: str


@lru_cache(maxsize=20_000)  # a task comes back in every round
def measured(task: str, difficulty: str, language: Language) -> Measured:
    """What the words of a task give away. Linear in its length."""
    text = task[:LOOKED_AT]
    words = count_words(task)
    delivers = DELIVERABLE[language].search(text) is not None
    alone = LEANING[language].search(text) is None
    fits = words <= MOST_WORDS[language]
    sentences = sum(1 for part in _END.split(text) if part.strip())
    lengthy = words > WORDS_A_SENTENCE[language] * max(1, sentences)
    vague = min(2, sum(1 for _ in _VAGUE[language].finditer(text)))
    asks = {each.group().lower() for each in _ASKS[language].finditer(text)}
    sides = sum(pattern.search(text) is not None for pattern in EMPHASIS[language].values())
    richness = len(key_words(text, language))
    specific = _FIGURE.search(text) is not None, richness >= 12
    marks = (
        5 - 2 * (not alone) - lengthy - vague,
        1 + 2 * delivers + sum(specific),
        1 + min(2, len(asks)) + min(2, sides),
        _depth_fit(text, difficulty, language),
        5 - 2 * (not alone) - (not delivers) - 2 * (not fits),
    )
    a, b, c, d, e = (min(5, max(1, int(mark))) for mark in marks)
    remark = ", ".join(_remarks(words, delivers=delivers, alone=alone, asks=len(asks)))
    return Measured((a, b, c, d, e), richness, remark)


def _depth_fit(text: str, difficulty: str, language: Language) -> int:
    """How far what a task demands fits its difficulty; the middle where it has none."""
    demands = sum(pattern.search(text) is not None for pattern in _DEMANDS[language])
    match difficulty.strip().lower():
        case "basic":
            return 5 - demands
        case "advanced":
            return 2 + demands
    return 3


def _remarks(words: int, *, delivers: bool, alone: bool, asks: int) -> Iterator[str]:
    yield f"{words} words"
    yield "names a deliverable" if delivers else "names no deliverable"
    if not alone:
        yield "leans on something outside"
    if asks:
        yield f"{asks} question words"
