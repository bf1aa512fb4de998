"""Whether two things of a statement stand in each other's places in a passage.

What both texts have once is put into the order of the statement and numbered in the order of the
passage; runs that go on in step count as one thing. A paraphrase moves whole clauses about; an
exchange leaves everything in order but for two things that have changed places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from deepassay.protocols.passages import Stretch

MOST: Final = 40
"""Things in common; texts with more are no near copies of one another."""

_PASSIVE = re.compile(r"\bby\b|[被由遭]|为.{1,20}所", re.IGNORECASE)
_WORD: Final = "word"
_NAME: Final = "name"
_YEAR: Final = "in year"
_PATTERNS: Final = frozenset({(2, 1, 0, 3), (0, 3, 2, 1), (3, 1, 2, 0)})


class Thing(NamedTuple):
    """A word, name or number that both texts have once: its places in the two, and its kind."""

    here: int
    there: int
    kind: str
    end: int


class Run(NamedTuple):
    """Neighbouring things that stand in the same order in both texts."""

    kinds: frozenset[str]
    start: int
    end: int
    there: int


def exchanged_runs(said: Stretch, passage: Stretch) -> tuple[str, str] | None:
    """Two pieces of a statement, as written, that have changed places in a passage."""
    runs = _runs(list(_common(said, passage)))
    if len(runs) < 3 or len(runs) > MOST:
        return None
    if bool(_PASSIVE.search(said.text)) != bool(_PASSIVE.search(passage.text)):
        return None
    for first, second in _exchanges(runs):
        return said.text[first.start : first.end], said.text[second.start : second.end]
    return None


def _common(said: Stretch, passage: Stretch) -> Iterator[Thing]:
    """What both texts have exactly once, in the order of the statement."""
    found = []
    inside = [range(figure.start, figure.end) for figure in said.figures]
    for key, places in said.places.items():
        others = passage.places.get(key, ())
        if len(places) == len(others) == 1:
            term, other = said.terms[places[0]], passage.terms[others[0]]
            if not any(term.start in figure for figure in inside):
                kind = _NAME if key in said.names & passage.names else _WORD
                found.append(Thing(term.start, other.start, kind, term.end))
    for figure in said.figures:
        same = [other for other in passage.figures if figure.same(other)]
        if len(same) == 1 == sum(figure.same(own) for own in said.figures):
            found.append(Thing(figure.start, same[0].start, f"in {figure.unit}", figure.end))
    return iter(sorted(found))


def _runs(things: Sequence[Thing]) -> list[Run]:
    order = {thing.there: rank for rank, thing in enumerate(sorted(things, key=lambda t: t.there))}
    runs: list[list[Thing]] = []
    for last, thing in pairwise([None, *things]):
        assert thing is not None
        if last is not None and order[thing.there] == order[last.there] + 1:
            runs[-1].append(thing)
        else:
            runs.append([thing])
    return [
        Run(frozenset(t.kind for t in run), run[0].here, run[-1].end, run[0].there) for run in runs
    ]


def _exchanges(runs: Sequence[Run]) -> Iterator[tuple[Run, Run]]:
    """Pairs of runs that have changed places, while what stands about them has not."""
    ranks = {there: rank for rank, there in enumerate(sorted(run.there for run in runs))}
    order = [ranks[run.there] for run in runs]
    moved = [i for i, rank in enumerate(order) if rank != i]
    if len(moved) == 2:
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
