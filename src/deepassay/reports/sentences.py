"""Splits running text, English or Chinese, into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepassay.reports.spans import Span


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


BEFORE_NUMBERS = _set(
    "no nos fig figs eq eqs vol vols p pp ch sec art arts para ref refs tab ca c approx "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
"""Abbreviations that a number follows: "No. 5"."""

MAY_END_SENTENCES = _set(
    "al inc ltd co corp jr sr etc dept univ u.s u.k e.u u.n ph.d b.a m.a m.d d.c a.m p.m"
)
"""Abbreviations after which a sentence may end: "in the U.S. The rest …"."""

ABBREVIATIONS = (
    _set(
        "e.g i.e eg ie cf viz vs v mr mrs ms dr prof st mt gen gov sen rep hon capt col lt sgt rev "
        "ed eds resp op cit ibid est esp incl a.k.a"
    )
    | BEFORE_NUMBERS
    | MAY_END_SENTENCES
)

WORDS_TOO = _set("no art sec jan feb mar apr jun jul aug sep sept oct nov dec")
"""Abbreviations that are words as well, or names: "The answer is no.", "since Oct."."""

STARTERS = _set(
    "the a an in on at by for from with this that these those it its they we he she as if while "
    "when however although but and since after before under according their our such both"
)
"""Words that begin a sentence much more often than a name."""

MASK = "\ufffc"
"""Stands for each character of a citation, so that its dots and brackets split nothing."""

_CLOSERS = "\"'”’»)\\]）」』》】*_"
_BULLETS = "•●▪◦·–—‣✓✔✗※"
_END = re.compile(
    r"[.!?。！？…\r\n](?:"
    rf"(?<=[。！？])[。！？!?…]*[{_CLOSERS}]*"
    rf"|(?<=[.!?…])(?<![.!?…][.!?…])[.!?…]*+[{_CLOSERS}]*+(?=\s|{MASK}|\Z)"
    rf"|(?<=  [\r\n])|(?<=\\[\r\n])|(?<=[\r\n])(?=\n?[ \t>]*[{_BULLETS}])"
    r")"
    rf"(?:[ \t]*(?:{MASK}+|[(（]{MASK}+(?:[ \t]*[,;、，；]?[ \t]*{MASK}+)*+[)）])"
    rf"(?:[ \t]*[,;、，；][ \t]*(?={MASK}))?)*+[)）\]】]*"
    rf"(?:(?<={MASK})[.。]+[{_CLOSERS}]*)?"
)
_LAST_WORD = re.compile(r"[^\s(（\[“\"'‘/]+\Z")
_NEXT = re.compile(rf"[\s{MASK}*_]*(\S)?")
_NEXT_WORD = re.compile(rf"[\s{MASK}*_\"“‘(]*([^\W\d_]+)")
_INITIALS = re.compile(r"(?:[^\W\d_]\.){0,6}[^\W\d_]")
_LONGEST_WORD = 24
_UNIT = re.compile(r"(?:\d|\bin)[ \t\u00a0\u202f]?(?!v\Z)([a-zA-ZΩ°])\Z")


def split_sentences(text: str) -> Iterator[Span]:
    """Sentences of `text`, in order; blanks between them belong to none.

    Full stops of abbreviations (e.g., Dr., et al., U.S., No. 5), of initials and of decimals
    end nothing. Masks directly after an end mark belong to the sentence before it. A hard
    line break and a line that begins with a bullet end a sentence as well.
    """
    start = 0
    for end in _END.finditer(text):
        if end.start() >= start and _is_end(text, start, end):
            if (span := _trimmed(text, start, end.end())) is not None:
                yield span
            start = end.end()
    if (span := _trimmed(text, start, len(text))) is not None:
        yield span


def _is_end(text: str, start: int, end: re.Match[str]) -> bool:
    mark = end[0][0]
    if mark in "。！？\r\n":
        return True
    following = _next(text, end.end())
    if following.islower():
        return False
    if mark != "." or end[0].startswith("..") or f"{MASK}." in end[0]:
        return True
    near = max(start, end.start() - _LONGEST_WORD)
    found = _LAST_WORD.search(text, near, end.start())
    word = found[0].strip("*_\"'“”") if found else ""
    if len(word) == 1 or "." in word or word.lower() in ABBREVIATIONS:
        if unit := _UNIT.search(text, near, end.start()):
            return unit[1].islower() or MASK in end[0] or _opens(text, end.end())
        return _ends_after(word, text, end.end(), following)
    # "1." that begins a line of its own is a number in a list, not a sentence
    return not (word.isdecimal() and not text[start : end.start() - len(word)].strip(" \t>*_"))


def _ends_after(word: str, text: str, at: int, following: str) -> bool:
    """Whether the full stop of an abbreviation or an initial ends a sentence as well."""
    lower = word.lower()
    if not following:
        return True
    if lower in BEFORE_NUMBERS:
        return not following.isdigit() and lower in WORDS_TOO
    if lower in ABBREVIATIONS:
        return lower in MAY_END_SENTENCES and _opens(text, at)
    if _INITIALS.fullmatch(word):
        return len(word) > 1 and _opens(text, at)
    return True


def _next(text: str, at: int) -> str:
    following = _NEXT.match(text, at)
    return (following[1] or "") if following else ""


def _opens(text: str, at: int) -> bool:
    """Whether a word that usually begins a sentence comes next: after `U.S.` it must."""
    found = _NEXT_WORD.match(text, at)
    return found is not None and found[1].lower() in STARTERS


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    stop = start + len(piece.rstrip())
    return Span(begin, stop) if begin < stop else None
