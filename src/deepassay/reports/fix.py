"""Safe repairs of a report: what they touch is stated, everything else stays as it was."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import NamedTuple

from deepassay.reports.brackets import BETWEEN as RANGE
from deepassay.reports.citations import (
    Citation,
    InlineLink,
    Numbered,
    NumberedLink,
    ReferenceLink,
    numbers_of,
)
from deepassay.reports.finding import Rule, numbers_in_words, runs
from deepassay.reports.markdown import TableBlock
from deepassay.reports.references import Reference, ReferenceList
from deepassay.reports.report import Report
from deepassay.reports.rules import rules_of_codes
from deepassay.reports.rules.in_text import intrusions
from deepassay.reports.rules.lists import cited_entries
from deepassay.reports.rules.numbers import duplicates, is_alphabetical
from deepassay.reports.spans import Edit, Span, apply
from deepassay.text import excerpt

_NEXT = r"[\])）】]?\s?(?:[,，、;&/\-–—~至到和与及]|and|or|to|through)\s?(?:and\s)?[\[(（【]?"
_PROSE = re.compile(
    r"(?:(?<![A-Za-z])(?:refs?|references?|sources?|citations?|entry|entries|endnotes?|footnotes?)"
    r"(?:\(s\))?(?:\.|:|[ \t]?#|[ \t](?:nos?\.|numbers?))?[ \t]?"
    r"|(?:文[献獻]|[来來]源|[资資]料|引文|[参參]考|[条條]目|[脚腳]注)[:：]?[ \t]?第?[ \t]?)"
    rf"[\[(（【#]?(\d{{1,4}}(?:{_NEXT}\d{{1,4}}){{0,20}}+)"
    r"(?![\w%]|[.,]\d)(?![种種个個次份年月家位天])",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\W*(?:refs?\.?|references?|sources?|citations?|[参參]考(?:文[献獻])?|文[献獻]|[来來]源)"
    r"(?: (?:no\.?|numbers?|ids?)| ?#)?\W*",
    re.IGNORECASE,
)
_CELL = re.compile(rf"[\[(]?(\d{{1,4}}(?:(?:{_NEXT}|\s)\d{{1,4}}){{0,20}}+)[\])]?", re.IGNORECASE)
_BRACKET = re.compile(r"(?<![^\s(,;.`])\[(\d{1,6})\]")
_WIDE = re.compile(r"［([^［］\n]{1,60})］")
_RAISED = re.compile(r"\^\[?(\d{1,4}(?:\s?[,;\-–]\s?\d{1,4}){0,20}+)\]?\^")
_NUMBER = re.compile(r"\d+")


class Mention(NamedTuple):
    """A number that may mean a source: the words it stands in, where it begins, what it is."""

    span: Span
    at: int
    number: int


def mentions(report: Report) -> Iterator[Mention]:
    """Every number in brackets or raised, after a word for a source, or in a column for sources."""
    for pattern in (_BRACKET, _WIDE, _RAISED, _PROSE):
        for found in pattern.finditer(report.text):
            yield from _each(report.text, Span(*found.span()), Span(*found.span(1)))
    for block in report.blocks:
        if isinstance(block, TableBlock):
            yield from _in_columns(report.text, block)


def _in_columns(text: str, table: TableBlock) -> Iterator[Mention]:
    columns = [at for at, cell in enumerate(table.header) if _HEADER.fullmatch(cell.of(text))]
    for row in table.rows if columns else ():
        for cell in (row[column] for column in columns if column < len(row)):
            if found := _CELL.fullmatch(text, *cell):
                yield from _each(text, cell, Span(*found.span(1)))


def _each(text: str, span: Span, written: Span) -> Iterator[Mention]:
    for found in _NUMBER.finditer(text, *written):
        yield Mention(span, found.start(), int(found[0]))


INSIDE_WORD = "DA103"
REPAIRED = rules_of_codes(("DA204", "DA205", "DA206", "DA207", "DA209", "DA211"))
"""The rules whose findings a new numbering takes away."""


@dataclass(frozen=True)
class Renumbering:
    """Edits that renumber a report, what they do, and what is left alone and why.

    by_form: whether it is left for the way in which Markdown writes it.
    """

    edits: tuple[Edit, ...] = ()
    applied: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    by_form: bool = False


def plan_numbers(report: Report, codes: Collection[str] | None = None) -> Renumbering:
    """The edits for a new numbering; none where nothing is amiss or anything is in doubt.

    Numbers that are cited without an entry stay as they are and are given to no source. codes: of
    the rules whose findings are to be repaired, by default all; a numbering that would repair
    others too is left as it is.
    """
    amiss = [rule.code for rule in REPAIRED if next(iter(rule.hits(report)), None)]
    others = [code for code in amiss if codes is not None and code not in codes]
    if others == amiss:
        return Renumbering()
    if others:
        too = f"a new one would also repair {', '.join(others)}, which is not selected"
        return Renumbering(left=(f"left the numbers of the sources as they are: {too}",))
    entries = {entry.number: entry for entry in report.references if entry.number is not None}
    into = {number: number for number in entries}
    for later, first in duplicates(report.references):
        into[later.number or 0] = first.number or 0
    cited = {into[e.number] for e in cited_entries(report) if e.number is not None}
    doubt = _doubt(report, entries, cited)
    form = None if doubt else _odd_form(report)
    if doubt := doubt or form or _torn_range(report) or _stray_mention(report, entries):
        left = f"left the numbers of the sources as they are: {doubt}"
        return Renumbering(left=(left,), by_form=form is not None)
    order = _order(report, [entries[number] for number in entries if number in cited], into)
    free = {n for c in report.citations for n in numbers_of(c)} - entries.keys()
    given = (number for number in count(1) if number not in free)
    new = dict(zip((entry.number or 0 for entry in order), given, strict=False))
    new.update({number: new[into[number]] for number in entries if into[number] in new})
    edits = edit_citations(report.text, report.citations, new)
    edits += edit_list(report.text, report.reference_lists[0], order, new)
    return Renumbering(tuple(edits), tuple(_applied(into, cited, new)), tuple(_left(free)))


def _order(report: Report, kept: list[Reference], into: dict[int, int]) -> list[Reference]:
    """By first citation, those that are only linked last; an alphabetical list stays one."""
    if is_alphabetical(kept):
        return kept
    first: dict[int, int] = {}
    for citation in report.citations:
        for number in numbers_of(citation):
            first.setdefault(into.get(number, 0), len(first))
    return sorted(kept, key=lambda entry: first.get(entry.number or 0, len(first)))


def _applied(into: dict[int, int], cited: set[int], new: dict[int, int]) -> Iterator[str]:
    merged = {number: first for number, first in into.items() if number != first}
    if dropped := sorted(into.keys() - cited - merged.keys()):
        yield f"dropped uncited entries: {numbers_in_words(dropped)}"
    for number, first in merged.items():
        yield f"merged [{number}] into [{first}], the same source"
    if changed := [number for number, now in new.items() if number != now]:
        yield f"renumbered {len(changed)} source{'s' if len(changed) > 1 else ''}"


def _left(free: set[int]) -> Iterator[str]:
    if free:
        yield f"left {numbers_in_words(sorted(free))} as they are: cited without an entry"


def _doubt(report: Report, entries: dict[int, Reference], cited: set[int]) -> str | None:
    """Why nothing says which number is which entry's, or None."""
    if len(report.reference_lists) != 1:
        return f"there are {len(report.reference_lists)} reference lists"
    if len(entries) < len(report.references):
        return "entries have no number, or two have the same"
    if not cited:
        return "the text cites none of the entries"
    return None


