"""Reports without what tells who wrote them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from html import unescape
from typing import Final
from urllib.parse import unquote

from deepassay.reports.numbering import standard
from deepassay.reports.spans import Edit, Span
from deepassay.reports.traced import TracedText
from deepassay.text import HAN_CHARACTER

MASK: Final = "▇▇▇"
LEAST: Final = 3
"""Letters of a name that is looked for; shorter ones stand in other words too often."""

WORDS: Final = 5
"""Letters up to which a name is looked for as a whole word."""

SPELLED: Final = 5
"""Letters from which on a name is also looked for with something between each two of them."""

_TAG: Final = r"<[^<>\n]{0,80}>|\]\([^()\n]{0,200}\)"
_MARKUP: Final = rf"(?:{_TAG}|[*_~`\\\[\]]){{0,4}}"
_BETWEEN: Final = rf"(?:{_TAG}|[\W_]){{0,6}}"
_BLANKS: Final = r"[ \t\u3000]{0,2}"
_ESCAPED: Final = r"%[0-7][0-9A-Fa-f]|%[C-Fc-f][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){1,3}"
"""One character of an address, as UTF-8."""

_ODD: Final = re.compile(
    # All but what is plain already: ASCII without controls and escapes of addresses, and Chinese,
    # Japanese and Korean.
    rf"{_ESCAPED}|[\x00-\x08\x0b-\x1f\x7f]|[^\x00-\x7f\u2e80-\u9fff\uac00-\ud7af]"
)
_ALIKE: Final = str.maketrans("аеорсухіјѕһԁոοαιν", "aeopcyxijshdnoaiv")
"""Letters of Cyrillic, Armenian and Greek that look like Latin ones."""

_ADDRESS: Final = re.compile(r"https?://[^\s<>()\[\]\"'`，。；）】」]+", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)")
"""What may stand for a character in HTML."""

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
        self._names = re.compile(joined) if joined else None

    def report(self, text: str) -> TracedText:
        """A report: citations in one form, addresses without what tracks them, names masked."""
        return self.traced(standard(text).traced)

    def __call__(self, text: str) -> str:
        """Any other text that is shown."""
        return self.traced(TracedText.of(text)).text

    def traced(self, text: TracedText) -> TracedText:
        """A text without names. Entities stay as they are written, but where they hide one."""
        shown = self._masked(_replaced(text, _ADDRESS, _untracked))
        plain = _unescaped(shown)
        masked = shown if plain.text == shown.text else self._masked(plain)
        return shown if masked.text == plain.text else masked

    def _masked(self, text: TracedText) -> TracedText:
        """The text with names masked, however their letters are written."""
        if self._names is None:
            return text
        folded, places = _folded(text.text)
        found = self._names.finditer(folded)
        edits = [Edit(Span(places[each.start()], places[each.end()]), MASK) for each in found]
        return text.edited(edits) if edits else text


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
    plain = _unescaped(TracedText.of(url)).text
    bare = _TRACKING.sub("", plain)
    return url if bare == plain else re.sub(r"[?&]+(?=#|$)", "", bare)


def _unescaped(text: TracedText) -> TracedText:
    """A text with characters in place of entities, of entities of entities too."""
    while (plain := _replaced(text, _ENTITY, unescape)).text != text.text:
        text = plain
    return text


def _replaced(text: TracedText, what: re.Pattern[str], by: Callable[[str], str]) -> TracedText:
    """The text with others in place of what is found in it."""
    found = [(each.span(), each[0], by(each[0])) for each in what.finditer(text.text)]
    edits = [Edit(Span(*span), after) for span, before, after in found if after != before]
    return text.edited(edits) if edits else text


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """A text in small plain letters, and where each of them, and the end, stands in the text.

    Without accents and what nobody sees; wide, escaped and look-alike letters as plain ones.
    """
    if not _ODD.search(text):
        return text.lower(), range(len(text) + 1)
    parts: list[str] = []
    places: list[int] = []
    end = 0
    for found in [*_ODD.finditer(text), None]:
        start, until = found.span() if found else (len(text), len(text))
        parts.append(text[end:start].lower())
        places.extend(range(end, start))
        letters = _plain_letters(found[0]) if found else ""
        parts.append(letters)
        places.extend([start] * len(letters))
        end = until
    return "".join(parts), [*places, len(text)]


_UNSEEN: Final = frozenset({"Mn", "Me", "Cf", "Cc", "Co", "Cn"})


@lru_cache(4096)
def _plain_letters(sign: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unquote(sign)).casefold().translate(_ALIKE)
    return "".join(each for each in decomposed if unicodedata.category(each) not in _UNSEEN)


def _pattern(name: str) -> str:
    """A short name counts as a word only: its letters stand in other words too.

    Between its parts may stand anything that is no letter, within them what marks a text up, and
    or something between each two letters.
    """
    folded, _ = _folded(name)
    parts = [[re.escape(each) for each in part] for part in re.split(r"[\W_]+", folded) if part]
    is_han = HAN_CHARACTER.search(name) is not None
    within = rf"{_BLANKS}{_MARKUP}{_BLANKS}" if is_han else _MARKUP
    found = _BETWEEN.join(within.join(part) for part in parts)
    letters = [each for part in parts for each in part]
    if len(letters) >= SPELLED:
        found += "|" + r"[\W_]{1,3}".join(letters)
    if len(name) > WORDS or is_han:
        return found
    return rf"(?<![a-z0-9])(?:{found})(?![a-z0-9])"


def _is_looked_for(name: str) -> bool:
    return len(name.strip()) >= LEAST or HAN_CHARACTER.search(name) is not None
