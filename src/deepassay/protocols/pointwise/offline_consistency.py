"""Contradictions in a report without a model: statements about the same thing that disagree.

A baseline, and plainly so. Two statements disagree if they share most of their words and their
names, and one has another figure, year or month where the other's stands, or denies what the other
affirms, or says the opposite. What may be about another thing, place or time is left alone: rather
too few are found than too many. Logic it does not see, nor what stands in tables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from deepassay.protocols.pointwise.disagreement import FEWEST, Comparable, disagreement
from deepassay.protocols.pointwise.issues import Inconsistencies, Inconsistency
from deepassay.protocols.pointwise.placing import Placed, placed
from deepassay.protocols.pointwise.resemblance import Resemblance
from deepassay.reports.report import Report
from deepassay.reports.statements import Statement

LONGEST: Final = 1_000
"""Characters of a statement that is compared at all; a sentence has not so many."""

MOST_ISSUES: Final = 200
"""Contradictions that are listed; the score falls no further long before."""

SELF_CONTAINED: Final = 3
DATA: Final = 6
"""Words that two sentences share that are about one thing, though they share no name and stand
under different headings; two lines of data, their labels aside."""

SERIES: Final = 3
"""Lines of data that disagree with one another and are rows: of one thing each."""

_SENTENCE = re.compile(r"[.!。！…][\"'”’)\]）」』*_]{0,4}\Z")
_LABELLED = re.compile(r"[^.:：。]{1,60}[:：]|[^.]{1,60}\s[—–]\s")
_ASKS_OR_LEADS: Final = (":", "：", "?", "？")


class Pair(NamedTuple):
    """Two statements, by their numbers, that exclude each other, and why."""

    first: int
    second: int
    reason: str


def contradictions_by_rule(report: Report) -> Inconsistencies:
    """Pairs of sentences of a report's body that disagree; tables are left out. Deterministic.

    Their number does not depend on the order of the sections.
    """
    found = [each for each in placed(report) if _says_something(each.statement)]
    compared = [_comparable(each) for each in found]
    pairs = _without_series(list(_pairs(compared)), compared)
    return Inconsistencies(
        issues=[
            Inconsistency(
                kind="contradiction",
                quote=found[pair.first].statement.span.of(report.text),
                other_quote=found[pair.second].statement.span.of(report.text),
                problem=f"By rule: {pair.reason}",
            )
            for pair in pairs[:MOST_ISSUES]
        ]
    )


def _says_something(statement: Statement) -> bool:
    """Whether a statement is a sentence that is compared."""
    return (
        statement.kind == "sentence"
        and len(statement.text) <= LONGEST
        and not statement.text.endswith(_ASKS_OR_LEADS)
    )


def _comparable(each: Placed) -> Comparable:
    """A statement with what it is about: its heading, the label that its paragraph opens with."""
    label = each.first.text if _LABELLED.match(each.first.text) else ""
    return Comparable(each.statement.text, each.heading, label[:LONGEST])


def _pairs(compared: Sequence[Comparable]) -> Iterator[Pair]:
    """Statements that disagree, among those that have rare words in common."""
    resemblance = Resemblance(compared)
    named = _named(compared)
    for first, second in resemblance.pairs():
        one, other = compared[first], compared[second]
        shared = one.words & other.words
        if len(shared) < FEWEST or _apart(one, other, named[first], named[second]):
            continue
        data = _of_data(one.text, other.text)
        together = not data and (one.heading == other.heading or named[first] & shared)
        if len(shared - one.label) < (DATA if data else SELF_CONTAINED) and not together:
            continue
        common = resemblance.rarity(shared)
        sizes = resemblance.rarity(one.words), resemblance.rarity(other.words)
        likeness, within = common / (sum(sizes) - common), common / min(sizes)
        if reason := disagreement(one, other, likeness, within):
            yield Pair(first, second, reason)


def _named(compared: Sequence[Comparable]) -> list[frozenset[str]]:
    """The names in each statement; what begins a sentence is one if it has a capital elsewhere."""
    names = frozenset(
        term.key
        for each in compared
        for term in each.counting
        if term.capital and term.start > each.start
    )
    return [
        frozenset(term.key for term in each.counting if term.capital and term.key in names)
        for each in compared
    ]


def _apart(
    one: Comparable, other: Comparable, names: frozenset[str], others: frozenset[str]
) -> bool:
    """Whether the names of two statements, or of what stands above them, tell them apart."""
    lacking, lacking_too = names - other.words, others - one.words
    if lacking and lacking_too:
        return True
    if one.heading != other.heading and (
        lacking & one.subject - other.subject or lacking_too & other.subject - one.subject
    ):
        return True
    here, there = one.introduced | names, other.introduced | others
    return bool(here - there - other.words and there - here - one.words)


def _without_series(pairs: Sequence[Pair], compared: Sequence[Comparable]) -> list[Pair]:
    """The pairs without lines of data of which several disagree: they are of several things."""
    rivals: defaultdict[int, set[str]] = defaultdict(set)
    for first, second, _ in pairs:
        rivals[first].add(compared[second].text)
        rivals[second].add(compared[first].text)
    series = {
        number
        for number, texts in rivals.items()
        if len(texts) >= SERIES - 1 and _is_data(compared[number].text)
    }
    return [pair for pair in pairs if not series & {pair.first, pair.second}]


def _is_data(text: str) -> bool:
    """Whether a statement is a line of data: a phrase, or a label with what belongs to it."""
    return not _SENTENCE.search(text) or _LABELLED.match(text) is not None


def _of_data(text: str, other: str) -> bool:
    """Whether one of two statements is a phrase, or both are lines of data."""
    phrase = not (_SENTENCE.search(text) and _SENTENCE.search(other))
    return phrase or (_is_data(text) and _is_data(other))
