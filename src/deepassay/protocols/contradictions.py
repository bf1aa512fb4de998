"""Where a statement contradicts a passage: other numbers, a denial, a reversal, an exchange.

Each doubt is a factor on the score. Rules by position of words; chosen, not fitted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import exp
from typing import Final, NamedTuple

from deepassay.protocols.passages import Term, is_han, terms
from deepassay.protocols.polarity import affirmed, denied, directions, overstated
from deepassay.protocols.quantities import Figure, figures

OTHER_NUMBER: Final = 0.3
NUMBER_OF_ANOTHER: Final = 0.35
OTHER_NAME: Final = 0.4
DENIED: Final = 0.3
REVERSED: Final = 0.3
OVERSTATED: Final = 0.75
EXCHANGED: Final = 0.3

UNLIKE: Final = 0.4
LIKE: Final = 0.7
"""Share of a statement's words up to which a sentence is about something else, and from which it
contradicts if it does."""

NEAR: Final = 40.0
"""Characters within which a word belongs to a number; falls off as an exponential."""

APART: Final = 30
"""Characters that a comma between a word and a number counts for."""


MOST_PARTS: Final = 8
"""Parts of a sentence; one with more is taken whole."""


class Doubt(NamedTuple):
    """Something that speaks against a statement: what is left of its score, and why."""

    factor: float
    reason: str


class _Text:
    """A stretch of text with what was read off it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.terms: Sequence[Term] = list(terms(text))
        self.figures: Sequence[Figure] = list(figures(text))
        self.names = {term.key for term in self.terms[1:] if term.capital}
        self.commas = [found.start() for found in _COMMA.finditer(text)]
        self.places: Mapping[str, list[int]] = defaultdict(list)
        for number, term in enumerate(self.terms):
            self.places[term.key].append(number)

    def shared(self, other: _Text) -> float:
        """Share of the words here that the other text has too."""
        return len(self.places.keys() & other.places.keys()) / max(1, len(self.places))

    def distance(self, term: Term, figure: Figure) -> float:
        """Characters between a word and a number, commas counted as many."""
        low, high = sorted((term.start, figure.start))
        between = high - (term.end if term.start < figure.start else figure.end)
        return max(0, between) + APART * sum(low < comma < high for comma in self.commas)


_COMMA = re.compile(
    r",(?!\d)|[;；，、：:]|\b(?:and|while|whereas|versus|vs|but|compared)\b|[而与和]"
)
_PART = re.compile(r",(?!\d)|[;；，]|\b(?:but|while|whereas|although|and)\b|[而但]")
_EACH = re.compile(r"\brespectively\b|分别|各为", re.IGNORECASE)
_PASSIVE = re.compile(r"\bby\b|[被由遭]|为.{1,20}所", re.IGNORECASE)
_THAN = re.compile(r"\bthan\b|比(?!例|重|赛|率)", re.IGNORECASE)


def contradictions(statement: str, sentences: Sequence[str]) -> Iterator[Doubt]:
    """What in a passage, given as its sentences, speaks against a statement that it resembles.

    The less the nearest sentence resembles the statement, the less it can contradict it.
    """
    said = _Text(statement)
    passage = [_Text(sentence) for sentence in sentences]
    core = max(passage, key=said.shared)
    likeness = min(1.0, (said.shared(core) - UNLIKE) / (LIKE - UNLIKE))
    if likeness > 0:
        for doubt in _doubts(said, passage, core):
            yield Doubt(1 - (1 - doubt.factor) * likeness, doubt.reason)


def _doubts(said: _Text, passage: Sequence[_Text], core: _Text) -> Iterator[Doubt]:
    yield from _numbers(said, passage, core)
    clause = _clause(said, core)
    yield from _other_names(said, passage, core)
    turned = _directions(said, clause)
    exchanged = _exchanged(said, core)
    denial = _denial(said, clause, core)
    if turned and not exchanged and not denial:
        yield Doubt(REVERSED, "the passage says the opposite")
    if exchanged and not turned:
        yield Doubt(EXCHANGED, "the passage has the parts exchanged")
    if denial and not turned:
        yield Doubt(DENIED, "only one of the two is a denial")
    if overstated(said.text, clause.text):
        yield Doubt(OVERSTATED, "the passage says it with reserve")


def _clause(said: _Text, core: _Text) -> _Text:
    """The shortest run of a sentence's parts that has most of what is said and the sentence has."""
    cuts = [0, *(cut.start() for cut in _PART.finditer(core.text)), len(core.text)]
    enough = 0.65 * said.shared(core)
    for width in range(1, min(MOST_PARTS, len(cuts) - 1)):
        runs = (_Text(core.text[cuts[i] : cuts[i + width]]) for i in range(len(cuts) - width))
        best = max(runs, key=said.shared)
        if said.shared(best) >= enough:
            return best
    return core


# ------------------------------------------------------------------ numbers


def _numbers(said: _Text, passage: Sequence[_Text], core: _Text) -> Iterator[Doubt]:
    for figure in said.figures:
        written = said.text[figure.start : figure.end].strip()
        if not any(figure.same(other) for one in passage for other in one.figures):
            if rival := _rival(figure, said, core):
                there = core.text[rival.start : rival.end].strip()
                yield Doubt(OTHER_NUMBER, f"{written} where the passage has {there}")
        elif _of_another(figure, said, core) or _elsewhere(figure, said, core):
            yield Doubt(NUMBER_OF_ANOTHER, f"{written} belongs to something else in the passage")


def _company(figure: Figure, text: _Text) -> dict[str, float]:
    """The words about a number, by nearness."""
    near: dict[str, float] = {}
    for term in text.terms:
        if not figure.start <= term.start < figure.end:
            weight = exp(-text.distance(term, figure) / NEAR)
            near[term.key] = max(near.get(term.key, 0.0), weight)
    return near


