"""Reference lists: where they begin and end, under headings and without."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from deepassay.reports.citations import Citation
from deepassay.reports.headings import Heading, headings_of_references
from deepassay.reports.markdown import Block
from deepassay.reports.references import (
    KEYED,
    EntryDraft,
    FoundList,
    ReferenceList,
    ReportLine,
    ReportLines,
    finish,
    has_address,
    indented,
    is_address,
    is_below_entries,
    label_of,
    looks_cited,
    next_of,
    says_nothing,
)
from deepassay.reports.spans import LINE_END, Span

_DEFINITION = re.compile(
    r"[ \t>]{0,12}"
    r"(?:\[\^[^\]\[\s]{1,80}\]:|\[[^\]\[\n]{1,200}\]:[ \t]{0,4}<?(?:https?:|www\.|doi:))"
)
_LONGEST_LABEL = 220


def definitions(report: ReportLines, lists: Sequence[FoundList]) -> list[FoundList]:
    """Runs of `[key]: address` and `[^n]: note` lines outside the lists under headings."""
    taken = [each.span for each in lists]
    runs: list[list[EntryDraft]] = []
    starts = [*_definition_starts(report.text), len(report.text)]
    for at, following in pairwise(starts):
        block = report.block_at(at)
        if block is None or block.kind == "code" or _within(taken, at):
            continue
        stop = _definition_end(report.text, block, at, following)
        draft = label_of(report.text, at, stop)
        if draft is None or draft.key is None:
            continue
        draft.trim(report.text)
        if runs and not report.text[runs[-1][-1].end : draft.start].strip(" \t\r\n>"):
            runs[-1].append(draft)
        else:
            runs.append([draft])
    return [_without_heading(run) for run in runs]


def _definition_starts(text: str) -> Iterator[int]:
    at = text.find("]:")
    while at >= 0:
        low = max(0, at - _LONGEST_LABEL)
        start = max(text.rfind("\n", low, at), text.rfind("\r", low, at)) + 1
        if (start > low or low == 0) and _DEFINITION.match(text, start, at + 20):
            yield start
        at = text.find("]:", at + 2)


def _definition_end(text: str, block: Block, at: int, following: int) -> int:
    """The text of a footnote goes on until its block ends, an address until its line does."""
    end = min(block.span.end, following)
    if text[at : at + 14].lstrip(" \t>").startswith("[^"):
        return end
    line = LINE_END.search(text, at, end)
    return line.start() if line else end


def _within(spans: Sequence[Span], at: int) -> bool:
    index = bisect_right(spans, (at, len(spans) and spans[-1].end + 1)) - 1
    return index >= 0 and at < spans[index].end


def _without_heading(drafts: Sequence[EntryDraft]) -> FoundList:
    return FoundList(Span(drafts[0].start, drafts[-1].end), None, drafts)


def ending(report: ReportLines) -> list[FoundList]:
    """The run of entries that a report ends with: two, or one that it cites."""
    keys = {key for each in report.citations for key in each.keys}
    drafts: list[EntryDraft] = []
    for line in _backwards(report):
        words = line.of(report.text)
        if not words.strip(" \t>"):
            continue
        draft = label_of(report.text, line.start, line.end)
        if drafts and (draft is None or draft.kind not in KEYED):
            draft = next_of(report.text, line.start, line.end, drafts[-1], -1)
        if draft is not None and draft.kind in KEYED:
            draft.end = drafts[-1].start if drafts else len(report.text)
            if not _names_source(report, draft, line, keys):
                break
            drafts.append(draft)
        elif (
            not is_below_entries(words)
            and not indented(words)
            and not is_address(words.lstrip(" \t>-<"))
        ):
            break
    drafts.reverse()
    points = all(each.kind in _POINTS and each.key in keys for each in drafts)
    if not drafts or ((points or not drafts[1:]) and not _is_needed(report, drafts)):
        return []
    for draft in drafts:
        draft.trim(report.text)
    return [_without_heading(drafts)]


def _addresses_below(report: ReportLines, after: int) -> Iterator[FoundList]:
    """The run of entries at the end, whatever it is called, below a list that names titles only."""
    for each in ending(report):
        if each.span.start >= after and not any(draft.kind in _POINTS for draft in each.drafts):
            yield each


_POINTS = frozenset(("listed", "round"))
"""Labels that points of a text bear as well."""


def _is_needed(report: ReportLines, drafts: Sequence[EntryDraft]) -> bool:
    """Whether numbers above the entries lead to them, and to no address of their own."""
    labels = {key for each in drafts for key in (each.key, *each.more)}
    above = report.inside(Span(0, drafts[0].start))
    return any(each.url is None and not labels.isdisjoint(each.keys) for each in above)


def _names_source(
    report: ReportLines, draft: EntryDraft, line: ReportLine, cited: set[str]
) -> bool:
    """Whether a line with a label, at the end of a report, is an entry and no point of its text.

    `1. ` begins points as well: of an entry only the address is left, or the report cites its
    number, and it cites none itself.
    """
    source = has_address(report.text, draft.body, draft.end)
    if draft.kind not in _POINTS:
        return source or looks_cited(report.text, draft.body, line.end)
    words = line.of(report.text).split()
    if is_address(words[-1].strip("<>")) and len(words) == 2:
        return True
    return source and draft.key in cited and not _cites(report, draft)


def _cites(report: ReportLines, draft: EntryDraft) -> bool:
    """Whether a line under `1. ` cites by number itself, as points of a text do."""
    inside = report.inside(Span(draft.body, draft.end))
    return draft.kind in _POINTS and any(each.keys for each in inside)


def _backwards(report: ReportLines) -> Iterator[ReportLine]:
    for block in reversed(report.blocks):
        if block.kind not in ("paragraph", "html"):
            return
        yield from reversed(list(report.lines_of(block, *block.span)))


_ITEM = re.compile(r"[ \t>]*<li(?:\s[^<>]{0,200})?>[ \t]*", re.IGNORECASE)
_LIST_TAG = re.compile(r"<([ou])l[\s>]", re.IGNORECASE)
_BOLD_LINE = re.compile(r"[ \t>]*(?:\*\*|__)[^\n]{1,100}?(?:\*\*|__)[:：]?[ \t]*\Z")
_ROW_END = re.compile(r"[ \t]*\|[ \t]*(?=[\r\n]|\Z)")
_SHORT_REMARK, _LAST_REMARK = 200, 600
_LONGEST_GAP = 1000
_SHORT_TITLE = 100
_MOST_STRAY = 2


def find_reference_lists(
    text: str, blocks: Sequence[Block], citations: Sequence[Citation]
) -> tuple[FoundList, ...]:
    """Reference lists under their headings, also bold or missing ones, in reading order."""
    report = ReportLines(text, blocks, citations)
    lists = list(_under_headings(report))
    lists += definitions(report, lists)
    found = [each for each in lists if each.drafts]
    if not found:
        lists += ending(report)
    elif not any(has_address(text, each.body, each.end) for one in found for each in one.drafts):
        lists += _addresses_below(report, max(each.span.end for each in found))
    return tuple(sorted(lists, key=lambda each: each.span))


def read_reference_lists(
    text: str, lists: Iterable[FoundList], citations: Sequence[Citation]
) -> Iterator[ReferenceList]:
    """The lists with their entries. citations: all of the text, in reading order."""
    report = ReportLines(text, (), citations)
    for span, heading, drafts in lists:
        yield ReferenceList(span, heading, tuple(finish(text, drafts, report.inside(span))))


def _under_headings(report: ReportLines) -> Iterator[FoundList]:
    headings = list(headings_of_references(report.text, report.blocks))
    levels = [(each.span.start, each.level) for each in report.blocks if each.kind == "heading"]
    after = 0
    for heading, following in pairwise([*headings, None]):
        if heading is None or heading.span.start < after:
            continue
        limit = _limit(report.text, heading, levels, following)
        last = limit == (following.span.start if following else len(report.text))
        made = _read(report, heading, limit, last)
        if made is not None:
            yield made
            after = made.span.end


def _limit(
    text: str, heading: Heading, levels: Sequence[tuple[int, int]], following: Heading | None
) -> int:
    """Where the section of a heading ends: at its equal, or at the heading of another list."""
    limit = len(text)
    for index in range(bisect_left(levels, (heading.span.end, 0)), len(levels)):
        at, level = levels[index]
        if not heading.level or level <= heading.level:
            limit = at
            break
    if following and following.sure and not following.level:
        return min(limit, following.span.start)
    return limit


def _read(report: ReportLines, heading: Heading, limit: int, last: bool) -> FoundList | None:
    """The list under a heading, empty if there is only a remark, None if it is no list."""
    start = heading.span.end
    drafts, end = _drafts(report, start, limit)
    if drafts:
        span = Span(heading.span.start, end)
        if not heading.sure and any(
            each.kind not in KEYED or _cites(report, each) for each in drafts
        ):
            return None
        mere_points = all(each.kind == "bullet" for each in drafts)
        if not heading.level and mere_points:
            entries = finish(report.text, drafts, report.inside(span))
            if not any(each.urls for each in entries):
                return None
        return FoundList(span, heading.span, drafts)
    if not (heading.level and heading.sure):
        return None
    rest = report.text[start:limit].rstrip()
    longest = _LAST_REMARK if last and "\n\n" not in rest.lstrip() else _SHORT_REMARK
    if len(rest) > longest:
        return None
    return FoundList(Span(heading.span.start, start + len(rest)), heading.span, ())


def _drafts(report: ReportLines, start: int, limit: int) -> tuple[list[EntryDraft], int]:
    """Entries between `start` and `limit`, and where the last of them, or a remark, ends.

    Titles of groups and one or two stray lines between entries are passed over, and more where
    the next number follows soon.
    """
    drafts: list[EntryDraft] = []
    end = start
    strays_left = _MOST_STRAY
    for line in report.lines(start, limit):
        words = line.of(report.text)
        if not words.strip(" \t>"):
            continue
        draft = _row(report.text, line) if line.row else _draft(report.text, line, drafts)
        if draft is not None:
            drafts.append(draft)
            strays_left = _MOST_STRAY
        elif line.block.kind in ("heading", "rule") or _BOLD_LINE.match(words):
            strays_left -= line.block.kind == "rule"
        elif drafts and is_below_entries(words):
            end = line.end
        elif (
            drafts
            and not line.row
            and (not line.gap or indented(words) or _completes(report.text, drafts[-1], words))
        ):
            drafts[-1].end = line.end
        else:
            strays_left -= 1 if len(words) <= _SHORT_TITLE else _MOST_STRAY + 1
        if drafts:
            end = max(end, drafts[-1].end)
        if strays_left < 0:
            if not (drafts and _goes_on(report, drafts[-1], line.end, limit)):
                break
            strays_left = _MOST_STRAY
    if drafts and drafts[-1].kind == "row" and (rest := _ROW_END.match(report.text, end)):
        end = rest.end()
    for each in drafts:
        each.trim(report.text)
    return drafts, end


def _completes(text: str, last: EntryDraft, words: str) -> bool:
    """Whether a line is the address of an entry that gives none so far."""
    return is_address(words.strip(" \t>-<")) and not has_address(text, last.body, last.end)


def _goes_on(report: ReportLines, last: EntryDraft, at: int, limit: int) -> bool:
    """Whether the entry with the number after that of `last` begins soon after `at`."""
    if last.key is None or not last.key.isdecimal():
        return False
    following = str(int(last.key) + 1)
    for line in report.lines(at, min(limit, at + _LONGEST_GAP)):
        draft = None if line.row else label_of(report.text, line.start, line.end)
        if draft is not None and (draft.kind, draft.key) == (last.kind, following):
            place = (report.text, draft.body, line.end)
            return has_address(*place) or looks_cited(*place)
    return False


def _draft(text: str, line: ReportLine, drafts: Sequence[EntryDraft]) -> EntryDraft | None:
    """The entry that begins on a line, given the entries before it."""
    if line.block.kind in ("heading", "rule"):
        return None
    if line.block.kind == "html" and (item := _ITEM.match(text, line.start, line.end)):
        return _item(text, line, item.end(), drafts[-1] if drafts else None)
    draft = label_of(text, line.start, line.end)
    if draft is not None and draft.kind == "bullet" and says_nothing(text, draft):
        return None
    last = drafts[-1] if drafts else None
    if last is not None and (draft is None or draft.kind == "bullet"):
        draft = next_of(text, line.start, line.end, last) or draft
    if draft is None:
        return _unlabelled(text, line, last)
    if last is None:
        return draft
    deeper = draft.indent(text) > last.indent(text) + 1
    follows = line.gap or last.kind in {draft.kind, "bullet"} or _is_next(draft, last)
    if draft.kind == "bullet":
        follows = line.block.item and (line.gap or last.kind == "bullet")
    return draft if follows and not deeper else None


def _is_next(draft: EntryDraft, last: EntryDraft) -> bool:
    """Whether an entry has the number after that of another."""
    one, two = last.key or "", draft.key or ""
    return one.isdecimal() and two.isdecimal() and int(two) == int(one) + 1


def _item(text: str, line: ReportLine, at: int, last: EntryDraft | None) -> EntryDraft:
    """An entry that is an item of HTML, under its own label or, in `<ol>`, its place."""
    labelled = label_of(text, at, line.end)
    if labelled is not None and labelled.key:
        return replace(labelled, start=line.start)
    if last is None:
        opened = _LIST_TAG.search(text, line.block.span.start, at)
        key = "1" if opened and opened[1] in "oO" else None
    else:
        key = str(int(last.key) + 1) if last.kind == "item" and last.key else None
    return EntryDraft(line.start, line.end, key, at, "item")


def _unlabelled(text: str, line: ReportLine, last: EntryDraft | None) -> EntryDraft | None:
    """An entry without a label, such as an APA reference in a paragraph of its own."""
    if last is not None and (last.kind != "plain" or not (line.gap or last.closed(text))):
        return None
    if is_below_entries(line.of(text)) or _BOLD_LINE.match(line.of(text)):
        return None
    if has_address(text, line.start, line.end) or looks_cited(text, line.start, line.end):
        return EntryDraft(line.start, line.end, None, line.start, "plain")
    return None


def _row(text: str, line: ReportLine) -> EntryDraft | None:
    """An entry that is a row of a table: its number in the first cell, if there is one."""
    if not has_address(text, line.start, line.end):
        return None
    first = line.row[0].of(text).strip("[]() .*")
    key = first if first.isdecimal() else None
    body = line.row[1].start if key and len(line.row) > 1 else line.start
    return EntryDraft(line.start, line.end, key, body, "row")
