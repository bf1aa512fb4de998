"""Inspira: inspirations read from a passage of a transcript, each checked against the rules.

DeepResearch Arena, section "Inspiration Extraction" and the appendix's prompt: at most ten a call,
at most 300 words each, at least two of four qualities. That each keeps words of the transcript,
looked up in it, is ours: it shows that the seminar has the idea.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from deepassay.models.ask import Answer, Asker
from deepassay.models.fence import disarmed, place_of_quote
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.models.usage import cuts_by_tokens
from deepassay.reports.sentences import split_sentences
from deepassay.score import Unscored
from deepassay.tasks.fields import Text
from deepassay.tasks.task import Language
from deepassay.text import count_words
from deepassay.wings.build.arena.construction import keyed
from deepassay.wings.build.arena.inspiration import (
    REQUIRED,
    Inspiration,
    Kind,
    Quality,
    merged_inspirations,
)
from deepassay.wings.build.arena.transcript import Transcript
from deepassay.wings.build.wording import PROMPTS

MOST: Final = 10
"""Inspirations of one call."""

MOST_WORDS: Final[Mapping[Language, int]] = {"en": 300, "zh": 500}
"""Of one inspiration. The paper counts words; 500 Chinese characters say about as much."""

FEWEST_QUOTED: Final = 5
"""Words, or Chinese characters, of a quote: a single word stands anywhere and shows nothing."""


class PassageOfTalk(Inputs):
    """A part of a transcript, in which inspirations are looked for."""

    passage: str


class Read(Reply):
    """One inspiration of an answer."""

    type: Kind
    qualities: list[Quality]
    text: Text
    quote: Text


class AllRead(Reply):
    """The inspirations of a passage; there may be none."""

    inspirations: list[Read]


def _check(inputs: PassageOfTalk, answer: AllRead) -> None:
    if (number := len(answer.inspirations)) > MOST:
        raise OffMenu(f"there are {number} inspirations; give at most {MOST}, the best ones")
    for number, each in enumerate(answer.inspirations, start=1):
        if problem := _problem(inputs, each):
            raise OffMenu(f"inspiration {number}: {problem}")


def _problem(inputs: PassageOfTalk, read: Read) -> str:
    """The first rule that an inspiration breaks, in words for the model, or nothing."""
    if len(set(read.qualities)) < 2:
        return "an inspiration has at least two different qualities"
    if lacking := [each for each in REQUIRED[read.type] if each not in read.qualities]:
        return f"the type {read.type} requires the quality {lacking[0]}; check type and qualities"
    most = MOST_WORDS[inputs.language]
    if (words := count_words(read.text)) > most:
        return f"the text has {words} words; the limit is {most}"
    if count_words(read.quote) < FEWEST_QUOTED:
        return f"the quote {read.quote!r} is too short; copy a whole sentence"
    if place_of_quote(inputs.passage, read.quote) is None:
        return f"the passage does not have the quote {read.quote[:80]!r}; copy it word for word"
    return ""


FEWEST_SAID: Final = 8
"""Words, or Chinese characters, of a sentence that can voice anything."""

LONGEST_SENTENCE: Final = 400
"""Characters; recognised speech may have no full stops at all, and is then cut."""

_CUES: Final[Mapping[Kind, str]] = {
    "Limitation": r"\bnot know|\bunknown|\bproblem|\blimit|\black|不知道|问题|局限|缺乏|无法",
    "Hypothesis": r"\bhypothes|\bexpect|\bpredict|\bsuspect|假设|猜|预测|推测|是不是",
    "Methodology": r"\bwhat if|\bpropose|\bmethod|\bapproach|\bmeasure|方法|提出|如果|测量",
    "Transdisciplinarity": r"\bborrow|\bbridg|\bdisciplin|\banalog|学科|借鉴|借用|类比",
}
"""What the offline rule takes for a sign of each type."""

CUES: Final = {kind: re.compile(words, re.IGNORECASE) for kind, words in _CUES.items()}


def _read_by_rule(inputs: PassageOfTalk) -> AllRead:
    """The sentences with most cues of a type, at most ten, in the order of the passage."""
    # The quote is looked up in what a model would have been shown.
    found = [
        (max(points.values()), max(points, key=points.__getitem__), sentence)
        for sentence in _sentences(disarmed(inputs.passage))
        if any((points := _cues_in(sentence)).values())
    ]
    best = sorted(range(len(found)), key=lambda place: (-found[place][0], place))[:MOST]
    return AllRead(
        inspirations=[
            Read(
                type=kind,
                qualities=list(REQUIRED[kind]),
                text=" ".join(sentence.split()),
                quote=sentence,
            )
            for _, kind, sentence in (found[place] for place in sorted(best))
        ]
    )


def _cues_in(sentence: str) -> dict[Kind, int]:
    return {kind: len(cue.findall(sentence)) for kind, cue in CUES.items()}


def _sentences(text: str) -> Iterator[str]:
    """Sentences, long ones in parts."""
    for start, end in split_sentences(text):
        for at in range(start, end, LONGEST_SENTENCE):
            sentence = text[at : min(end, at + LONGEST_SENTENCE)].strip()
            if count_words(sentence) >= FEWEST_SAID:
                yield sentence


INSPIRE: Final = Operation(
    "arena/inspire",
    prompts=PROMPTS,
    takes=PassageOfTalk,
    gives=AllRead,
    offline=_read_by_rule,
    check=_check,
    rule=2,
)


Verdict = Literal["usable", "no_academic_content", "incoherent"]


class InspirationAndQuote(Inputs):
    """An inspiration and the words of the transcript that it was read from."""

    quote: str
    inspiration: str


class Sifted(Reply):
    """Whether an inspiration is usable, and why."""

    reason: Text
    verdict: Verdict


FEWEST_KEY_WORDS: Final = 5
"""Different key words of an inspiration that names a subject."""

MOST_REPEATED: Final = 3
"""How often a key word may stand there on average before the speaker is stuttering."""


def _sifted_by_rule(inputs: InspirationAndQuote) -> Sifted:
    """By the number of key words, and how often they are repeated."""
    words = [key for key, _ in keyed(inputs.inspiration, inputs.language)]
    reason = f"{len(words)} key words, {len(set(words))} different ones"
    if len(set(words)) < FEWEST_KEY_WORDS:
        return Sifted(reason=reason, verdict="no_academic_content")
    stutters = len(words) > MOST_REPEATED * len(set(words))
    return Sifted(reason=reason, verdict="incoherent" if stutters else "usable")


FILTER: Final = Operation(
    "arena/filter",
    prompts=PROMPTS,
    takes=InspirationAndQuote,
    gives=Sifted,
    offline=_sifted_by_rule,
    rule=2,
)


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
        for number, each in enumerate(merged_inspirations(found), start=1)
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
