"""Articles without their citations before they are judged (DeepResearch Bench, section 4.1).

By rule unless a model is asked for. A long article goes to the model in pieces that end where
a paragraph does; nothing lies between two pieces but their blank lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deepassay.models.ask import Asker
from deepassay.protocols.protocol import Edition
from deepassay.protocols.race.questions import CLEAN, CLEAN_AS_RELEASED, RawArticle
from deepassay.protocols.race.released_cleaning import Uncleaned, released_clean
from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import detect_language

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
    for span in pieces(report):
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


def pieces(report: Report, longest: int = PIECE) -> Iterator[Span]:
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
