"""New numbers for the sources: written into citations and into the labels of entries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from deepassay.reports.citations import (
    Citation,
    InlineLink,
    Numbered,
    NumberedLink,
    ReferenceLink,
)
from deepassay.reports.finding import runs
from deepassay.reports.references import Reference, ReferenceList
from deepassay.reports.spans import Edit, Span

NUMBER = re.compile(r"\d{1,6}")
DASH = re.compile(r"\]?\s*(?:[-‐‑‒–—−~～至]|to|through)\s*\[?")
LABEL = re.compile(r"\W{0,8}?0*(\d{1,6})(?!\d)")
BETWEEN = re.compile(r"\s*(?:[-*+]\s+)?")


def numbers_of(citation: Citation) -> tuple[int, ...]:
    """The numbers that a citation names, in order, ranges written out."""
    return tuple(int(key) for key in citation.keys if key.isdecimal() and len(key) < 7)


def is_rewritable(citation: Citation) -> bool:
    """Whether `rewritten` can give a citation other numbers: it reads them as the reader did."""
    if not isinstance(citation, Numbered | NumberedLink | ReferenceLink | InlineLink):
        return False
    if "](#" in citation.raw:
        return False  # the anchor would still name the old entry
    marker = citation.raw[slice(*_marker(citation))]
    read = tuple(n for low, high in _items(marker) for n in range(low, high + 1))
    return read == numbers_of(citation)


def rewritten(citation: Citation, new: Mapping[int, int]) -> str:
    """The citation with new numbers, each once, in its own way of writing.

    Numbers that ascended ascend again, and runs become ranges where there was one.
    """
    old = numbers_of(citation)
    if all(new.get(number, number) == number for number in old):
        return citation.raw
    now = tuple(dict.fromkeys(new.get(number, number) for number in old))
    if list(old) == sorted(old):
        now = tuple(sorted(now))
    start, end = _marker(citation)
    found = list(NUMBER.finditer(citation.raw, start, end))
    gaps = [citation.raw[first.end() : second.start()] for first, second in pairwise(found)]
    dash = next((gap for gap in gaps if DASH.fullmatch(gap)), None)
    comma = next((gap for gap in gaps if not DASH.fullmatch(gap)), ", ")
    if dash and "]" in dash and now[-1] - now[0] != len(now) - 1:
        dash = "–"  # `[1]–[3]` with a hole in it takes one bracket
    parts = [str(number) for number in now] if dash is None else runs(now, dash)
    return citation.raw[: found[0].start()] + comma.join(parts) + citation.raw[found[-1].end() :]


def _marker(citation: Citation) -> Span:
    """Where in a citation as written its numbers stand: `[3]` of `[t](u)[3]` and of `[3](u)`."""
    raw = citation.raw
    if isinstance(citation, NumberedLink | ReferenceLink):
        return Span(raw.rfind("["), len(raw))
    link = raw.find("](")
    return Span(0, link if link >= 0 else len(raw))


def _items(marker: str) -> list[tuple[int, int]]:
    items: list[tuple[int, int]] = []
    end = 0
    for found in NUMBER.finditer(marker):
        number = int(found[0])
        if items and DASH.fullmatch(marker, end, found.start()):
            items[-1] = (items[-1][0], number)
        else:
            items.append((number, number))
        end = found.end()
    return items


def edit_citations(text: str, citations: Sequence[Citation], new: Mapping[int, int]) -> list[Edit]:
    """Edits that give citations their new numbers.

    A citation that only repeats its neighbours, because two sources became one, is removed.
    """
    edits: list[Edit] = []
    seen_old: set[int] = set()
    seen_new: set[int] = set()
    end = 0
    for citation in citations:
        if not is_rewritable(citation):
            continue
        if text[end : citation.span.start].strip(" ") or not seen_old:
            seen_old, seen_new = set(), set()
        old = set(numbers_of(citation))
        now = {new.get(number, number) for number in old}
        if isinstance(citation, Numbered) and now <= seen_new and not old <= seen_old:
            edits.append(Edit(Span(end, citation.span.end), ""))
        elif (raw := rewritten(citation, new)) != citation.raw:
            edits.append(Edit(citation.span, raw))
        seen_old |= old
        seen_new |= now
        end = citation.span.end
    return edits


def label_spans(text: str, entries: Sequence[Reference]) -> list[Span]:
    """Where each entry begins with its label, bullet and bracket included."""
    labels = (LABEL.match(text, *entry.span) for entry in entries)
    return [Span(*label.span()) for label in labels if label is not None]


def entry_spans(text: str, entries: Sequence[Reference]) -> list[Span] | None:
    """Where each entry begins with its label and ends; None if the list is not that plain."""
    spans = []
    for entry in entries:
        length = len(entry.span.of(text).rstrip())
        spans.append(Span(entry.span.start, entry.span.start + length))
        label = LABEL.match(text, *spans[-1])
        if label is None or int(label[1]) != entry.number:
            return None
    gaps = (text[first.end : second.start] for first, second in pairwise(spans))
    return spans if all("\n" in gap and BETWEEN.fullmatch(gap) for gap in gaps) else None


def edit_list(
    text: str, whole: ReferenceList, ordered: Sequence[Reference], new: Mapping[int, int]
) -> list[Edit]:
    """The edit that leaves `ordered` as the entries of the list, under their new numbers."""
    spans = entry_spans(text, whole.entries)
    if not spans or not ordered:
        return []
    at = dict(zip(whole.entries, spans, strict=True))
    gaps = [text[first.end : second.start] for first, second in pairwise(spans)]
    parts: list[str] = []
    for entry, gap in zip(ordered, ["", *gaps], strict=False):
        label = LABEL.match(text, *at[entry])
        if label is None or entry.number is None:
            return []
        rest = text[label.end() : at[entry].end]
        parts += [gap, text[at[entry].start : label.start(1)], str(new[entry.number]), rest]
    region = Span(spans[0].start, spans[-1].end)
    written = "".join(parts)
    return [] if written == region.of(text) else [Edit(region, written)]
