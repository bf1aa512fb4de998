"""Whether a quote stands on a page, and where; blanks and typography aside."""

from __future__ import annotations

from functools import lru_cache
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


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """A character as it is compared; unseen ones and blanks are nothing.

    A ligature is its letters, `…` three points, a full-width sign a narrow one.
    """
    plain = _SAME.get(char, char)
    return "".join(_SAME.get(each, each) for each in normalize("NFKC", plain) if not each.isspace())


@lru_cache(maxsize=8)  # all statements about a page are looked up on it, one after the other
def _folded(text: str) -> tuple[str, list[int]]:
    """The text without blanks and unseen characters, and where each character of it stood."""
    kept, places = [], []
    for place, char in enumerate(text):
        plain = _plain(char)
        kept.append(plain)
        places += [place] * len(plain)
    return "".join(kept), places


def find_quote(page: str, quote: str) -> str | None:
    """The passage of the page that a judge quotes, as the page spells it; None if it has none.

    The judge was shown the page with its fences disarmed: this is where the quote is looked up.
    A quote without a letter or a digit shows nothing.
    """
    shown = disarmed(page)
    text, places = _folded(shown)
    wanted = "".join(map(_plain, quote))
    at = text.find(wanted)
    if at < 0 or not any(map(str.isalnum, wanted)):
        return None
    return shown[places[at] : places[at + len(wanted) - 1] + 1]
