"""Statements and the addresses that they are cited to, read off a report without a model."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Final

from deepassay.models.operation import OffMenu
from deepassay.protocols.overlap import placed_words, wording
from deepassay.reports.attribution import attributions
from deepassay.reports.citations import BareUrl
from deepassay.reports.report import Report
from deepassay.reports.statements import Statement

READING: Final = 3
"""Version of the rules here, by which judged figures are formed too. It is part of recipes."""

FEWEST_CLAIM_WORDS: Final = 6
"""Words of a claim without a number."""

FEWEST_BESIDE_URL: Final = 2
"""Content words that must stand beside a bare address for the line to state something."""

_DIGIT = re.compile(r"\d")
_ASKS_OR_LEADS = re.compile(r"[?？:：]\W*\Z")
_ONLY_BOLD = re.compile(r"(?:\*\*|__)[^*_\r\n]+(?:\*\*|__)[:：]?")


@dataclass(frozen=True)
class CitedPair:
    """A statement and one source that it is cited to.

    url: canonical. places: which of the report's statements (their indices) it stands for; more
    than one after merging. by: how the source was seen: a `citation`, or what
    `attribution.Attributed` says, or a `model`.
    """

    statement: str
    url: str
    places: tuple[int, ...]
    by: str = field(default="citation", compare=False)


def mechanical_pairs(report: Report) -> tuple[CitedPair, ...]:
    """Every statement of a report with each canonical address that it is cited or attributed to.

    In the order of the report.
    """
    places = {each.span: place for place, each in enumerate(report.statements)}
    cited = [
        CitedPair(each.text, url, (place,))
        for place, each in enumerate(report.statements)
        if each.urls and not names_a_source(report, each)
        for url in each.urls
    ]
    attributed = [
        CitedPair(each.text, url, (places[each.statement.span],), each.how)
        for each in attributions(report)
        for url in each.urls
        if url not in each.statement.urls
    ]
    return tuple(sorted([*cited, *attributed], key=lambda pair: pair.places))


def names_a_source(report: Report, statement: Statement) -> bool:
    """Whether a line says nothing but what a page is called and where it is.

    As in a list of links: `**Tuning guide** https://…`, `URL: https://…`. It asserts nothing that
    the page could support.
    """
    citations = [each.citation for each in statement.citations]
    if statement.kind == "cell" or not citations:
        return False
    if not all(isinstance(each, BareUrl) for each in citations):
        return False
    words, at = [], statement.span.start
    for each in citations:
        words.append(report.text[at : each.span.start])
        at = max(at, each.span.end)
    rest = "".join([*words, report.text[at : statement.span.end]]).strip()
    return bool(_ONLY_BOLD.fullmatch(rest)) or not _has_words(rest, FEWEST_BESIDE_URL)


@lru_cache(maxsize=16)  # several protocols ask it of one report
def leads_somewhere(report: Report) -> bool:
    """Whether at least half of a report's citations lead from a statement to an address.

    Those in a mere list of links lead from none; statements attributed to a source in another
    way make up for them. True if there is no citation at all.
    """
    listed = {
        cited.citation.span
        for each in report.statements
        if names_a_source(report, each)
        for cited in each.citations
    }
    led = sum(bool(each.urls) and each.citation.span not in listed for each in report.resolved)
    return 2 * (led + len(attributions(report))) >= len(report.resolved)


def is_claim(statement: Statement) -> bool:
    """Whether a statement asserts something that a reader may want a source for.

    It holds a number or several words, and is neither a question nor a line that leads up to a
    list. Headings are no statements to begin with.
    """
    text = statement.text
    if _ASKS_OR_LEADS.search(text[-20:]):
        return False
    return bool(_DIGIT.search(text)) or _has_words(text, FEWEST_CLAIM_WORDS)


def _has_words(text: str, fewest: int) -> bool:
    """Whether a text has so many words that count, without looking for more."""
    return sum(1 for _ in islice(placed_words(text), fewest)) == fewest


def merged_by_rule(pairs: Sequence[CitedPair]) -> tuple[CitedPair, ...]:
    """Pairs without repeated facts, in order: those of one address that differ in marks alone.

    Rather too few are merged than too many: a fact that is counted twice weighs twice, a fact
    that is merged away is judged no more.
    """
    groups: defaultdict[tuple[str, str], list[CitedPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.url, wording(pair.statement) or pair.statement].append(pair)
    return tuple(map(merge_pairs, groups.values()))


def merge_pairs(group: Sequence[CitedPair]) -> CitedPair:
    """One pair for several of one fact: the longest wording (the first of those), all places."""
    longest = max(group, key=lambda pair: len(pair.statement))
    places = sorted(place for pair in group for place in pair.places)
    return replace(longest, places=tuple(dict.fromkeys(places)))


def check_numbers(groups: Sequence[Sequence[int]], count: int) -> None:
    """Raise OffMenu where a group holds a number that is none of 1 to `count`."""
    if any(not 1 <= number <= count for group in groups for number in group):
        raise OffMenu(f"a number is unknown: they go from 1 to {count}")


def repeated(groups: Sequence[Sequence[int]]) -> list[int]:
    """The numbers that stand in groups more than once."""
    given = Counter(number for group in groups for number in group)
    return [number for number, times in given.items() if times > 1]


def united(groups: Sequence[Sequence[int]], count: int) -> list[list[int]]:
    """The numbers from 1 to `count` in groups, those that no group names alone.

    Groups with a number in common become one group.
    """
    home = {number: {number} for number in range(1, count + 1)}
    for group in groups:
        together = set().union(*(home[number] for number in group))
        home |= dict.fromkeys(together, together)
    return [sorted(home[number]) for number in home if number == min(home[number])]


def by_url(pairs: Iterable[CitedPair]) -> dict[str, list[CitedPair]]:
    """Pairs by their address, in the order in which the addresses come first."""
    groups: defaultdict[str, list[CitedPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.url].append(pair)
    return dict(groups)
