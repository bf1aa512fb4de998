"""What people decided: one score or verdict of one person, and on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MET: Final = "met"
PARTLY: Final = "partly met"
NOT_MET: Final = "not met"

WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("1", "1.0", "yes", "true", "satisfied", "supported", "right", "支持"), MET),
    **dict.fromkeys(("0.5", "partial", "partly", "partially satisfied"), PARTLY),
    **dict.fromkeys(
        ("0", "0.0", "no", "false", "not satisfied", "unsupported", "not supported", "wrong"),
        NOT_MET,
    ),
    "不支持": NOT_MET,
    "own": "win",
    "baseline": "loss",
}
"""How people and protocols write one and the same verdict, in small letters."""


@dataclass(frozen=True)
class Decision:
    """One decision of one person on one report, or on one item of it.

    place: of the row, for messages. sample: which of the agent's answers to the task, from 1.
    protocol: whose subject was decided on, None for that of any. item: the name of a part of the
    score, or the key of an item as `explain` shows it; None for the report as a whole. judge: whose
    item it is, where the items of several judges are not the same. score, verdict: at least one.
    """

    place: str
    agent: str
    task: str
    rater: str
    sample: int = 1
    protocol: str | None = None
    item: str | None = None
    judge: str | None = None
    score: float | None = None
    verdict: str | None = None


def word_of(verdict: str) -> str:
    """A verdict as it is compared: one spelling for each; words that are not known stay."""
    plain = verdict.strip().lower()
    return WORDS.get(plain, plain)
