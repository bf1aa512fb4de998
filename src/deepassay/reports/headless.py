"""Reference lists that no heading announces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from deepassay.reports.blocks import Block
from deepassay.reports.entries import (
    KEYED,
    Draft,
    FoundList,
    has_address,
    indented,
    is_note,
    label_of,
    looks_cited,
)
from deepassay.reports.page import Line, Page
from deepassay.reports.spans import LINE_END, Span
from deepassay.reports.superscripts import RAISED

_DEFINITION = re.compile(
    r"[ \t>]{0,12}"
    r"(?:\[\^[^\]\[\s]{1,80}\]:|\[[^\]\[\n]{1,200}\]:[ \t]{0,4}<?(?:https?:|www\.|doi:))"
)
# What may begin an entry with a key other than `1.`, after a line end that the engine skips to.
_KEYED = re.compile(rf"\n[ \t>\-*+•·–_\\]*+(?:[\[【［{RAISED}]|[(（](?=\d)|<(?=[aAsS]))")
_LONGEST_LABEL = 220
_FEWEST = 2


def definitions(page: Page, lists: Sequence[FoundList]) -> list[FoundList]:
    """Runs of `[key]: address` and `[^n]: note` lines outside the lists under headings."""
    taken = [each.span for each in lists]
    runs: list[list[Draft]] = []
    starts = [*_definition_starts(page.text), len(page.text)]
    for at, following in pairwise(starts):
        block = page.block_at(at)
        if block is None or block.kind == "code" or _within(taken, at):
            continue
        stop = _definition_end(page.text, block, at, following)
        draft = label_of(page.text, at, stop)
        if draft is None or draft.key is None:
            continue
        draft.trim(page.text)
        if runs and not page.text[runs[-1][-1].end : draft.start].strip(" \t\r\n>"):
            runs[-1].append(draft)
        else:
            runs.append([draft])
    return [_headless(run) for run in runs]


def _definition_starts(text: str) -> Iterator[int]:
    """Beginnings of lines that define a label."""
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


def _headless(drafts: Sequence[Draft]) -> FoundList:
    return FoundList(Span(drafts[0].start, drafts[-1].end), None, drafts)


def ending(page: Page) -> list[FoundList]:
    """The run of entries that a report ends with, at least two of them."""
    cited = {key for each in page.citations for key in each.keys}
    drafts: list[Draft] = []
    for line in _backwards(page):
        words = line.of(page.text)
        if not words.strip(" \t>"):
            continue
        draft = label_of(page.text, line.start, line.end)
        if draft is not None and draft.kind in KEYED:
            draft.end = drafts[-1].start if drafts else len(page.text)
            source = has_address(page.text, draft.body, draft.end)
            if not source and not looks_cited(page.text, draft.body, line.end):
                break
            if draft.kind == "listed" and not (source and draft.key in cited):
                break
            drafts.append(draft)
        elif not is_note(words) and not indented(words) and not _is_address(words):
            break
    drafts.reverse()
    if len(drafts) < _FEWEST:
        return []
    for draft in drafts:
        draft.trim(page.text)
    return [_headless(drafts)]


def may_end_in_entries(text: str) -> bool:
    """Whether a text without citations may end in a run of entries; False is certain.

    It looks at all lines from the second on, as the run takes two entries. Those such as
    `1. words` do not count: each needs a citation of its number. The lines must end in LF.
    """
    keyed: list[Draft] = []
    for found in _KEYED.finditer(text):
        start = found.start() + 1
        line_end = text.find("\n", start)
        draft = label_of(text, start, line_end if line_end >= 0 else len(text))
        if draft is not None and draft.kind in KEYED and draft.kind != "listed":
            keyed.append(draft)
    return any(looks_cited(text, each.body, each.end) for each in keyed) or (
        len(keyed) > 0 and has_address(text, keyed[0].body, len(text))
    )


def _is_address(words: str) -> bool:
    return words.lstrip(" \t>-<").startswith(("http://", "https://", "www."))


def _backwards(page: Page) -> Iterator[Line]:
    for block in reversed(page.blocks):
        if block.kind not in ("paragraph", "html"):
            return
        yield from reversed(list(page.lines_of(block, *block.span)))
