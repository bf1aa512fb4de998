"""A page as an index of its sentences: which of them hold which words, in English and Chinese.

Words are compared without their endings, accents and hyphens at line ends; Chinese by pairs of
characters. Building the index is linear in the length of the page.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.protocols.alignment.quantities import HEDGED, Figure, figures
from deepassay.protocols.alignment.stems import FUNCTION_WORDS, stem
from deepassay.protocols.alignment.synonyms import canonical, members
from deepassay.protocols.wordings import NO_CONTENT, NO_CONTENT_HAN
from deepassay.reports.spans import Span
from deepassay.text import HAN, HAN_CHARACTER

LONGEST: Final = 420
"""Characters after which a sentence without an end is cut all the same, at a blank."""

SHORTEST: Final = 12
"""A shorter piece (a heading, an abbreviation taken for an end) goes with what follows it."""

FEWEST: Final = 3
"""Content words of a page that says something."""

_END = re.compile(
    r"(?<=[.!?])[\"'”’)\]]{0,3}\s{1,9}(?=[A-Z\d\"'“‘(\[])|[。！？；][”’」』）]{0,3}|\n\s{0,9}\n|"
    r"\n(?=[ \t]{0,9}(?:[#|*•●▪◦·–—-]|\d{1,3}[.)、]))|(?<=[.!?:：|])\s{0,9}\n|"
    rf"(?<=[{HAN}])\n(?=[ \u3000])"
)
_WORD = re.compile(
    rf"(?P<word>[^\W\d_{HAN}]+(?:['’](?=[a-z])[a-z]{{1,2}})?)"
    r"(?:[-\u00ad]\s{1,3}(?P<rest>[a-z]+))?"
    rf"|(?P<han>[{HAN}]+)"
)


class Term(NamedTuple):
    """A content word, or a pair of Chinese characters: as compared, and where it stands."""

    key: str
    start: int
    end: int
    capital: bool = False


def terms(text: str) -> Iterator[Term]:
    """Content words of a text in order. A word broken at a line end is also given whole."""
    for found in _WORD.finditer(text):
        if found["han"]:
            yield from _pairs(found["han"], found.start())
            continue
        word, rest = found["word"], found["rest"]
        if rest:
            yield Term(_key(word + rest), found.start(), found.end(), word[0].isupper())
            if rest not in FUNCTION_WORDS and len(rest) > 1:
                yield Term(_key(rest), found.start("rest"), found.end())
        lower = word.lower()
        if lower not in FUNCTION_WORDS and (len(word) > 1 or word.isupper()):
            yield Term(_key(lower), found.start(), found.start() + len(word), word[0].isupper())


def topical(text: str) -> Iterator[str]:
    """The keys of terms that may tell what a text is about: no words that every task has."""
    return (
        term.key for term in terms(text) if text[term.start : term.end].lower() not in NO_CONTENT
    )


def _key(word: str) -> str:
    return canonical(stem(word.lower()))


def _pairs(written: str, at: int) -> Iterator[Term]:
    start = 0
    for cut in [*NO_CONTENT_HAN.finditer(written), None]:
        end = cut.start() if cut else len(written)
        for i in range(start, end - 1):
            yield Term(canonical(written[i : i + 2]), at + i, at + i + 2)
        if end - start == 1 and cut is None and start == 0:
            yield Term(written, at, at + 1)
        start = cut.end() if cut else end


def sentences(text: str) -> Iterator[Span]:
    """Sentences, table rows and headings of a page. Linear; none much longer than LONGEST."""
    start = 0
    for end in [*(found.end() for found in _END.finditer(text)), len(text)]:
        if end - start < SHORTEST and end < len(text):
            continue
        while end - start > LONGEST:
            blank = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
            cut = blank + 1 if blank > 0 else start + LONGEST
            yield Span(start, cut)
            start = cut
        if end > start:
            yield Span(start, end)
        start = end


APART: Final = 30
"""Characters that a comma between a word and a number counts for."""

FIGURE: Final = 3
"""Words that a number is worth in telling which text resembles a statement most."""

_COMMA = re.compile(
    r",(?!\d)|[.!?](?=\s)|[;；，、：:。]|\b(?:and|while|whereas|versus|vs|but|compared)\b|[而与和]"
)


class Stretch:
    """A statement or a sentence, with the words and numbers that were read off it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.terms: list[Term] = list(terms(text))
        self.figures: list[Figure] = list(figures(text))
        self.names = {term.key for term in self.terms[1:] if term.capital}
        self.commas = [found.start() for found in _COMMA.finditer(text)]
        self.places: dict[str, list[int]] = {}
        for number, term in enumerate(self.terms):
            self.places.setdefault(term.key, []).append(number)

    def shared(self, other: Stretch) -> float:
        """Share of the words here that the other text has too."""
        return len(self.places.keys() & other.places.keys()) / max(1, len(self.places))

    def likeness(self, other: Stretch) -> int:
        """Words and numbers here that the other text has too; a number counts for more."""
        same = sum(any(one.same(figure) for figure in other.figures) for one in self.figures)
        return len(self.places.keys() & other.places.keys()) + FIGURE * same

    def distance(self, term: Term, figure: Figure) -> float:
        """Characters between a word and a number, commas counted as many."""
        low, high = sorted((term.start, figure.start))
        between = high - (term.end if term.start < figure.start else figure.end)
        return max(0, between) + APART * sum(low < comma < high for comma in self.commas)


