"""One list of the key points of all pages (DeepResearch Arena, equation 5), in two steps.

Near-identical texts are merged by code, then key points of the same fact by a model. How the paper
tells duplicates it does not say; these two steps are our reading.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from rapidfuzz import fuzz, process

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.protocols.alignment.polarity import directions, negations
from deepassay.protocols.fact.pairs import Pair
from deepassay.protocols.fact.same_fact import merged_by_rule
from deepassay.protocols.kae.extraction import KeyPoint
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.score import Unscored
from deepassay.text import HAN_CHARACTER

NEAR_IDENTICAL: Final = 95.0
"""Similarity of two texts in percent from which they are one, their figures, names, negations and
directions being the same. In Chinese, where no capital marks a name, only 100 is."""

MOST_COMPARED: Final = 200
"""Texts with the same figures and names that a further one is held against: linear time."""

MOST_TOGETHER: Final = 200
"""Key points that a model compares in one question; more are compared in batches."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"\b[A-Z]\w*")
_MARK = re.compile(r"[\W_]+")


class KeyPoints(Inputs):
    """Key points in their order, and how many there are."""

    points: tuple[str, ...]
    count: int


class Groups(Reply):
    """The numbers of all key points, those of one fact in one group."""

    groups: list[list[int]]


class Unified(NamedTuple):
    """Key points without repetitions. by_text, by_model: how many each step took away."""

    points: tuple[KeyPoint, ...]
    by_text: int
    by_model: int


def _each_once(inputs: KeyPoints, answer: Groups) -> None:
    given = sorted(chain.from_iterable(answer.groups))
    if given != list(range(1, inputs.count + 1)):
        wanted = set(range(1, inputs.count + 1))
        missing = sorted(wanted - set(given))[:20]
        wrong = sorted({each for each in given if each not in wanted or given.count(each) > 1})[:20]
        raise OffMenu(
            f"each number from 1 to {inputs.count} must be in exactly one group; missing: "
            f"{missing or 'none'}; unknown or in several places: {wrong or 'none'}"
        )


def groups_by_rule(inputs: KeyPoints) -> Groups:
    """The baseline: one holds nearly all words of the other, with the same numbers and denials."""
    pairs = [Pair(each, "", (number,)) for number, each in enumerate(inputs.points, start=1)]
    return Groups(groups=[list(each.places) for each in merged_by_rule(pairs)])


UNIFY_POINTS: Final = Operation(
    "kae/unify_points",
    prompts=PROMPTS,
    takes=KeyPoints,
    gives=Groups,
    offline=groups_by_rule,
    check=_each_once,
)


async def unified(points: Sequence[KeyPoint], case: Case, ask: Asker) -> Unified | Unscored:
    """The key points of all pages, each once, in their order."""
    first = merged_by_text(points)
    second: list[KeyPoint] = []
    for start in range(0, len(first), MOST_TOGETHER):
        batch = first[start : start + MOST_TOGETHER]
        found = await _merged_by_model(batch, case, ask) if len(batch) > 1 else batch
        if isinstance(found, Unscored):
            return found
        second += found
    return Unified(tuple(second), len(points) - len(first), len(first) - len(second))


def merged_by_text(points: Sequence[KeyPoint]) -> list[KeyPoint]:
    """Key points whose texts are not near-identical; of those that are, the first is kept."""
    groups: list[list[KeyPoint]] = []
    alike: defaultdict[object, dict[int, str]] = defaultdict(dict)
    for point in points:
        known = alike[_sense(point.text)]
        plain = _plain(point.text)
        cutoff = 100.0 if HAN_CHARACTER.search(plain) else NEAR_IDENTICAL
        same = process.extractOne(plain, known, scorer=fuzz.ratio, score_cutoff=cutoff)
        if same is not None:
            groups[same[2]].append(point)
            continue
        if len(known) < MOST_COMPARED:
            known[len(groups)] = plain
        groups.append([point])
    return [_together(group) for group in groups]


async def _merged_by_model(
    batch: Sequence[KeyPoint], case: Case, ask: Asker
) -> list[KeyPoint] | Unscored:
    inputs = KeyPoints(
        language=case.task.language, points=tuple(each.text for each in batch), count=len(batch)
    )
    answer = await ask(UNIFY_POINTS, inputs, repeat=case.repeat)
    if isinstance(answer, Unscored):
        return Unscored(answer.cause, f"the key points were not unified: {answer.detail}")
    groups = sorted(sorted(group) for group in answer.value.groups if group)
    return [_together([batch[number - 1] for number in group]) for group in groups]


def _together(group: Sequence[KeyPoint]) -> KeyPoint:
    """One key point for several: the words of the first, the spans and pages of all."""
    spans = dict.fromkeys(chain.from_iterable(each.spans for each in group))
    urls = dict.fromkeys(chain.from_iterable(each.urls for each in group))
    return KeyPoint(group[0].text, tuple(spans), tuple(urls))


def _plain(text: str) -> str:
    return " ".join(_MARK.sub(" ", text.casefold()).split())


def _sense(text: str) -> object:
    """What a few other letters would change: figures, names, negations and directions."""
    return (
        tuple(_NUMBER.findall(text)),
        tuple(_NAME.findall(text)),
        negations(text),
        frozenset(directions(text).items()),
    )
