"""The report without citations and reference lists, and otherwise as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.reports.removal import blank_before, removals, shortened_citation
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span, apply

CLEANING: Final = 4
"""Version: raise it by one after a change of what `clean` gives for any text."""

MOST_PASSES: Final = 5

_RULE = re.compile(r"[\r\n][ \t]*(?:-[ \t]*){3,}\Z")


def clean(report: Report | str) -> str:
    """The text without markers, links' addresses and reference lists; nothing else changes.

    Words of a link that belong to its sentence stay, and of an address the host. The blank before
    a marker goes with it where the sentence needs none, and so do brackets that held nothing else.

    What is gone can make a citation of what was none, such as a name and a year once no number is
    left: a text is read again until it holds nothing, MOST_PASSES times at most.
    """
    return (Report(report) if isinstance(report, str) else report).once(_cleaned)


def _cleaned(report: Report) -> str:
    for _ in range(MOST_PASSES):
        cited = map(shortened_citation, report.citations)
        edits = (*list_removals(report, report.list_spans), *removals(report.text, [*cited]))
        if not edits:
            break
        report = Report(apply(report.text, (Edit(*each) for each in edits)))
    return report.text


def list_removals(report: Report, lists: Sequence[Span]) -> Iterator[tuple[Span, str]]:
    """The lists, each with the blank lines before it; the rule above the last ones goes too."""
    ending = len(report.text)
    for span in reversed(lists):
        start = blank_before(report.text, span.start)
        if not report.text[span.end : ending].strip():
            rule = _RULE.search(report.text, max(0, start - 80), start)
            start = ending = blank_before(report.text, rule.start()) if rule else start
        yield Span(start, span.end), ""
