"""How long the reports of runs are: characters, words, tokens, citations and references."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deepassay.models.usage import estimate_tokens
from deepassay.reports.report import Report
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.run.showing.yardsticks import about
from deepassay.runfile import RunFile
from deepassay.text import count_words, match_url

_BEGINS: Final = re.compile(r"https?://|www\.", re.IGNORECASE)


def measured_reports(paths: Sequence[Path]) -> list[MeasuredReport]:
    """Every report of the run files; one that stands in several of them counts once."""
    found: dict[tuple[str, str, int, str], MeasuredReport] = {}
    for path in paths:
        with RunFile.read(path) as run:
            tasks = about(run).tasks
            for stored in run.reports():
                report = Report(stored.text, stored.agent, stored.task, stored.sample)
                key = (report.agent, report.task, report.sample, report.digest)
                if key not in found:
                    found[key] = measure(report, dict(tasks[report.task].labels))
    return list(found.values())


def measure(report: Report, labels: dict[str, str]) -> MeasuredReport:
    """The lengths of one report. labels: of its task."""
    return MeasuredReport(
        agent=report.agent,
        task=report.task,
        sample=report.sample,
        labels=labels,
        whole=lengths_of(report.text),
        bare=lengths_of(text_without_addresses(report.text)),
        citations=len(report.citations),
        references=len(report.references),
    )


def lengths_of(text: str) -> Length:
    """Characters, words and estimated tokens; each East Asian character is a word."""
    return Length(len(text), count_words(text), estimate_tokens(text) if text else 0)


def text_without_addresses(text: str) -> str:
    """The text with every web address taken out, also those that links lead to."""
    kept: list[str] = []
    at = begin = 0
    while found := _BEGINS.search(text, begin):
        begin = found.end()
        stop = match_url(text, found.start(), len(text))
        if stop is not None:
            kept.append(text[at : found.start()])
            at = begin = stop
    return "".join([*kept, text[at:]])
