"""Statements of the same fact under one address, found by rule: one of them is kept.

Two statements are the same if they have the same numbers, deny as often, bring their names in the
same order, and one holds all content words of the other and at most a tenth more, names and
Chinese characters not among what is more. So a word that is replaced, `rose` by `fell`, keeps two
statements apart. Rather too few are merged than too many: a fact that is counted twice weighs
twice, a fact that is merged away is judged no more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from deepassay.protocols.fact.claims import content_words
from deepassay.protocols.fact.pairs import Pair

MORE: Final = 0.1
"""How many content words, as a share of all, the longer one may have more."""

MOST_COMPARED: Final = 50
"""Statements that a further one is held against at most: linear time on hostile input."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DENIES = re.compile(
    r"\b(?:not?|never|none|neither|nor|without|fail(?:s|ed)?|cannot)\b|n['’]t\b|[不没無无未非否]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+")

Key = tuple[str, str, int]
"""Address, numbers, and how often something is denied."""


@dataclass(frozen=True)
class _Words:
    """What a statement is compared by. names: words with a capital. plain: stems of the others."""

    content: frozenset[str]
    names: tuple[str, ...]
    plain: frozenset[str]

    @classmethod
    @lru_cache(maxsize=1024)  # the cells of a row share one text, and so do addresses a statement
    def of(cls, text: str) -> _Words:
        written = _WORD.findall(text)
        return cls(
            content_words(text),
            tuple(each for each in written if each[0].isupper()),
            content_words(" ".join(each for each in written if each.islower())),
        )

    def same_fact(self, other: _Words) -> bool:
        """Whether both say the same, their numbers and negations being equal."""
        shorter, longer = sorted((self, other), key=lambda each: len(each.content))
        more = longer.content - shorter.content
        both = set(self.names) & set(other.names)
        return (
            shorter.content <= longer.content
            and len(more) <= MORE * len(longer.content)
            and more <= longer.plain
            and [each for each in self.names if each in both]
            == [each for each in other.names if each in both]
            and bool(shorter.content)
        )


def merged_by_rule(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Pairs without repeated facts, in order; of each fact the longest wording is kept."""
    groups: list[list[Pair]] = []
    alike: defaultdict[Key, list[tuple[_Words, list[Pair]]]] = defaultdict(list)
    for pair in pairs:
        words = _Words.of(pair.statement)
        known = alike[_key(pair)]
        for other, group in known[:MOST_COMPARED]:
            if pair.statement == group[0].statement or words.same_fact(other):
                group.append(pair)
                break
        else:
            groups.append([pair])
            known.append((words, groups[-1]))
    return tuple(map(represented, groups))


def represented(group: Sequence[Pair]) -> Pair:
    """One pair for several of one fact: the longest wording (the first of those), all places."""
    longest = max(group, key=lambda pair: len(pair.statement))
    places = sorted(place for pair in group for place in pair.places)
    return replace(longest, places=tuple(dict.fromkeys(places)))


def by_url(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """Pairs by their address, in the order in which the addresses come first."""
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.url].append(pair)
    return dict(groups)


def _key(pair: Pair) -> Key:
    return pair.url, *_numbers_and_denials(pair.statement)


@lru_cache(maxsize=1024)
def _numbers_and_denials(text: str) -> tuple[str, int]:
    return " ".join(sorted(_NUMBER.findall(text))), len(_DENIES.findall(text))
