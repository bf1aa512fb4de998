"""A text that was rewritten, and where each of its characters stood before."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from deepassay.reports.spans import Edit, Span, pieces


class KeptRun(NamedTuple):
    """Characters that two texts have in common: where they begin in each, and how many."""

    at: int
    source: int
    size: int


@dataclass(frozen=True)
class TracedText:
    """A text, and what of it is kept from its source.

    runs: in the order of both texts, none of them empty. length: characters of the source.
    """

    text: str
    runs: tuple[KeptRun, ...]
    length: int

    @classmethod
    def of(cls, source: str) -> TracedText:
        """A text of which nothing is rewritten yet."""
        return cls(source, (KeptRun(0, 0, len(source)),) if source else (), len(source))

    def edited(self, edits: Iterable[Edit]) -> TracedText:
        """The text with edits done, as `spans.apply` does them; still of the same source.

        Words that an edit leaves of what it replaces, as those of a link, are kept.
        """
        parts: list[str] = []
        runs: list[KeptRun] = []
        size = 0
        done = [*pieces(self.text, edits)]
        for (kept, words), (after, _) in zip(done, [*done[1:], done[-1]], strict=True):
            runs += self._moved(kept, size - kept.start)
            size += kept.end - kept.start
            found = self.text.find(words, kept.end, after.start) if words else -1
            if found >= 0:
                runs += self._moved(Span(found, found + len(words)), size - found)
            size += len(words)
            parts += [kept.of(self.text), words]
        return TracedText("".join(parts), tuple(runs), self.length)

    def _moved(self, kept: Span, by: int) -> Iterator[KeptRun]:
        """The runs within a stretch, in a text in which it stands further on by so much."""
        first = bisect_right(self._ats, kept.start) - 1
        for run in self._bounded[first : bisect_left(self._ats, kept.end)]:
            start, end = max(run.at, kept.start), min(run.at + run.size, kept.end)
            if start < end:
                yield KeptRun(start + by, run.source + start - run.at, end - start)

    @cached_property
    def _bounded(self) -> list[KeptRun]:
        """The runs, and an empty one at either end: what was added there is between two as well."""
        return [KeptRun(0, 0, 0), *self.runs, KeptRun(len(self.text), self.length, 0)]

    @cached_property
    def _ats(self) -> list[int]:
        return [run.at for run in self._bounded]

    @cached_property
    def _sources(self) -> list[int]:
        return [run.source for run in self._bounded]

    @cached_property
    def _sizes(self) -> list[int]:
        return [run.size for run in self._bounded]

    def source_span(self, start: int, end: int) -> Span:
        """Where a stretch of the text stands in the source.

        Where it begins or ends in what was rewritten, all that this stands for counts; what was
        only added has an empty span there.
        """
        return _across(self._ats, self._sources, self._sizes, (start, end))

    def span_of(self, start: int, end: int) -> Span:
        """Where a stretch of the source stands in the text, by the same rule."""
        return _across(self._sources, self._ats, self._sizes, (start, end))


def _across(
    here: Sequence[int], there: Sequence[int], sizes: Sequence[int], span: tuple[int, int]
) -> Span:
    """A span of one text in the other. here, there: where `_bounded` runs begin in each."""
    start, end = span
    begins = bisect_right(here, start) - 1
    ends = bisect_right(here, end - 1) - 1
    first = there[begins] + min(start - here[begins], sizes[begins])
    if ends >= 0 and end - here[ends] <= sizes[ends]:
        last = there[ends] + end - here[ends]
    else:
        last = there[min(ends + 1, len(there) - 1)]
    return Span(min(first, last), max(first, last))
