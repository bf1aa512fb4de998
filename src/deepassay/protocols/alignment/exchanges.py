"""Whether two things of a statement stand in each other's places in a passage.

What both texts have once is put into the order of the statement and numbered in the order of the
passage; runs that go on in step count as one thing. A paraphrase moves whole clauses about; an
exchange leaves everything in order but for two things that have changed places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Final, NamedTuple

from deepassay.protocols.alignment.passages import Stretch

MOST: Final = 30
"""Things in common that are compared; statements with more are taken by their clauses."""

FEWEST: Final = 4
FEWEST_WORDS: Final = 6
"""Things in common from which their order tells: names and numbers, plain words."""

NEAR: Final = 0.6
"""Share of a statement's words from which a passage is so near that plain words tell too."""

LEFT: Final = 0.4
LEFT_OF_WORDS: Final = 0.2
"""Share of the disorder that an exchange of two things may leave, if it explains the disorder."""

PASSIVE: Final = re.compile(r"\bby\b|[被由遭]|为.{1,20}所", re.IGNORECASE)
"""A passive voice, which changes the sides of a verb and means the same."""

_WORD: Final = "word"
_NAME: Final = "name"
_YEAR: Final = "in year"
_PATTERNS: Final = frozenset({(2, 1, 0, 3), (0, 3, 2, 1), (3, 1, 2, 0)})
"""Order in a passage of four runs of which two that are no neighbours have changed places."""


class Run(NamedTuple):
    """A word, name or number that both texts have once, or several in the same order.

    kinds: of its members. start, end: where it stands in the statement. there: in the passage.
    """

    start: int
    end: int
    there: int
    kinds: frozenset[str]


def exchanged(said: Stretch, passage: Stretch) -> bool:
    """Whether two names, numbers or phrases of a statement have changed places in a passage.

    Plain words count only where the two texts have most words in common.
    """
    things = list(_common(said, passage))
    if not 3 <= len(things) <= MOST:
        return False
    pairs = chain(_exchanges(_runs(things)), _disorders(things, said.shared(passage) >= NEAR))
    return any(not _turned_by_voice(said, passage, *pair) for pair in pairs)


def _turned_by_voice(said: Stretch, passage: Stretch, first: Run, second: Run) -> bool:
    """Whether just one of two texts has a passive voice between two things."""
    start, end = sorted((first.there, second.there))
    here = PASSIVE.search(said.text, first.end, second.start)
    return bool(here) != bool(PASSIVE.search(passage.text, start, end))


def _disorders(things: Sequence[Run], near: bool) -> Iterator[tuple[Run, Run]]:
    """Pairs of one kind whose exchange alone would bring most of the rest into order."""
    ranks = {there: rank for rank, there in enumerate(sorted(one.there for one in things))}
    order = [ranks[one.there] for one in things]
    disorder = sum(one > other for one, other in combinations(order, 2))
    for i, j in combinations(range(len(order)), 2):
        kinds = things[i].kinds
        if order[i] < order[j] or kinds != things[j].kinds or kinds == {_YEAR}:
            continue
        between = sum(order[j] < rank < order[i] for rank in order[i + 1 : j])
        left = disorder - 1 - 2 * between
        plain = kinds == {_WORD}
        enough = near and len(things) >= FEWEST_WORDS if plain else len(things) >= FEWEST
        if enough and between and left <= disorder * (LEFT_OF_WORDS if plain else LEFT):
            yield things[i], things[j]


def _common(said: Stretch, passage: Stretch) -> Iterator[Run]:
    """What both texts have exactly once, in the order of the statement."""
    found = []
    inside = [range(figure.start, figure.end) for figure in said.figures]
    for key, places in said.places.items():
        others = passage.places.get(key, ())
        if len(places) == len(others) == 1:
            term, other = said.terms[places[0]], passage.terms[others[0]]
            if not any(term.start in figure for figure in inside):
                kind = _NAME if key in said.names & passage.names else _WORD
                found.append(Run(term.start, term.end, other.start, frozenset({kind})))
    for figure in said.figures:
        same = [other for other in passage.figures if figure.same(other)]
        if len(same) == 1 == sum(figure.same(own) for own in said.figures):
            kinds = frozenset({f"in {figure.unit}"})
            found.append(Run(figure.start, figure.end, same[0].start, kinds))
    return iter(sorted(found, key=lambda one: one.start))


def _runs(things: Sequence[Run]) -> list[Run]:
    """Things that follow one another in both texts, taken as one."""
    order = {there: rank for rank, there in enumerate(sorted(one.there for one in things))}
    runs: list[Run] = []
    last = -2
    for one in things:
        rank = order[one.there]
        if rank == last + 1:
            runs[-1] = runs[-1]._replace(end=one.end, kinds=runs[-1].kinds | one.kinds)
        else:
            runs.append(one)
        last = rank
    return runs


def _exchanges(runs: Sequence[Run]) -> Iterator[tuple[Run, Run]]:
    """Pairs of runs that have changed places, while what stands about them has not."""
    ranks = {there: rank for rank, there in enumerate(sorted(run.there for run in runs))}
    order = [ranks[run.there] for run in runs]
    moved = [i for i, rank in enumerate(order) if rank != i]
    if len(runs) > 2 and len(moved) == 2:
        first, second = runs[moved[0]], runs[moved[1]]
        if len(runs) > 3 and moved[1] - moved[0] > 1 and _of_words(first, second):
            yield first, second
        if _alike(first, second):
            yield first, second
        return
    for i in range(len(runs) - 3):
        window = runs[i : i + 4]
        ranked = sorted(run.there for run in window)
        pattern = tuple(ranked.index(run.there) for run in window)
        if pattern in _PATTERNS:
            first, second = (window[n] for n, rank in enumerate(pattern) if rank != n)
            if _alike(first, second):
                yield first, second


def _alike(first: Run, second: Run) -> bool:
    """Whether two runs can take one another's place: both name something, or count the same."""
    both = first.kinds & second.kinds - {_WORD, _YEAR}
    either = first.kinds | second.kinds
    return bool(both - {_NAME}) or (both == {_NAME} and either <= {_WORD, _NAME})


def _of_words(first: Run, second: Run) -> bool:
    return first.kinds == second.kinds == {_WORD}
