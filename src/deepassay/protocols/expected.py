"""How long answers are before anybody was asked: what the rows of operations are made of.

Every operation says by its `expected` what its answers are like. Lengths are tokens, as a mean over
the questions of a run: of a terse judge, of a common one, of one that talks. Measured were 514
reasons of a judge for single verdicts (published with KPR; 60 tokens, half of them between 49 and
69, nine in ten between 36 and 90), 155 statements with their sources as extracted in published
files of FACT (135 characters each), and articles before and after a model took their citations out
(.87 of the length). The frame of an item is counted from the forms that prompts show. All else are
bounds that follow from what a prompt asks for: how many sentences, how many quotes, how many items
at most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from zlib import crc32

from deepassay.models.operation import NEVER, Expected, SimulatedAnswer
from deepassay.models.usage import Range

FRAME: Final = Range(12, 18, 28)
"""Braces, names of fields, key and mark of one item; the most where it is laid out in lines."""

BRACES: Final = Range(3, 5, 10)
"""Around all items."""

REASON: Final = Range(25, 60, 90)
"""Of one verdict, in one to three sentences."""

ONE_SENTENCE: Final = Range(12, 30, 60)
"""A reason that is asked for in one sentence."""

ANALYSIS: Final = Range(40, 100, 200)
"""A few sentences that name passages, figures or gaps."""

QUOTE: Final = Range(15, 40, 70)
"""A passage that is copied out."""

VERDICT: Final = FRAME + REASON
MARK: Final = FRAME + ANALYSIS
GRADE: Final = VERDICT + QUOTE * Range(0, 2, 4)
"""A verdict with the words that show it."""

ITEM_PASSAGE: Final = (FRAME + QUOTE) * Range(0, 1, 4)
"""The passages of one window that bear on an item."""

ISSUES: Final = Range(0.5, 4, 20)
"""Issues of a report; nobody has published how many a judge lists."""

ISSUE: Final = (FRAME + QUOTE + Range(15, 35, 60)) * ISSUES
"""All issues of a report."""


def times(number: float) -> Range:
    """A number that is known, as a factor of a range."""
    return Range(number, number, number)


def for_each(
    item: Range,
    count: Callable[[Any], float] = lambda inputs: 1,
    simulated: SimulatedAnswer = lambda inputs, rate: None,
    *,
    decides: str = "",
    rate: Range = NEVER,
    told: Callable[[Any], tuple[float, float]] | None = None,
) -> Expected:
    """An answer of so many tokens for every item, in braces of its own.

    count: from the inputs of a question to how many items it asks about. The others are those of
    `Expected`.
    """
    return Expected(
        lambda inputs: item * times(count(inputs)) + BRACES,
        simulated,
        decides=decides,
        rate=rate,
        told=told,
    )


def chance(text: str) -> float:
    """A number from 0 to 1 that the text decides: what happens in a share of cases does in these.

    No two texts are treated alike, and every estimate of the same says the same.
    """
    return crc32(text.encode("utf-8", "surrogatepass")) / 2**32
