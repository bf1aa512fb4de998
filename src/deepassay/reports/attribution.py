"""What a report attributes to a source without a marker beside the statement.

Some reports name a work once and then say in a list what it found; others list titles with
addresses and call their sources by name ever after. A reader follows that without effort. Here
it is followed by rule: identifiers in the running text (arXiv, DOI), works that introduce the
list below them, and listed sources that a statement means by the name of their heading.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from math import fsum
from typing import Final, Literal, NamedTuple

from deepassay.reports.headings import headings_of_references
from deepassay.reports.markdown import Block
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.reports.statements import Statement
from deepassay.text import HAN, canonical

LONGEST_LEAD: Final = 400
"""Characters of a line that only names a work."""

MOST_WORDS_OF_A_NAME: Final = 3
MOST_RUNS: Final = 8
"""Pieces of letters and digits that a name has at most: `GPT-4` has two."""

MOST_LISTED: Final = 50
"""Sources under one name that are told apart."""

MOST_BY_NAME: Final = 2
NEAR_ENOUGH: Final = 0.5
"""A statement may mean the listed source whose title it shares most with, and one more that has
at least half as much in common with it."""

_ARXIV = re.compile(
    r"\barxiv\b[^\n.;]{0,30}?[\s:]((?:\d{4}\.\d{4,5}|[a-z\-]{2,12}/\d{7})(?:v\d{1,2})?)\b",
    re.IGNORECASE,
)
_DOI = re.compile(r"\bdoi[:\s]{1,2}\s?(10\.\d{4,9}/[^\s\])}>,;\"']{3,120})", re.IGNORECASE)
_LEAD = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\*\*|__)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_URL = re.compile(r"https?://[^\s<>()\]]+")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\(([^()\s]{1,2000})\)")
_MARKUP = re.compile(r"[*_`#<>]+")
_RUN = re.compile(r"[^\W_]+")
_OPENS: Final = (":", "：")
_WORD = re.compile(rf"[A-Z]{{2,}}|[A-Za-z]{{4,}}|\d+|[{HAN}]")
_ENDS: Final = ("ations", "ation", "ings", "ing", "ers", "er", "ed", "es", "s", "e")


@dataclass(frozen=True)
class Attributed:
    """A statement with the sources that it is attributed to, and how that was seen.

    how: an `identifier` in it, the `lead` of its list, or the `name` of listed sources.
    text: its words, after those of its heading where only that names the source.
    """

    statement: Statement
    urls: tuple[str, ...]
    how: Literal["identifier", "lead", "name"]
    text: str


class Listed(NamedTuple):
    """A line that gives the title of a source and its address, and the heading above it."""

    span: Span
    title: str
    url: str
    heading: str


class _StatementPlace(NamedTuple):
    """Where a statement stands. lead: addresses of the work that its list is about."""

    block: Block
    heading: str
    lead: tuple[str, ...] = ()
    is_lead: bool = False


@lru_cache(maxsize=16)  # several protocols ask for those of one report
def attributions(report: Report) -> tuple[Attributed, ...]:
    """Statements without a marker of their own that the report attributes to sources."""
    listed = tuple(listed_sources(report))
    titles = {entry.span for entry in listed}
    names = _Names(listed)
    found: list[Attributed] = []
    for statement, place in _placed(report):
        if place.is_lead or place.block.span in titles:
            continue
        text = statement.text
        if text.endswith(_OPENS):
            continue  # it leads up to what it says
        if own := identifiers(statement.span.of(report.text)):
            found.append(Attributed(statement, own, "identifier", text))
        elif statement.urls:
            continue
        elif place.lead:
            found.append(Attributed(statement, place.lead, "lead", text))
        elif urls := names.meant(text):
            found.append(Attributed(statement, urls, "name", text))
        elif urls := names.meant(f"{place.heading}: {text}"):
            found.append(Attributed(statement, urls, "name", f"{place.heading}: {text}"))
    return tuple(found)


def identifiers(text: str) -> tuple[str, ...]:
    """Canonical addresses of the arXiv and DOI identifiers that a text holds."""
    urls = [f"https://arxiv.org/abs/{found[1]}" for found in _ARXIV.finditer(text)]
    urls += [f"https://doi.org/{found[1].rstrip('.')}" for found in _DOI.finditer(text)]
    return tuple(dict.fromkeys(map(canonical, urls)))


def listed_sources(report: Report) -> Iterator[Listed]:
    """List items that hold a title, one address, and nothing else.

    A heading that only says that references follow is none: it names no source.
    """
    heading = ""
    unnamed = {each.span for each in headings_of_references(report.text, report.blocks)}
    for block in report.blocks:
        if block.kind == "heading":
            heading = "" if block.span in unnamed else _heading(report.text, block)
        elif block.item and block.span.end - block.span.start <= LONGEST_LEAD:
            line = _LINK.sub(r"\1 \2", _ITEM.sub("", block.span.of(report.text), count=1))
            urls = _URL.findall(line)
            title = _plain(_URL.sub(" ", line))
            if len(urls) == 1 and title and line.rstrip().endswith(urls[0]):
                yield Listed(block.span, title, canonical(urls[0]), heading)


def _plain(line: str) -> str:
    return " ".join(_MARKUP.sub(" ", line).split()).strip(" :：-–—|")


def _heading(text: str, block: Block) -> str:
    """What a heading says; nothing if it is too long to be one."""
    short = block.span.end - block.span.start <= LONGEST_LEAD
    return _plain(block.span.of(text)) if short else ""


def _placed(report: Report) -> Iterator[tuple[Statement, _StatementPlace]]:
    places = _places(report)
    place = next(places, None)
    for statement in report.statements:
        while place is not None and place.block.span.end <= statement.span.start:
            place = next(places, None)
        if place is None:
            return
        yield statement, place


def _places(report: Report) -> Iterator[_StatementPlace]:
    """Every block that is no heading, with the work that it is about, if it is about one.

    A work is about what is deeper: the list below a line, everything below a heading.
    """
    text, blocks = report.text, report.blocks
    addresses = _addresses(report)
    heading, depth = "", -1
    lead: tuple[str, ...] = ()
    for block, following in zip_longest(blocks, blocks[1:]):
        if block.kind == "heading":
            heading, depth = _heading(text, block), -1
            lead = addresses(block)
            continue
        if block.depth <= depth:
            lead, depth = (), -1
        opens = following is not None and following.item and following.depth > block.depth
        if opens and _names_work(text, block) and (own := addresses(block)):
            lead, depth = own, block.depth
            yield _StatementPlace(block, heading, is_lead=True)
        else:
            yield _StatementPlace(block, heading, lead)


def _names_work(text: str, block: Block) -> bool:
    """Whether a block only names a work: a bold line that is not too long."""
    short = block.span.end - block.span.start <= LONGEST_LEAD
    return short and _LEAD.match(text, *block.span) is not None


def _addresses(report: Report) -> Callable[[Block], tuple[str, ...]]:
    """What gives the addresses that a block holds, for blocks asked for in reading order."""
    cited = iter(report.resolved)
    waiting = next(cited, None)

    def of(block: Block) -> tuple[str, ...]:
        nonlocal waiting
        urls = list(identifiers(block.span.of(report.text)))
        while waiting is not None and waiting.citation.span.start < block.span.end:
            if waiting.citation.span.start >= block.span.start:
                urls += waiting.urls
            waiting = next(cited, None)
        return tuple(dict.fromkeys(urls))

    return of


class _Names:
    """Listed sources by the name of their heading, where that is a name and no sentence."""

    def __init__(self, listed: Sequence[Listed]) -> None:
        groups: defaultdict[tuple[str, ...], list[Listed]] = defaultdict(list)
        for entry in listed:
            name = _runs(entry.heading)
            words = len(entry.heading.split())
            if 0 < len(name) <= MOST_RUNS and words <= MOST_WORDS_OF_A_NAME:
                groups[name].append(entry)
        self._groups = {
            name: _AttributedGroup(entries[:MOST_LISTED]) for name, entries in groups.items()
        }

    def meant(self, statement: str) -> tuple[str, ...]:
        """Addresses of the sources that a statement means by name, the likeliest of each name."""
        if not self._groups:
            return ()
        runs = _runs(statement)
        parts = (
            runs[at : at + size] for at in range(len(runs)) for size in range(1, MOST_RUNS + 1)
        )
        named = dict.fromkeys(part for part in parts if part in self._groups)
        stems = _stems(statement)
        urls = [url for name in named for url in self._groups[name].likeliest(stems)]
        return tuple(dict.fromkeys(urls))


def _runs(text: str) -> tuple[str, ...]:
    return tuple(_RUN.findall(text.lower()))


class _AttributedGroup:
    def __init__(self, entries: Sequence[Listed]) -> None:
        self._urls = [entry.url for entry in entries]
        self._words = [_stems(f"{entry.title} {entry.url.rsplit('/', 1)[-1]}") for entry in entries]
        self._spread = Counter(word for words in self._words for word in words)

    def likeliest(self, stems: frozenset[str]) -> list[str]:
        """Sources whose titles share most with the words of a statement, and something at all.

        Words of all titles weigh least.
        """
        # fsum: the words come in another order in every process, and a tie must stay one
        shares = [fsum(1 / self._spread[word] for word in words & stems) for words in self._words]
        enough = NEAR_ENOUGH * max(shares)
        by_share = sorted(zip(shares, self._urls, strict=True), key=lambda each: -each[0])
        return [url for share, url in by_share if share >= enough and share][:MOST_BY_NAME]


def _stems(text: str) -> frozenset[str]:
    """Words of a text without the commonest endings, single Chinese characters among them."""
    stems = set()
    for word in map(str.lower, _WORD.findall(text)):
        ending = next((end for end in _ENDS if word.endswith(end) and len(word) - len(end) > 2), "")
        stems.add(word.removesuffix(ending))
    return frozenset(stems)
