"""All inspirations of one transcript: windows asked, what they share merged, the rest filtered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from deepassay.curate.arena.filter import FILTER, InspirationAndQuote, Sifted
from deepassay.curate.arena.inspira import INSPIRE, AllRead, PassageOfTalk
from deepassay.curate.arena.inspiration import Inspiration
from deepassay.curate.arena.merging import merged
from deepassay.curate.arena.transcript import Transcript
from deepassay.models.ask import Answer, Asker
from deepassay.models.parts import cuts_by_tokens
from deepassay.models.quotes import place_of_quote
from deepassay.score import Unscored

WINDOW: Final = 6_000
"""Tokens of a window, about half an hour of talk, as `models.usage.estimate_tokens` counts. With
ten inspirations a window, two hundred seminars can give the paper's ten thousand tasks."""

OVERLAP: Final = 1_000
"""Characters that a window shares with the one before, so that no remark is cut in two."""


async def inspirations_of(transcript: Transcript, maker: Asker) -> list[Inspiration] | Unscored:
    """The inspirations of a transcript, in its order; those that the filter drops say why.

    Unscored if any window, or any decision of the filter, could not be had.
    """
    cuts = list(cuts_by_tokens(transcript.text, WINDOW, OVERLAP))
    answers = await asyncio.gather(
        *(
            maker(INSPIRE, PassageOfTalk(language=transcript.language, passage=passage))
            for passage in (transcript.text[start:end] for start, end in cuts)
        )
    )
    found: list[Inspiration] = []
    for number, ((start, end), answer) in enumerate(zip(cuts, answers, strict=True), start=1):
        if isinstance(answer, Unscored):
            where = f"window {number} of {len(cuts)}"
            return Unscored(answer.cause, f"{where}: {answer.detail}", answer.details)
        found += _placed(transcript, start, end, answer)
    numbered = [
        each.model_copy(update={"id": f"{transcript.name}-{number}"})
        for number, each in enumerate(merged(found), start=1)
    ]
    return await _sifted(numbered, maker)


def _placed(
    transcript: Transcript, start: int, end: int, answer: Answer[AllRead]
) -> list[Inspiration]:
    """The inspirations of a window, each with its passage and the time of that."""
    placed = []
    window = transcript.text[start:end]
    for each in answer.value.inspirations:
        place = place_of_quote(window, each.quote)
        assert place is not None  # or else the answer would have been asked again
        first, last = start + place[0], start + place[1]
        placed.append(
            Inspiration(
                id=transcript.name,
                type=each.type,
                text=" ".join(each.text.split()),
                qualities=tuple(dict.fromkeys(each.qualities)),
                quote=transcript.text[first:last],
                start=first,
                end=last,
                time=transcript.time_at(first),
                transcript=transcript.name,
                language=transcript.language,
            )
        )
    return placed


async def _sifted(
    inspirations: Sequence[Inspiration], maker: Asker
) -> list[Inspiration] | Unscored:
    questions = [
        InspirationAndQuote(language=each.language, quote=each.quote, inspiration=each.text)
        for each in inspirations
    ]
    answers = await asyncio.gather(*(maker(FILTER, question) for question in questions))
    sifted = []
    for each, answer in zip(inspirations, answers, strict=True):
        if isinstance(answer, Unscored):
            return Unscored(answer.cause, f"filter of {each.id}: {answer.detail}", answer.details)
        sifted.append(each.model_copy(update={"dropped": _reason(answer.value)}))
    return sifted


def _reason(sifted: Sifted) -> str | None:
    """What is kept of a decision against an inspiration; nothing of one in its favour."""
    if sifted.verdict == "usable":
        return None
    return f"{sifted.verdict.replace('_', ' ')}: {' '.join(sifted.reason.split())}"
