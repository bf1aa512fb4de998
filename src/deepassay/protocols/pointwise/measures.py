"""Which values a statement leaves open for what it measures: exactly, about, at least, from, to.

`over 40 %` and `43 %` agree, and so do `10 to 20 kg` and `15 kg`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf
from typing import Final, NamedTuple

from deepassay.protocols.alignment.passages import Stretch
from deepassay.protocols.alignment.quantities import HEDGED, RELATIVE, Figure
from deepassay.protocols.alignment.stems import FUNCTION_WORDS
from deepassay.text import HAN

REACH: Final = 20
"""Characters before a number in which a word for its bound stands."""

_AT_LEAST = re.compile(
    r"(?:\b(?:over|more than|at least|above|exceed\w{0,3}|surpass\w{0,3}|greater than|minimum of|"
    r"upwards? of|no (?:less|fewer) than|from)|[>≥]=?|超过|超|逾|至少|不少于|不低于|高于|大于|突破)"
    r"[\s~$€£¥]{0,3}\Z",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"(?:\b(?:under|less than|fewer than|below|up to|at most|as (?:much|many|high) as|maximum of|"
    r"no more than|within)|[<≤]=?|不到|不足|不超过|低于|少于|小于|至多|最多|高达)[\s~$€£¥]{0,3}\Z",
    re.IGNORECASE,
)
_PLUS = re.compile(r"\s?(?:\+|(?:or|and) (?:more|above|higher|over|older|up)\b|以上|多)")
_MINUS = re.compile(r"\s?(?:or (?:less|below|lower|fewer)\b|以下|以内)")
_BETWEEN = re.compile(r"\s?[%％$€£¥]?\s?(?:[-\u2010-\u2015~～至到]|to\b|and\b|与|和)\s?[$€£¥]?\s?")
_COUNTED = re.compile(
    r"[\s\u2010-\u2015-]?(?:of the |of |different |new |major )?([A-Za-z]{2,})"
    rf"|([{HAN}]{{1,2}})"
)
_CLOCK = re.compile(r"(?<!\d)\d{1,2}:\d\d(?!\d)|\d{4}[-\u2010-\u2015/]\d\d?[-\u2010-\u2015/]\d\d?")


class Measure(NamedTuple):
    """A number, or a range, that is no year, and the values that it leaves open.

    figure: the number, of a range the last, over the span of both. counted: the word behind a
    number without a unit; "" if there is none.
    """

    figure: Figure
    low: float
    high: float
    counted: str

    def alike(self, other: Measure) -> bool:
        """Whether both measure in the same unit, or count the same."""
        return (self.figure.unit, self.counted) == (other.figure.unit, other.counted)

    def excludes(self, other: Measure) -> bool:
        """Whether no value is open to both, rounding and `about` allowed for."""
        room = self._room(other)
        return self.high + room < other.low or other.high + room < self.low

    def differs(self, other: Measure) -> bool:
        """Whether two that are both exact, both ranges or both bounds are not the same.

        Others differ if they exclude one another.
        """
        if self._kind() != other._kind():
            return self.excludes(other)
        room = self._room(other)
        ends = ((self.low, other.low), (self.high, other.high))
        return any(one != another and abs(one - another) > room for one, another in ends)

    def _kind(self) -> tuple[bool, bool, bool]:
        return self.low == -inf, self.high == inf, self.low == self.high

    def _room(self, other: Measure) -> float:
        """How far apart two numbers may be that are the same."""
        one, another = self.figure, other.figure
        largest = max(abs(one.value), abs(another.value))
        rounding = max(one.step, another.step)
        if one.same(another):
            return abs(one.value - another.value)
        if one.hedged or another.hedged:
            return max(rounding, HEDGED * largest)
        return min(rounding, RELATIVE * largest)


def measures(said: Stretch) -> Iterator[Measure]:
    """The numbers of a statement in order, ranges taken as one; years, dates and times left out."""
    text = said.text
    clocks = {place for found in _CLOCK.finditer(text) for place in range(*found.span())}
    figures = [
        figure for figure in said.figures if figure.unit != "year" and figure.start not in clocks
    ]
    at = 0
    while at < len(figures):
        first = last = figures[at]
        if at + 1 < len(figures) and _one_range(text, first, figures[at + 1]):
            at += 1
            last = figures[at]
        at += 1
        low, high = sorted((first.value, last.value))
        before = text[max(0, first.start - REACH) : first.start]
        if _AT_LEAST.search(before) or _PLUS.match(text, last.end):
            high = inf
        if _AT_MOST.search(before) or _MINUS.match(text, last.end):
            low = -inf
        hedged = first.hedged or last.hedged
        figure = last._replace(start=first.start, hedged=hedged)
        yield Measure(figure, low, high, _counted(text, last))


def _one_range(text: str, first: Figure, following: Figure) -> bool:
    return (
        first.unit == following.unit
        and _BETWEEN.fullmatch(text, first.end, following.start) is not None
    )


def _counted(text: str, figure: Figure) -> str:
    if figure.unit:
        return ""
    found = _COUNTED.match(text, figure.end)
    word = (found[1] or found[2]).lower() if found else ""
    return "" if word in FUNCTION_WORDS else word.rstrip("s")
