"""All rules over a report; the findings as text, JSON and SARIF; what there is to say of a rule."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Container, Sequence
from typing import Any
from urllib.parse import quote

import deepassay
from deepassay.errors import BadSetting, Notice
from deepassay.plugins import code_of, error_in_one_line
from deepassay.reports.finding import Finding, Hit, Rule
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES
from deepassay.reports.rules import rules as all_rules

__all__ = ["as_json", "as_sarif", "as_text", "lint"]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def lint(report: Report, rules: Sequence[Rule] | None = None) -> tuple[Finding, ...]:
    """Findings of the rules, by default of all, in the order of the text. Never raises.

    Of a rule of another package that fails on this report, a Notice tells.
    """
    chosen = all_rules() if rules is None else rules
    found = [finding for rule in chosen for finding in _findings(report, rule)]
    return tuple(sorted(found, key=lambda each: (each.span, each.code)))


def _findings(report: Report, rule: Rule) -> list[Finding]:
    try:
        return [_finding(report, rule, hit) for hit in rule.hits(report)]
    except Exception as error:  # whatever the code of others does
        if rule.check.__module__.partition(".")[0] == "deepassay":
            raise
        where = code_of(rule.check) or rule.check.__module__
        warnings.warn(
            Notice(
                f"{report.path or 'a report'}: the rule {rule.code} ({where}) failed, and is left "
                f"out: {error_in_one_line(error)}"
            ),
            stacklevel=3,
        )
        return []


def _finding(report: Report, rule: Rule, hit: Hit) -> Finding:
    return Finding(
        rule,
        hit.message,
        hit.span,
        report.path or "",
        *report.lines.place(hit.span.start),
        *report.lines.place(hit.span.end),
        report.agent,
        report.task,
        report.sample,
    )


def as_text(
    findings: Sequence[Finding],
    reports: int | None = None,
    shared: Container[str] = (),
    repairable: Container[str] | None = None,
) -> str:
    """One line a finding, `path:line:column CODE message`, and a summary at the end.

    reports: how many were read, for the summary. shared: paths that several reports have, behind
    whose messages stands which one is meant. repairable: paths whose findings may be repaired, None
    for all. Control characters in names are left out.
    """
    if not findings and reports is not None:
        return f"no findings in {_count(reports, 'report')}\n"
    lines = [
        _bare(each.path or "-")
        + f":{each.line}:{each.column} {each.code} {each.message}"
        + (_bare(_whose(each)) if each.path in shared and (each.agent or each.task) else "")
        for each in findings
    ]
    affected = len({each.report for each in findings})
    fixable = sum(_is_fixable(each, repairable) for each in findings)
    notes = sum(each.rule.level == "note" for each in findings)
    of_them = f", {notes} of them {'a note' if notes == 1 else 'notes'}," if notes else ""
    of_all = "" if reports in (None, affected) else f" of {reports}"
    summary = f"{_count(len(findings), 'finding')}{of_them} in {affected}{of_all} report"
    summary += "" if (affected if reports is None else reports) == 1 else "s"
    if fixable:
        summary += f"; {fixable} of a kind that --fix may repair"
    return "\n".join([*lines, summary]) + "\n"


def _is_fixable(finding: Finding, repairable: Container[str] | None) -> bool:
    return finding.rule.fixable and (repairable is None or finding.path in repairable)


def _bare(name: str) -> str:
    return _CONTROL.sub("", name)


def _whose(finding: Finding) -> str:
    """Which of the reports of one place is meant: ` (tern on q1)`, ` (tern on q1, sample 2)`."""
    sample = f", sample {finding.sample}" if finding.sample > 1 else ""
    return f" ({finding.agent} on {finding.task}{sample})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def as_json(findings: Sequence[Finding], repairable: Container[str] | None = None) -> str:
    """The findings as JSON; docs/rules.md describes the shape. repairable: as in `as_text`."""
    rows = [
        {
            "code": each.code,
            "name": each.rule.name,
            "level": each.rule.level,
            "message": each.message,
            "path": each.path,
            "agent": each.agent,
            "task": each.task,
            "sample": each.sample,
            "line": each.line,
            "column": each.column,
            "end_line": each.end_line,
            "end_column": each.end_column,
            "start": each.span.start,
            "end": each.span.end,
            "sources": list(each.rule.sources),
            "fixable": _is_fixable(each, repairable),
        }
        for each in findings
    ]
    return json.dumps({"version": 1, "findings": rows}, ensure_ascii=False, indent=2) + "\n"


def definition(rule: Rule) -> str:
    """What a rule finds, in one sentence: the first line of what its check, or its file, says."""
    said = rule.check.__doc__ or sys.modules[rule.check.__module__].__doc__ or ""
    return said.strip().partition("\n")[0]


def explain_rule(code: str) -> str:
    """A few lines on one rule, for people.

    Raises BadSetting for a code that no rule has.
    """
    from deepassay.reports.papers import contradicted_by

    for rule in (*all_rules(), contradicted_by({})):
        if rule.code == code.strip().upper():
            stands_for = ", ".join(rule.sources) or "a rule of our own"
            repair = "--fix may repair it" if rule.fixable else "to be repaired by hand"
            options = ", ".join(f"{name} = {value}" for name, value in rule.options.items())
            told = (
                f" Options in assay.toml, below [lint.{rule.code}]: {options}." if options else ""
            )
            return (
                f"{rule.code} {rule.name} ({rule.level})\n{definition(rule)}\n{rule.reason}\n"
                f"Stands for: {stands_for}. {repair[0].upper()}{repair[1:]}.{told}\n"
            )
    known = f"{RULES[0].code} to {RULES[-1].code}"
    raise BadSetting(f"There is no rule {code!r}.", f"Codes are {known}; docs/rules.md lists them.")


def rule_table() -> str:
    """All rules as a Markdown table, as it stands in docs/rules.md."""
    rows = [
        "| code | name | what it finds | stands for | level | fix | options |",
        "|---|---|---|---|---|---|---|",
    ]
    for rule in RULES:
        repair = "yes" if rule.fixable else ""
        sources = ", ".join(rule.sources)
        found = definition(rule).replace("|", "\\|")
        options = ", ".join(f"`{name} = {value}`" for name, value in rule.options.items())
        cells = (rule.code, rule.name, found, sources, rule.level, repair, options)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def as_sarif(findings: Sequence[Finding]) -> str:
    """A log with one run. Columns and offsets count code points, as everywhere in DeepAssay.

    Whose report a finding is about stands in its properties: agent, task and sample.
    """
    by_code = {each.code: each for each in (*all_rules(), *(each.rule for each in findings))}
    codes, rules = [*by_code], [*by_code.values()]
    driver = {
        "name": "deepassay",
        "version": deepassay.__version__,
        "rules": [_rule(rule) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\r", "\n"],
        "results": [_result(finding, codes) for finding in findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": definition(rule)},
        "fullDescription": {"text": rule.reason},
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": list(rule.sources)},
    }


def _result(finding: Finding, codes: Sequence[str]) -> dict[str, Any]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
        "charOffset": finding.span.start,
        "charLength": finding.span.end - finding.span.start,
    }
    uri = quote(finding.path.replace("\\", "/"), safe="/~", errors="replace")
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": finding.rule.level,
        "message": {"text": finding.message},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}},
        ],
        "properties": {"agent": finding.agent, "task": finding.task, "sample": finding.sample},
    }
