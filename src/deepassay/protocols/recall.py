"""Coverage without a model: how many words of a checklist item one passage of a report holds.

A baseline, and no more. An item counts as delivered if one passage holds most of its content
words, and a figure where the item asks for one. Sentences that only admit a gap or describe a
method are left out before. It sees words and not meaning: an item that is answered in other
words is missed, and a passage that contradicts it passes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from deepassay.protocols.checklist import Verdict, Verdicts
from deepassay.protocols.wordings import (
    ADMITS_GAP,
    ASKS_FOR_NUMBER,
    NO_CONTENT,
    NO_CONTENT_HAN,
    TELLS_METHOD,
)
from deepassay.reports.report import Report
from deepassay.reports.statements import Statement
from deepassay.text import HAN

THRESHOLD: Final = 0.6
"""Share of an item's content words that one passage must hold. Chosen, not fitted."""

PASSAGE: Final = 160
"""Content words of a passage, English words and Chinese pairs of characters alike."""

NUMBER: Final = "#"

_TOKEN = re.compile(rf"(?P<latin>[A-Za-z]+)|(?P<number>\d+)|(?P<han>[{HAN}]+)")


class Token(NamedTuple):
    """A content word, or a pair of Chinese characters, as compared, as written, and its place."""

    word: str
    written: str
    offset: int


def tokens(text: str, offset: int = 0) -> Iterator[Token]:
    """Content words in a form that forgives endings; every figure also counts as NUMBER."""
    for found in _TOKEN.finditer(text):
        at, written = offset + found.start(), found.group()
        if found["han"]:
            for run in NO_CONTENT_HAN.split(written):
                pairs = [run[i : i + 2] for i in range(len(run) - 1)] or ([run] if run else [])
                yield from (Token(pair, pair, at) for pair in pairs)
        elif found["number"]:
            yield from (Token(written, written, at), Token(NUMBER, written, at))
        elif (word := written.lower()) not in NO_CONTENT and len(word) > 1:
            yield Token(_stem(word), word, at)


def _stem(word: str) -> str:
    """The first six letters, without the commonest endings: `costs`, `costing` -> `cost`."""
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:6].removesuffix("e")


def wanted(item: str) -> dict[str, str]:
    """The words that a passage should hold to deliver an item, as compared and as written."""
    words = {token.word: token.written for token in tokens(item) if token.word != NUMBER}
    return words | ({NUMBER: "a figure"} if ASKS_FOR_NUMBER.search(item) else {})


class Passage(NamedTuple):
    """The best passage for an item: what it holds of the wanted words, and where it begins."""

    held: frozenset[str]
    offset: int


def best_passage(report: Sequence[Token], words: Collection[str]) -> Passage:
    """Slide a window of PASSAGE words over the report; linear in its length."""
    counts = Counter[str]()
    best = Passage(frozenset(), 0)
    for i, token in enumerate(report):
        if i >= PASSAGE and (gone := report[i - PASSAGE].word) in counts:
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
        if token.word in words:
            counts[token.word] += 1
            if len(counts) > len(best.held):
                best = Passage(frozenset(counts), report[max(0, i - PASSAGE + 1)].offset)
    return best


def delivering(report: Report) -> Iterator[Statement]:
    """The statements of a report, without those that admit a gap or describe a method."""
    for statement in report.statements:
        if not (ADMITS_GAP.search(statement.text) or TELLS_METHOD.search(statement.text)):
            yield statement


def delivered(report: Report) -> list[Token]:
    """The content words of the statements that deliver something."""
    return [
        token
        for statement in delivering(report)
        for token in tokens(statement.text, statement.span.start)
    ]


def passages_by_recall(report: Report, items: Mapping[str, str], most: int) -> dict[str, list[str]]:
    """For each item the statements with most of its words, at most `most`, the best first."""
    said = [
        (each.span.of(report.text), {token.word for token in tokens(each.text)})
        for each in delivering(report)
    ]
    best = {}
    for key, item in items.items():
        needed = wanted(item).keys()
        held = sorted(
            ((len(needed & words), text) for text, words in said), key=lambda each: -each[0]
        )
        best[key] = [text for count, text in held[:most] if count > 1 or count == len(needed) > 0]
    return best


def verdicts_by_recall(report: Report, items: Mapping[str, str]) -> Verdicts:
    """Verdicts on checklist items, by their keys."""
    words = delivered(report)
    return Verdicts(evaluations={key: _verdict(report, words, items[key]) for key in items})


def _verdict(report: Report, words: Sequence[Token], item: str) -> Verdict:
    needed = wanted(item)
    best = best_passage(words, needed)
    absent = [written for word, written in needed.items() if word not in best.held]
    met = (
        len(best.held) >= THRESHOLD * len(needed)
        and bool(best.held)
        and (NUMBER not in needed or NUMBER in best.held)
    )
    line, _ = report.lines.place(best.offset)
    held = f"{len(best.held)} of {len(needed)} words stand close together from line {line} on"
    return Verdict(
        score=1 if met else 0,
        justification=f"By rule: {held}"
        + (f"; absent: {', '.join(absent[:8])}." if absent else "."),
    )
