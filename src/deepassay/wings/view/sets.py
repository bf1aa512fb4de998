"""How the criteria of a rubric were judged: by the menu of ResearchRubrics, or of another set."""

from __future__ import annotations

from functools import lru_cache

from deepassay.protocols.registry import installed
from deepassay.protocols.rubrics.protocol import Rubrics


@lru_cache(maxsize=64)
def rubrics_of(protocol: str) -> Rubrics | None:
    """The protocol of this name; None for any other, or for a set that is not to be had here."""
    found = installed(protocol) if protocol.startswith(Rubrics.name) else None
    return found if isinstance(found, Rubrics) else None


def meaning(protocol: str, word: str) -> str:
    """What a verdict of a set's menu says that is a mere number; empty for words."""
    found = rubrics_of(protocol)
    is_number = word.lstrip("-").replace(".", "").isdigit()
    entry = found.setting.menu.get(word) if found and is_number else None
    return entry.en if entry else ""
