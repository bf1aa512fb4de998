"""What the research agent holds: questions, quotes with their places, sections of the report.

Prompts have it as lines, `[e3] quote (host) questions: 1, 2`, which rules read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from rapidfuzz.fuzz import ratio

from deepassay.text import IN_EVERY_TEXT, bare_number, numbers_in
from deepassay.wings.research.search.index import index_words


@dataclass(frozen=True)
class ResearchQuestion:
    """A question that the report answers.

    span: of the task's prompt that asks for it, None for one that came up on the way. importance:
    1 to 3. needs: of how many hosts an answer must have evidence.
    """

    id: str
    text: str
    span: tuple[int, int] | None
    importance: int = 2
    needs: int = 2


@dataclass(frozen=True)
class QuotedEvidence:
    """A quote: `quote == text[start:end]` of the page, by the digest of its text.

    questions: identifiers of those that it bears on. importance: 0 to 3. turn: the round of
    research that found it. also: other pages that say the same. summary: a model's words for it.
    """

    id: str
    page: str
    url: str
    title: str
    quote: str
    start: int
    end: int
    questions: tuple[str, ...]
    importance: int
    turn: int
    also: tuple[str, ...] = ()
    summary: str = ""

    def line(self, most: int | None = None) -> str:
        """One line that names it: identifier, quote or so many characters of it, host.

        Where there is a summary, it stands in place of the quote.
        """
        quote = " ".join((self.summary or self.quote).split())
        if most is not None and len(quote) > most:
            quote = quote[:most].rstrip() + " …"
        return f"[{self.id}] {quote} ({site_of(self.url)})"


@dataclass(frozen=True)
class EvidencedSection:
    """A section of the report, bound to its evidence."""

    heading: str
    aim: str
    questions: tuple[str, ...]
    evidence: tuple[str, ...]


MERGED: Final = 92
"""Of 100: quotes that are more alike, with the same numbers, are one."""


class EvidenceStore:
    """The evidence of one run, in the order in which it was found."""

    def __init__(self) -> None:
        self._all: dict[str, QuotedEvidence] = {}

    def __iter__(self) -> Iterator[QuotedEvidence]:
        return iter(self._all.values())

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, name: str) -> QuotedEvidence:
        return self._all[name]

    def __contains__(self, name: object) -> bool:
        return name in self._all

    def add(self, found: QuotedEvidence) -> bool:
        """Keep a quote under the next identifier; whether it says anything new.

        One that is nearly the same as another joins it: its page stands in `also`, and copies of
        one text count as one host. Quotes with different numbers are never one.
        """
        for name, each in self._all.items():
            if _same(each, found):
                asked = dict.fromkeys((*each.questions, *found.questions))
                also = dict.fromkeys((*each.also, found.url))
                also.pop(each.url, None)
                importance = max(each.importance, found.importance)
                self._all[name] = replace(
                    each, questions=tuple(asked), also=tuple(also), importance=importance
                )
                return False
        name = f"e{len(self._all) + 1}"
        self._all[name] = replace(found, id=name)
        return True

    def summarise(self, name: str, summary: str) -> None:
        """Keep a summary of a quote."""
        self._all[name] = replace(self._all[name], summary=summary)

    def of(self, question: str) -> list[QuotedEvidence]:
        """What bears on a question."""
        return [each for each in self if question in each.questions]


def _same(one: QuotedEvidence, other: QuotedEvidence) -> bool:
    if one.page == other.page and one.start <= other.start and other.end <= one.end:
        return True
    if numbers_in(one.quote) != numbers_in(other.quote):
        return False
    return ratio(one.quote.casefold(), other.quote.casefold(), score_cutoff=MERGED) > 0


def site_of(url: str) -> str:
    """The host of an address, without `www.`."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


_FIGURE: Final = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)\s?(?P<unit>%|％|percent|per cent|(?:million|billion|thousand)\b"
    r"|[A-Za-z°€$£]{1,12}|[\u4e00-\u9fff]{1,2})?"
)
_YEAR: Final = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


@lru_cache(maxsize=4096)  # quotes and questions are held against one another again and again
def content(text: str) -> frozenset[str]:
    """The words of a text that count; of Chinese, pairs of characters."""
    return frozenset(
        word for word, _ in index_words(text) if len(word) > 1 and word not in IN_EVERY_TEXT
    )


def share_of_words(of: str, within: Iterable[str]) -> float:
    """The share of the words of a text that stand in others; 1 where it has none."""
    wanted = content(of)
    there = frozenset().union(*(content(each) for each in within))
    return len(wanted & there) / len(wanted) if wanted else 1.0


def missing_numbers(sentence: str, quotes: Sequence[str]) -> list[str]:
    """Numbers of a sentence that stand in none of the quotes it cites."""
    there = {number for quote in quotes for number in numbers_in(quote)}
    return [number for number in numbers_in(sentence) if number not in there]


def quotes_contradict(one: str, other: str) -> bool:
    """Whether two quotes give another number with the same unit, of the same years and matter."""
    if set(_YEAR.findall(one)) != set(_YEAR.findall(other)):
        return False
    mine, theirs = _by_unit(one), _by_unit(other)
    if not any(mine[unit].isdisjoint(theirs[unit]) for unit in mine.keys() & theirs.keys()):
        return False
    shared = content(one) & content(other)
    return 3 * len(shared) >= 2 * min(len(content(one)), len(content(other))) > 0


def _by_unit(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in _FIGURE.finditer(_YEAR.sub(" ", text)):
        unit = (
            (each["unit"] or "").replace("％", "%").replace("percent", "%").replace("per cent", "%")
        )
        if unit:
            found.setdefault(unit.casefold(), set()).add(bare_number(each["number"]))
    return found


HOST: Final = re.compile(r" \(([^()\s]*)\)\Z")
"""Ends a line: the site of the page."""

OF_QUESTIONS: Final = re.compile(r" questions: ([\d, ]*)\Z")
"""Ends a line of an outline: the numbers of the questions that the evidence is for."""


def quote_of(line: str) -> str:
    """The quote of a line of evidence."""
    return HOST.sub("", OF_QUESTIONS.sub("", line).partition("] ")[2])


def as_sentence(quote: str) -> str:
    """A quote as a sentence of running text: without marks of lists and headings, or citations."""
    bare = re.sub(r"^[\s>#*+-]+(?=\S)", "", quote.replace("**", ""))
    return re.sub(r"\s*\[(?:\d{1,3}|\^\w+)\]", "", bare)
