"""How long the reports of runs are: characters, words, tokens, citations and references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.models.usage import estimate_tokens
from deepassay.reports.report import Report
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.run.showing.yardsticks import about
from deepassay.runfile import RunFile
from deepassay.text import count_words, match_url

_BEGINS: Final = re.compile(r"https?://|www\.", re.IGNORECASE)


class MeasuredRuns(NamedTuple):
    """The reports of run files.

    reports: those that say something, measured. empty: how many say nothing, by agent: they have
    no length, as they have no score.
    """

    reports: list[MeasuredReport]
    empty: Mapping[str, int]


def measured_runs(paths: Sequence[Path]) -> MeasuredRuns:
    """Every report of the run files; one that stands in several of them counts once."""
    found: dict[tuple[str, str, int, str], MeasuredReport | None] = {}
    for path in paths:
        with RunFile.read(path) as run:
            tasks = about(run).tasks
            for stored in run.reports():
                report = Report(stored.text, stored.agent, stored.task, stored.sample)
                key = (report.agent, report.task, report.sample, report.digest)
                if key not in found:
                    labels = dict(tasks[report.task].labels)
                    found[key] = None if report.is_empty else measure(report, labels)
    measured = [each for each in found.values() if each is not None]
    return MeasuredRuns(measured, Counter(key[0] for key, each in found.items() if each is None))


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
