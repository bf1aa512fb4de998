"""A report as it was judged: its text, what code finds in it, and where its statements are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deepassay.reports.lint import lint
from deepassay.reports.report import Report


@dataclass(frozen=True)
class LintRemark:
    """A mechanical finding in a report. start, end: characters of its text. line: from 1."""

    code: str
    message: str
    reason: str
    start: int
    end: int
    line: int


@dataclass(frozen=True)
class JudgedText:
    """A report as it was judged. statements: where those begin and end that it makes, by their
    wording without citations.
    """

    report: Report
    remarks: tuple[LintRemark, ...] = ()
    statements: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The report as it was written."""
        return self.report.text


def judged_text(report: Report) -> JudgedText:
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
    return JudgedText(report, remarks, statements)