class PageIndex:
    """The sentences of a page and, for each word, in which of them it stands.

    text: the page as it is; all spans refer to it. Made once for a page, used for all its
    statements.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = tuple(sentences(text))
        self._starts = [span.start for span in self.sentences]
        self._words = self._postings()

    def _postings(self) -> dict[str, list[int]]:
        """Sentences by word. Chinese pairs are looked up when asked for: there are too many."""
        found: dict[str, list[int]] = {}
        known: dict[tuple[str, str], tuple[str, ...]] = {}
        for number, span in enumerate(self.sentences):
            for parts in set(_LATIN.findall(self.text, span.start, span.end)):
                keys = known.get(parts)
                if keys is None:
                    keys = known[parts] = tuple({_key(part) for part in _whole(*parts)})
                for key in keys:
                    where = found.setdefault(key, [])
                    if not where or where[-1] != number:
                        where.append(number)
        return found

    def where(self, key: str) -> NDArray[np.int64]:
        """Numbers of the sentences that hold a term, ascending."""
        if not is_han(key):
            return np.array(self._words.get(key, ()), dtype=np.int64)
        any_of = "|".join(map(re.escape, members(key)))
        return self._numbers(found.start() for found in re.finditer(any_of, self.text))

    def where_figure(self, figure: Figure) -> NDArray[np.int64]:
        """Numbers of the sentences that hold a number, written so or otherwise, ascending."""
        values = [other.value for other in self._figures]
        low, high = sorted((figure.value * (1 - HEDGED) - 1e-9, figure.value * (1 + HEDGED) + 1e-9))
        near = self._figures[bisect_left(values, low) : bisect_right(values, high)]
        return self._numbers(other.start for other in near if figure.same(other))

    @cached_property
    def _figures(self) -> list[Figure]:
        return sorted(figures(self.text), key=lambda figure: figure.value)

    def sentence(self, number: int) -> str:
        """A sentence, as it stands on the page."""
        return self.sentences[number].of(self.text)

    def _numbers(self, places: Iterable[int]) -> NDArray[np.int64]:
        found = np.fromiter(places, dtype=np.int64)
        return np.unique(np.searchsorted(self._starts, found, side="right") - 1)

    @cached_property
    def has_content(self) -> bool:
        """Whether this is a page that says something, and no notice that access is denied."""
        if len(self.text) < _SHORT_PAGE and _NOTICE.search(self.text):
            return False
        return len(list(islice(terms(self.text[:_SHORT_PAGE]), FEWEST))) == FEWEST


_LATIN = re.compile(rf"([^\W\d_{HAN}]+)(?:[-\u00ad]\s{{1,3}}([a-z]+))?")
_SHORT_PAGE = 1500
_NOTICE = re.compile(
    r"access denied|403 forbidden|404 not found|page not found|enable javascript|captcha|"
    r"are you a (?:robot|human)|verify (?:that )?you are|just a moment|unusual traffic|"
    r"(?:log|sign) in to (?:continue|view)|service unavailable|bad gateway|too many requests|"
    r"无权访问|访问被拒绝|页面不存在|请先登录|验证码|请开启\s?javascript|安全验证",
    re.IGNORECASE,
)


def is_han(key: str) -> bool:
    """Whether a term is a pair of Chinese characters."""
    return bool(HAN_CHARACTER.match(key))


def _whole(word: str, rest: str) -> tuple[str, ...]:
    return (word, rest, word + rest) if rest else (word,)
