"""A text that was rewritten, and where each of its characters stood before."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

from deepassay.reports.spans import Edit, Span, pieces


class KeptRun(NamedTuple):
    """Characters that two texts have in common: where they begin in each, and how many."""

    at: int
    source: int
    size: int


_LEAD = re.compile(r"(?:\[\d+\]|:)\s*")
"""What is set before a title or an address of an entry."""


class MovedPart(NamedTuple):
    """A part of an entry of a list, which stands elsewhere in the source.

    at, source: where it begins in each. traced: it alone; without runs it was written anew, and
    which of its words stand for which of the source, nobody can say.
    """

    at: int
    source: int
    traced: TracedText

    @property
    def span(self) -> Span:
        """Where it stands in the text."""
        return Span(self.at, self.at + len(self.traced.text))

    @property
    def source_span(self) -> Span:
        """Where it stands in the source."""
        return Span(self.source, self.source + self.traced.length)

    def within(self, start: int, end: int) -> Span | None:
        """Where what a stretch of the text has of it stands in the source; None for some words of
        those that were written anew.
        """
        at, last = max(start - self.at, 0), min(end, self.span.end) - self.at
        if not self.traced.runs:
            lead = _LEAD.match(self.traced.text)
            part = at > (lead.end() if lead else 0) or last < len(self.traced.text)
            return None if part else self.source_span
        own = self.traced.source_span(at, last)
        return own and Span(own.start + self.source, own.end + self.source)


@dataclass(frozen=True)
class TracedText:
    """A text, and what of it is kept from its source.

    runs: in the order of both texts, none of them empty. length: characters of the source.
    lists: of the source, which are written anew at the end of the text, from `tail` on. moved: what
    is known of the entries there, in the order of the text.
    """

    text: str
    runs: tuple[KeptRun, ...]
    length: int
    lists: tuple[Span, ...] = ()
    tail: int = 0
    moved: tuple[MovedPart, ...] = ()

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
        made = replace(self, text="".join(parts), runs=tuple(runs))
        return made._with_lists(self, done) if self.lists else made

    def _with_lists(self, before: TracedText, done: Sequence[tuple[Span, str]]) -> TracedText:
        """The text with what was known of its lists, as far as edits leave it."""
        changed = [
            Edit(Span(kept.end, after.start), words)
            for (kept, words), (after, _) in pairwise(done)
            if kept.end < after.start or words
        ]
        ends = [each.span.end for each in changed]
        shifts = [0, *accumulate(len(e.text) - (e.span.end - e.span.start) for e in changed)]

        def now(at: int) -> int:
            return at + shifts[bisect_right(ends, at)]

        moved: list[MovedPart] = []
        starts = [each.span.start for each in changed]
        for each in before.moved:
            own = changed[bisect_right(ends, each.at) : bisect_left(starts, each.span.end)]
            if all(each.span.holds(edit.span) for edit in own):
                inner = [
                    Edit(Span(edit.span.start - each.at, edit.span.end - each.at), edit.text)
                    for edit in own
                ]
                moved.append(each._replace(at=now(each.at), traced=each.traced.edited(inner)))
        return replace(self, moved=tuple(moved), tail=now(before.tail))

    def _moved(self, kept: Span, by: int) -> Iterator[KeptRun]:
        """The runs within a stretch, in a text in which it stands further on by so much."""
        first = bisect_right(self._ats, kept.start) - 1
        for run in self._bounded[first : bisect_left(self._ats, kept.end)]:
            start, end = max(run.at, kept.start), min(run.at + run.size, kept.end)
            if start < end:
                yield KeptRun(start + by, run.source + start - run.at, end - start)

    @cached_property
    def _bounded(self) -> list[KeptRun]:
        """The runs, and an empty one at either end: what was added there is between two as well.

        So it is at either end of a list, which nothing beside it stands for.
        """
        runs = [KeptRun(0, 0, 0), *self.runs, KeptRun(len(self.text), self.length, 0)]
        bounded: list[KeptRun] = []
        done = 0
        for each in self.lists:
            behind = bisect_left(runs, each.end, key=lambda run: run.source)
            at = min(runs[behind].at, self.tail)
            bounded += [*runs[done:behind], KeptRun(at, each.start, 0), KeptRun(at, each.end, 0)]
            done = behind
        return [*bounded, *runs[done:]]

    @cached_property
    def _ats(self) -> list[int]:
        return [run.at for run in self._bounded]

    @cached_property
    def _sources(self) -> list[int]:
        return [run.source for run in self._bounded]

    @cached_property
    def _sizes(self) -> list[int]:
        return [run.size for run in self._bounded]

    def source_span(self, start: int, end: int) -> Span | None:
        """Where a stretch of the text stands in the source.

        Where it begins or ends in what was rewritten, all that this stands for counts; what was
        only added has an empty span there. None where it reaches into a list that was written anew
        and the source has not the same there in one stretch.
        """
        if self.lists and end > self.tail:
            return self._in_list(start, end)
        return _across(self._ats, self._sources, self._sizes, (start, end))

    def _in_list(self, start: int, end: int) -> Span | None:
        """Where a stretch stands that reaches into a list: in one list, and nothing besides.

        All of the list that is shown is all of the only one that there was, also with the text
        before it.
        """
        if end >= self._listed.end and start <= self._listed.start:
            if start >= self.tail:
                return self.lists[0] if len(self.lists) == 1 else None
            begins = _across(self._ats, self._sources, self._sizes, (start, self.tail)).start
            return Span(begins, self.length) if begins <= self.lists[0].start else None
        if start < self.tail:
            return None
        first = bisect_right([part.span.end for part in self.moved], start)
        after = bisect_left([part.at for part in self.moved], end)
        touched = self.moved[first:after]
        inside = [each for part in touched if (each := part.within(start, end)) is not None]
        if not touched or len(inside) < len(touched):
            return None
        if start < touched[0].at or end > touched[-1].span.end:  # in what was added
            return None
        whole = Span(min(each.start for each in inside), max(each.end for each in inside))
        others = [part.source_span for part in (*self.moved[:first], *self.moved[after:])]
        for part in touched:
            others += filter(None, (part.within(*each) for each in _around(part.span, start, end)))
        clear = all(other.end <= whole.start or other.start >= whole.end for other in others)
        is_one = any(each.holds(whole) for each in self.lists)
        return whole if clear and is_one and whole.start < whole.end else None

    @cached_property
    def _listed(self) -> Span:
        """The words of the list that was written anew, without what marks them up."""
        words = self.text[self.tail :].rstrip()
        begins = len(words) - len(words.lstrip("# \n"))
        return Span(self.tail + begins, self.tail + len(words))

    def is_listed(self, start: int, end: int) -> bool:
        """Whether a stretch of the source stands in a list that was written anew."""
        return start < end and any(each.holds(Span(start, end)) for each in self.lists)

    def span_of(self, start: int, end: int) -> Span:
        """Where a stretch of the source stands in the text, by the same rule."""
        if self.is_listed(start, end):
            return self._of_list(Span(start, end))
        found = _across(self._sources, self._ats, self._sizes, (start, end))
        if self.lists and end >= self.length and start <= self.lists[0].start:
            return Span(min(found.start, self.tail), len(self.text))
        if self.lists:
            return Span(min(found.start, self.tail), min(found.end, self.tail))
        return found

    def _of_list(self, source: Span) -> Span:
        """Where a stretch of a list stands in the text; empty where nothing of it is shown."""
        if source in self.lists:
            return Span(self.tail, len(self.text))
        spans: list[Span] = []
        for part in self.moved:
            own = part.source_span
            at, last = max(source.start, own.start), min(source.end, own.end)
            if at >= last:
                continue
            inner = part.traced.span_of(at - own.start, last - own.start)
            spans.append(Span(part.at + inner.start, part.at + inner.end))
        if not spans:
            return Span(self.tail, self.tail)
        return Span(min(each.start for each in spans), max(each.end for each in spans))


def _around(span: Span, start: int, end: int) -> Iterator[Span]:
    """What of a span lies before and behind another."""
    if span.start < start:
        yield Span(span.start, start)
    if end < span.end:
        yield Span(end, span.end)


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
