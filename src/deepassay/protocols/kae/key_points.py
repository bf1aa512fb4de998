"""The key points of cited pages, in one list (DeepResearch Arena, equations 4 and 5).

They are read off a page once for all reports that cite it for the task, each with the words that it
rests on. Texts that differ in marks alone are then merged by code, and key points of the same fact
by a model: how the paper tells duplicates it does not say; these two steps are our reading.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Annotated, Final, NamedTuple

from pydantic import StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.fence import find_quote
from deepassay.models.operation import Expected, Inputs, OffMenu, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range, overlapping_parts
from deepassay.protocols.expected import BRACES, FRAME, QUOTE, chance, for_each
from deepassay.protocols.fact.pairs import (
    CitedPair,
    check_numbers,
    merged_by_rule,
    repeated,
    united,
)
from deepassay.protocols.overlap import sentences_of, wording, words_of
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.support import MOST_PARTS, OVERLAP, PART
from deepassay.score import Cause, Json, Unscored
from deepassay.sources.page import Page

MOST_POINTS: Final = 20
"""Key points of a page, or of a part of a long one."""

LONGEST_POINT: Final = 1_000
"""Characters of one: more than a sentence needs."""

BY_RULE: Final = 8
"""Key points that the offline rule takes from it."""

FEWEST_WORDS: Final = 5
"""Content words of a sentence that states something."""

ENDS: Final = (".", "!", "?", "。", "！", "？", ";", "；", "”", '"')
"""How a sentence ends; a title or a cell of a table ends otherwise."""

SHARED: Final = 2
"""Words of the task that a sentence must hold to bear on it."""

OF_SHORT_TASKS: Final = 3
"""Of a task that has few words, one in so many is enough."""


@dataclass(frozen=True)
class KeyPoint:
    """What a report on the task may be expected to say.

    spans: passages that it rests on, as their pages spell them. urls: of these pages.
    """

    text: str
    spans: tuple[str, ...]
    urls: tuple[str, ...]


class PagePoints(NamedTuple):
    """What was read off a page. dropped: key points of which no span stands on it."""

    points: tuple[KeyPoint, ...]
    dropped: int


class PageForTask(Inputs):
    """A page, or a part of a long one, and the task that it is read for."""

    page: str
    query: str
    most: int = MOST_POINTS


class Point(Reply):
    """One key point as a model gives it."""

    point: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_POINT)
    ]
    spans: list[str]


class Points(Reply):
    """The key points of a page."""

    points: list[Point]


def _not_too_many(inputs: PageForTask, answer: Points) -> None:
    if len(answer.points) > inputs.most:
        raise OffMenu(f"{len(answer.points)} key points; give {inputs.most} at most")


def _doubt_of_spans(inputs: PageForTask, answer: Points) -> str:
    """A key point without a standing span is dropped; if all are, they are asked for again."""
    if not answer.points or any(_standing(inputs.page, each) for each in answer.points):
        return ""
    told: Mapping[Language, str] = {
        "en": "not one of the spans stands in the text; copy each letter for letter, without "
        "leaving anything out, or give an empty list if the text has nothing for the task",
        "zh": "这些段落在文字中都找不到；请逐字照抄，不要省略；如果文字与任务无关，就给空列表",
    }
    return told[inputs.language]


def _standing(page: str, point: Point) -> tuple[str, ...]:
    """The spans of a key point that are on the page, as the page spells them."""
    found = (find_quote(page, span) for span in point.spans)
    return tuple(dict.fromkeys(span for span in found if span))


def points_by_rule(inputs: PageForTask) -> Points:
    """The floor: the sentences with most words of the task, those with most first."""
    wanted = set(words_of(inputs.query))
    needed = min(SHARED, max(1, len(wanted) // OF_SHORT_TASKS))
    page = sentences_of(inputs.page)
    best = [
        text
        for text in page.best(wanted, MOST_POINTS, needed)
        if text.endswith(ENDS) and len(words_of(text)) >= FEWEST_WORDS
    ][:BY_RULE]
    return Points(points=[Point(point=" ".join(text.split()), spans=[text]) for text in best])


POINTS_OF_PAGE: Final = Range(0, 8, MOST_POINTS)
"""Key points of a part of a page, for estimates. How many a model finds is not published."""

_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|[。！？]")


def _sentences(inputs: PageForTask) -> float:
    """Of a page, as far as so many key points could stand in them."""
    ends = _SENTENCE_ENDS.finditer(inputs.page.strip())
    return 1 + sum(1 for _ in islice(ends, inputs.most))


def _simulated_points(inputs: PageForTask, rate: float) -> Json:
    """So many passages, from places of the page that lie equally far apart."""
    page = inputs.page
    number = min(int(rate + chance(f"{len(page)} {page[:200]}")), inputs.most)
    step = max(1, len(page) // max(1, number))
    quotes = dict.fromkeys(page[at : at + 120].strip() for at in range(0, len(page), step))
    chosen = [quote for quote in quotes if any(map(str.isalnum, quote))][:number]
    return {"points": [{"point": " ".join(each.split()), "spans": [each]} for each in chosen]}


MOST_SPANS: Final = 3
"""Passages that a key point rests on."""

EXTRACT_POINTS: Final = Operation(
    "kae/extract_points",
    prompts=PROMPTS,
    takes=PageForTask,
    gives=Points,
    offline=points_by_rule,
    check=_not_too_many,
    soft_check=_doubt_of_spans,
    shape=lambda inputs, form: form.at_most("points", inputs.most).at_most("spans", MOST_SPANS),
    version=2,
    rule=2,
    expected=Expected(
        lambda inputs: (
            (FRAME + Range(20, 35, 50) + QUOTE * Range(1, 1.3, 2)) * POINTS_OF_PAGE + BRACES
        ),
        _simulated_points,
        decides="how many key points pages have",
        rate=POINTS_OF_PAGE,
        most=_sentences,
        told=lambda answer: (len(answer.points), 1),
    ),
)


EXTRACTING: Final = 2
"""Version of which of the key points given count, and of what a page is without any. It is part of
recipes."""


async def points_of(page: Page, case: Case, ask: Asker) -> PagePoints | Unscored:
    """The key points of a page; Unscored if any part of it could not be read for them.

    Answers of which every key point would be dropped say nothing of what the page holds.
    """
    parts = list(overlapping_parts(page.text, PART, OVERLAP))
    if len(parts) > MOST_PARTS:
        large = f"The page has {len(page.text)} characters, more than {MOST_PARTS} parts."
        return Unscored(Cause.PAGE_TOO_LARGE, large)
    language, query = case.task.language, case.task.prompt
    answers = await asyncio.gather(
        *(
            ask(
                EXTRACT_POINTS,
                PageForTask(language=language, page=part, query=query),
                repeat=case.repeat,
            )
            for part in parts
        )
    )
    points: list[KeyPoint] = []
    dropped = 0
    for part, answer in zip(parts, answers, strict=True):
        if isinstance(answer, Unscored):
            return answer
        for each in answer.value.points:
            if spans := _standing(part, each):
                points.append(KeyPoint(each.point, spans, (page.url,)))
            else:
                dropped += 1
    if dropped and not points:
        nothing = f"none of the {dropped} key points given rests on words of the page"
        return Unscored(Cause.ANSWER_UNREADABLE, nothing)
    return PagePoints(tuple(points), dropped)


UNIFYING: Final = 2
"""Version of the first step. It is part of recipes."""

MOST_COMPARED: Final = 200
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


def _doubt_of_groups(inputs: KeyPoints, answer: Groups) -> str:
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
    pairs = [CitedPair(each, "", (number,)) for number, each in enumerate(inputs.points, start=1)]
    return Groups(groups=[list(each.places) for each in merged_by_rule(pairs)])


DISTINCT: Final = Range(0.5, 0.95, 1)
"""Of the key points of all pages, those that say what no other says. Not published."""


def _simulated_groups(inputs: KeyPoints, rate: float) -> Json:
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
    check=lambda inputs, answer: check_numbers(answer.groups, inputs.count),
    soft_check=_doubt_of_groups,
    shape=lambda inputs, form: form.groups("groups", inputs.count),
    version=2,
    rule=2,
    expected=for_each(
        Range(2, 3, 5),
        lambda inputs: len(inputs.points),
        _simulated_groups,
        decides="how many of them are the same",
        rate=DISTINCT,
        told=lambda answer: (len(answer.groups), sum(map(len, answer.groups))),
    ),
)


async def unified(points: Sequence[KeyPoint], case: Case, ask: Asker) -> Unified | Unscored:
    """The key points of all pages, each once, in their order."""
    first = merged_by_text(points)
    second: list[KeyPoint] = []
    for start in range(0, len(first), MOST_COMPARED):
        batch = first[start : start + MOST_COMPARED]
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
