"""Where the title of a work stands in what a report says of a source.

An entry is a title among names, years and journals, and nothing marks it. A title is there if its
words follow each other and something ends on either side that ends a title there; so a longer
title that holds those words is another one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

SHORT: Final = 4
"""Words below which a title has to stand between full stops, quotes, brackets or nothing."""

_ADDRESS: Final = re.compile(r"(?:https?://|www\.)[^\s<>\"）)\]]*", re.IGNORECASE)
_ACCENT: Final = re.compile(r"\\(?:[\"'`^~=.]|[Hcuvbdkrt](?=[{\s]))\s?\{?\\?(\w)\}?")
_MARKUP: Final = re.compile(r"[{}$\\]|(?<=\w)['’′ʼ](?=\w)")
_WORD: Final = re.compile(r"[^\W_]+")
_ENDS: Final = re.compile(
    r"[.?!\"“”„«»*_|()\[\]《》「」『』（）。？！【】\n]|``|''|(?<!\w)['‘’]|['‘’](?!\w)"
)
_ENDS_LONG_BEFORE: Final = re.compile(r"[,;:，；：]|\s[-–—]\s")
_ENDS_LONG_AFTER: Final = re.compile(r"[,;，；]|\s[-–—]\s")


def title_words(text: str) -> tuple[str, ...]:
    """The words by which two titles are one: without case, accents, marks and TeX."""
    return tuple(_WORD.findall(_plain(text)))


def _plain(text: str) -> str:
    text = _MARKUP.sub("", _ACCENT.sub(r"\1", text))
    if text.isascii():
        return text.casefold()
    for _ in range(2):  # what a character is taken apart into may be capitals
        text = unicodedata.normalize("NFKD", text).casefold()
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


class _SaidOfSource(NamedTuple):
    """What a report says of a source: its words, and what stands around each."""

    words: tuple[str, ...]
    gaps: tuple[str, ...]


def _read(written: str) -> _SaidOfSource:
    plain = _plain(_ADDRESS.sub("|", written))
    found = [*_WORD.finditer(plain)]
    ends = [0, *(each.end() for each in found)]
    starts = [*(each.start() for each in found), len(plain)]
    gaps = tuple(plain[end:start] for end, start in zip(ends, starts, strict=True))
    return _SaidOfSource(tuple(each[0] for each in found), gaps)


def index_of(titles: Iterable[Sequence[str]]) -> Mapping[str, list[tuple[str, ...]]]:
    """Titles, in words, by the first one."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for title in dict.fromkeys(map(tuple, titles)):
        if title:
            found.setdefault(title[0], []).append(title)
    return found


def titles_in(
    written: str, index: Mapping[str, list[tuple[str, ...]]]
) -> tuple[tuple[str, ...], ...]:
    """The titles of an index that stand in a text; of those that overlap, the longest."""
    said = _read(written)
    found = [
        (place, title)
        for place, word in enumerate(said.words)
        for title in index.get(word, ())
        if said.words[place : place + len(title)] == title
        and _closed(said.gaps, place, place + len(title), short=len(title) < SHORT)
    ]
    kept: list[tuple[int, tuple[str, ...]]] = []
    for place, title in sorted(found, key=lambda each: -len(each[1])):
        if all(place + len(title) <= at or at + len(own) <= place for at, own in kept):
            kept.append((place, title))
    return tuple(dict.fromkeys(title for _, title in sorted(kept)))


def _closed(gaps: Sequence[str], start: int, end: int, *, short: bool) -> bool:
    """Whether something ends before the word at `start`, and before that at `end`."""
    before = start == 0 or _ENDS.search(gaps[start]) is not None
    after = end == len(gaps) - 1 or _ENDS.search(gaps[end]) is not None
    if not short:
        before = before or _ENDS_LONG_BEFORE.search(gaps[start]) is not None
        after = after or _ENDS_LONG_AFTER.search(gaps[end]) is not None
    return before and after
