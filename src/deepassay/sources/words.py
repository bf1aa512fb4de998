"""Ideas in which pages excuse themselves, in eight languages: `words.toml`, for `classes`.

Single ideas (a thing, that it is absent, what the visitor asked for, where to go instead), not
phrases: the rules look at which ideas meet in one sentence, and where. None decides alone.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Final

_UNSPACED: Final = frozenset({"zh", "ja", "ar"})
"""Languages whose words need not begin at a boundary."""


_QUOTED: Final = re.compile(
    r"[«„“][^«»„“”]{1,200}[»”“]|「[^「」]{1,200}」|『[^『』]{1,200}』|\"[^\"]{1,200}\""
)


def unquoted(text: str) -> str:
    """Without what it quotes: a page that quotes a notice speaks of it, and is none."""
    return _QUOTED.sub(" ", text)


def says(text: str, *ideas: str) -> bool:
    """Whether all the ideas are in a text, in one language, with or without accents."""
    plain = _plain(text)
    return any(
        all(_pattern(language, idea).search(plain) for idea in ideas) for language in _words()
    )


@cache
def _words() -> dict[str, dict[str, list[str]]]:
    """Patterns by language and idea."""
    return tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))


@cache
def _pattern(language: str, idea: str) -> re.Pattern[str]:
    words = _plain("|".join(_words()[language][idea]))
    return re.compile(("" if language in _UNSPACED else r"\b") + f"(?:{words})", re.IGNORECASE)


def _plain(text: str) -> str:
    """Without accents, and with straight apostrophes."""
    letters = unicodedata.normalize("NFKD", text.replace("\u2019", "'"))
    return "".join(each for each in letters if not unicodedata.combining(each))
