"""Whether a page supports a statement, without a model: the statement laid beside the best passage.

A baseline, and plainly so. A statement is supported if one passage of a few sentences holds its
words, its numbers and its names, and denies, reverses or exchanges none of them. It knows a few
hundred everyday synonyms and nothing of the world. docs/studies/offline-support.md says how often
it is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod, sqrt
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.protocols.alignment.attributions import Doubt
from deepassay.protocols.alignment.contradictions import contradictions
from deepassay.protocols.alignment.passages import PageIndex, Term, is_han, terms
from deepassay.protocols.alignment.polarity import affirmed, same_side
from deepassay.protocols.alignment.quantities import figures

Verdict = Literal["supported", "unsupported", "unknown"]

WIDEST: Final = 3
"""Sentences of a passage at most."""

WIDENING: Final = 0.03
"""What each further sentence must bring in recall to be worth its distance."""

SHARES: Final = (0.4, 0.3, 0.3)
"""What counts how much: one passage for the whole, the best for each part, the page at large."""

LENIENCE: Final = 10.0
"""Missing words at which what is held counts half, whatever share of the statement it is.

A statement is supported only as a whole: ten words missing out of thirty leave more untold
than two out of six.
"""

ENOUGH: Final = 0.68
BEYOND: Final = 0.1
"""What a page must hold of a statement to say it, and what each share beyond that counts.

A near copy with one thing wrong holds more than a loose paraphrase does: from here on it is the
contradictions that tell.
"""

NAME: Final = 1.5
FIGURE: Final = 2.0
YEAR: Final = 1.0
PAIR: Final = 0.5
"""Weights of a name, a number, a year and a pair of Chinese characters; another word's is 1."""

THRESHOLD: Final = 0.51
"""Score from which a statement counts as supported."""

CANDIDATES: Final = 4
SHORTEST_CLAUSE: Final = 4

_CLAUSE = re.compile(
    r"[;；。：]|[.!?:](?=\s)|[，,](?!\d)|\b(?:and|but|while|whereas|which)\b|而且|而"
)


@dataclass(frozen=True)
class Alignment:
    """A statement beside a page.

    score: 0 to 1, to rank by; no probability. quote: the best one or two sentences, verbatim.
    """

    score: float
    verdict: Verdict
    quote: str
    reason: str


class Passage(NamedTuple):
    """Neighbouring sentences of a page, and what of a statement they hold.

    recall: share, by weight. missing: weight of what they lack, in words.
    """

    first: int
    last: int
    recall: float
    missing: float


class _Row(NamedTuple):
    """A word or a number of a statement: as written, where it stands, how much it weighs."""

    written: str
    start: int
    weight: float


def align(statement: str, index: PageIndex) -> Alignment:
    """Judge a statement by the passages of a page that hold most of it. Deterministic."""
    if not index.has_content:
        return Alignment(0.0, "unknown", "", "The page says nothing that could be compared.")
    sheet = _Sheet(statement, index)
    if not sheet.rows:
        return Alignment(0.0, "unknown", "", "The statement has no words that could be compared.")
    everything = np.arange(len(sheet.rows))
    whole = sheet.best(everything)
    parts: list[tuple[float, Passage]] = []
    doubts = {doubt.reason: doubt.factor for doubt in sheet.doubts(0, len(statement), whole)}
    for start, end in sheet.clauses():
        rows = sheet.within(start, end)
        passage = sheet.best(rows)
        parts.append((float(sheet.weights[rows].sum()), passage))
        for doubt in sheet.doubts(start, end, passage):
            doubts[doubt.reason] = min(doubt.factor, doubts.get(doubt.reason, 1.0))
    score = _held(whole, parts, sheet.anywhere()) * prod(doubts.values())
    return Alignment(
        round(score, 6),
        "supported" if score >= THRESHOLD else "unsupported",
        sheet.quote(whole),
        _reason(sheet, whole, [*doubts]),
    )


def _held(whole: Passage, parts: list[tuple[float, Passage]], anywhere: Passage) -> float:
    """How much of a statement a page holds: at one place, part by part, and anywhere.

    The root, so that a contradiction weighs more than an unusual wording.
    """
    total = sum(weight for weight, _ in parts)
    by_part = sum(weight * passage.recall for weight, passage in parts) / total
    missing_by_part = sum(passage.missing for _, passage in parts)
    shares = (whole.recall, by_part, anywhere.recall)
    missing = (whole.missing, missing_by_part, anywhere.missing)
    recall = sum(share * part for share, part in zip(SHARES, shares, strict=True))
    lacking = sum(share * part for share, part in zip(SHARES, missing, strict=True))
    held = sqrt(recall / (1 + lacking / LENIENCE))
    return min(held, ENOUGH) + BEYOND * max(0.0, held - ENOUGH)


def _weight(term: Term) -> float:
    if is_han(term.key):
        return PAIR
    return NAME if term.capital and term.start else 1.0


