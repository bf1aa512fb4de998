"""What is known of the judge of a ranking, and whether it is enough to trust its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.records import judges_of
from deepassay.results.tables import percent
from deepassay.score import NOBODY, Signature
from deepassay.stats.intervals import Interval

TOLERATED: Final = 0.25
"""The share of verdicts, or of pairs of reports, in which a trusted judge may contradict people."""

STALE: Final = "STALE, and counts for nothing: "


@dataclass(frozen=True)
class KnownOfJudge:
    """What one file says of a judge. sentence: what a reader is told.

    error: of how often it contradicts people, None where no labels say so. faults: whether it was
    found to be moved by what must not matter, or blind. stale: whether prompts, model or settings
    have moved since.
    """

    sentence: str
    error: Interval | None = None
    faults: bool = False
    stale: bool = False

    @property
    def told(self) -> str:
        """The sentence, with a word before it where it does not hold any more."""
        return f"{STALE}{self.sentence}" if self.stale else self.sentence


def why_not_trusted(
    recipes: Sequence[Signature], known: Sequence[KnownOfJudge], tolerated: float = TOLERATED
) -> str:
    """What speaks against trusting the numbers of a ranking; nothing where its judge is trusted.

    A judge is, if labels of people show, with the upper end of a 95 % interval, that it contradicts
    them in no more than is `tolerated`, and no audit found a fault. What nobody judged is.
    """
    nobody = NOBODY["model"]
    if all(set(judges_of(recipe)) <= {nobody} for recipe in recipes):
        return ""
    if len(recipes) > 1:
        return "several recipes are mixed in it"
    fresh = [each for each in known if not each.stale]
    errors = [each.error for each in fresh if each.error is not None]
    if any(each.faults for each in fresh):
        return "an audit found faults"
    if not errors:
        stale = any(each.stale for each in known)
        return f"what is known of its judge is {'stale' if stale else 'not how often it errs'}"
    worst = max(error.high for error in errors)
    if worst > tolerated:
        return (
            f"its judge may contradict people in {percent(worst)}, and {percent(tolerated)} are "
            "tolerated"
        )
    return ""
