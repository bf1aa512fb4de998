"""Which entry of a report's own lists each entry of the list that is written for it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from deepassay.reports.clean import list_removals
from deepassay.reports.listing import page_of, unaddressed
from deepassay.reports.markers import ReportCitingIds
from deepassay.reports.references import Reference
from deepassay.reports.spans import Span
from deepassay.reports.traced import KeptRun, MovedPart, TracedText

_WORD: Final = re.compile(r"[^\W_]+")
_MOST_ADDRESSES: Final = 8
"""An entry with more is a list in itself, of which no part is looked for."""


def with_entries(
    done: TracedText, after: ReportCitingIds, given: TracedText, report: ReportCitingIds
) -> TracedText:
    """A report in standard form with what is known of the entries of its list.

    after: of the text as it is now. given, report: the text that was numbered, traced to the same
    source, and its report. An entry of a page that the report's own lists do not have is added,
    and stands for nothing.
    """
    own = report.own_lists
    if not own or not after.own_lists or done.text == given.text:
        return done
    known: dict[str, Reference] = {}
    for _, entries, _ in own:
        for entry in entries:
            if len(entry.urls) > _MOST_ADDRESSES:
                continue
            named = [*map(page_of, entry.urls)] or [unaddressed(entry.title)]
            for page in named:
                known.setdefault(page, entry)
    removed = [span for span, _ in list_removals(report, [span for span, *_ in own])]
    lists = [given.source_span(*span) for span in removed]
    written, entries, _ = after.own_lists[-1]
    ((whole, _),) = list_removals(after, [written])
    moved: list[MovedPart] = []
    for shown in entries:
        its = known.get(page_of(shown.urls[0]) if shown.urls else unaddressed(shown.title))
        place = given.source_span(*its.span) if its else None
        if its is None or place is None:
            continue
        text = its.span.of(report.text)
        if place.end - place.start == len(text):
            moved += _parts(shown, after.text, its, text, place.start)
        else:  # something in it was taken out before
            line = TracedText(shown.span.of(after.text), (), place.end - place.start)
            moved.append(MovedPart(shown.span.start, place.start, line))
    ordered = tuple(sorted(filter(None, lists)))
    return replace(done, lists=ordered, tail=whole.start, moved=tuple(moved))


def _parts(
    shown: Reference, text: str, entry: Reference, own: str, source: int
) -> Iterator[MovedPart]:
    """Title and address of an entry of the list, each with its part of the report's own entry.

    own: the text of that entry, source: where it begins.
    """
    line, url = shown.span.of(text), shown.urls[0] if shown.urls else ""
    cut = line.rfind(f": {url}") if url else len(line)
    at = own.find(url) if url else len(own)
    if cut < 0 or at < 0:  # the address is written in another way
        yield MovedPart(shown.span.start, source, TracedText(line, (), len(own)))
        return
    end = at + len(url)
    titled, rest = Span(0, at), Span(at, len(own))
    runs = _title_runs(line[:cut], own[:at])
    if not runs and (behind := _title_runs(line[:cut], own[end:])):
        titled, rest, runs = Span(end, len(own)), Span(0, end), behind
    elif runs and url:  # what is between the two belongs to the address, as it does in the list
        words = runs[-1].source + runs[-1].size
        titled, rest = Span(0, words), Span(words, len(own))
    if entry.title and titled.start < titled.end:  # else the host was set in its place
        title = TracedText(line[:cut], tuple(runs), titled.end - titled.start)
        yield from _labelled(MovedPart(shown.span.start, source + titled.start, title))
    if url:
        run = KeptRun(len(": "), at - rest.start, len(url))
        address = TracedText(line[cut:], (run,), rest.end - rest.start)
        yield MovedPart(shown.span.start + cut, source + rest.start, address)


def _labelled(title: MovedPart) -> Iterator[MovedPart]:
    """The number before a title, and the title: what is done to one leaves the other."""
    whole = title.traced
    first = whole.runs[0] if whole.runs else KeptRun(0, 0, 0)
    if not first.source:
        yield title
        return
    number = TracedText(whole.text[: first.at].rstrip(), (), first.source)
    runs = tuple(KeptRun(at - first.at, own - first.source, size) for at, own, size in whole.runs)
    words = TracedText(whole.text[first.at :], runs, whole.length - first.source)
    yield MovedPart(title.at, title.source, number)
    yield MovedPart(title.at + first.at, title.source + first.source, words)


def _title_runs(line: str, own: str) -> list[KeptRun]:
    """The words of a title that its own entry has in one stretch. line: with its number."""
    words = [*_WORD.finditer(line, line.find("] ") + 1)]
    pattern = r"[\W_]{1,20}".join(re.escape(each[0]) for each in words)
    found = re.search(rf"(?<![a-zA-Z\d]){pattern}(?![a-zA-Z\d])", own) if words else None
    runs: list[KeptRun] = []
    at = found.start() if found else 0
    for word in words if found else ():
        at = own.index(word[0], at)
        start, size = word.start(), len(word[0])
        last = runs[-1] if runs else KeptRun(0, 0, 0)
        between = Span(last.at + last.size, start), Span(last.source + last.size, at)
        if runs and between[0].of(line) == between[1].of(own):
            runs[-1] = last._replace(size=at + size - last.source)
        else:
            runs.append(KeptRun(start, at, size))
        at += size
    return runs