class _Sheet:
    """What a statement says, word by word, and which sentences of a page hold each."""

    def __init__(self, statement: str, index: PageIndex) -> None:
        self.statement, self.index = statement, index
        self.rows: list[_Row] = []
        held: list[NDArray[np.int64]] = []
        numbers = list(figures(statement))
        for term in {term.key: term for term in reversed(list(terms(statement)))}.values():
            if not any(figure.start <= term.start < figure.end for figure in numbers):
                held.append(self._where(term.key))
                weight = _weight(term) * self._rarity(len(held[-1]))
                self.rows.append(_Row(statement[term.start : term.end], term.start, weight))
        for figure in numbers:
            held.append(index.where_figure(figure))
            weight = YEAR if figure.unit == "year" else FIGURE
            self.rows.append(_Row(statement[figure.start : figure.end], figure.start, weight))
        self.held = np.zeros((len(held), len(index.sentences) + WIDEST), dtype=bool)
        for row, where in zip(self.held, held, strict=True):
            row[where] = True
        self.weights = np.array([row.weight for row in self.rows])

    def _rarity(self, sentences: int) -> float:
        """Between 0 and 1, the less the more sentences of the page hold a word."""
        size = len(self.index.sentences)
        return float(np.log1p(size / (1 + sentences)) / np.log1p(size))

    def _where(self, key: str) -> NDArray[np.int64]:
        """Sentences with a word, with one that points the same way, or with its denial."""
        forms = {key, *same_side(key), *affirmed(key)}
        return np.unique(np.concatenate([self.index.where(form) for form in sorted(forms)]))

    def within(self, start: int, end: int) -> NDArray[np.int64]:
        """The rows of a part of the statement."""
        return np.array([i for i, row in enumerate(self.rows) if start <= row.start < end])

    def clauses(self) -> list[tuple[int, int]]:
        """Parts of the statement that say something of their own."""
        cuts = [found.end() for found in _CLAUSE.finditer(self.statement)]
        parts, start = [], 0
        for end in [*cuts, len(self.statement)]:
            words = sum(
                PAIR if is_han(self.rows[i].written) else 1 for i in self.within(start, end)
            )
            if words >= SHORTEST_CLAUSE:
                parts.append((start, end))
                start = end
        if parts and start < len(self.statement):
            parts[-1] = (parts[-1][0], len(self.statement))
        return parts or [(0, len(self.statement))]

    def best(self, rows: NDArray[np.int64]) -> Passage:
        """The passage that holds most of some rows; a shorter one, if it holds about as much."""
        weights, alone = self.weights[rows], self.held[rows]
        together = alone.copy()
        found: list[Passage] = []
        for width in range(1, WIDEST + 1):
            values = weights @ together[:, :-WIDEST]
            for first in np.argsort(-values, kind="stable")[:CANDIDATES]:
                found.append(self._passage(rows, int(first), width))
            together[:, :-width] |= alone[:, width:]
        return max(found, key=lambda one: one.recall - WIDENING * (one.last - one.first - 1))

    def anywhere(self) -> Passage:
        """What the page as a whole holds, wherever it stands."""
        return self._measured(np.arange(len(self.rows)), 0, len(self.index.sentences))

    def _passage(self, rows: NDArray[np.int64], first: int, width: int) -> Passage:
        """What some sentences hold."""
        last = min(first + width, len(self.index.sentences))
        return self._measured(rows, first, last)

    def _measured(self, rows: NDArray[np.int64], first: int, last: int) -> Passage:
        """What the sentences from `first` to before `last` hold and lack."""
        weights = self.weights[rows]
        lacking = float(weights @ ~self.held[rows, first:last].any(axis=1))
        return Passage(first, last, 1 - lacking / float(weights.sum()), lacking)

    def doubts(self, start: int, end: int, passage: Passage) -> Iterator[Doubt]:
        """What in a passage speaks against a part of the statement."""
        return contradictions(self.statement[start:end], self.sentences(passage))

    def sentences(self, passage: Passage) -> list[str]:
        """The sentences of a passage."""
        return [self.index.sentence(i) for i in range(passage.first, passage.last)]

    def quote(self, passage: Passage) -> str:
        """The two sentences of a passage that hold most, or the one that is enough."""
        rows = np.arange(len(self.rows))
        inside = [
            self._passage(rows, first, width)
            for width in (1, 2)
            for first in range(passage.first, passage.last - width + 1)
        ]
        best = max(inside, key=lambda one: one.recall - WIDENING * (one.last - one.first - 1))
        if not best.recall:
            return ""
        spans = self.index.sentences[best.first : best.last]
        return self.index.text[spans[0].start : spans[-1].end].strip()

    def lacking(self, passage: Passage) -> list[str]:
        """Words and numbers of the statement that a passage lacks, the weightiest first."""
        sentences = self.held[:, passage.first : passage.last]
        absent = [row for row, held in zip(self.rows, sentences, strict=True) if not held.any()]
        return [row.written for row in sorted(absent, key=lambda row: -row.weight)]


def _reason(sheet: _Sheet, whole: Passage, doubts: list[str]) -> str:
    """For a person: how much the best passage holds, what it lacks and what speaks against it."""
    absent = sheet.lacking(whole)[:6]
    held = f"By rule: the best passage holds {whole.recall:.0%} of the statement by weight"
    lacks = f", without {', '.join(absent)}" if absent else ""
    return held + lacks + "".join(f"; {doubt}" for doubt in doubts) + "."
