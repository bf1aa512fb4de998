"""Numbers of running text with their units, English and Chinese: `1.2 million`, `35 %`, `三成`.

Two numbers are the same if one is the other rounded, within RELATIVE; years, ordinals and
version numbers must agree to the digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

RELATIVE: Final = 0.025
"""Rounding may change a number by so much of itself."""

HEDGED: Final = 0.06
"""The same where either side says `about`."""

_SCALES: Final = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9,
    "bn": 1e9, "b": 1e9, "trillion": 1e12, "tn": 1e12, "dozen": 12.0, "百": 1e2, "千": 1e3,
    "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8, "万亿": 1e12,
}  # fmt: skip
_UNITS_WRITTEN = """
    % 1 percent % ％ per_cent percentage pct 个百分点
    % 10 成
    % 0.1 ‰
    m 1000 km kilometers kilometres kilometer kilometre 公里 千米
    m 1 meters metres meter metre 米
    m 0.01 cm centimetres centimeters 厘米
    m 0.3048 feet foot ft 英尺
    m 1609.344 miles mile 英里
    m 1e-06 µm μm
    m 0.001 mm millimetres millimeters 毫米
    m² 1 m² square_metres square_meters 平方米
    m² 1e+06 km² square_kilometres square_kilometers 平方公里
    m² 10000 ha hectares 公顷
    l 1 litres litre liters liter l 升
    l 0.001 ml millilitres milliliters 毫升
    l 1000 m³ cubic_metres cubic_meters 立方米
    g 1000 kg kilograms 公斤 千克
    g 1e+06 tonnes tons 吨
    g 1 grams gram g 克
    g 0.001 mg milligrams milligram 毫克
    g 1e-06 µg μg mcg micrograms microgram 微克
    s 1 seconds second s 秒
    s 60 minutes minute min 分钟
    s 3600 hours hour h 小时
    s 0.001 ms milliseconds millisecond 毫秒
    s 86400 days day 天
    s 604800 weeks week 周
    s 2629800 months month 个月
    s 31557600 years year
    $ 1 美元 dollars dollar usd
    ¥ 1 元 人民币 yuan rmb
    € 1 euros euro eur 欧元
    £ 1 pounds gbp 英镑
    jpy 1 日元 yen
    人 1 人 名 位
    家 1 家
    个 1 个
    项 1 项
    次 1 次
    year 1 年
    岁 1 岁
    times 1 倍 times
    °c 1 摄氏度 °c ℃
    月 1 月
    日 1 日 号
    w 1e+06 mw megawatt megawatts 兆瓦
    w 1e+09 gw gigawatt gigawatts 吉瓦
    w 1000 kw kilowatt kilowatts 千瓦
    wh 1000 kwh 千瓦时
    wh 1e+06 mwh 兆瓦时
    wh 1e+09 gwh 吉瓦时
