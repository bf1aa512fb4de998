"""The report without citations and reference lists, and otherwise as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deepassay.reports.removal import blank_before, removals
from deepassay.reports.report import Report
from deepassay.reports.spans import Span

CLEANING: Final = 2
"""Version: raise it by one after a change of what `clean` gives for any text."""

_RULE = re.compile(r"[\r\n][ \t]*(?:-[ \t]*){3,}\Z")


def clean(report: Report | str) -> str:
    """The text without markers, links' addresses and reference lists; nothing else changes.

    Words of a link that belong to its sentence stay. The blank before a marker goes with it
    where the sentence needs none, and so do brackets that held nothing else.
    """
    if isinstance(report, str):
        report = Report(report)
    text = report.text
    pieces = []
    at = 0
    for (start, end), words in sorted([*_lists(report), *removals(text, report.citations)]):
        if start > at:
            pieces.append(text[at:start])
        if end > at:
            pieces.append(words)
            at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _lists(report: Report) -> Iterator[tuple[Span, str]]:
    """The lists, each with the blank lines before it; the rule above the last ones goes too."""
    ending = len(report.text)
    for span in reversed(report.list_spans):
        start = blank_before(report.text, span.start)
        if not report.text[span.end : ending].strip():
            rule = _RULE.search(report.text, max(0, start - 80), start)
            start = ending = blank_before(report.text, rule.start()) if rule else start
        yield Span(start, span.end), ""
