"""Reference lists: where they begin and end, with or without a heading."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from deepassay.reports.blocks import Block
from deepassay.reports.citations import Citation
from deepassay.reports.entries import (
    KEYED,
    Draft,
    FoundList,
    finish,
    has_address,
    indented,
    is_note,
    label_of,
    looks_cited,
)
from deepassay.reports.headings import Heading, headings_of_references, may_announce_references
from deepassay.reports.headless import definitions, ending, may_end_in_entries
from deepassay.reports.page import Line, Page
from deepassay.reports.references import ReferenceList
from deepassay.reports.spans import Span

_ITEM = re.compile(r"[ \t>]*<li(?:\s[^<>]{0,200})?>[ \t]*", re.IGNORECASE)
_LIST_TAG = re.compile(r"<([ou])l[\s>]", re.IGNORECASE)
_BOLD_LINE = re.compile(r"[ \t>]*(?:\*\*|__)[^\n]{1,100}?(?:\*\*|__)[:：]?[ \t]*\Z")
_SHORT_REMARK, _LAST_REMARK = 200, 600
_SHORT_TITLE = 100
_PATIENCE = 2


def may_list(text: str) -> bool:
    """Whether a text without citations may list references, by a look without blocks.

    False is certain.
    """
    defines = "[" in text and "]:" in text  # a single character is found much faster than two
    return defines or may_announce_references(text) or may_end_in_entries(text)


def find_reference_lists(
    text: str, blocks: Sequence[Block], citations: Sequence[Citation]
) -> tuple[FoundList, ...]:
    """Reference lists under their headings, also bold or missing ones, in reading order."""
    page = Page(text, blocks, citations)
    lists = list(_under_headings(page))
    lists += definitions(page, lists)
    if not any(each.drafts for each in lists):
        lists += ending(page)
    return tuple(sorted(lists, key=lambda each: each.span))


def read_reference_lists(
    text: str, lists: Iterable[FoundList], citations: Sequence[Citation]
) -> Iterator[ReferenceList]:
    """The lists with their entries. citations: all of the text, in reading order."""
    page = Page(text, (), citations)
    for span, heading, drafts in lists:
        yield ReferenceList(span, heading, tuple(finish(text, drafts, page.inside(span))))


def _under_headings(page: Page) -> Iterator[FoundList]:
    headings = list(headings_of_references(page.text, page.blocks))
    if not headings:
        return
    levels = [(each.span.start, each.level) for each in page.blocks if each.kind == "heading"]
    after = 0
    for heading, following in pairwise([*headings, None]):
        if heading is None or heading.span.start < after:
            continue
        limit = _limit(page.text, heading, levels, following)
        last = limit == (following.span.start if following else len(page.text))
        made = _read(page, heading, limit, last)
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


def _read(page: Page, heading: Heading, limit: int, last: bool) -> FoundList | None:
    """The list under a heading, empty if there is only a remark, None if it is no list."""
    start = heading.span.end
    drafts, end = _drafts(page, start, limit)
    if drafts:
        span = Span(heading.span.start, end)
        if not heading.sure and not all(each.kind in KEYED for each in drafts):
            return None
        mere_points = all(each.kind == "bullet" for each in drafts)
        if not heading.level and mere_points:
            entries = finish(page.text, drafts, page.inside(span))
            if not any(each.urls for each in entries):
                return None
        return FoundList(span, heading.span, drafts)
    if not (heading.level and heading.sure):
        return None
    rest = page.text[start:limit].rstrip()
    longest = _LAST_REMARK if last and "\n\n" not in rest.lstrip() else _SHORT_REMARK
    if len(rest) > longest:
        return None
    return FoundList(Span(heading.span.start, start + len(rest)), heading.span, ())


def _drafts(page: Page, start: int, limit: int) -> tuple[list[Draft], int]:
    """Entries between `start` and `limit`, and where the last of them, or a remark, ends.

    Titles of groups and one or two stray lines between entries are passed over.
    """
    drafts: list[Draft] = []
    end = start
    patience = _PATIENCE
    for line in page.lines(start, limit):
        words = line.of(page.text)
        if not words.strip(" \t>"):
            continue
        draft = _row(page.text, line) if line.row else _draft(page.text, line, drafts)
        if draft is not None:
            drafts.append(draft)
            patience = _PATIENCE
        elif line.block.kind in ("heading", "rule") or _BOLD_LINE.match(words):
            patience -= line.block.kind == "rule"
        elif drafts and is_note(words):
            end = line.end
        elif drafts and not line.row and (not line.gap or indented(words)):
            drafts[-1].end = line.end
        else:
            patience -= 1 if len(words) <= _SHORT_TITLE else _PATIENCE + 1
        if drafts:
            end = max(end, drafts[-1].end)
        if patience < 0:
            break
    for each in drafts:
        each.trim(page.text)
    return drafts, end


def _draft(text: str, line: Line, drafts: Sequence[Draft]) -> Draft | None:
    """The entry that begins on a line, given the entries before it."""
    if line.block.kind in ("heading", "rule"):
        return None
    if line.block.kind == "html" and (item := _ITEM.match(text, line.start, line.end)):
        return _item(text, line, item.end(), drafts[-1] if drafts else None)
    draft = label_of(text, line.start, line.end)
    last = drafts[-1] if drafts else None
    if draft is None:
        return _unlabelled(text, line, last)
    if last is None:
        return draft
    deeper = draft.indent(text) > last.indent(text) + 1
    follows = line.gap or last.kind in {draft.kind, "bullet"}
    if draft.kind == "bullet":
        follows = line.block.item and (line.gap or last.kind == "bullet")
    return draft if follows and not deeper else None


def _item(text: str, line: Line, at: int, last: Draft | None) -> Draft:
    """An entry that is an item of HTML, under its own label or, in `<ol>`, its place."""
    labelled = label_of(text, at, line.end)
    if labelled is not None and labelled.key:
        return replace(labelled, start=line.start)
    if last is None:
        opened = _LIST_TAG.search(text, line.block.span.start, at)
        key = "1" if opened and opened[1] in "oO" else None
    else:
        key = str(int(last.key) + 1) if last.kind == "item" and last.key else None
    return Draft(line.start, line.end, key, at, "item")


def _unlabelled(text: str, line: Line, last: Draft | None) -> Draft | None:
    """An entry without a label, such as an APA reference in a paragraph of its own."""
    if last is not None and (last.kind != "plain" or not (line.gap or last.closed(text))):
        return None
    if is_note(line.of(text)) or _BOLD_LINE.match(line.of(text)):
        return None
    if has_address(text, line.start, line.end) or looks_cited(text, line.start, line.end):
        return Draft(line.start, line.end, None, line.start, "plain")
    return None


def _row(text: str, line: Line) -> Draft | None:
    """An entry that is a row of a table: its number in the first cell, if there is one."""
    if not has_address(text, line.start, line.end):
        return None
    first = line.row[0].of(text).strip("[]() .*")
    key = first if first.isdecimal() else None
    body = line.row[1].start if key and len(line.row) > 1 else line.start
    return Draft(line.start, line.end, key, body, "row")
