"""The filter: which inspirations are unfit to make tasks from, and why.

DeepResearch Arena, Figure 2: what has no academic content, and what is incoherent, is dropped.
"""

from __future__ import annotations

from typing import Final, Literal

from deepassay.curate.arena.key_words import keyed
from deepassay.curate.weights import PROMPTS
from deepassay.models.operation import Inputs, Operation, Reply
from deepassay.tasks.fields import Text

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


def _by_rule(inputs: InspirationAndQuote) -> Sifted:
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
    offline=_by_rule,
    version=2,
)
