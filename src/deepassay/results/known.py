"""What is known of a judge, whether it is still the same, and whether that is enough to trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.records import judges_of
from deepassay.results.tables import percent
from deepassay.score import NOBODY, Json, Signature, canonical_json
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


DECIDING: Final = (
    *("protocol", "edition", "judges", "extractor", "cleaner", "maker", "verifier", "prompts"),
    *("offline_rules", "rules", "code", "definition", "pages"),
)


def deciding(identity: Mapping[str, Json]) -> dict[str, Json]:
    """What of an identity says who judged by what: not the tasks, what they bring, or the day."""
    return {name: identity[name] for name in DECIDING if name in identity}


def what_differs(known: Mapping[str, Json], scored: Mapping[str, Json], then: str) -> list[str]:
    """What is not alike, in words. then: when it was known, as `in the audit`."""
    return [
        f"{name} was {_plain(known.get(name))} {then}, is {_plain(scored.get(name))} here"
        for name in sorted(known.keys() | scored.keys())
        if canonical_json(known.get(name)) != canonical_json(scored.get(name))
    ]


LONGEST: Final = 200


def _plain(value: Json) -> str:
    if isinstance(value, list):
        return " + ".join(_plain(each) for each in value)
    if isinstance(value, Mapping) and "model" in value:
        rest = ", ".join(f"{name} {each}" for name, each in value.items() if name != "model")
        return f"{value['model']} ({rest})" if rest else str(value["model"])
    return str(value)[:LONGEST] if value is not None else "nothing"
