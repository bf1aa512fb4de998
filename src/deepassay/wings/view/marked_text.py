"""A text cut into pieces, so that passages of it can be marked where they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise


@dataclass(frozen=True)
class TextMark:
    """A passage that a finding speaks of.

    start, end: characters. name: its anchor on the page. finding: that of the finding. note: what
    is said of it. tone: `good`, `bad`, `open` or `remark`.
    """

    start: int
    end: int
    name: str
    finding: str
    note: str
    tone: str


@dataclass(frozen=True)
class Piece:
    """A stretch of text. begins: the marks that begin here, numbered from 1 through the text.

    tone: empty where nothing is marked.
    """

    text: str
    begins: tuple[tuple[int, TextMark], ...]
    tone: str


_GRAVEST = ("bad", "open", "remark", "good")


def marked_pieces(text: str, marks: Sequence[TextMark]) -> Iterator[Piece]:
    """The text in order, cut where a mark begins or ends; a piece has the gravest tone on it."""
    begins: defaultdict[int, list[TextMark]] = defaultdict(list)
    ends: defaultdict[int, list[TextMark]] = defaultdict(list)
    for mark in marks:
        start = min(max(mark.start, 0), len(text))
        begins[start].append(mark)
        ends[min(max(mark.end, start), len(text))].append(mark)
    lying = dict.fromkeys(_GRAVEST, 0)
    numbers = count(1)
    for start, end in pairwise([*sorted({0, len(text), *begins, *ends}), len(text)]):
        for mark in begins[start]:
            lying[mark.tone] += 1
        for mark in ends[start]:
            lying[mark.tone] -= 1
        tone = next((each for each in _GRAVEST if lying[each] > 0), "")
        yield Piece(text[start:end], tuple((next(numbers), mark) for mark in begins[start]), tone)
