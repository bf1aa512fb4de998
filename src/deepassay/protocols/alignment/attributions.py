"""Whether numbers and names of a statement stand in a passage for what they stand for in it.

A number that the passage lacks while it has another of its unit in the same place, a number that
belongs to something else there, a name in whose place there is another. Rules by position of
words; chosen, not fitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import exp
from typing import Final, NamedTuple

from deepassay.protocols.alignment.passages import Stretch, Term
from deepassay.protocols.alignment.quantities import Figure

OTHER_NUMBER: Final = 0.4
NUMBER_OF_ANOTHER: Final = 0.4
OTHER_NAME: Final = 0.4
"""What is left of a score."""

NEAR: Final = 40.0
"""Characters within which a word belongs to a number; falls off as an exponential."""

SAME_PLACE: Final = 0.2
SAME_PLACE_BARE: Final = 0.3
SAME_PLACE_ALONE: Final = 0.1
"""Company that another number must share to be in the place of one: with a unit, without, and
where it is the only one of its unit."""

FEWEST_IN_ORDER: Final = 3
"""Numbers from which their order says what they are for; two may well be exchanged names'."""

CLEARLY: Final = 0.85
"""A number belongs to another's company if its own is that much less."""

_EACH = re.compile(r"\brespectively\b|分别|各为", re.IGNORECASE)


class Doubt(NamedTuple):
    """Something that speaks against a statement: what is left of its score, and why."""

    factor: float
    reason: str


def doubts_of_numbers(
    said: Stretch, passage: Sequence[Stretch], core: Stretch, joined: Stretch
) -> Iterator[Doubt]:
    """Numbers that the passage has otherwise, or for something else.

    core: its sentence nearest to the statement. joined: all of its sentences.
    """
    in_order = _in_order(said, joined)
    for figure in said.figures:
        written = said.text[figure.start : figure.end].strip()
        if not any(figure.same(other) for one in passage for other in one.figures):
            for one in (core, joined):
                if rival := _rival(figure, said, one):
                    there = one.text[rival.start : rival.end].strip()
                    yield Doubt(OTHER_NUMBER, f"{written} where the passage has {there}")
                    break
        elif not in_order and (
            any(_of_another(figure, said, one) for one in (core, joined))
            or _elsewhere(figure, said, core)
        ):
            yield Doubt(NUMBER_OF_ANOTHER, f"{written} belongs to something else in the passage")


def _in_order(said: Stretch, passage: Stretch) -> bool:
    """Whether several numbers of a statement stand in the passage one after the other, as in it.

    Then they are for what they are for there, however the words between them have moved.
    """
    left = iter(sorted(passage.figures, key=lambda figure: figure.start))
    wanted = sorted(said.figures, key=lambda figure: figure.start)
    return len(wanted) >= FEWEST_IN_ORDER and all(
        any(figure.same(other) for other in left) for figure in wanted
    )


def _company(figure: Figure, text: Stretch) -> dict[str, float]:
    """The words about a number, by nearness."""
    near: dict[str, float] = {}
    for term in text.terms:
        if not figure.start <= term.start < figure.end:
            weight = exp(-text.distance(term, figure) / NEAR)
            near[term.key] = max(near.get(term.key, 0.0), weight)
    return near


def _closeness(company: Mapping[str, float], figure: Figure, text: Stretch) -> float:
    """How much of the company that a number keeps another number keeps too, 0 to 1."""
    there = _company(figure, text)
    total = sum(company.values())
    return sum(min(1.0, there.get(key, 0.0)) * own for key, own in company.items()) / (total or 1)


def _rival(figure: Figure, said: Stretch, core: Stretch) -> Figure | None:
    """Another number of the same unit in the same company, or the only one of its unit there."""
    company = _company(figure, said)
    counted = _counted(figure, said)
    others = [
        other
        for other in core.figures
        if other.unit == figure.unit and not any(other.same(own) for own in said.figures)
    ]
    best = max(others, key=lambda other: _closeness(company, other, core), default=None)
    if best is None:
        return None
    bare = figure.unit in {"", "year"}
    alone = len(others) == 1 and (not bare or (counted and counted == _counted(best, core)))
    needed = SAME_PLACE_ALONE if alone else SAME_PLACE_BARE if bare else SAME_PLACE
    return best if _closeness(company, best, core) >= needed else None


def _of_another(figure: Figure, said: Stretch, core: Stretch) -> bool:
    """Whether the company of a number keeps, in the passage, clearly to another of its unit.

    Where names stand about it, they are what it belongs to.
    """
    if _EACH.search(core.text) or _EACH.search(said.text):
        return False
    if figure.unit == "year" or not (figure.unit or _counted(figure, said)):
        return False
    rivals = [
        other
        for other in core.figures
        if other.unit == figure.unit and _counted(other, core) == _counted(figure, said)
    ]
    company = _own_company(figure, said, core, min((other.start for other in rivals), default=0))
    own = [_closeness(company, other, core) for other in rivals if figure.same(other)]
    others = [
        _closeness(company, other, core)
        for other in rivals
        if not any(other.same(one) for one in said.figures)
    ]
    return 0 < max(own, default=0.0) < CLEARLY * max(others, default=0.0)


def _elsewhere(figure: Figure, said: Stretch, core: Stretch) -> bool:
    """Whether the nearest sentence has another number in its place, and not this one."""
    if any(figure.same(other) for other in core.figures):
        return False
    rival = _rival(figure, said, core)
    return rival is not None and not any(rival.same(other) for other in said.figures)


def _own_company(figure: Figure, said: Stretch, core: Stretch, first: int) -> dict[str, float]:
    """The words that tell whose a number is: names, else those that follow the first of a series.

    What stands before a series belongs to each of its numbers.
    """
    company = {key: near for key, near in _company(figure, said).items() if key in core.places}
    names = {key: near for key, near in company.items() if key in said.names | core.names}
    return names or {
        key: near
        for key, near in company.items()
        if any(core.terms[i].start > first for i in core.places[key])
    }


def _counted(figure: Figure, text: Stretch) -> str:
    """What a number without a unit counts: the word behind it."""
    if figure.unit:
        return ""
    return next((term.key for term in text.terms if 0 <= term.start - figure.end <= 2), "")


def doubts_of_names(said: Stretch, passage: Sequence[Stretch], core: Stretch) -> Iterator[Doubt]:
    """Names that the passage lacks while it has another one in their place."""
    for number, term in enumerate(said.terms):
        if not (term.capital and number) or any(term.key in one.places for one in passage):
            continue
        if rival := _name_in_place(number, said, core):
            here, there = said.text[term.start : term.end], core.text[rival.start : rival.end]
            if not _may_be_same(here, there):
                yield Doubt(OTHER_NAME, f"{here} where the passage has {there}")
                return


def _name_in_place(number: int, said: Stretch, core: Stretch) -> Term | None:
    """A name of the passage's own next to the word that a name stands next to in the statement."""
    for step in (-1, 1):
        near = number + step
        while 0 <= near < len(said.terms) and said.terms[near].key not in core.places:
            near += step
        if not 0 <= near < len(said.terms) or abs(near - number) > 2:
            continue
        for place in core.places[said.terms[near].key]:
            for other in core.terms[max(0, place - 2) : place + 3]:
                beside = (other.start > core.terms[place].start) == (step < 0)
                if beside and other.capital and other.start and other.key not in said.places:
                    return other
    return None


def _may_be_same(name: str, other: str) -> bool:
    """Whether two names may be one: abbreviated, or with another ending."""
    return name.isupper() or other.isupper() or len(name) <= 3 or name[:4] == other[:4]
