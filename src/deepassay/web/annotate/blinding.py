"""Reports without what tells who wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from deepassay.reports.numbering import standard
from deepassay.text import HAN_CHARACTER

MASK: Final = "▇▇▇"
LEAST: Final = 3
"""Letters of a name that is looked for; shorter ones stand in other words too often."""

WORDS: Final = 5
"""Letters up to which a name is looked for as a whole word."""

_ADDRESS: Final = re.compile(r"https?://[^\s<>()\[\]\"'`，。；）】」]+", re.IGNORECASE)
_TRACKING: Final = re.compile(r"(?<=[?&])utm_[a-z]+=[^&#]*&?", re.IGNORECASE)


class Blinding:
    """Takes names out of texts. names: of agents, models and vendors, in any case of letters."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(
            {each for name in names for each in _spellings(name)},
            key=lambda each: (-len(each), each),
        )
        joined = "|".join(map(_pattern, self.names))
        self._names = re.compile(joined, re.IGNORECASE) if joined else None

    def report(self, text: str) -> str:
        """A report: citations in one form, addresses without what tracks them, names masked."""
        return self(standard(text).text)

    def __call__(self, text: str) -> str:
        """Any other text that is shown."""
        text = _ADDRESS.sub(lambda found: _untracked(found[0]), text)
        return self._names.sub(MASK, text) if self._names else text


def _untracked(url: str) -> str:
    """An address without the parameters by which a service is told where a visitor came from."""
    bare = _TRACKING.sub("", url)
    return url if bare == url else re.sub(r"[?&]+(?=#|$)", "", bare)


def _pattern(name: str) -> str:
    """A short name counts as a word only: its letters stand in other words too."""
    found = re.escape(name)
    return found if len(name) > WORDS or HAN_CHARACTER.search(name) else rf"(?<!\w){found}(?!\w)"


def _spellings(name: str) -> set[str]:
    """A name, and the same with blanks, underscores or nothing for its hyphens."""
    name = name.strip()
    if len(name) < LEAST and not HAN_CHARACTER.search(name):
        return set()
    parts = [each for each in re.split(r"[\s_-]+", name) if each]
    return {name, *(sign.join(parts) for sign in (" ", "-", "_", ""))}
