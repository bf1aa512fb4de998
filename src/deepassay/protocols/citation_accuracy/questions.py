"""Whether a page is about the subject of a task at all, by its title and how it begins.

LiveResearchBench, appendix E: a coarse look at the beginning saves the question about the claims
where a link leads to something else altogether.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import StringConstraints

from deepassay.models.operation import Inputs, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range, estimate_tokens
from deepassay.protocols.expected import FRAME, ONE_SENTENCE, chance, for_each
from deepassay.protocols.overlap import words_of
from deepassay.protocols.protocol import PROMPTS
from deepassay.score import Json
from deepassay.sources.page import Page
from deepassay.text import HAN_CHARACTER

OPENING: Final = 300
"""Tokens of a page that are looked at, as `estimate_tokens` counts them."""

MOST_PER_TOKEN: Final = 5
"""More characters than any script has in a token."""

SHARED: Final = 2
"""Words of the task that the beginning of a page must hold. Chosen."""

OF_SHORT_TASKS: Final = 3
"""Of a task that has few words, one in so many is enough."""

FEWEST: Final = 12
"""Different words that a beginning must have to tell what a page is about."""

_ADDRESS = re.compile(r"https?://\S+")


class PageAndTask(Inputs):
    """How a page begins, and the task of the report that cites it."""

    title: str
    opening: str
    query: str


class Relevance(Reply):
    """Whether the page has to do with the subject of the task, and why."""

    on_topic: bool
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def opening_of(text: str) -> str:
    """The first OPENING tokens of a page, cut at a blank where there is one near the end."""
    start = text[: MOST_PER_TOKEN * OPENING]
    while (tokens := estimate_tokens(start)) > OPENING:
        start = start[: len(start) * OPENING // tokens]
    if len(start) == len(text):
        return start
    blank = max(start.rfind(mark) for mark in " \n")
    return start[:blank] if blank > len(start) * 3 // 4 else start


def page_and_task(page: Page, query: str, language: Language) -> PageAndTask:
    """The question about a page; the same for every report and agent of a task."""
    return PageAndTask(
        language=language, title=page.title, opening=opening_of(page.text), query=query
    )


def by_shared_words(inputs: PageAndTask) -> Relevance:
    """The floor: how many words of the task the beginning of the page holds.

    Where it cannot tell, because the page hardly says anything or is in another script than the
    task, it lets the page pass.
    """
    wanted = set(words_of(_ADDRESS.sub(" ", inputs.query)))
    said = set(words_of(_ADDRESS.sub(" ", f"{inputs.title} {inputs.opening}")))
    if len(said) < FEWEST:
        return Relevance(on_topic=True, reason="By rule: too little text to tell.")
    if _mostly_han(inputs.query) != _mostly_han(inputs.opening):
        return Relevance(on_topic=True, reason="By rule: in another script than the task.")
    shared, needed = len(said & wanted), min(SHARED, max(1, len(wanted) // OF_SHORT_TASKS))
    return Relevance(
        on_topic=shared >= needed,
        reason=f"By rule: {shared} words of the task stand in the beginning of the page; "
        f"{needed} are needed.",
    )


def _mostly_han(text: str) -> bool:
    """Whether a text is Chinese: a character is worth about three letters."""
    return 3 * len(HAN_CHARACTER.findall(text)) > sum(
        char.isascii() and char.isalpha() for char in text
    )


ON_TOPIC: Final = Range(0, 0.82, 1)
"""Of the pages that can be read, for estimates. LiveResearchBench (Table 7) counts 7.6 addresses
that cannot be reached and 7.0 on something else a report, over all rows; 40 of its reports that
were published with it cite 45 each."""


def _simulated(inputs: PageAndTask, rate: float) -> Json:
    """Of a page that is not on topic nothing else is asked."""
    on_topic = chance(f"{inputs.query} {inputs.title} {inputs.opening}") < rate
    return {"on_topic": on_topic, "reason": "supposed"}


JUDGE_RELEVANCE: Final = Operation(
    "citation_accuracy/judge_relevance",
    prompts=PROMPTS,
    takes=PageAndTask,
    gives=Relevance,
    offline=by_shared_words,
    rule=2,
    expected=for_each(
        FRAME + ONE_SENTENCE,
        simulated=_simulated,
        decides="which pages are on topic",
        rate=ON_TOPIC,
        told=lambda answer: (answer.on_topic, 1),
    ),
)