"""
_UNITS: Final = {
    word.replace("_", " "): (unit, float(factor))
    for unit, factor, *words in map(str.split, _UNITS_WRITTEN.strip().splitlines())
    for word in words
}
_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_ONES: Final = tuple(_TO_NINETEEN.split())
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: Final = {word: float(value) for value, word in enumerate(_ONES)} | {
    word: 10.0 * value for value, word in enumerate(_TENS, start=2)
}
_SMALL = "|".join(_ONES[2:10])
_DIGITS: Final = dict(
    zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
)
_PLACES: Final = {"十": 10, "百": 100, "千": 1000}


_SCALE_LATIN = "hundred|thousand|million|billion|trillion|dozen|mn|bn|tn"
_SCALE_SHORT = "[kKmMbB](?![A-Za-z²³])"
_FIGURE = re.compile(
    r"(?=[\d$€£¥￥零〇一二两三四五六七八九十百千]|\b[tfesnTFESNUHCA])"
    r"(?P<before>[$€£¥￥]|百分之|(?:US|HK|C|A)\$|\b(?:EUR|USD))?\s?"
    r"(?P<number>(?<![A-Za-z\d.])(?:\d{1,3}(?:[,，\u00a0\u202f]\d{3})+(?!\d)|\d{1,15})(?:\.\d{1,12})?"
    r"|(?<=百分之)[零〇一二两三四五六七八九十百点]{1,9}"
    r"|[一二两三四五六七八九十百千]{1,7}万[零〇一二两三四五六七八九十百千]{1,8}"
    r"|[零〇一二两三四五六七八九十百千]{1,9}(?=万|亿|倍|个|公里|米|吨|美元|元|名|家|年|成|[到至][一二两三四五六七八九十])"
    rf"|\b(?i:(?:{'|'.join(_TENS)})(?:-(?:one|{_SMALL}))?|{_SMALL}|{'|'.join(_ONES[10:])})\b)"
    rf"(?:\s?(?P<scale>(?i:{_SCALE_LATIN})\b|{_SCALE_SHORT}|万亿|千万|百万|[万亿千百](?!米|克|瓦)))?"
    r"(?:[\s-]?(?P<unit>(?i:per\s?cent|(?:square|cubic)\s[a-z]{5,10}|[a-zµμ°]{1,14})\b(?![²³])|k?m[²³]|[%％‰℃]|平方公里|平方米|立方米|公顷|英尺|英里|毫秒|微克|毫升|个百分点|个月|公里|千米|厘米|毫米|"
    r"公斤|千克|毫克|分钟|小时|美元|欧元|英镑|日元|人民币|摄氏度|兆瓦|吉瓦|千瓦|[米吨秒天周元人名位家个项次年岁倍成月日号升克]))?",
)
_SEPARATORS: Final = dict.fromkeys(map(ord, ",，\u00a0\u202f"))
_HEDGES: Final = (
    "about", "around", "approximately", "nearly", "roughly", "almost", "some", "over", "than",
    "at least", "~", "≈", "under", "close to", "超过", "约", "大约", "近", "接近", "逾",
)  # fmt: skip
_RANGES: Final = frozenset({"-", "–", "—", "~", "～", "至", "到", "to", "and"})


class Figure(NamedTuple):
    """A number as meant: its value with scale and unit worked in, and where it stands.

    unit: "" if none is known; `year` is a date. step: the worth of half its last digit.
    factor: what the unit as written is worth in the unit here.
    """

    value: float
    unit: str
    step: float
    hedged: bool
    start: int
    end: int
    factor: float = 1.0

    def same(self, other: Figure) -> bool:
        """Whether the two may stand for one number: equal, or one is the other rounded."""
        if not self.comparable(other):
            return False
        gap = abs(self.value - other.value)
        if gap <= 1e-9 * abs(self.value):
            return True
        if "year" in {self.unit, other.unit}:
            return False
        largest = max(abs(self.value), abs(other.value))
        if self.hedged or other.hedged:
            return gap <= HEDGED * largest and gap <= 2 * max(self.step, other.step)
        return gap <= RELATIVE * largest and gap <= max(self.step, other.step) * (1 + 1e-9)

    def comparable(self, other: Figure) -> bool:
        """Whether the two measure the same thing, as far as their units say."""
        return self.unit == other.unit or "" in {self.unit, other.unit} - {"year"}


def figures(text: str) -> Iterator[Figure]:
    """The numbers of a text, in order. Those within words (`H2O`, `[3]`) are left out.

    The first number of a range takes the unit of the second: `3 to 5 kg`.
    """
    last: Figure | None = None
    for figure in _figures(text):
        if last is not None:
            between = text[last.end : figure.start].strip(" $€£¥")
            if not last.unit and figure.unit and between in _RANGES:
                last = last._replace(unit=figure.unit, value=last.value * figure.factor)
            yield last
        last = figure
    if last is not None:
        yield last


def _figures(text: str) -> Iterator[Figure]:
    for found in _FIGURE.finditer(text):
        written, start = found["number"], found.start("number")
        if text[start - 1 : start] == "[" and text[
            found.end("number") : found.end("number") + 1
        ] in {"]", ","}:
            continue
        known = (found["unit"] or "").lower() in _UNITS
        end = found.end() if known else found.end("scale" if found["scale"] else "number")
        value = _value(written)
        scale = _SCALES.get((found["scale"] or "").lower(), 1.0)
        unit, factor = _unit(found["before"] or "", found["unit"] or "")
        if _is_year(written, value, found["scale"], unit, factor):
            unit, factor = "year", 1.0
        step = _step(written) * scale * factor if written[0].isdigit() else 0.0
        before = text[max(0, found.start() - 16) : found.start()].rstrip().lower()
        hedged = before.endswith(_HEDGES)
        yield Figure(value * scale * factor, unit, step, hedged, start, end, factor)


def _is_year(written: str, value: float, scale: str | None, unit: str, factor: float) -> bool:
    plain = written.isdecimal() and len(written) == 4 and 1000 <= value <= 2199 and not scale
    return plain and (unit in {"", "year"} or factor == _UNITS["year"][1])


def _unit(before: str, after: str) -> tuple[str, float]:
    if before == "百分之":
        return "%", 1.0
    if before:
        return {"€": "€", "£": "£", "¥": "¥", "￥": "¥", "R": "€"}.get(before[-1], "$"), 1.0
    return _UNITS.get(" ".join(after.lower().split()), ("", 1.0))


def _step(written: str) -> float:
    """Half of the last digit's worth; noughts at the end of a whole number may be rounding."""
    plain = written.translate(_SEPARATORS)
    if "." in plain:
        return 0.5 * 10.0 ** -len(plain.split(".")[1])
    noughts = len(plain) - len(plain.rstrip("0"))
    return 0.5 * 10.0 ** (noughts if len(plain) - noughts >= 2 else 0)


def _value(written: str) -> float:
    if written[0].isdigit():
        return float(written.translate(_SEPARATORS))
    if written[0].isascii():
        return sum(_WORDS[part] for part in written.lower().split("-"))
    if "万" in written:
        high, _, low = written.partition("万")
        return _value(high) * _SCALES["万"] + _value(low)
    whole, _, decimals = written.partition("点")
    total = digit = 0
    for char in whole:
        if char in _PLACES:
            total += (digit or 1) * _PLACES[char]
            digit = 0
        else:
            digit = digit * 10 + _DIGITS[char]
    after = "".join(str(_DIGITS[char]) for char in decimals if char in _DIGITS)
    return float(f"{total + digit}.{after or 0}")
