"""Words of a statement in whose stead a passage has another word of the same kind.

Kinds are closed sets of a language: months, units, parts of the day, points of the compass, words
for how many. That a word is merely missing says little; that its rival stands there says much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deepassay.protocols.alignment.passages import Stretch
from deepassay.protocols.alignment.synonyms import LEXICON


def _kinds(lines: list[str]) -> list[list[frozenset[str]]]:
    """Kinds as lists of members; a member is a set of words that mean the same."""
    return [[frozenset(member.split()) for member in line.split("|")] for line in lines]


KINDS: Final = _kinds(LEXICON["rivals"])
KINDS_HAN: Final = _kinds(LEXICON["rivals_han"])
_STRONG = re.compile(
    r"\b(?:prov(?:e|es|ed|en)|establish(?:es|ed)?|confirm\w{0,4}|guarante\w{1,3}|caus(?:e|es|ed)|"
    r"definitive\w{0,2}|conclusive\w{0,2}|always|solely)\b|"
    r"证明|证实|确认|已被|肯定|一定|必然",
    re.IGNORECASE,
)
_ALL = re.compile(r"\b(?:all|every|any|both|everyone|always)\b|所有|全部|任何|一切", re.IGNORECASE)
_SOME = re.compile(
    r"\b(?:some|most|many|several|few|except|(?:one|two|three) of|sometimes|often|usually|"
    r"generally|mainly|cannot|not|none|only)\b|部分|多数|一些|除外|有的|不全|通常|主要|只",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-zµμ]+")


def rivals(said: Stretch, passage: Stretch) -> Iterator[tuple[str, str]]:
    """Words of a statement that a passage lacks, each with its rival there.

    Units behind a number are left out: the number tells.
    """
    here, there = _words(said), _words(passage)
    anywhere = {found[0] for found in _WORD.finditer(passage.text.lower())}
    for kind in KINDS:
        lost = [one & here for one in kind if one & here and not one & anywhere]
        new = [one & there for one in kind if one & there and not one & here]
        if lost and new:
            yield min(lost[0]), min(new[0])
    for kind in KINDS_HAN:
        lost_han = [_first(one, said.text) for one in kind if not _first(one, passage.text)]
        new_han = [_first(one, passage.text) for one in kind if not _first(one, said.text)]
        if any(lost_han) and any(new_han):
            yield max(lost_han), max(new_han)


def _words(text: Stretch) -> set[str]:
    counted = [range(figure.start, figure.end + 1) for figure in text.figures]
    return {
        found[0]
        for found in _WORD.finditer(text.text.lower())
        if not any(found.start() in figure for figure in counted)
    }


def _first(words: frozenset[str], text: str) -> str:
    return next((word for word in sorted(words) if word in text), "")


def stronger(said: str, passage: str) -> str:
    """A word of a statement that claims more than the passage, which has no such word: or ""."""
    found = _STRONG.search(said)
    return found[0] if found and not _STRONG.search(passage) else ""


def generalised(said: str, core: str, passage: str) -> bool:
    """Whether a statement says of all what a passage says of some, or with an exception."""
    return bool(_ALL.search(said) and not _ALL.search(passage) and _SOME.search(core))
