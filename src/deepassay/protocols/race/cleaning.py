"""Articles without their citations before they are judged (DeepResearch Bench, section 4.1).

By rule unless a model is asked for. A long article goes to the model in pieces that end where
a paragraph does, and what comes back is held against what `reports.clean` makes of the article.
The released program looks at nothing but a least length, and halves an article whose cleaning
fails: the first half ends at the nearest mark of a sentence before the middle, the second begins
at the middle, and what lies between is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import replace
from math import ceil
from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.form import Form
from deepassay.models.operation import Expected, Inputs, OffMenu, Operation, Reply
from deepassay.models.usage import Range, token_range
from deepassay.protocols.overlap import readable, words_of
from deepassay.protocols.protocol import PROMPTS, Edition
from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import detect_language
from deepassay.text import first_few

LEAST_WORDS: Final = 0.95
"""Share of the content words that must still be there."""

SHORTEST: Final = 0.8
LONGEST: Final = 1.1
"""Length of the answer by that of the text without citations."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MARKUP = re.compile(r"[\s#*_`~]+")
_NAMED: Final = 5


def check_cleaned(expected: str, answer: str) -> None:
    """Raise OffMenu if words, numbers or headings of `expected` are gone, or text was added."""
    if lost := _absent(_headings(expected), _headings(answer)):
        raise OffMenu(f"headings are lost: {_named(lost)}")
    if lost := _absent(_NUMBER.findall(expected), _NUMBER.findall(answer)):
        raise OffMenu(f"numbers that belong to the text are lost: {_named(lost)}")
    words = words_of(expected)
    lost = _absent(words, words_of(answer))
    if len(lost) > (1 - LEAST_WORDS) * len(words):
        raise OffMenu(f"{len(lost)} of {len(words)} content words are lost: {_named(lost)}")
    long, most = len(answer.strip()), LONGEST * len(expected.strip())
    if not SHORTEST * len(expected.strip()) <= long <= most:
        raise OffMenu(
            f"the text has {long} characters; without its citations the article has "
            f"{len(expected.strip())}: take out citations, change nothing else"
        )


def _headings(text: str) -> list[str]:
    blocks = Report(text).blocks
    titles = (text[each.span.start : each.span.end] for each in blocks if each.kind == "heading")
    return [_MARKUP.sub("", title) for title in titles]


def _absent(wanted: Iterable[str], found: Iterable[str]) -> list[str]:
    """What of `wanted` is not in `found`, as often as it is not."""
    return list((Counter(wanted) - Counter(found)).elements())


def _named(lost: list[str]) -> str:
    return first_few([each[:60] for each in lost], _NAMED)


FEWEST_CHARACTERS: Final = 100
"""Characters, blanks at both ends aside, that the program wants of a cleaned article."""

_LOOKS_BACK: Final = 200
_MARKS: Final = frozenset(".?!。！？\n")


class Uncleaned(Exception):
    """The program has no cleaned text, and the report disappears from its results."""


async def released_clean(article: str, ask: Callable[[str], Awaitable[str | None]]) -> str:
    """The article as the program cleans it. ask: the model's text, None if it failed.

    Raises Uncleaned where the program drops the article.
    """
    whole = await ask(article)
    if whole is not None and accepted(whole):
        return whole
    merged = []
    for half in halves(article):
        text = await ask(half)
        if text is None or not accepted(text):
            raise Uncleaned("a half of it could not be cleaned either")
        merged.append(text)
    return "".join(merged)


def accepted(text: str) -> bool:
    """All that the program checks of a cleaned text."""
    return len(text.strip()) >= FEWEST_CHARACTERS


def halves(article: str) -> tuple[str, str]:
    """The two pieces, up to 198 characters between them missing or one character in both."""
    middle = len(article) // 2
    for at in range(middle, max(0, middle - _LOOKS_BACK), -1):
        if article[at] in _MARKS:
            return article[: at + 1], article[middle:]
    return article[:middle], article[middle:]


class RawArticle(Inputs):
    """An article, or a piece of a long one, with its citations still in it."""

    article: str


class Cleaned(Reply):
    """The article without its citations."""

    article: str


def _cleaned_form(inputs: RawArticle, form: Form) -> None:
    """A text of the length that the check wants: no other answer is as long as a report."""
    length = len(clean(inputs.article).strip())
    limits = {"minLength": ceil(SHORTEST * length), "maxLength": int(LONGEST * length)}
    form.override_field("article", {"type": "string", **limits})


def _long_enough(inputs: RawArticle, answer: Cleaned) -> None:
    if not accepted(answer.article):
        raise OffMenu("the cleaned article is too short")


CLEAN: Final = Operation(
    "race/clean",
    prompts=PROMPTS,
    takes=RawArticle,
    gives=Cleaned,
    offline=lambda inputs: Cleaned(article=clean(readable(inputs.article))),
    check=lambda inputs, answer: check_cleaned(clean(inputs.article), answer.article),
    shape=_cleaned_form,
    version=2,
    expected=Expected(
        lambda inputs: token_range(inputs.article) * Range(0.8, 0.9, 1),
        lambda inputs, rate: {"article": inputs.article},
    ),
)

CLEAN_AS_RELEASED: Final = replace(CLEAN, check=_long_enough, reading="released", version=1)

PIECE: Final = 16_000
"""Characters of a piece, so that what comes back fits the usual limit of an answer."""


async def cleaned(report: Report, how: str, cleaner: Asker, edition: Edition) -> str | Unscored:
    """The text as it goes to the judge. how: `rules`, `model` or `none`.

    In edition `code` a model cleans with the released program's way of dividing.
    """
    if how == "none":
        return report.text
    if how == "rules":
        return clean(report)
    if edition == "code":
        return await _by_model_as_released(report, cleaner)
    return await _by_model(report, cleaner)


async def _by_model(report: Report, cleaner: Asker) -> str | Unscored:
    text, at = report.text, 0
    kept: list[str] = []
    for span in pieces_to_clean(report):
        inputs = RawArticle(
            language=detect_language(report.text), article=text[span.start : span.end]
        )
        answer = await cleaner(CLEAN, inputs)
        if isinstance(answer, Unscored):
            return answer
        kept += [text[at : span.start], answer.value.article.strip()]
        at = span.end
    return "".join(kept).strip()


async def _by_model_as_released(report: Report, cleaner: Asker) -> str | Unscored:
    cause = Cause.ANSWER_UNREADABLE

    async def ask(piece: str) -> str | None:
        nonlocal cause
        if cause is Cause.BUDGET:
            return None  # a half that is still affordable would end in another text
        inputs = RawArticle(language=detect_language(report.text), article=piece)
        answer = await cleaner(CLEAN_AS_RELEASED, inputs)
        if isinstance(answer, Unscored):
            cause = answer.cause
            return None
        return answer.value.article

    try:
        return await released_clean(report.text, ask)
    except Uncleaned as loss:
        return Unscored(cause, f"The released program drops this report: {loss}.")


def pieces_to_clean(report: Report, longest: int = PIECE) -> Iterator[Span]:
    """The text but for blanks between paragraphs, in pieces of whole blocks.

    No piece is longer than `longest`, unless one block or one reference list is: a list that is
    cut could not be told from the text.
    """
    lists = [each.span for each in report.reference_lists]
    start = end = None
    for span in _units(report, lists):
        if start is not None and end is not None and span.end - start > longest:
            yield Span(start, end)
            start = None
        start, end = span.start if start is None else start, span.end
    if start is not None and end is not None:
        yield Span(start, end)


def _units(report: Report, lists: list[Span]) -> Iterator[Span]:
    """Blocks and reference lists, in order, none overlapping the one before."""
    at = 0
    for span in sorted([*(each.span for each in report.blocks), *lists]):
        inside = next((each for each in lists if each.start <= span.start < each.end), span)
        if inside.end > at:
            yield Span(max(at, inside.start), inside.end)
            at = inside.end
