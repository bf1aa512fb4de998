"""The filter: which inspirations are unfit to make tasks from, and why.

DeepResearch Arena, Figure 2: what has no academic content, and what is incoherent, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from deepassay.curate.arena.cues import EVENT
from deepassay.curate.weights import PROMPTS
from deepassay.models.operation import Inputs, Operation, Reply
from deepassay.tasks.dates import Language
from deepassay.tasks.fields import Text
from deepassay.text import HAN

Verdict = Literal["usable", "no_academic_content", "incoherent"]


class InspirationAndQuote(Inputs):
    """An inspiration and the words of the transcript that it was read from."""

    quote: str
    inspiration: str


class Sifted(Reply):
    """Whether an inspiration is usable, and why."""

    reason: Text
    verdict: Verdict


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


FEWEST_CONTENT_WORDS: Final[Mapping[Language, int]] = {"en": 5, "zh": 12}
"""Different content words of an inspiration (Chinese: pairs of characters)."""

MOST_REPEATED: Final = 3
"""How often a content word may stand there on average before the speaker is stuttering."""

_WORD: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(r"[a-z]{4,}(?:-[a-z]+)*+", re.IGNORECASE),
    "zh": re.compile(rf"(?=([{HAN}]{{2}}))|[a-z]{{4,}}", re.IGNORECASE),
}
# What says nothing in speech. `key_words` leaves out more: what says nothing of a subject of study.
_EMPTY: Final = _set(
    "about actually again also always another because been before being between both could does "
    "doing done down each else even ever every everybody everyone from gonna good have having here "
    "into just kind know like little look made make many maybe mean mine more most much must need "
    "never okay once only other over people quite really right same says should some somebody "
    "something sometimes sort still such sure take tell than that their them then there these they "
    "thing things think this those through today very wanna want well went were what when where "
    "whether which while will with without would yeah your yours"
)
_FILLER: Final = re.compile(
    r"\b(?:um+|uh+|er+|hmm+|you know|i mean)\b|嗯|呃|那个那个", re.IGNORECASE
)
_SAID: Final[Mapping[Language, tuple[str, str, str, str]]] = {
    "en": (
        "names its subject in {} content words",
        "speaks of the event: {}",
        "repeats {} words {} times",
        "is made of fillers: {} of {} words",
    ),
    "zh": ("只有{}个实义词", "讲的是会务：{}", "{}个词重复了{}次", "多为语气词：{}个，共{}个词"),
}


def _by_rule(inputs: InspirationAndQuote) -> Sifted:
    """A decision without a model: content words, words about the event, fillers, repetitions."""
    text, language = inputs.inspiration, inputs.language
    few, event, again, fillers = _SAID[language]
    words = [word for word in _content(text, language) if word not in _EMPTY]
    about_event = list(dict.fromkeys(EVENT[language].findall(text)))
    noise = len(_FILLER.findall(text))
    if len(set(words)) < FEWEST_CONTENT_WORDS[language] * (1 + len(about_event)):
        if about_event:
            named = ", ".join(about_event)
            return Sifted(reason=event.format(named), verdict="no_academic_content")
        return Sifted(reason=few.format(len(set(words))), verdict="incoherent")
    if len(words) > MOST_REPEATED * len(set(words)):
        return Sifted(reason=again.format(len(set(words)), len(words)), verdict="incoherent")
    if noise > len(words) // 2:
        return Sifted(reason=fillers.format(noise, noise + len(words)), verdict="incoherent")
    return Sifted(reason=few.format(len(set(words))), verdict="usable")


def _content(text: str, language: Language) -> list[str]:
    found = _WORD[language].finditer(text)
    return [(each.group() or each.group(1)).casefold() for each in found]


FILTER: Final = Operation(
    "arena/filter",
    prompts=PROMPTS,
    takes=InspirationAndQuote,
    gives=Sifted,
    offline=_by_rule,
)