def _odd_form(report: Report) -> str | None:
    """What is written in a way in which numbers are not replaced, or None."""
    for citation in report.citations:
        if numbers_of(citation) and not is_rewritable(citation):
            return f"{excerpt(citation.raw, 30)} is not written as a plain number in brackets"
    if entry_spans(report.text, report.references) is None:
        return "the entries do not stand below each other under plain numbers"
    return None


def _stray_mention(report: Report, entries: dict[int, Reference]) -> str | None:
    """A number that is no citation (in code, in words) would come to mean another source."""
    known = [citation.span for citation in report.citations]
    known += label_spans(report.text, report.references)
    known.sort()
    for mention in mentions(report):
        before = bisect_right(known, (mention.at, len(report.text))) - 1
        inside = before >= 0 and mention.at < known[before].end
        if not inside and mention.number in entries:
            line, _ = report.lines.place(mention.span.start)
            name = excerpt(mention.span.of(report.text), 30)
            return f"{name} on line {line} may mean an entry and is no citation"
    return None


def _torn_range(report: Report) -> str | None:
    """Two citations with a dash between, which may stand for those in between as well."""
    for first, second in pairwise(report.citations):
        between = report.text[first.span.end : second.span.start][:40]
        if numbers_of(first) and numbers_of(second) and RANGE.fullmatch(between):
            written = report.text[first.span.start : second.span.end]
            return f"{excerpt(written, 30)} may be a range, which it is not clear how to read"
    return None


@dataclass(frozen=True)
class Fixed:
    """The repaired text, what was done, and what was left alone and why.

    by_form: whether the last of that is left for the way in which Markdown writes it.
    """

    text: str
    applied: tuple[str, ...]
    left: tuple[str, ...]
    by_form: bool = False


def fix(report: Report, rules: Iterable[Rule] | None = None) -> Fixed:
    """Move citations out of words, drop uncited entries, merge sources, renumber.

    A second run changes nothing. Numbers are left alone as a whole where any of them is in
    doubt, so that no citation ever comes to mean another source. rules: only what these find is
    repaired, by default what any finds.
    """
    codes = None if rules is None else {rule.code for rule in rules}
    inside = codes is None or INSIDE_WORD in codes
    edits, moved, stuck = _move_out_of_words(report) if inside else ([], [], [])
    text = apply(report.text, edits)
    plan = plan_numbers(replace(report, text=text), codes)
    return Fixed(
        apply(text, plan.edits), (*moved, *plan.applied), (*stuck, *plan.left), plan.by_form
    )


def _move_out_of_words(report: Report) -> tuple[list[Edit], list[str], list[str]]:
    """Edits that put a citation after the word that it splits; where that is unsure, none."""
    edits: list[Edit] = []
    moved: list[str] = []
    stuck: list[str] = []
    for span, word_end, one_word in intrusions(report):
        raw = span.of(report.text)
        line, column = report.lines.place(span.start)
        name = f"{excerpt(raw, 30)} on line {line}, column {column}"
        if one_word:
            edits += [Edit(span, ""), Edit(Span(word_end, word_end), raw)]
            moved.append(f"moved {name} to the end of its word")
        else:
            stuck.append(f"left {name}: it may stand between two words")
    return edits, moved, stuck


NUMBER = re.compile(r"\d{1,6}")
DASH = re.compile(r"\]?\s*(?:[-‐‑‒–—−~～至]|to|through)\s*\[?")
LABEL = re.compile(r"\W{0,8}?0*(\d{1,6})(?!\d)")
BETWEEN = re.compile(r"\s*(?:[-*+]\s+)?")


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
        if label is None or int(label[1]) != entry.number or entry.more:
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
