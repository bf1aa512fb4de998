"""Chinese numerals, also with digits among them: 三十七万四千, 1亿2千万, 二〇二四."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

_DIGITS: Final = {"〇": 0.0, "零": 0.0, "一": 1.0, "二": 2.0, "两": 2.0, "三": 3.0, "四": 4.0} | {
    **{"五": 5.0, "六": 6.0, "七": 7.0, "八": 8.0, "九": 9.0, "半": 0.5}
}
_TENS: Final = {"十": 10.0, "百": 100.0, "千": 1000.0}
_SCALES: Final = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "兆": 1e12}

_ARABIC: Final = r"(?:\d{1,3}(?:,\d{3}){1,4}+|\d{1,15}+)(?:\.\d{1,9}+)?"
_UNITS: Final = "十百千万萬亿億兆"
NUMERAL: Final = re.compile(
    rf"(?:(?<!\d)(?<!\d[.,]){_ARABIC}(?=[{_UNITS}])|[〇零一二两三四五六七八九半十百千])"
    rf"(?:[〇零一二两三四五六七八九半{_UNITS}]|点(?=[〇零一二两三四五六七八九])|(?<=[{_UNITS}]){_ARABIC})*+"
)
"""A numeral from its first character to its last."""
_PART: Final = re.compile(rf"{_ARABIC}|\D")
_EITHER_DIGIT: Final = re.compile(
    rf"([一二两三四五六七八九])([一二两三四五六七八九])(?=[{_UNITS}])"
)
"""三四十 is thirty or forty."""
_LAST: Final = re.compile(r"(?<=([百千万萬亿億兆]))([一二两三四五六七八九]|[1-9](?!\d))\Z")
"""三万五 is 35,000 as a rule."""
_PREFIXES: Final = re.compile(r"(?:(?<=[十百千万萬亿億])千|兆)\Z")
"""三百千瓦 are 300 kW, 三百兆瓦 300 MW: what stands last may belong to the unit."""
_MEGA: Final = 1e6


def readings_of(numeral: str) -> Iterator[float]:
    """Each number that a numeral may say, as 三万五 says 35,000 or 30,005."""
    yield value_of(numeral)
    if _EITHER_DIGIT.search(numeral):
        yield value_of(_EITHER_DIGIT.sub(r"\1", numeral))
        yield value_of(_EITHER_DIGIT.sub(r"\2", numeral))
    if last := _LAST.search(numeral):
        unit = (_TENS | _SCALES)[last[1]]
        digit = _DIGITS[last[2]] if last[2] in _DIGITS else float(last[2])
        yield value_of(numeral) - digit + digit * unit / 10
    if prefix := _PREFIXES.search(numeral):
        before = value_of(numeral[: prefix.start()])
        yield before
        if prefix[0] == "兆":
            yield before * _MEGA


def value_of(numeral: str) -> float:
    """What a numeral says, part by part; digits in a row stand for their places."""
    scaled: list[float] = []
    below, place = 0.0, 0.0  # what follows the last scale; what a digit behind a point is worth
    number: float | None = None
    for part in _PART.findall(numeral):
        if part in _TENS:
            below += (number or 1.0) * _TENS[part]
            number, place = None, 0.0
        elif part in _SCALES:
            counted = below + (number or 0.0)
            while scaled and scaled[-1] < _SCALES[part]:
                counted += scaled.pop()  # 一万亿 is 10,000 times 亿
            scaled.append((counted or 1.0) * _SCALES[part])
            below, number, place = 0.0, None, 0.0
        elif part == "点":
            place = 0.1
        elif place:
            number = (number or 0.0) + _DIGITS.get(part, 0.0) * place
            place /= 10
        elif part == "半" or part not in _DIGITS:
            number = _DIGITS[part] if part in _DIGITS else float(part.replace(",", ""))
        else:
            number = (number or 0.0) * 10 + _DIGITS[part]
    return sum(scaled) + below + (number or 0.0)


def last_in_digits(numeral: str) -> tuple[str, float]:
    """The last number in digits, of which there is one, and what one more of it is worth."""
    *_, last = re.finditer(_ARABIC, numeral)
    more = str(Decimal(last[0].replace(",", "")) + 1)
    whole = numeral[: last.start()] + more + numeral[last.end() :]
    return last[0], value_of(whole) - value_of(numeral)
