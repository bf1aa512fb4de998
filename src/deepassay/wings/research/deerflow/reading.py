"""What the reader takes from a page: quotes, each with its place on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from deepassay.models.fence import place_of_quote
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.wings.research.deerflow.asking import on_menu, research_operation, sentences
from deepassay.wings.research.deerflow.context import estimated_tokens
from deepassay.wings.research.deerflow.evidence import content

MOST_QUOTES: Final = 8
LONGEST: Final = 600
"""Characters of a quote: a few sentences."""

WINDOWS: Final = 4
"""Of a page that are read: those with most words of the questions."""

_SHARED: Final = 2  # words that a sentence shares with a question to bear on it, by rule
_BY_RULE: Final = 4
_FIGURES: Final = re.compile(r"\d")


class PageWindow(Inputs):
    """A window of a page, and the questions that it is read for."""

    page: str
    questions: list[str]
    most: int = MOST_QUOTES


class Quote(Reply):
    """Words of the page, letter for letter; the numbers of the questions; 0 to 3."""

    quote: Annotated[str, Field(min_length=1, max_length=4 * LONGEST)]
    questions: list[int]
    importance: Annotated[int, Field(ge=0, le=3)]


class Quotes(Reply):
    """What a window gives; there may be nothing."""

    quotes: list[Quote]


class PlacedQuote(NamedTuple):
    """A quote that stands on the page, with its place in the window."""

    quote: Quote
    start: int
    end: int


def quotes_on_page(inputs: PageWindow, answer: Quotes) -> list[PlacedQuote]:
    """The quotes that are found on the page word for word, blanks and width aside."""
    found = []
    for each in answer.quotes:
        place = place_of_quote(inputs.page, each.quote)
        if place is not None and place[1] - place[0] <= LONGEST:
            found.append(PlacedQuote(each, *place))
    return found


def _fits(inputs: PageWindow, answer: Quotes) -> None:
    if len(answer.quotes) > inputs.most:
        raise OffMenu(f"{len(answer.quotes)} quotes; give {inputs.most} at most")
    for each in answer.quotes:
        on_menu(each.questions, inputs.questions, "question")


def _doubt(inputs: PageWindow, answer: Quotes) -> str:
    """What is not on the page is dropped; where all of it is, it is asked for again."""
    if not answer.quotes or quotes_on_page(inputs, answer):
        return ""
    return (
        f"not one of the quotes stands in the text in {LONGEST} characters or fewer; copy each "
        "letter for letter, or give an empty list"
    )


def is_aside(text: str) -> bool:
    """Whether a stretch of a page is a heading, a picture, a table, or gives an address."""
    return text.startswith(("#", "|", "!")) or text.count("|") > 1 or "://" in text


def read_by_rule(inputs: PageWindow) -> Quotes:
    """The sentences that share most words with a question; figures and dates count as one more."""
    wanted = [content(each) for each in inputs.questions]
    scored = []
    for place, text in enumerate(sentences(inputs.page)):
        if len(text) > LONGEST or is_aside(text):
            continue
        words = content(text)
        shared = [len(words & each) for each in wanted]
        if max(shared, default=0) < _SHARED:
            continue
        bears = [number for number, count in enumerate(shared, start=1) if count >= _SHARED]
        points = max(shared) + bool(_FIGURES.search(text))
        quote = Quote(quote=text, questions=bears, importance=min(3, points - 1))
        scored.append((-points, place, quote))
    return Quotes(
        quotes=[quote for _, _, quote in sorted(scored, key=lambda each: each[:2])][:_BY_RULE]
    )


READ: Final[Operation[PageWindow, Quotes]] = research_operation(
    "research/read",
    takes=PageWindow,
    gives=Quotes,
    offline=read_by_rule,
    check=_fits,
    soft_check=_doubt,
    shape=lambda inputs, form: form.at_most("quotes", inputs.most).chosen(
        "questions", len(inputs.questions)
    ),
)


class QuotesOfPage(Inputs):
    """The quotes of one page, to be summed up."""

    quotes: list[str]


class Summaries(Reply):
    """One for each quote, in their order."""

    summaries: list[Annotated[str, Field(min_length=1, max_length=LONGEST)]]


def _one_each(inputs: QuotesOfPage, answer: Summaries) -> None:
    if len(answer.summaries) != len(inputs.quotes):
        raise OffMenu(f"{len(answer.summaries)} summaries for {len(inputs.quotes)} passages")


def summaries_by_rule(inputs: QuotesOfPage) -> Summaries:
    """The beginning of each quote: 20 words, of Chinese 40 characters."""
    cut = (lambda text: text[:40]) if inputs.language == "zh" else _first_words
    return Summaries(summaries=[cut(" ".join(each.split())) for each in inputs.quotes])


def _first_words(text: str) -> str:
    return " ".join(text.split()[:20])[:LONGEST]


SUMMARISE: Final[Operation[QuotesOfPage, Summaries]] = research_operation(
    "research/summarise",
    takes=QuotesOfPage,
    gives=Summaries,
    offline=summaries_by_rule,
    check=_one_each,
    shape=lambda inputs, form: form.entries("summaries", len(inputs.quotes), len(inputs.quotes)),
)


def windows_read(text: str, questions: Sequence[str], limit: int) -> list[tuple[int, int]]:
    """The parts of a page that are read for these questions, by a reader with such a limit."""
    inputs = PageWindow(language="en", page="", questions=[*questions])
    prompt = READ.render(inputs, "0" * 16)
    frame = int(estimated_tokens(prompt.system + prompt.text)) + 40
    windows = list(token_windows(text, limit - frame))
    if len(windows) <= WINDOWS:
        return windows
    asked = frozenset().union(*map(content, questions))
    shared = [len(content(text[start:end]) & asked) for start, end in windows]
    best = sorted(range(len(windows)), key=lambda place: (-shared[place], place))[:WINDOWS]
    return [windows[place] for place in sorted(best)]


def token_windows(text: str, room: int) -> Iterator[tuple[int, int]]:
    """A text in parts of at most so many estimated tokens, cut between lines where that goes."""
    size = max(200, min(room, 40_000))
    if estimated_tokens(text) <= size:
        yield 0, len(text)
        return
    start = 0
    while start < len(text):
        end = min(len(text), start + 4 * size)
        while estimated_tokens(text[start:end]) > size and end - start > 1:
            end = start + max(1, int((end - start) * 0.8))
        if end < len(text):
            cut = text.rfind("\n", start + (end - start) // 2, end)
            end = cut + 1 if cut >= 0 else end
        yield start, end
        start = end
