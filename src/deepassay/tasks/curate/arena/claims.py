"""The words of an inspiration that a template quotes: what it claims, short and by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from deepassay.reports.sentences import split
from deepassay.tasks.curate.arena.key_words import key_words
from deepassay.tasks.curate.arena.phrasing import LEANING
from deepassay.tasks.dates import Language
from deepassay.tasks.text import count_words

LONGEST: Final[Mapping[Language, int]] = {"en": 28, "zh": 45}
"""Words, or Chinese characters, of a claim."""

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
        r"(?:(?:所以|那么|但是|而且|不过|其实|另外|还有|对|好|嗯|就是说|也就是说|我(?:们)?(?:觉得|认为|想)|"
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
_FRINGE: Final = " \t\r\n.,;:?!…-–—。，；：？！、'"


def claim_of(text: str, language: Language) -> str:
    """The piece with the most key words, of whole sentences and of clauses at their beginning.

    Pieces that lean on the talk are taken only where there are no others, without these words;
    pieces in which somebody speaks of himself stand back.
    """
    pieces = [piece for sentence in _sentences(text) for piece in _pieces(sentence, language)]
    fit = [piece for piece in pieces if piece and not LEANING[language].search(piece)]
    if not fit:
        fit = [" ".join(LEANING[language].sub(" ", piece).split()) for piece in pieces]
    return max(fit, key=lambda piece: _worth(piece, language), default="")


def _sentences(text: str) -> Iterator[str]:
    for start, end in split(text):
        yield " ".join(text[start:end].translate(_QUOTES).split())


def _pieces(sentence: str, language: Language) -> Iterator[str]:
    """The sentence as far as it may be quoted; what is behind its first clauses, likewise."""
    begins = [0, *(mark.end() for mark in _CLAUSE[language].finditer(sentence))]
    for begin in begins[:4]:
        rest = sentence[begin:].strip(_FRINGE)
        leads_in = _LEADS_IN[language].match(rest)
        yield _cut(rest[leads_in.end() :] if leads_in else rest, language).strip(_FRINGE)


def _cut(piece: str, language: Language) -> str:
    """As many whole clauses as fit, or else as many words."""
    most = LONGEST[language]
    if count_words(piece[: 40 * most]) <= most:
        return piece[: 40 * most]
    ends = [mark.start() for mark in _CLAUSE[language].finditer(piece, 0, 40 * most)]
    fitting = [end for end in ends if most // 2 <= count_words(piece[:end]) <= most]
    if fitting:
        return piece[: fitting[-1]]
    if language == "zh":
        return piece[:most]
    return " ".join(piece[: 40 * most].split()[:most])


def _worth(piece: str, language: Language) -> tuple[int, int]:
    personal = sum(1 for _ in _PERSONAL[language].finditer(piece))
    return len(key_words(piece, language)) - 3 * personal, -len(piece)
