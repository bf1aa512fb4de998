"""Citations that lost their raising: `Boats are fast.1 Sails, too.2, 3`, as exported files have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepassay.reports.citations import Citation, Labels, Superscript, expand, keys
from deepassay.reports.forms import is_marker
from deepassay.reports.markdown import Block
from deepassay.reports.sentences import BEFORE_NUMBERS
from deepassay.reports.spans import Span
from deepassay.text import HAN

_FEWEST = 2
_NUMBERS = r"(\d{1,3}(?:[,，]\s?\d{1,3}){0,9})"
# After the mark of a sentence, or in Chinese after a blank before it: `增长很快 1。`.
_PLACE = re.compile(
    rf"(?<=[.!?。！？”\"’)）]){_NUMBERS}(?=\s+(?![a-z])|[*_|]|\Z)"
    rf"|(?<=(?![为是第约共达至到于有仅近超])[{HAN}%”）)][ ]){_NUMBERS}(?=[。；])"
)
_BEFORE = re.compile(
    r"(?:([^\W\d_]+)|(?<!\d)(?:19|20)\d\d|[%)）\]”\"’*_℃°])[.!?。！？”\"’)）]{1,3}\Z"
)


def flattened(
    text: str, labels: Labels, blocks: Sequence[Block], citations: list[Citation]
) -> list[Citation]:
    """The citations with plain numbers at the ends of sentences, if that is how a report cites.

    It does if it has no other marker, and if those numbers name at least half of the numbered
    entries with addresses. Decimals (`3.1`) and numbers after short forms (`Fig.1`) are none.
    """
    listed = {label for label in labels.entries if label.isdecimal()}
    if len(listed) < _FEWEST or any(
        isinstance(each, Superscript) or is_marker(text, each) for each in citations
    ):
        return citations
    found = list(_numbers(text, blocks, listed))
    cited = {key for each in found for key in each.keys}
    if len(cited) < _FEWEST or 2 * len(cited) < len(listed):
        return citations
    return sorted([*citations, *found], key=lambda each: each.span)


def _numbers(text: str, blocks: Sequence[Block], listed: set[str]) -> Iterator[Citation]:
    """Every number that may be one, outside code and lines with an address."""
    after, linked = 0, False
    for block in blocks:
        if block.kind in ("code", "rule"):
            continue
        for place in _PLACE.finditer(text, *block.span):
            start, end = place.span()
            if start >= after:  # another line
                line = text.rfind("\n", after, start) + 1 or after
                after = text.find("\n", end) + 1 or len(text) + 1
                linked = text.find("://", line, after) >= 0
            numbers = expand(place[1] or place[2])
            if linked or not numbers or not listed.issuperset(keys(numbers)):
                continue
            before = _BEFORE.search(text[max(block.span.start, start - 40) : start])
            if place[2] or (before and (before[1] or "").lower() not in BEFORE_NUMBERS):
                yield Superscript(Span(start, end), text[start:end], keys(numbers))
