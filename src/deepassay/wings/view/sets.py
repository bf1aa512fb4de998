"""How the criteria of a rubric were judged: by the menu of ResearchRubrics, or of another set."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from deepassay.protocols.registry import installed
from deepassay.protocols.rubrics.protocol import Rubrics


@lru_cache(maxsize=64)
def rubrics_of(protocol: str) -> Rubrics | None:
    """The protocol of this name; None for any other, or for a set that is not to be had here."""
    found = installed(protocol) if protocol.startswith(Rubrics.name) else None
    return found if isinstance(found, Rubrics) else None


def worded(protocol: str, verdict: str) -> tuple[str, str]:
    """A verdict of a set's menu in words, and what the judge was told of it where it is a number.

    Marks are so much of the best: `7 of 10`.
    """
    found = rubrics_of(protocol)
    is_number = verdict.lstrip("-").replace(".", "").isdigit()
    entry = found.setting.menu.get(verdict) if found and is_number else None
    if found is None or entry is None:
        return verdict, ""
    best = found.setting.best
    told = f"{verdict}: {entry.en}" if entry.en else ""
    if entry.merit is None:
        return "does not apply", told
    if best > 1:
        return f"{verdict} of {best:g}", told
    return _MET.get(entry.merit, "met in part"), told


_MET: Final[Mapping[float, str]] = {1: "met", 0: "not met"}
