"""What the checker asks: whether quotes support a sentence, and a mended one."""

from __future__ import annotations

import re
from typing import Final, Literal

from deepassay.models.operation import Inputs, OffMenu, Operation, Prose, Reply
from deepassay.wings.research.deerflow.asking import (
    evidence_id,
    ids_in,
    ids_of,
    prose_operation,
    research_operation,
    with_ids,
)
from deepassay.wings.research.deerflow.evidence import (
    as_sentence,
    missing_numbers,
    quote_of,
    share_of_words,
)

SUPPORTED: Final = 0.6
PARTLY: Final = 0.35
"""Shares of a sentence's words in its quotes from which on the rule says so."""


class Checking(Inputs):
    """Sentences that cite, and for each the quotes that it cites, joined by line ends."""

    sentences: list[str]
    quotes: list[str]


Verdict = Literal["supported", "partly", "not"]


class SentenceVerdicts(Reply):
    """One for each sentence, in their order."""

    verdicts: list[Verdict]


def _each(inputs: Checking, answer: SentenceVerdicts) -> None:
    if len(answer.verdicts) != len(inputs.sentences):
        raise OffMenu(f"{len(answer.verdicts)} verdicts for {len(inputs.sentences)} sentences")


def sentence_verdict_by_rule(sentence: str, quotes: list[str]) -> Verdict:
    """Figures must stand in a quote; else by the share of words that do."""
    bare = re.sub(r"\[e[^\]]*\]", "", sentence)
    if missing_numbers(bare, quotes):
        return "not"
    share = share_of_words(bare, quotes)
    return "supported" if share >= SUPPORTED else "partly" if share >= PARTLY else "not"


def check_by_rule(inputs: Checking) -> SentenceVerdicts:
    """The verdict of `sentence_verdict_by_rule` on each sentence, in their order."""
    return SentenceVerdicts(
        verdicts=[
            sentence_verdict_by_rule(sentence, quotes.split("\n"))
            for sentence, quotes in zip(inputs.sentences, inputs.quotes, strict=True)
        ]
    )


CHECK: Final[Operation[Checking, SentenceVerdicts]] = research_operation(
    "research/check",
    takes=Checking,
    gives=SentenceVerdicts,
    offline=check_by_rule,
    check=_each,
    shape=lambda inputs, form: form.entries(
        "verdicts", len(inputs.sentences), len(inputs.sentences)
    ),
)


class Mending(Inputs):
    """A sentence that its quotes support in part, with them: `[e3] quote (host)`."""

    sentence: str
    evidence: list[str]


def _one_sentence(inputs: Mending, text: str) -> None:
    if "\n" in text.strip() or not ids_in(text):
        raise OffMenu("give one sentence on one line, with the evidence that it cites")


def mend_by_rule(inputs: Mending) -> Prose:
    """The quote that shares most words with the sentence."""
    best = max(inputs.evidence, key=lambda line: share_of_words(inputs.sentence, [quote_of(line)]))
    return Prose(text=with_ids(as_sentence(quote_of(best)), [evidence_id(best)]))


MEND: Final = prose_operation(
    "research/mend",
    Mending,
    mend_by_rule,
    lambda inputs: ids_of(inputs.evidence),
    _one_sentence,
)
