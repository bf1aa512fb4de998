"""Findings as SARIF 2.1.0, the format that code hosts and editors read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import deepassay
from deepassay.reports.catalogue import definition
from deepassay.reports.finding import Finding, Rule
from deepassay.reports.rules import rules

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def as_sarif(findings: Sequence[Finding]) -> str:
    """A log with one run. Columns and offsets count code points, as everywhere in DeepAssay."""
    driver = {
        "name": "deepassay",
        "version": deepassay.__version__,
        "rules": [_rule(rule) for rule in rules()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\r", "\n"],
        "results": [_result(finding) for finding in findings],
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


def _result(finding: Finding) -> dict[str, Any]:
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
        "ruleIndex": rules().index(finding.rule),
        "level": finding.rule.level,
        "message": {"text": finding.message},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}},
        ],
    }
