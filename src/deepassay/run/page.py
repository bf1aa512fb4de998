"""The page of results of run files: what it needs is gathered here, and the file is written."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path

from deepassay import __version__
from deepassay.errors import BadInput
from deepassay.models.fence import place_of_quote
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.results.agents import taken
from deepassay.results.explain import SourcePage, explain
from deepassay.results.page.content import Content, JudgedText, LintRemark, RunFacts
from deepassay.results.page.rendering import page
from deepassay.results.ranking import rank
from deepassay.run.about import about
from deepassay.run.output import check_output, replacing
from deepassay.run.records import measure, records_of
from deepassay.runfile import RunFile, StoredReport
from deepassay.score import digest

KEPT = 64
"""Pages held ready: the findings of a report come back to the few that it cites."""


class RunArchive:
    """The pages of several run files, looked up by the names of their snapshots."""

    def __init__(self, runs: Sequence[RunFile]) -> None:
        self._runs = runs
        self.page = lru_cache(maxsize=KEPT)(self._page)

    def place(self, text: str, quote: str) -> tuple[int, int] | None:
        """Where a quote stands in a text, blanks and typography aside."""
        return place_of_quote(text, quote)

    def _page(self, snapshot: str) -> SourcePage | None:
        for run in self._runs:
            found = run.captures.to_read(snapshot)
            if found is not None and found.text is not None:
                return SourcePage(found.url, found.title, found.fetched, found.text)
        return None


def write_page(
    paths: Sequence[Path], output: Path, *, force: bool = False, allow_mixed: bool = False
) -> int:
    """Write the page of several run files; its size in bytes. Nothing is fetched or asked.

    Raises BadSetting if `output` is there (unless `force`) or cannot be written, BadRunFile for a
    run that cannot be read, BadInput if runs have different reports of one agent for one task.
    """
    check_output(output, paths, force=force)
    records = records_of(paths)
    boards = rank(records, allow_mixed=allow_mixed)
    with ExitStack() as stack:
        runs = [stack.enter_context(RunFile.read(path)) for path in paths]
        tasks = {name: task for run in runs for name, task in about(run).tasks.items()}
        reports = _reports(runs)
        content = Content(
            boards,
            records,
            {name: task.prompt for name, task in tasks.items()},
            [_read(each) for each in reports],
            [_facts(run) for run in runs],
            RunArchive(runs),
            __version__,
            [measure(each, dict(tasks[each.task].labels)) for each in reports],
            taken(each for run in runs for each in run.answering.runs()),
        )
        fresh = stack.enter_context(replacing(output))
        with fresh.open("w", encoding="utf-8", newline="") as file:
            file.writelines(page(content))
        return fresh.stat().st_size


def explained(path: Path, agent: str, task: str, protocol: str | None = None) -> str:
    """The evidence behind the scores of one report as text; raises as `explain` does."""
    with RunFile.read(path) as run:
        return explain(records_of([path]), agent, task, protocol, RunArchive([run]))


def _reports(runs: Sequence[RunFile]) -> list[Report]:
    """Every report once."""
    found: dict[tuple[str, str, int], StoredReport] = {}
    for run in runs:
        for report in run.reports():
            place = (report.agent, report.task, report.sample)
            if digest(found.setdefault(place, report).text) != digest(report.text):
                raise BadInput(
                    f"The runs hold different reports of {report.agent} for {report.task}.",
                    "Make a page of each run.",
                )
    return [Report(each.text, each.agent, each.task, each.sample) for each in found.values()]


def _read(report: Report) -> JudgedText:
    """A report with its mechanical findings."""
    remarks = tuple(
        LintRemark(
            finding.code,
            finding.message,
            finding.rule.reason,
            finding.span.start,
            finding.span.end,
            finding.line,
        )
        for finding in lint(report)
    )
    statements = {each.text: (each.span.start, each.span.end) for each in report.statements}
    return JudgedText(report.agent, report.task, report.sample, report.text, remarks, statements)


def _facts(run: RunFile) -> RunFacts:
    return RunFacts(
        run.path.name, run.configuration, run.spent(), run.unpriced(), run.usage(), run.attempts()
    )