def _closeness(company: Mapping[str, float], figure: Figure, text: _Text) -> float:
    """How much of the company that a number keeps another number keeps too, 0 to 1."""
    there = _company(figure, text)
    total = sum(company.values())
    return sum(min(1.0, there.get(key, 0.0)) * own for key, own in company.items()) / (total or 1)


def _rival(figure: Figure, said: _Text, core: _Text) -> Figure | None:
    """Another number of the same unit in the same company."""
    company = _company(figure, said)
    needed = 0.2 if figure.unit not in {"", "year"} else 0.3
    others = [other for other in core.figures if other.unit == figure.unit]
    best = max(others, key=lambda other: _closeness(company, other, core), default=None)
    if best is None or _closeness(company, best, core) < needed:
        return None
    return best


def _of_another(figure: Figure, said: _Text, core: _Text) -> bool:
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
    return 0 < max(own, default=0.0) < 0.75 * max(others, default=0.0)


def _elsewhere(figure: Figure, said: _Text, core: _Text) -> bool:
    """Whether the nearest sentence has another number in its place, and not this one."""
    if any(figure.same(other) for other in core.figures):
        return False
    rival = _rival(figure, said, core)
    return rival is not None and not any(rival.same(other) for other in said.figures)


def _own_company(figure: Figure, said: _Text, core: _Text, first: int) -> dict[str, float]:
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


def _counted(figure: Figure, text: _Text) -> str:
    """What a number without a unit counts: the word behind it."""
    if figure.unit:
        return ""
    return next((term.key for term in text.terms if 0 <= term.start - figure.end <= 2), "")


# ------------------------------------------------------------------ names


def _other_names(said: _Text, passage: Sequence[_Text], core: _Text) -> Iterator[Doubt]:
    """Names that the passage lacks while it has another one in their place."""
    for number, term in enumerate(said.terms):
        if not (term.capital and number) or any(term.key in one.places for one in passage):
            continue
        if rival := _name_in_place(number, said, core):
            here, there = said.text[term.start : term.end], core.text[rival.start : rival.end]
            if not (_initials(here, core) or here[:4] == there[:4]):
                yield Doubt(OTHER_NAME, f"{here} where the passage has {there}")
                return


def _name_in_place(number: int, said: _Text, core: _Text) -> Term | None:
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


def _initials(name: str, core: _Text) -> bool:
    """Whether a name is made of the initials of names of the passage, or the other way round."""
    letters = "".join(core.text[term.start] for term in core.terms if term.capital)
    return name.isupper() and name in letters


# ------------------------------------------------------------------ denial, reversal, exchange


def _denial(said: _Text, clause: _Text, core: _Text) -> bool:
    """Whether words that the two share are denied in just one of them.

    The nearest part of the sentence tells; the rest of it only of words which that part lacks.
    """
    here = _stances(said, core)
    there = _stances(core, said) | _stances(clause, said)
    both = [(stances, there[key]) for key, stances in here.items() if key in there]
    return any(not one & other for one, other in both) and not any(
        False in one & other for one, other in both
    )


def _stances(text: _Text, other: _Text) -> dict[str, set[bool]]:
    """Whether each word is affirmed, denied or both; `unchang` denies the other's `chang`."""
    denials = denied(text.text, text.terms)
    stances: dict[str, set[bool]] = defaultdict(set)
    for number, term in enumerate(text.terms):
        stances[term.key].add(number not in denials)
        for key in affirmed(term.key):
            if key in other.places:
                stances[key].add(number in denials)
    return stances


def _directions(said: _Text, clause: _Text) -> bool:
    """Whether the two take opposite sides of a pair of opposites."""
    here, there = directions(said.text), directions(clause.text)
    return any(there.get(pair, side) != side for pair, side in here.items())


def _exchanged(said: _Text, core: _Text) -> bool:
    """Whether what stands before and after a word is exchanged in the passage."""
    than_here, than_there = _THAN.search(said.text), _THAN.search(core.text)
    if than_here and than_there and _crossed(said, core, than_here.span(), than_there.span(), 4):
        return True
    for key, places in said.places.items():
        if len(places) == 1 and len(core.places.get(key, ())) == 1:
            here, there = said.terms[places[0]], core.terms[core.places[key][0]]
            spans = (here.start, here.end), (there.start, there.end)
            if not here.capital and _crossed(said, core, *spans, 1):
                return True
    return False


def _crossed(
    said: _Text, core: _Text, here: tuple[int, int], there: tuple[int, int], reach: int
) -> bool:
    """Whether the partners of a word, `here` and `there`, have changed sides.

    Its partners are names or, in Chinese and in comparisons, any word. A passive voice in just
    one of the two texts changes their sides too, and means the same.
    """
    single = [
        term
        for term in said.terms
        if len(said.places[term.key]) == 1 == len(core.places.get(term.key, ()))
        and (reach > 1 or is_han(term.key) or term.key in said.names | core.names)
    ]
    before = [term for term in single if term.end <= here[0]][-reach:]
    after = [term for term in single if term.start >= here[1]][:2]
    places = {term.key: core.terms[core.places[term.key][0]] for term in [*before, *after]}
    first = next((places[term.key] for term in before if places[term.key].start >= there[1]), None)
    second = next((places[term.key] for term in after if places[term.key].end <= there[0]), None)
    if first is None or second is None:
        return False
    passive_here = _PASSIVE.search(said.text, before[0].end, after[-1].start)
    passive_there = _PASSIVE.search(core.text, second.end, first.start)
    return bool(passive_here) == bool(passive_there)
