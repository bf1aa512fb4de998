"""Reports without what tells who wrote them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from html import unescape
from typing import Final

from deepassay.reports.numbering import standard
from deepassay.text import HAN_CHARACTER

MASK: Final = "▇▇▇"
LEAST: Final = 3
"""Letters of a name that is looked for; shorter ones stand in other words too often."""

WORDS: Final = 5
"""Letters up to which a name is looked for as a whole word."""

_BETWEEN: Final = r"(?:%[0-9A-Fa-f]{2}|[\W_]){0,6}"
_ADDRESS: Final = re.compile(r"https?://[^\s<>()\[\]\"'`，。；）】」]+", re.IGNORECASE)
_TRACKING: Final = re.compile(r"(?<=[?&])utm_[a-z]+=[^&#]*&?", re.IGNORECASE)


MAKERS: Final = (
    *(
        "OpenAI",
        "ChatGPT",
        "Anthropic",
        "Claude",
        "Gemini",
        "Perplexity",
        "Grok",
        "Copilot",
        "Mistral",
    ),
    *("DeepSeek", "Qwen", "通义", "Kimi", "月之暗面", "Doubao", "豆包", "Manus", "Hunyuan", "混元"),
)
"""Names that reports of agents may give themselves away by."""


class Blinding:
    """Takes names out of texts. names: of agents, models and vendors, in any case of letters."""

    def __init__(self, names: Iterable[str]) -> None:
        known = {name.strip() for name in names if _is_looked_for(name)}
        self.names = sorted(known, key=lambda each: (-len(each), each))
        joined = "|".join(map(_pattern, self.names))
        self._names = re.compile(joined, re.IGNORECASE) if joined else None

    def report(self, text: str) -> str:
        """A report: citations in one form, addresses without what tracks them, names masked."""
        return self(standard(text).text)

    def __call__(self, text: str) -> str:
        """Any other text that is shown."""
        text = _ADDRESS.sub(lambda found: _untracked(found[0]), unescape(text))
        return self._names.sub(MASK, text) if self._names else text


def telling(texts: Iterable[str], blinding: Blinding) -> dict[str, int]:
    """Words that may tell whose a report is and are not masked: in how many texts each stands.

    Names of makers of agents, and parts of the names that are masked. Whether they tell anything,
    or the report is about them, only a person knows.
    """
    parts = {part for name in blinding.names for part in re.split(r"[\s_-]+", name)}
    words = {word.lower() for word in (*MAKERS, *parts) if len(word) > WORDS or word in MAKERS}
    found: Counter[str] = Counter()
    for text in texts:
        shown = blinding(text).lower()
        found.update(word for word in words if word in shown)
    return dict(found.most_common())


def _untracked(url: str) -> str:
    """An address without the parameters by which a service is told where a visitor came from."""
    bare = _TRACKING.sub("", url)
    return url if bare == url else re.sub(r"[?&]+(?=#|$)", "", bare)


def _pattern(name: str) -> str:
    """A short name counts as a word only: its letters stand in other words too.

    Between the parts of a name may stand whatever marks the text, an escape or nothing.
    """
    parts = [re.escape(each) for each in re.split(r"[\W_]+", name) if each]
    found = _BETWEEN.join(parts)
    if len(name) > WORDS or HAN_CHARACTER.search(name):
        return found
    return rf"(?<![A-Za-z0-9]){found}(?![A-Za-z0-9])"


def _is_looked_for(name: str) -> bool:
    return len(name.strip()) >= LEAST or HAN_CHARACTER.search(name) is not None
