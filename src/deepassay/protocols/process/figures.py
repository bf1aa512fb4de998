"""Figures in statements, and whether a text has them: in digits or in words, rounded or not.

Where it is not sure that a text lacks a figure it is taken to have it: a page may give thousands,
or a number in words. So what is named as missing is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, log10
from typing import Final

from deepassay.protocols.process.chinese import NUMERAL, last_in_digits, readings_of
from deepassay.tasks.languages import is_english_or_chinese, is_other_language
from deepassay.tasks.task import detect_language

SCALES: Final = {
    **dict.fromkeys(("hundred",), 100.0),
    **dict.fromkeys(("thousand", "k", "千"), 1e3),
    **dict.fromkeys(("万", "萬"), 1e4),
    **dict.fromkeys(("million", "millions", "mio", "mn", "m"), 1e6),
    **dict.fromkeys(("亿", "億"), 1e8),
    **dict.fromkeys(("billion", "billions", "bn", "b"), 1e9),
    **dict.fromkeys(("trillion", "trillions", "tn"), 1e12),
    **dict.fromkeys(("万亿", "兆"), 1e12),
}
_UP_TO_TWENTY: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_WORDS: Final = {word: float(number) for number, word in enumerate(_UP_TO_TWENTY)} | {
    **{"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80},
    **{"ninety": 90, "half": 50, "dozen": 12, "quarter": 25, "third": 33, "once": 1, "twice": 2},
    **{"double": 2, "doubled": 2, "triple": 3, "tripled": 3, "thirds": 67, "quarters": 75},
    **{"halved": 50, "hundred": 100, "single": 1, "both": 2, "pair": 2, "couple": 2},
}

_FIGURE: Final = re.compile(
    r"(?<![A-Za-z0-9_.,\u00c0-\u024f])"
    r"(?P<number>\d{1,3}(?:[, \u00a0\u2009\u202f’']\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"(?:[ \u00a0\u202f-]?(?P<scale>hundred|thousand|millions?|billions?|trillions?|mio|mn|bn|tn"
    r"|万亿|[千万萬亿億兆]|[kKmMB](?![A-Za-z0-9]))(?![a-z]))?"
    r"(?P<percent>[ \u00a0\u202f]?(?:%|％|percent|per cent|percentage points?|个百分点))?"
    r"(?![\d]|[.,]\d)",
    re.IGNORECASE,
)
_PERCENT: Final = re.compile("百分之")
_ENGLISH: Final = re.compile(r"[a-z]+")
_ABOUT: Final = re.compile(
    r"(?:about|around|roughly|approximately|nearly|almost|some|over|more than|less than|under|up to"
    r"|at least|below|above|close to|circa|ca\.|~|≈|约|近|超过|大约|不到|逾|多达)\W{0,3}\Z",
    re.IGNORECASE,
)
_NO_FIGURE: Final = re.compile(
    r"(?:figure|fig\.|table|section|chapter|no\.|number|step|part|phase|version|v|layer|level|class"
    r"|type|grade|tier|day|week|图|表|第|covid|sars-cov|co|h|pm|gpt|iso|rfc|article|item)[- ]?\Z",
    re.IGNORECASE,
)
_EITHER: Final = re.compile(r"\d{1,3}\.\d{3}")
"""Thousands in one country, and three decimals in another."""
_UNIT: Final = re.compile(
    r"[ \u00a0\u202f-]?(?:[mckµ]?m|[mk]?g|t|[mh]?l|ha|[kMGT]?Wh?|°C?|degrees|met(?:re|er)s?"
    r"|kilomet(?:re|er)s?|miles?|feet|inch(?:es)?|acres?|hectares?|ton(?:ne)?s?|lit(?:re|er)s?"
    r"|kilograms?|grams?|crowns?|euros?|dollars?|pounds?|yuan|yen|percentage|米|公里|公斤|吨|元|度)"
    r"(?![A-Za-z])"
)
_WORD: Final = re.compile(r"[ \u00a0\u202f-]?[^\W\d_]{2,}")
_MONEY: Final = re.compile(r"[$€£¥]\s?\Z")
_SMALL: Final = 12
"""A bare number up to this may be counted by whoever writes."""
_YEARS: Final = (1500, 2200)


@dataclass(frozen=True)
class StatedFigure:
    """A number that a text states. raw: as it stands there. start: where.

    value: with its scale. least: what its last digit that counts is worth. year: whether it may be
    a year. worded: whether a word follows that is a scale in some language, as far as we know.
    """

    raw: str
    start: int
    value: float
    least: float
    percent: bool = False
    year: bool = False
    worded: bool = False


def figures_in(text: str) -> Iterator[StatedFigure]:
    """The figures of a statement, without ordinals, names and what is counted in it."""
    end = 0
    for found in _FIGURE.finditer(text):
        if found.start() < end:
            continue  # a part of the one before
        number, scale = found["number"], (found["scale"] or "").casefold()
        before = text[max(0, found.start() - 24) : found.start()]
        after = text[found.end() : found.end() + 2]
        if _NO_FIGURE.search(before) or (after[:1].isalpha() and after[0] < "\u0250"):
            continue
        if before[-1:] in ("/", "#", "@") or _EITHER.fullmatch(number):
            continue
        numeral = NUMERAL.match(text, found.start())
        if numeral and numeral.end() > found.end():
            end = numeral.end()
            yield from _in_chinese(numeral[0], found.start(), before)
            continue
        value, least = _amount(number)
        if len(scale) == 1 and scale in "mbk" and not _MONEY.search(before):
            if scale != "m":
                continue  # bytes, or thousands
            scale = ""  # metres
        factor = SCALES.get(scale, 1.0)
        bare = not scale and not found["percent"]
        plain = bare and number.isdigit()
        measured = _MONEY.search(before) or _UNIT.match(text, found.end("number"))
        if plain and value <= _SMALL and not measured:
            continue
        year = plain and len(number) == 4 and _YEARS[0] <= value <= _YEARS[1]
        if _ABOUT.search(before):
            least = max(least, abs(value) * 0.1)
        raw = found.group().strip()
        worded = scale.isascii() and not year and _may_be_scaled(text, found)
        yield StatedFigure(
            raw, found.start(), value * factor, least * factor, bool(found["percent"]), year, worded
        )


def _in_chinese(numeral: str, start: int, before: str) -> Iterator[StatedFigure]:
    """The figure that a numeral like 1亿2千万 is, unless it may be two."""
    values = {*readings_of(numeral)}
    if len(values) == 1:
        number, worth = last_in_digits(numeral)
        (value,), least = values, _amount(number)[1] * worth
        yield StatedFigure(
            numeral, start, value, max(least, value * 0.1 * bool(_ABOUT.search(before)))
        )


def _may_be_scaled(text: str, found: re.Match[str]) -> bool:
    """Whether a word follows a number that is no unit we know, and may say thousands."""
    at = found.end("number")
    return not (found["percent"] or _UNIT.match(text, at)) and _WORD.match(text, at) is not None


def _amount(number: str) -> tuple[float, float]:
    """What digits say, and what the last one that counts is worth."""
    bare = re.sub(r"[ \u00a0\u2009\u202f’\']", "", number)
    bare = re.sub(r",(?=\d{3}(?:\D|\Z))", "", bare).replace(",", ".")
    whole, _, decimals = bare.partition(".")
    if decimals:
        return float(bare), 10.0 ** -len(decimals)
    zeros = len(whole) - len(whole.rstrip("0"))
    return float(whole), 10.0 ** (zeros if zeros >= 2 else 0)


@lru_cache(maxsize=512)
def _numbers_of(text: str) -> frozenset[float]:
    """All numbers that a text may be said to have, in digits and in words."""
    found: set[float] = set()
    scales = {SCALES[word] for word in SCALES if len(word) > 1 and word in text.casefold()}
    for each in _FIGURE.finditer(text):
        value = _amount(each["number"])[0]
        scale = (each["scale"] or "").casefold()
        found.add(value * SCALES.get(scale, 1.0))
        if _EITHER.fullmatch(each["number"]):
            found.add(float(each["number"].replace(".", "")))
        if each["scale"] or scales:  # as of a table in millions
            found |= {value} | {value * one for one in scales}
    lower = text.casefold()
    before = 0.0
    for word in _ENGLISH.findall(lower):
        value = _WORDS.get(word, SCALES.get(word, 0.0) if len(word) > 2 else 0.0)
        if value:
            found |= {value, before + value if before % 10 == 0 else value, before * value}
        before = value
    for chinese in NUMERAL.findall(_PERCENT.sub(" ", text)):
        found.update(readings_of(chinese))
    return frozenset(found)


@lru_cache(maxsize=512)
def _worded_in(text: str) -> frozenset[float]:
    """Numbers beside words that may be scales, in a text that something tells is in no language of
    ours: titles and tables may have no word that does.
    """
    begun = text[:_TOLD_BY]
    if not is_other_language(begun, detect_language(begun) == "zh"):
        return frozenset()
    every = (_amount(e["number"])[0] for e in _FIGURE.finditer(text) if _may_be_scaled(text, e))
    return frozenset(number for number in every if number and isfinite(number))


def is_ours(text: str) -> bool:
    """Whether a report is surely English or Chinese, of which we know what follows numbers."""
    begun = text[:_TOLD_BY]
    return is_english_or_chinese(begun, detect_language(begun) == "zh")


_TOLD_BY: Final = 20_000
"""Characters by which the language of a text is told."""


def has_figure(text: str, figure: StatedFigure) -> bool:
    """Whether a text has a figure, or may have it."""
    close = figure.least / 2 * 1.000001
    wanted = (figure.value, figure.value / 100) if figure.percent else (figure.value,)
    margins = (close, close / 100)
    scaled = (
        (number * 10.0 ** round(log10(figure.value / number)) for number in _worded_in(text))
        if 0 < figure.value < inf
        else ()
    )
    if any(abs(number - figure.value) <= close for number in scaled):
        return True
    return any(
        abs(number - value) <= margin
        for number in _numbers_of(text)
        for value, margin in zip(wanted, margins, strict=False)
    )


def is_in_none(texts: Iterable[str], figure: StatedFigure) -> bool:
    """Whether none of some texts has a figure."""
    return not any(has_figure(each, figure) for each in texts)
