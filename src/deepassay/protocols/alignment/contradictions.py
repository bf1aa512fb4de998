"""Where a statement contradicts a passage: other numbers, a denial, a reversal, an exchange.

Each doubt is a factor on the score. Rules by position of words; chosen, not fitted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.protocols.alignment.attributions import Doubt, doubts_of_names, doubts_of_numbers
from deepassay.protocols.alignment.exchanges import PASSIVE
from deepassay.protocols.alignment.exchanges import exchanged as changed_places
from deepassay.protocols.alignment.passages import Stretch, is_han
from deepassay.protocols.alignment.polarity import affirmed, denied, denies, directions, overstated
from deepassay.protocols.alignment.rivals import generalised, rivals, stronger

DENIED: Final = 0.4
REVERSED: Final = 0.4
OVERSTATED: Final = 0.75
EXCHANGED: Final = 0.4
RIVALLED: Final = 0.4
STRONGER: Final = 0.5
GENERALISED: Final = 0.5
"""What is left of a score."""

UNLIKE: Final = 0.35
LIKE: Final = 0.65
UNLIKE_HAN: Final = 0.15
LIKE_HAN: Final = 0.45
"""Share of a statement's words up to which a sentence is about something else, and from which it
contradicts if it does; of pairs of Chinese characters, of which a paraphrase keeps fewer."""

NEAR: Final = 0.6
"""Share from which opposites tell wherever they stand in the sentence."""

FAR: Final = 60
"""Characters from a word within which its partners stand."""

MOST_PARTS: Final = 8
"""Parts of a sentence; one with more is taken whole."""


_PART = re.compile(r",(?!\d)|[;；，]|\b(?:but|while|whereas|although|and)\b|[而但]")
_THAN = re.compile(r"\bthan\b|比(?!例|重|赛|率)", re.IGNORECASE)


def contradictions(statement: str, sentences: Sequence[str]) -> Iterator[Doubt]:
    """What in a passage, given as its sentences, speaks against a statement that it resembles.

    The less the nearest sentence resembles the statement, the less it can contradict it.
    """
    said = Stretch(statement)
    passage = [Stretch(sentence) for sentence in sentences]
    core = max(passage, key=said.likeness)
    unlike, like = (
        (UNLIKE_HAN, LIKE_HAN) if is_han(max(said.places, default="")) else (UNLIKE, LIKE)
    )
    likeness = min(1.0, (said.shared(core) - unlike) / (like - unlike))
    if likeness > 0:
        for doubt in _doubts(said, passage, core):
            yield Doubt(1 - (1 - doubt.factor) * likeness, doubt.reason)


def _doubts(said: Stretch, passage: Sequence[Stretch], core: Stretch) -> Iterator[Doubt]:
    joined = Stretch(" ".join(stretch.text for stretch in passage))
    clause = _clause(said, joined)
    yield from doubts_of_numbers(said, passage, core, joined)
    yield from doubts_of_names(said, passage, core)
    for here, there in rivals(said, joined):
        yield Doubt(RIVALLED, f"{here} where the passage has {there}")
    turned = _directions(said, clause) or (said.shared(core) >= NEAR and _directions(said, core))
    exchanged = any(_exchanged(said, one) or changed_places(said, one) for one in (core, joined))
    denial = denied_in_one(said, clause, core) and not (denies(said.text) and denies(joined.text))
    compared = bool(_THAN.search(said.text) or _THAN.search(core.text))
    if turned and not (exchanged and compared) and not denial:
        yield Doubt(REVERSED, "the passage says the opposite")
    if exchanged and not (turned and compared):
        yield Doubt(EXCHANGED, "the passage has the parts exchanged")
    if denial and not turned:
        yield Doubt(DENIED, "only one of the two is a denial")
    if overstated(said.text, core.text):
        yield Doubt(OVERSTATED, "the passage says it with reserve")
    if generalised(said.text, core.text, joined.text):
        yield Doubt(GENERALISED, "the passage says it of some only")
    if word := stronger(said.text, joined.text):
        yield Doubt(STRONGER, f"the passage does not say {word}")


def _clause(said: Stretch, core: Stretch) -> Stretch:
    """The shortest run of a sentence's parts that has most of what is said and the sentence has."""
    cuts = [0, *(cut.start() for cut in _PART.finditer(core.text)), len(core.text)]
    enough = 0.65 * said.likeness(core)
    for width in range(1, min(MOST_PARTS, len(cuts) - 1)):
        runs = (Stretch(core.text[cuts[i] : cuts[i + width]]) for i in range(len(cuts) - width))
        best = max(runs, key=said.likeness)
        if said.likeness(best) >= enough:
            return best
    return core


def denied_in_one(said: Stretch, clause: Stretch, core: Stretch) -> bool:
    """Whether words that the two share are denied in just one of them.

    The nearest part of the sentence tells; the rest of it only of words which that part lacks.
    """
    here = _stances(said, core)
    there = _stances(core, said) | _stances(clause, said)
    both = [(stances, there[key]) for key, stances in here.items() if key in there]
    return any(not one & other for one, other in both) and not any(
        False in one & other for one, other in both
    )


def _stances(text: Stretch, other: Stretch) -> dict[str, set[bool]]:
    """Whether each word is affirmed, denied or both; `unchang` denies the other's `chang`."""
    denials = denied(text.text, text.terms)
    stances: dict[str, set[bool]] = defaultdict(set)
    for number, term in enumerate(text.terms):
        stances[term.key].add(number not in denials)
        for key in affirmed(term.key):
            if key in other.places:
                stances[key].add(number in denials)
    return stances


def _directions(said: Stretch, clause: Stretch) -> bool:
    """Whether the two take opposite sides of a pair of opposites."""
    here, there = directions(said.text), directions(clause.text)
    return any(there.get(pair, side) != side for pair, side in here.items())


def _exchanged(said: Stretch, core: Stretch) -> bool:
    """Whether what stands before and after a word is exchanged in the passage."""
    than_here, than_there = _THAN.search(said.text), _THAN.search(core.text)
    if than_here and than_there and _crossed(said, core, than_here.span(), than_there.span(), 4):
        return True
    for key, places in said.places.items():
        if not is_han(key) and len(places) == 1 and len(core.places.get(key, ())) == 1:
            here, there = said.terms[places[0]], core.terms[core.places[key][0]]
            spans = (here.start, here.end), (there.start, there.end)
            if not here.capital and _crossed(said, core, *spans, 1):
                return True
    return False


def _crossed(
    said: Stretch, core: Stretch, here: tuple[int, int], there: tuple[int, int], reach: int
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
    before = [term for term in single if here[0] - FAR < term.end <= here[0]][-reach:]
    after = [term for term in single if here[1] <= term.start < here[1] + FAR]
    places = {term.key: core.terms[core.places[term.key][0]] for term in [*before, *after]}
    moved_on = (places[term.key] for term in before)
    moved_up = (places[term.key] for term in after[: max(2, reach // 2)])
    first = next((term for term in moved_on if there[1] <= term.start < there[1] + FAR), None)
    second = next((term for term in moved_up if there[0] - FAR < term.end <= there[0]), None)
    if first is None or second is None:
        return False
    passive_here = PASSIVE.search(said.text, before[0].end, after[-1].start)
    passive_there = PASSIVE.search(core.text, second.end, first.start)
    return bool(passive_here) == bool(passive_there)
