"""Rubrics without a model: how many words of a criterion one passage of a report holds.

A baseline, and no more: it sees words and not meaning. A criterion that says that something is
left out is turned round. One that describes a mistake is met only where nearly all its words stand
together, because a mistake is seldom known by its words: most faults pass unseen.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from deepassay.files import without_surrogates
from deepassay.protocols.recall import (
    NUMBER,
    THRESHOLD,
    Token,
    best_passage,
    delivering,
    tokens,
    wanted,
)
from deepassay.protocols.rubrics.wordings import (
    FRAMING,
    ILLUSTRATION,
    TELLS_FAULT,
    TELLS_OMISSION,
)
from deepassay.protocols.windows.evidence import LONGEST_QUOTE
from deepassay.reports.report import Report

PARTLY: Final = 0.35
"""Share of the words from which on a criterion is partly satisfied. Chosen, not fitted."""

FAULTY: Final = 0.9
"""Share of the words from which on a report is said to have a fault. Chosen, not fitted."""

LEAST_OF_FAULT: Final = 3
"""Words that a fault must have in order to be told by them."""


class Said(NamedTuple):
    """A verdict of the rule in the form in which a judge answers."""

    verdict: str
    reason: str
    quotes: list[str]


class _Read(NamedTuple):
    """A report as the rule reads it: its statements with their words, and all words in a row."""

    report: Report
    statements: Sequence[tuple[str, frozenset[str]]]
    words: Sequence[Token]


@lru_cache(maxsize=8)  # a report comes back with every criterion
def _read(text: str) -> _Read:
    report = Report(without_surrogates(text))
    statements, words = [], []
    for each in delivering(report):
        told = list(tokens(each.text, each.span.start))
        statements.append((each.span.of(report.text), frozenset(token.word for token in told)))
        words += told
    return _Read(report, statements, words)


def said_by_rule(report: str, criterion: str) -> Said:
    """The verdict on one criterion; a passage is quoted where one speaks for it."""
    read = _read(report)
    needed = _needed(criterion)
    best = best_passage(read.words, needed)
    share = len(best.held) / len(needed) if needed else 0.0
    line, _ = read.report.lines.place(best.offset)
    found = f"{len(best.held)} of {len(needed)} words stand close together from line {line} on"
    if TELLS_OMISSION.search(criterion):
        verdict = "Satisfied" if share < PARTLY else "Not Satisfied"
        return Said(verdict, f"By rule: of what is said to be left out, {found}.", [])
    if TELLS_FAULT.search(criterion):
        is_met = share >= FAULTY and len(needed) >= LEAST_OF_FAULT
        verdict = "Satisfied" if is_met else "Not Satisfied"
    elif share >= THRESHOLD and (NUMBER not in needed or NUMBER in best.held):
        verdict = "Satisfied"
    else:
        verdict = "Partially Satisfied" if share >= PARTLY else "Not Satisfied"
    absent = [written for word, written in needed.items() if word not in best.held]
    lacking = f"; absent: {', '.join(absent[:8])}." if absent else "."
    quotes = [] if verdict == "Not Satisfied" else _quotes(read, needed)
    return Said(verdict, f"By rule: {found}{lacking}", quotes)


def _needed(criterion: str) -> dict[str, str]:
    """The words that tell what a criterion is about, without its examples and its framing."""
    bare = ILLUSTRATION.sub(" ", criterion)
    for text in (bare, criterion):
        words = {
            word: written
            for word, written in wanted(text).items()
            if written.lower() not in FRAMING
        }
        if words:
            return words
    return {}


def _quotes(read: _Read, needed: Collection[str]) -> list[str]:
    """The statement with most of the words, if it can be quoted."""
    sought = frozenset(needed)
    best = max(read.statements, key=lambda each: len(sought & each[1]), default=("", frozenset()))
    quote = best[0][:LONGEST_QUOTE].strip()
    return [quote] if sought & best[1] and any(map(str.isalnum, quote)) else []
