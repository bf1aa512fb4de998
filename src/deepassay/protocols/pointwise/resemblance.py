"""Which statements of a report may be about the same thing: those that share rare words.

An index from words to statements, read only for words that few statements have, so that the time
is linear in the length of a report, a hostile one included. Nothing here depends on the order of
the statements.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import log
from typing import Final

from deepassay.protocols.alignment.passages import Stretch, Term, is_han
from deepassay.protocols.alignment.stems import stem
from deepassay.protocols.alignment.synonyms import canonical

MOST_STATEMENTS: Final = 40
"""Statements that may share a word before it tells nothing any more."""

MOST_CANDIDATES: Final = 12
"""Statements that a statement is laid beside at most, those with most in common."""


_NO_CONTENT_HAN = re.compile(
    "达到|约为|大约|左右|共计|总计|合计|总数|现有|目前|截至|根据|数据|显示|表示|认为|接近|超过|高达|"
    "[达约共已仅只就则年月日据拥]"
)
_MONTHS = """
    january february march april may june july august september october november december
"""
MONTHS: Final = frozenset(_MONTHS.split())
_LEADING = """
    reach reaches reached total totals totaled totalled amount amounts amounted stand stands stood
    worth value valued estimate estimated account accounts accounted record recorded hit hits post
    posted approximately roughly overall number numbers figure figures level currently come comes
    came equal equals average averaged exceed exceeded surpass surpassed represent represents
    represented comprise comprised nearly close around earn earns earned cost costs priced
"""
_NO_CONTENT = frozenset(canonical(stem(word)) for word in [*_LEADING.split(), *MONTHS])
_CODE = re.compile(
    r"(?<![\w.])(?:[A-Z][A-Za-z]{0,7}-?\d[A-Za-z\d]{0,8}|\d{1,5}[A-Zab](?:\d[A-Za-z\d]{0,8})?)(?!\w)"
)


class Said(Stretch):
    """A statement with its words and figures."""

    @cached_property
    def counting(self) -> tuple[Term, ...]:
        """Its content words, without months, words of figures, and words that only lead to one.

        `reached 5 million` and `stood at 5 million` say the same.
        """
        inside = [range(figure.start, figure.end) for figure in self.figures]
        inside += [range(*found.span()) for found in _NO_CONTENT_HAN.finditer(self.text)]
        places = {place for each in inside for place in each}
        return tuple(
            term
            for term in self.terms
            if term.key not in _NO_CONTENT
            and not (term.start in places or (is_han(term.key) and term.end - 1 in places))
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """What `counting` words are compared by."""
        return frozenset(term.key for term in self.counting)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Names that have a digit: `GPT-4`, `Q3`, `9950X`; no number with its unit, as `$5B`."""
        ends = {figure.end for figure in self.figures}
        found = _CODE.finditer(self.text)
        return frozenset(code[0].upper() for code in found if code.end() not in ends)

    @cached_property
    def years(self) -> frozenset[float]:
        """The years that it speaks of."""
        return frozenset(figure.value for figure in self.figures if figure.unit == "year")


class Resemblance:
    """Statements by their words, and how much it says that two have a word in common."""

    def __init__(self, statements: Sequence[Said]) -> None:
        self._statements = statements
        where: defaultdict[str, list[int]] = defaultdict(list)
        for number, said in enumerate(statements):
            for word in said.words:
                where[word].append(number)
        self._where: Mapping[str, list[int]] = where

    def rarity(self, words: frozenset[str]) -> float:
        """The weight of some words: the fewer statements have them, the more."""
        size = len(self._statements)
        return sum(sorted(log(1 + size / (1 + len(self._where.get(word, ())))) for word in words))

    def share(self, words: frozenset[str], other: frozenset[str]) -> float:
        """How much of the weight of some words others have too; 0 if they have none."""
        whole = self.rarity(words)
        return self.rarity(words & other) / whole if whole else 0.0

    def near(self, words: frozenset[str]) -> list[int]:
        """The statements that share most rare words with some words."""
        shared: Counter[int] = Counter()
        for word in words:
            others = self._where.get(word, ())
            if len(others) <= MOST_STATEMENTS:
                shared.update(others)
        alike = sorted(shared, key=lambda other: (-shared[other], self._statements[other].text))
        return alike[:MOST_CANDIDATES]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Each pair of statements that one of the two is near to, the earlier first, once."""
        found = {
            (min(number, other), max(number, other))
            for number, said in enumerate(self._statements)
            for other in self.near(said.words)
            if other != number
        }
        yield from sorted(found)
