"""The words of an inspiration that a template quotes: what it claims, short and by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from deepassay.curate.arena.cues import CUES
from deepassay.curate.arena.inspiration import Kind
from deepassay.curate.arena.key_words import key_words
from deepassay.curate.arena.phrasing import LEANING
from deepassay.reports.sentences import split
from deepassay.tasks.dates import Language
from deepassay.text import count_words

LONGEST: Final[Mapping[Language, int]] = {"en": 28, "zh": 45}
"""Words, or Chinese characters, of a claim."""

_LONGEST_WORD: Final = 40
"""Characters; what is looked at of a sentence ends after so many for each word of a claim."""

_LEADS_IN: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"(?:(?:so|and|but|well|now|okay|then|also|because|or|yes|no|right|actually|basically|"
        r"honestly|again|look|i mean|you know|i (?:do )?think|i (?:would|'d) say|we think|"
        r"the (?:point|thing|answer|reason) is|that said|of course|in fact|as you (?:say|know|"
        r"see)|my (?:question|point) is|what (?:i|we) (?:mean|found|see) is)\b[\s,:]{1,3}"
        r"(?:that\b\s)?){1,6}",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?:(?:所以|那么|可是|但是|而且|不过|其实|另外|还有|对|好|嗯|就是说|也就是说|我(?:们)?(?:觉得|认为|想)|"
        r"我的问题是|我想(?:问|说)的是)[，,：:\s]{0,2}){1,6}"
    ),
}
_CLAUSE: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(r"[,;:](?=\s)|\s[–—-]\s"),
    "zh": re.compile(r"[，；：,;:]"),
}
_PERSONAL: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(r"\b(?:i|me|my|you|your)\b", re.IGNORECASE),
    "zh": re.compile("[我你您]"),
}
_QUOTES = str.maketrans('“”"„«»「」『』', "'" * 10)
_FRINGE: Final = " \t\r\n.,;:?!…-–—。，；：？！、"


@dataclass(frozen=True)
class _Piece:
    """Words that might be quoted. torn: they begin or end within a clause or a sentence."""

    words: str
    torn: bool


def claim_of(text: str, kind: Kind, language: Language) -> str:
    """The piece that says most: with many key words, with a cue of its type, in one piece.

    Pieces that lean on the talk are taken only where there are no others, without these words;
    pieces in which somebody speaks of himself stand back.
    """
    pieces = [piece for sentence in _sentences(text) for piece in _pieces(sentence, language)]
    fit = [piece for piece in pieces if not LEANING[language].search(piece.words)]
    if not fit:
        fit = [replace(each, words=_upright(each.words, language)) for each in pieces]
    best = max(fit, key=lambda piece: _worth(piece, kind, language), default=None)
    return best.words if best else ""


def _sentences(text: str) -> Iterator[str]:
    for start, end in split(text):
        yield " ".join(text[start:end].translate(_QUOTES).split())


def _pieces(sentence: str, language: Language) -> Iterator[_Piece]:
    """The sentence as far as it may be quoted; what is behind its first clauses, likewise."""
    begins = [0, *(mark.end() for mark in islice(_CLAUSE[language].finditer(sentence), 3))]
    for begin in begins:
        rest = sentence[begin:].strip(_FRINGE)
        leads_in = _LEADS_IN[language].match(rest)
        whole = rest[leads_in.end() :] if leads_in else rest
        if words := _cut(whole, language).strip(_FRINGE):
            yield _Piece(words, torn=begin > 0 or len(words) < len(whole))


def _cut(piece: str, language: Language) -> str:
    """As many whole clauses as fit, or else as many words."""
    most = LONGEST[language]
    beginning = piece[: _LONGEST_WORD * most]
    if count_words(beginning) <= most:
        return beginning
    ends = [mark.start() for mark in _CLAUSE[language].finditer(beginning)]
    fitting = [end for end in ends if most // 2 <= count_words(piece[:end]) <= most]
    if fitting:
        return piece[: fitting[-1]]
    return piece[:most] if language == "zh" else " ".join(beginning.split()[:most])


def _upright(words: str, language: Language) -> str:
    return " ".join(LEANING[language].sub(" ", words).split())


def _worth(piece: _Piece, kind: Kind, language: Language) -> tuple[int, int]:
    personal = sum(1 for _ in _PERSONAL[language].finditer(piece.words))
    points = len(key_words(piece.words, language)) - 3 * personal - 2 * piece.torn
    if CUES[language][kind].strong.search(piece.words):
        points += 4
    return points, -len(piece.words)
