"""Whether two statements about the same thing exclude each other, and why.

They are about the same thing if they share most of their words, weighed by how rare these are in
the report, and differ in no name, no year and no word that tells things apart. Rules by position
of words; chosen on reports, not fitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Final

from deepassay.protocols.alignment.contradictions import denied_in_one
from deepassay.protocols.alignment.passages import is_han, terms
from deepassay.protocols.alignment.polarity import ASSERTED, directions, negations
from deepassay.protocols.alignment.rivals import rivals
from deepassay.protocols.pointwise.measures import Measure, measures
from deepassay.protocols.pointwise.resemblance import MONTHS, Said

FEWEST: Final = 3
"""Words that two statements must share."""

WITHIN: Final = 0.9
ALIKE: Final = 0.5
NEAR: Final = 0.6
VERBATIM: Final = 0.9
"""Shares of the weight of words: of the shorter statement's that the other must have, or of both
together; for a denial; for one sentence written twice."""

BESIDE: Final = 42.0
BESIDE_HAN: Final = 16.0
"""Characters from a number within which words of its clause say what it measures."""

MOST_MEASURES: Final = 12
"""Numbers of a statement that are compared."""

_LABEL = re.compile(r"[^:：]{1,60}[:：]")


class Comparable(Said):
    """A statement with what is read off it to be compared.

    heading: the one above it. opening: what its paragraph opens with, if that is a label.
    """

    def __init__(self, text: str, heading: str = "", opening: str = "") -> None:
        super().__init__(text)
        self.heading = heading
        self.opening = opening

    @cached_property
    def introduced(self) -> frozenset[str]:
        """The names in the words that its paragraph opens with."""
        return frozenset(term.key for term in terms(self.opening) if term.capital and term.start)

    @cached_property
    def start(self) -> int:
        """Where its first letter or digit stands."""
        return next((at for at, char in enumerate(self.text) if char.isalnum()), 0)

    @cached_property
    def measured(self) -> list[tuple[Measure, frozenset[str]]]:
        """Its numbers, each with the words beside it."""
        return [(each, self._beside(each)) for each in islice(measures(self), MOST_MEASURES)]

    def holds(self, words: frozenset[str]) -> bool:
        """Whether it has some words; Chinese characters that are parted in it count."""
        return all(
            word in self.words or (is_han(word) and all(char in self.text for char in word))
            for word in words
        )

    def _beside(self, measure: Measure) -> frozenset[str]:
        figure = measure.figure
        return frozenset(
            term.key
            for term in self.counting
            if self.distance(term, figure) <= (BESIDE_HAN if is_han(term.key) else BESIDE)
            and not any(
                min(term.start, figure.start) < comma < max(term.start, figure.start)
                for comma in self.commas
            )
        )

    @cached_property
    def subject(self) -> frozenset[str]:
        """The words of the heading above it."""
        return frozenset(term.key for term in terms(self.heading))

    @cached_property
    def label(self) -> frozenset[str]:
        """The words before its colon."""
        found = _LABEL.match(self.text)
        return frozenset(term.key for term in self.counting if found and term.start < found.end())

    @cached_property
    def negations(self) -> int:
        """How often it denies something."""
        return negations(self.text)

    @cached_property
    def sides(self) -> dict[int, bool]:
        """Which side it takes of pairs of opposites."""
        return directions(self.text)


def disagreement(one: Comparable, other: Comparable, likeness: float, within: float) -> str:
    """How two statements exclude each other, for a person; "" if they do not.

    likeness, within: the weight of the words that they share, as a share of all words of both
    and of the shorter one's.
    """
    if (
        (likeness < ALIKE and within < WITHIN)
        or one.text == other.text
        or not _same_thing(one, other)
    ):
        return ""
    for figure, another in _figures(one, other, likeness):
        return f"one has {figure} where the other has {another}."
    if likeness < NEAR or one.years != other.years or not _agree(one, other):
        return ""
    for word, another in rivals(one, other):
        return f"one has {word} where the other has {another}." if word in MONTHS else ""
    return _denial(one, other, likeness)


def _denial(one: Comparable, other: Comparable, likeness: float) -> str:
    negated = likeness >= VERBATIM and one.negations != other.negations
    if negated or denied_in_one(one, other, other):
        return "one denies what the other affirms."
    turned = any(one.sides[pair] != other.sides.get(pair, one.sides[pair]) for pair in one.sides)
    return "they say opposite things." if turned else ""


def _same_thing(one: Comparable, other: Comparable) -> bool:
    """Whether nothing tells the subjects of two statements apart."""
    if one.codes != other.codes or (one.label - other.words and other.label - one.words):
        return False
    apart = (one.sides.keys() & other.sides.keys()) - ASSERTED
    return all(one.sides[pair] == other.sides[pair] for pair in apart)


def _figures(one: Comparable, other: Comparable, likeness: float) -> Iterator[tuple[str, str]]:
    """Figures of two statements that cannot both hold, as written."""
    if likeness >= VERBATIM:
        yield from _changed(one, other)
    if one.years != other.years or any(rivals(one, other)):
        return
    apart = [
        (measure, another, beside, near)
        for measure, beside in one.measured
        for another, near in other.measured
        if measure.alike(another)
        and measure.excludes(another)
        and not _elsewhere(measure, other)
        and not _elsewhere(another, one)
    ]
    if len({measure for measure, _, _, _ in apart}) != 1:
        return  # of two ages, the shares of each differ too
    for measure, another, beside, near in apart:
        same = beside & near and other.holds(beside) and one.holds(near)
        if same and (measure.figure.unit or measure.counted):
            yield _written(one, measure), _written(other, another)


def _changed(one: Comparable, other: Comparable) -> Iterator[tuple[str, str]]:
    """What was changed in a sentence that is there twice, if it is one number or one year.

    Where more differs, it says the same of two things: of two ages, doses or years.
    """
    if len(one.measured) != len(other.measured):
        return
    changed = [
        (_written(one, measure), _written(other, another))
        for (measure, _), (another, _) in zip(one.measured, other.measured, strict=True)
        if measure.figure.unit != another.figure.unit or measure.differs(another)
    ]
    if one.years == other.years and len(changed) == 1:
        yield from changed
    elif len(one.years) == len(other.years) and len(one.years - other.years) == 1 and not changed:
        (year,), (another_year,) = one.years - other.years, other.years - one.years
        yield f"{year:.0f}", f"{another_year:.0f}"


def _elsewhere(measure: Measure, other: Comparable) -> bool:
    """Whether a statement has a number that agrees with one of the other's."""
    return any(measure.alike(each) and not measure.excludes(each) for each, _ in other.measured)


def _agree(one: Comparable, other: Comparable) -> bool:
    """Whether two statements have the same numbers, in order."""
    return len(one.measured) == len(other.measured) and all(
        measure.alike(another) and not measure.excludes(another)
        for (measure, _), (another, _) in zip(one.measured, other.measured, strict=True)
    )


def _written(said: Comparable, measure: Measure) -> str:
    return said.text[measure.figure.start : measure.figure.end].strip()
