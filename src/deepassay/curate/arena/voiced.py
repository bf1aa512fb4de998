"""Inspirations without a model: sentences with cue phrases, and their neighbours.

A baseline: it sees words and not meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from deepassay.curate.arena.cues import CUES, EVENT, QUALITY_CUES
from deepassay.curate.arena.inspiration import QUALITIES, REQUIRED, Kind, Quality
from deepassay.reports.sentences import split
from deepassay.tasks.dates import Language
from deepassay.text import count_words

LONGEST_SENTENCE: Final[Mapping[Language, int]] = {"en": 400, "zh": 160}
"""Characters; recognised speech may have no full stops at all, and is then cut at blanks."""

FEWEST_WORDS: Final = 8
"""Words, or Chinese characters, of a sentence that can voice anything."""

MOST_TOGETHER: Final[Mapping[Language, int]] = {"en": 100, "zh": 170}
"""Words, or Chinese characters, up to which neighbours are put together (100 in the paper)."""


@dataclass(frozen=True)
class Voiced:
    """A passage that voices an inspiration. words: as they stand in the text."""

    type: Kind
    qualities: tuple[Quality, ...]
    words: str
    points: int


@dataclass(frozen=True)
class _Sentence:
    """kind, points: None and 0 where it voices nothing. aside: it speaks of the event."""

    start: int
    end: int
    words: int
    kind: Kind | None
    points: int
    aside: bool


def voiced_in(text: str, language: Language, most: int) -> list[Voiced]:
    """The passages with the most cues, at most so many, in the order of the text.

    A sentence needs a strong cue, which has two points; weak cues and a question mark, as of
    the audience, have one each. No sentence stands in two passages.
    """
    sentences = [_judged(text, *place, language) for place in _sentences(text, language)]
    found: list[Voiced] = []
    end = 0
    for group in _groups(sentences, language):
        first, end = _with_neighbours(sentences, group, end, language)
        said = text[sentences[first].start : sentences[end - 1].end]
        found.append(_voiced(said, [sentences[place] for place in group], language))
    best = sorted(range(len(found)), key=lambda n: (-found[n].points, n))[:most]
    return [found[n] for n in sorted(best)]


def _sentences(text: str, language: Language) -> Iterator[tuple[int, int]]:
    longest = LONGEST_SENTENCE[language]
    for start, end in split(text):
        at = start
        while end - at > longest:
            cut = max(text.rfind(mark, at + longest // 2, at + longest) for mark in " \n，,")
            after = cut + 1 if cut >= 0 else at + longest
            yield at, after
            at = after
        yield at, end


def _judged(text: str, start: int, end: int, language: Language) -> _Sentence:
    plain = " ".join(text[start:end].replace("’", "'").split())
    strong = {
        kind: len({each.group().casefold() for each in cues.strong.finditer(plain)})
        for kind, cues in CUES[language].items()
    }
    points = {
        kind: 2 * strong[kind] + min(2, sum(1 for _ in cues.weak.finditer(plain)))
        for kind, cues in CUES[language].items()
        if strong[kind]
    }
    words = count_words(plain)
    aside = EVENT[language].search(plain) is not None
    if not points or words < FEWEST_WORDS:
        return _Sentence(start, end, words, None, 0, aside)
    kind = max(points, key=points.__getitem__)
    asked = plain.endswith(("?", "？"))
    return _Sentence(start, end, words, kind, points[kind] + asked, aside)


def _groups(sentences: Sequence[_Sentence], language: Language) -> Iterator[list[int]]:
    """Places of sentences that follow each other and are of one type, not too many words."""
    for (kind, _), run in groupby(
        range(len(sentences)), key=lambda n: (sentences[n].kind, sentences[n].aside)
    ):
        if kind is None:
            continue
        group: list[int] = []
        words = 0
        for place in run:
            words += sentences[place].words
            if group and words > MOST_TOGETHER[language]:
                yield group
                group, words = [], sentences[place].words
            group.append(place)
        yield group


def _with_neighbours(
    sentences: Sequence[_Sentence], group: Sequence[int], taken: int, language: Language
) -> tuple[int, int]:
    """From where and up to where a group goes with the sentences after and before it.

    taken: how many sentences earlier passages have used up. A neighbour is one that voices
    nothing itself, is no aside, and for which there is room.
    """
    first, end = group[0], group[-1] + 1
    words = sum(sentences[place].words for place in group)
    for place in (end, first - 1):
        if not taken <= place < len(sentences):
            continue
        each = sentences[place]
        if each.kind is None and not each.aside:
            words += each.words
            if words <= MOST_TOGETHER[language]:
                first, end = min(first, place), max(end, place + 1)
    return first, end


def _voiced(said: str, group: Sequence[_Sentence], language: Language) -> Voiced:
    kind = group[0].kind
    assert kind is not None  # groups are made of sentences that voice something
    shown = {quality for quality, cue in QUALITY_CUES[language].items() if cue.search(said)}
    qualities = [each for each in QUALITIES if each in shown or each in REQUIRED[kind]]
    return Voiced(kind, tuple(qualities), said, max(each.points for each in group))
