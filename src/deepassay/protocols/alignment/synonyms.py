"""Words that may stand for one another in a report and its source, English and Chinese.

They are listed in lexicon.yaml.
"""

from __future__ import annotations

from importlib import resources
from typing import Final

from deepassay.files import read_yaml
from deepassay.protocols.alignment.stems import stem

LEXICON: Final[dict[str, list[str]]] = read_yaml(
    resources.files(__package__).joinpath("lexicon.yaml").read_text(encoding="utf-8")
)


def _canonical() -> dict[str, str]:
    """The first word of its group, stemmed, for each word; a word's first group holds."""
    found: dict[str, str] = {}
    groups = [[stem(word) for word in line.split()] for line in LEXICON["same"]]
    groups += [line.split() for line in LEXICON["same_han"]]
    for words in groups:
        first = found.get(words[0], words[0])
        for word in words:
            found.setdefault(word, first)
    return found


_CANONICAL: Final = _canonical()
_MEMBERS: Final[dict[str, tuple[str, ...]]] = {}
for _word, _first in _CANONICAL.items():
    _MEMBERS[_first] = (*_MEMBERS.get(_first, ()), _word)


def canonical(key: str) -> str:
    """The word by which a stemmed word, or a pair of characters, is compared."""
    return _CANONICAL.get(key, key)


def members(key: str) -> tuple[str, ...]:
    """All words that are compared by a word: itself, if it has no others."""
    return _MEMBERS.get(key, (key,))
