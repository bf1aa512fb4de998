"""Words that two texts share: all that the offline judge knows of language.

A floor, and no more. It sees words and not meaning: what is said in other words is missed, and
what is denied in the same words passes. English words are compared as they are written, without
case; Chinese by pairs of neighbouring characters; words that stand in every text do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from deepassay.files import without_surrogates
from deepassay.models.fence import disarmed
from deepassay.reports.report import Report
from deepassay.reports.sentences import split_sentences
from deepassay.text import HAN, IN_EVERY_TEXT

WINDOW: Final = 160
"""Words of a passage in which those of an item must stand together."""

DELIVERED: Final = 0.6
PARTLY: Final = 0.35
"""Shares of the words of an item or criterion from which on it is met, or met in part. Chosen."""

HIGHEST: Final = 10.0
ENOUGH: Final = 1000
"""Different words by which a report has half of the marks for how much it says.

Chosen while two published agents were watched (docs/studies/offline-floor.md).
"""

LONGEST: Final = 400
"""Characters of a passage that is quoted."""

AT_HAND: Final = 20
"""Reports that are kept as they were read: each comes back with every criterion and protocol."""

_WORD = re.compile(rf"(?P<han>[{HAN}]+)|[^\W_{HAN}]+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_SAID = re.compile(r"[-+−]?\d+(?:[.,]\d+)*|[^\W\d_]+|[%％$€£¥]")


class Word(NamedTuple):
    """A word, or a pair of Chinese characters, as it is compared, and where it begins."""

    key: str
    offset: int


def placed_words(text: str, offset: int = 0) -> Iterator[Word]:
    """The words of a text that count, in their order. offset: what is added to their places."""
    for found in _WORD.finditer(text):
        at, written = offset + found.start(), found.group()
        if found["han"]:
            for start in range(max(1, len(written) - 1)):
                yield Word(written[start : start + 2], at + start)
        elif (key := written.casefold()) not in IN_EVERY_TEXT:
            yield Word(key, at)


def words_of(text: str) -> list[str]:
    """The words of a text that count, as they are compared, in their order."""
    return [word.key for word in placed_words(text)]


def share(words: Collection[str], found: Collection[str]) -> float:
    """Share of different words that are found among others, 0 to 1; 0 if there are none."""
    wanted = frozenset(words)
    return len(wanted.intersection(found)) / len(wanted) if wanted else 0.0


def wording(text: str) -> str:
    """All words and numbers of a text: the same for texts that differ in marks and case alone."""
    return " ".join(_SAID.findall(text.casefold()))


@lru_cache(maxsize=AT_HAND)
def readable(text: str) -> Report:
    """A report as the rules read it: a lone surrogate, unfit for JSON, becomes U+FFFD."""
    return Report(without_surrogates(disarmed(text)))


class PassageIndex:
    """Passages of a text in their order, and which of them hold which words.

    words: those of each passage.
    """

    def __init__(self, texts: Sequence[str], words: Iterable[Iterable[str]]) -> None:
        self.texts = texts
        self._where: dict[str, list[int]] = {}
        for number, own in enumerate(words):
            for word in dict.fromkeys(own):
                self._where.setdefault(word, []).append(number)

    @property
    def vocabulary(self) -> Collection[str]:
        """The different words of all passages."""
        return self._where.keys()

    def best(self, wanted: Collection[str], most: int = 1, fewest: int = 1) -> list[str]:
        """The passages that hold most of some words, and at least so many; quoted, best first."""
        counts = Counter(
            number for word in dict.fromkeys(wanted) for number in self._where.get(word, ())
        )
        held = sorted(counts, key=lambda number: (-counts[number], number))
        return [_quoted(self.texts[each], wanted) for each in held[:most] if counts[each] >= fewest]


def _quoted(text: str, wanted: Collection[str]) -> str:
    """A passage that can be quoted: as a whole, or from the first of some words on."""
    if len(text) <= LONGEST:
        return text.strip()
    sought = frozenset(wanted)
    start = next((word.offset for word in placed_words(text) if word.key in sought), 0)
    return text[start : start + LONGEST].strip()


@lru_cache(maxsize=4)  # a page comes back with further statements
def sentences_of(page: str) -> PassageIndex:
    """The sentences of a page."""
    shown = without_surrogates(disarmed(page))
    paragraphs = _BLANK_LINE.split(shown)
    texts = [span.of(each) for each in paragraphs for span in split_sentences(each)]
    return PassageIndex(texts, map(words_of, texts))


class ReportWords(NamedTuple):
    """A report as the offline rules see it: its statements, and their words in a row.

    places: in that row, of each different word.
    """

    report: Report
    statements: PassageIndex
    words: Sequence[Word]
    places: Mapping[str, Sequence[int]]


@lru_cache(maxsize=AT_HAND)
def report_words(text: str) -> ReportWords:
    """A report, in time linear in its length."""
    report = readable(text)
    spans = [each.span for each in report.statements]
    texts = [span.of(report.text) for span in spans]
    words = [[*placed_words(text, at.start)] for text, at in zip(texts, spans, strict=True)]
    statements = PassageIndex(texts, ([each.key for each in own] for own in words))
    row = [*chain.from_iterable(words)]
    places: dict[str, list[int]] = {}
    for number, word in enumerate(row):
        places.setdefault(word.key, []).append(number)
    return ReportWords(report, statements, row, places)


class BestPassage(NamedTuple):
    """How much of an item one passage of a report holds. found: that, in words for a person."""

    share: float
    found: str
    quotes: list[str]


def best_passage(text: str, item: str) -> BestPassage:
    """The share of an item's words that stand together somewhere in a report, and where."""
    said = report_words(text)
    needed = dict.fromkeys(words_of(item))
    best, offset = _best_window(said, needed)
    line, _ = said.report.lines.place(offset)
    absent = [word for word in needed if word not in best]
    found = f"{len(best)} of {len(needed)} words stand close together from line {line} on"
    lacking = f"; absent: {', '.join(absent[:8])}." if absent else "."
    return BestPassage(
        share(needed, best), f"By rule: {found}{lacking}", said.statements.best(needed)
    )


def _best_window(said: ReportWords, wanted: Iterable[str]) -> tuple[frozenset[str], int]:
    """What a window of WINDOW words holds of those that are wanted at most, and its offset.

    Of the row of words only those are gone through that are wanted: few are.
    """
    hits = sorted((number, key) for key in wanted for number in said.places.get(key, ()))
    counts: Counter[str] = Counter()
    best, offset, behind = frozenset[str](), 0, 0
    for number, key in hits:
        while hits[behind][0] <= number - WINDOW:
            gone = hits[behind][1]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            behind += 1
        counts[key] += 1
        if len(counts) > len(best):
            best, offset = frozenset(counts), said.words[max(0, number - WINDOW + 1)].offset
    return best, offset


def mark(text: str, about: str) -> float:
    """0 to 10: half for the words of a criterion that a report holds, half for how much it says."""
    vocabulary = report_words(text).statements.vocabulary
    said = len(vocabulary) / (len(vocabulary) + ENOUGH)
    return HIGHEST * (share(words_of(about), vocabulary) + said) / 2
