"""All rules over a report, and the findings as text, as JSON and as SARIF."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from deepassay.reports.finding import Finding, Hit, Rule
from deepassay.reports.report import Report
from deepassay.reports.rules import rules as all_rules
from deepassay.reports.sarif import as_sarif

__all__ = ["as_json", "as_sarif", "as_text", "lint"]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def lint(report: Report, rules: Sequence[Rule] | None = None) -> tuple[Finding, ...]:
    """Findings of the rules, by default of all, in the order of the text. Never raises."""
    chosen = all_rules() if rules is None else rules
    found = [_finding(report, rule, hit) for rule in chosen for hit in rule.check(report)]
    return tuple(sorted(found, key=lambda each: (each.span, each.code)))


def _finding(report: Report, rule: Rule, hit: Hit) -> Finding:
    return Finding(
        rule,
        hit.message,
        hit.span,
        report.path or "",
        *report.lines.place(hit.span.start),
        *report.lines.place(hit.span.end),
    )


def as_text(findings: Sequence[Finding], reports: int | None = None) -> str:
    """One line a finding, `path:line:column CODE message`, and a summary at the end.

    reports: how many were read, for the summary. Control characters in paths are left out.
    """
    if not findings and reports is not None:
        return f"no findings in {_count(reports, 'report')}\n"
    lines = [
        f"{_CONTROL.sub('', each.path) or '-'}:{each.line}:{each.column} {each.code} {each.message}"
        for each in findings
    ]
    affected = len({each.path for each in findings})
    fixable = sum(each.rule.fixable for each in findings)
    of_all = "" if reports in (None, affected) else f" of {reports}"
    summary = f"{_count(len(findings), 'finding')} in {affected}{of_all} report"
    summary += "" if (affected if reports is None else reports) == 1 else "s"
    if fixable:
        summary += f"; {fixable} of a kind that --fix may repair"
    return "\n".join([*lines, summary]) + "\n"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def as_json(findings: Sequence[Finding]) -> str:
    """The findings as JSON; docs/rules.md describes the shape."""
    rows = [
        {
            "code": each.code,
            "name": each.rule.name,
            "level": each.rule.level,
            "message": each.message,
            "path": each.path,
            "line": each.line,
            "column": each.column,
            "end_line": each.end_line,
            "end_column": each.end_column,
            "start": each.span.start,
            "end": each.span.end,
            "sources": list(each.rule.sources),
            "fixable": each.rule.fixable,
        }
        for each in findings
    ]
    return json.dumps({"version": 1, "findings": rows}, ensure_ascii=False, indent=2) + "\n"
