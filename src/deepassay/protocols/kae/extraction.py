"""The key points of a cited page for a task, each with the words of the page that it rests on.

DeepResearch Arena, equation 4 and the appendix "Key point extraction prompt". The question is the
same for every report and agent that cites the page for the task, so that it is asked once.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from pydantic import StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.fence import find_quote
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.models.usage import parts_of
from deepassay.protocols.overlap import sentences_of, words_of
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.support import MOST_PARTS, OVERLAP, PART
from deepassay.score import Cause, Unscored
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


def _some_stand(inputs: PageForTask, answer: Points) -> None:
    """One absent span costs its key point; an answer without any that stands is none."""
    if len(answer.points) > inputs.most:
        raise OffMenu(f"{len(answer.points)} key points; give {inputs.most} at most")
    if answer.points and not any(_standing(inputs.page, each) for each in answer.points):
        raise OffMenu(
            "not one of the spans stands in the text; copy each letter for letter, without leaving "
            "anything out, or give an empty list if the text has nothing for the task"
        )


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


EXTRACT_POINTS: Final = Operation(
    "kae/extract_points",
    prompts=PROMPTS,
    takes=PageForTask,
    gives=Points,
    offline=points_by_rule,
    check=_some_stand,
    version=2,
)


async def points_of(page: Page, case: Case, ask: Asker) -> PagePoints | Unscored:
    """The key points of a page; Unscored if any part of it could not be read for them."""
    parts = list(parts_of(page.text, PART, OVERLAP))
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
    return PagePoints(tuple(points), dropped)
