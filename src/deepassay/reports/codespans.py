"""Code spans: the parts of a paragraph or table in which nothing is a citation."""

from __future__ import annotations

import re

from deepassay.reports.spans import Span

_TICKS = re.compile(r"\\?(`+)")


def code_spans(text: str, start: int, end: int) -> list[Span]:
    """Code spans in `text[start:end]`: a run of backticks up to the next run as long as it."""
    if text.find("`", start, end) < 0:
        return []
    runs = [_opening(found) for found in _TICKS.finditer(text, start, end)]
    later: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[index].end - runs[index].start, []).append(index)
    spans: list[Span] = []
    at = 0
    while at < len(runs):
        run = runs[at]
        same = later[run.end - run.start]
        while same and same[-1] <= at:
            same.pop()
        if same and run.end > run.start:
            closing = same.pop()
            spans.append(Span(run.start, runs[closing].end))
            at = closing + 1
        else:
            at += 1
    return spans


def _opening(found: re.Match[str]) -> Span:
    escaped = found[0][0] == "\\"
    return Span(found.start(1) + escaped, found.end(1))
