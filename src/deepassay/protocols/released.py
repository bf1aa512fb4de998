"""Edition `code`: what all that authors' released programs do has in common here.

Their programs check little of what a judge answers, and count what edition `paper` refuses. All of
it is reproduced, to the last digit. What had a part in a number is named beside it by a quirk in
`details["quirks"]`; where the program stops, or ends at no number, the report is unscored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeVar

from deepassay.score import Cause, Json, Unscored


class Quirk(StrEnum):
    """Where a released program counts what edition `paper` does not, or otherwise than it does.

    Each protocol has a class of its own; each quirk has an entry in papers.yaml.
    """


class Ungraded(Exception):
    """The program stops at what it was given, or leaves it out. quirk: by which that is named."""

    def __init__(self, reason: str, quirk: Quirk) -> None:
        super().__init__(reason)
        self.quirk = quirk


AnyQuirk = TypeVar("AnyQuirk", bound=Quirk)


def fired(found: Mapping[AnyQuirk, bool]) -> list[AnyQuirk]:
    """The quirks that had a part in a number, of all of which that is known."""
    return [quirk for quirk, has_fired in found.items() if has_fired]


def quirks_kept(quirks: Iterable[Quirk]) -> dict[str, Json]:
    """Quirks as details keep them."""
    return {"quirks": [str(quirk) for quirk in quirks]}


def no_grade(what: str, details: Mapping[str, Json]) -> Unscored:
    """A report without a number. what: the program does, as in `stops at this answer`."""
    return Unscored(Cause.ANSWER_UNREADABLE, f"The released program {what}.", details)
