"""Tokens: counted by the provider afterwards, estimated by us before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters

_CJK = bytes((0x11, *range(0x2E, 0xA5), *range(0xAC, 0xD8), 0xF9, 0xFA, 0xFE, 0xFF))
"""First bytes, in UTF-16, of Chinese, Japanese and Korean characters and their punctuation."""
_LETTERS = f"{ascii_letters} ".encode()
_NOT_ASCII = bytes(range(128, 256))


@dataclass(frozen=True)
class Usage:
    """Tokens of one request or of many. `input` includes `cached` and `cache_write`."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.cache_write + other.cache_write,
            self.reasoning + other.reasoning,
        )

    def as_dict(self) -> dict[str, int]:
        """The counts that are not zero, by name."""
        return {name: count for name, count in vars(self).items() if count}


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, without any provider's tokenizer.

    Rules of thumb for the tokenizers of 2024 to 2026, rather too many than too few: 4.3 letters
    and blanks of English a token, 2 digits or signs (addresses and tables are made of them),
    1.5 characters of Chinese, Japanese or Korean, 2 of any other script.
    """
    letters, signs, cjk, others = _counts(text)
    return round(letters / 4.3 + signs / 2 + cjk / 1.5 + others / 2) + 1


def most_tokens(text: str) -> int:
    """As many tokens as a text may have with an unfavourable tokenizer: what a cap counts.

    About half as many again as the estimate for English, twice as many for Chinese.
    """
    letters, signs, cjk, others = _counts(text)
    return round(letters / 3 + signs + cjk * 1.3 + others * 2) + 16


@lru_cache(maxsize=256)  # a report is counted once for all the questions that are asked about it
def _counts(text: str) -> tuple[int, int, int, int]:
    """Characters: letters and blanks of English, other ASCII, East Asian ones, all others."""
    raw = text.encode("utf-8", "surrogatepass")  # counting bytes is many times faster
    rest = raw.translate(None, _LETTERS)
    letters = len(raw) - len(rest)
    signs = len(rest.translate(None, _NOT_ASCII))
    cjk = 0
    if not text.isascii():
        high = text.encode("utf-16-be", "surrogatepass")[::2]
        cjk = len(high) - len(high.translate(None, _CJK))
    return letters, signs, cjk, len(text) - letters - signs - cjk
