"""One list of the key points of all pages (DeepResearch Arena, equation 5), in two steps.

Texts that differ in marks alone are merged by code, then key points of the same fact by a model.
How the paper tells duplicates it does not say; these two steps are our reading.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range
from deepassay.protocols.expected import chance, for_each
from deepassay.protocols.fact.pairs import Pair, check_numbers, merged_by_rule, repeated, united
from deepassay.protocols.kae.questions import KeyPoint
from deepassay.protocols.overlap import wording
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.score import Json, Unscored

UNIFYING: Final = 2
"""Version of the first step. It is part of recipes."""

MOST_TOGETHER: Final = 200
"""Key points that a model compares in one question; more are compared in batches."""


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


def _known_numbers(inputs: KeyPoints, answer: Groups) -> None:
    check_numbers(answer.groups, inputs.count)


def _doubt(inputs: KeyPoints, answer: Groups) -> str:
    twice = repeated(answer.groups)[:20]
    missing = sorted({*range(1, inputs.count + 1)} - {*chain.from_iterable(answer.groups)})[:20]
    if not twice and not missing:
        return ""
    told: Mapping[Language, str] = {
        "en": "each number from 1 to {} must be in exactly one group; missing: {}; in several "
        "places: {}",
        "zh": "1 到 {} 的每个编号必须恰好出现在一个组里；缺少：{}；多处出现：{}",
    }
    return told[inputs.language].format(inputs.count, missing, twice)


def groups_by_rule(inputs: KeyPoints) -> Groups:
    """The floor: key points of the same words are one."""
    pairs = [Pair(each, "", (number,)) for number, each in enumerate(inputs.points, start=1)]
    return Groups(groups=[list(each.places) for each in merged_by_rule(pairs)])


DISTINCT: Final = Range(0.5, 0.95, 1)
"""Of the key points of all pages, those that say what no other says. Not published."""


def _simulated(inputs: KeyPoints, rate: float) -> Json:
    """Those that say the same as one before stand with it."""
    groups: list[list[int]] = []
    for number, point in enumerate(inputs.points, start=1):
        if groups and chance(point) >= rate:
            groups[-1].append(number)
        else:
            groups.append([number])
    return {"groups": groups}


UNIFY_POINTS: Final = Operation(
    "kae/unify_points",
    prompts=PROMPTS,
    takes=KeyPoints,
    gives=Groups,
    offline=groups_by_rule,
    check=_known_numbers,
    soft_check=_doubt,
    shape=lambda inputs, form: form.groups("groups", inputs.count),
    version=2,
    rule=2,
    expected=for_each(
        Range(2, 3, 5),
        lambda inputs: len(inputs.points),
        _simulated,
        decides="how many of them are the same",
        rate=DISTINCT,
        told=lambda answer: (len(answer.groups), sum(map(len, answer.groups))),
    ),
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
    """Key points whose texts differ in marks or case alone are one."""
    groups: defaultdict[str, list[KeyPoint]] = defaultdict(list)
    for point in points:
        groups[wording(point.text) or point.text].append(point)
    return [_together(group) for group in groups.values()]


async def _merged_by_model(
    batch: Sequence[KeyPoint], case: Case, ask: Asker
) -> list[KeyPoint] | Unscored:
    inputs = KeyPoints(
        language=case.task.language, points=tuple(each.text for each in batch), count=len(batch)
    )
    answer = await ask(UNIFY_POINTS, inputs, repeat=case.repeat)
    if isinstance(answer, Unscored):
        return Unscored(answer.cause, f"the key points were not unified: {answer.detail}")
    groups = united(answer.value.groups, len(batch))
    return [_together([batch[number - 1] for number in group]) for group in groups]


def _together(group: Sequence[KeyPoint]) -> KeyPoint:
    """One key point for several: the words of the first, the spans and pages of all."""
    if len(group) == 1:
        return group[0]
    spans = dict.fromkeys(chain.from_iterable(each.spans for each in group))
    urls = dict.fromkeys(chain.from_iterable(each.urls for each in group))
    return KeyPoint(group[0].text, tuple(spans), tuple(urls))
