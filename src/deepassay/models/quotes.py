"""Whether a quote stands in a text, and where; blanks and typography aside."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final
from unicodedata import normalize

from deepassay.models.fence import disarmed

_SAME: Final = (
    dict.fromkeys("‘’‚‛′`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | dict.fromkeys(
        "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff", ""
    )
    | dict.fromkeys("*_\\", "")  # emphasis and escapes, which Markdown has and a quote often lacks
)


class _Plain(dict[str, str]):
    """Characters as they are compared; unseen ones and blanks are nothing.

    A ligature is its letters, `…` three points, a full-width sign a narrow one.
    """

    def __missing__(self, char: str) -> str:
        """A character that is seen for the first time; strangers' rarities are not kept."""
        folded = normalize("NFKC", _SAME.get(char, char))
        plain = "".join(_SAME.get(each, each) for each in folded if not each.isspace())
        if len(self) < 4096:
            self[char] = plain
        return plain


_PLAIN: Final = _Plain()
_shown = lru_cache(maxsize=64)(disarmed)


@lru_cache(maxsize=8)  # all quotes from a page are looked up on it, one after the other
def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The text without blanks and unseen characters, and how much of it each character ends."""
    plain = [_PLAIN[char] for char in text]
    return "".join(plain), array("L", accumulate(map(len, plain)))


def find_quote(text: str, quote: str) -> str | None:
    """The passage of a text that a model quotes, as the text spells it; None if it has none.

    The model was shown the text with its fences disarmed: this is where the quote is looked up.
    A quote without a letter or a digit shows nothing.
    """
    place = place_of_quote(text, quote)
    return None if place is None else _shown(text)[slice(*place)]


def place_of_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where the passage that a model quotes begins and ends in a text; None if it has none."""
    shown = _shown(text)
    if quote and (at := shown.find(quote)) >= 0 and any(map(str.isalnum, quote)):
        return at, at + len(quote)  # word for word, as most are
    plain, ends = _folded(shown)
    wanted = "".join([_PLAIN[char] for char in quote])
    at = plain.find(wanted)
    if at < 0 or not any(map(str.isalnum, wanted)):
        return None
    return bisect_right(ends, at), bisect_right(ends, at + len(wanted) - 1) + 1
