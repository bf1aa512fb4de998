"""Analysis depth without a model: how many statements of a report reason, and in which way.

A baseline, and no more. It sees the words that reasoning is put in, and not whether the reasoning
holds. Both reports are read alone, and only the numbers are held against each other. A statement
counts once however often it stands there, and only if it is about the subject, so that a report
does not go deeper by what is added to fill it. All constants are chosen, not fitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from deepassay.files import without_surrogates
from deepassay.protocols.depth.marks import DIMENSIONS, HIGHEST
from deepassay.protocols.depth.wordings import WAYS
from deepassay.protocols.race.discourse import PROCESS_TALK, RHETORIC
from deepassay.protocols.race.form import saturation
from deepassay.protocols.recall import NUMBER, tokens
from deepassay.protocols.wordings import ADMITS_GAP
from deepassay.reports.report import Report

ENOUGH: Final = 12.0
"""So many statements of a kind earn 63 % of the highest mark."""

DENSE: Final = 0.3
"""Such a share of the words in statements that reason earns 63 % of the highest mark."""

NOTICED: Final = 0.03
"""By this share of the larger amount two amounts must differ before one mark is lower."""

RECURRENT: Final = 6
"""A word that so many statements hold belongs to the subject, as the words of the request do, which
are all there is in a report of a few sentences."""

ABOUT: Final = 3
"""Words of the subject that a statement must hold to be about it."""


class Traits(NamedTuple):
    """What counts of one report. Statements, each once; density: the share of their words, 0 to 1.

    granularity: that give a cause or a condition. insight: that draw a consequence or compare.
    critique: that doubt or weigh. evidence: of all these, that rest on a figure or a citation.
    """

    granularity: int
    insight: int
    critique: int
    evidence: int
    density: float

    def __str__(self) -> str:
        return (
            f"{self.granularity} statements with a cause or condition, {self.insight} with a "
            f"consequence or comparison, {self.critique} with a doubt, {self.evidence} of these "
            f"on evidence, {self.density:.0%} of the words in them"
        )


class _Said(NamedTuple):
    """A statement: its content words without figures, how many words it has, and its ways."""

    words: frozenset[str]
    size: int
    evident: bool
    ways: frozenset[str]


@lru_cache(maxsize=64)  # a report comes back with every rival, and in both orders
def traits_of(text: str, query: str) -> Traits:
    """The traits of a report, in time linear in its length. query: the request that it answers."""
    # A lone surrogate is unfit for JSON, and so for all that is kept of it.
    report = Report(without_surrogates(text))
    said = list(_said(report))
    subject = _subject(said, query)
    reasoned = [each for each in said if each.ways and len(each.words & subject) >= ABOUT]
    ways = Counter(way for each in reasoned for way in each.ways)
    words = sum(each.size for each in said)
    return Traits(
        granularity=ways["granularity"],
        insight=ways["insight"],
        critique=ways["critique"],
        evidence=sum(each.evident for each in reasoned),
        density=sum(each.size for each in reasoned) / words if words else 0.0,
    )


def _said(report: Report) -> Iterable[_Said]:
    """The statements, each once, without those that admit a gap or tell of the agent's work."""
    distinct = {each.text.casefold(): each for each in reversed(report.statements)}.values()
    for each in distinct:
        if ADMITS_GAP.search(each.text) or PROCESS_TALK.search(each.text):
            continue
        found = list(tokens(each.text))
        figures = any(token.word == NUMBER for token in found)
        words = [t for t in found if t.word != NUMBER and not t.word.isdecimal()]
        yield _Said(
            words=frozenset(t.word for t in words if t.written not in RHETORIC),
            size=len(words),
            evident=figures or bool(each.citations),
            ways=frozenset(
                name for name, ways in WAYS.items() if any(way.search(each.text) for way in ways)
            ),
        )


def _subject(said: Iterable[_Said], query: str) -> frozenset[str]:
    """Content words of the request, and those that come back in many statements."""
    asked = {token.word for token in tokens(query) if token.written not in RHETORIC} - {NUMBER}
    counts = Counter(word for each in said for word in each.words)
    return frozenset(asked) | {word for word, count in counts.items() if count >= RECURRENT}


def marks_beside(own: Traits, other: Traits) -> Mapping[str, int]:
    """Marks from 0 to 5 of one report beside another.

    The report with more of something gets the mark that the amount earns, and the other one that
    is lower in proportion, by 1 at least unless the two hardly differ.
    """
    marks = {}
    for name in DIMENSIONS:
        amount, most = getattr(own, name), max(getattr(own, name), getattr(other, name))
        mark = round(HIGHEST * saturation(most, DENSE if name == "density" else ENOUGH))
        if amount < most * (1 - NOTICED):
            mark = min(int(mark * amount / most), max(0, mark - 1))
        marks[name] = mark
    return marks
