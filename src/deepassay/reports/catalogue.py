"""What there is to say about a rule: its definition, an explanation, the table of all rules."""

from __future__ import annotations

import sys

from deepassay.errors import BadSetting
from deepassay.reports.finding import Rule
from deepassay.reports.rules import RULES, rules


def definition(rule: Rule) -> str:
    """What a rule finds, in one sentence: the first line of its file."""
    return (sys.modules[rule.check.__module__].__doc__ or "").strip().splitlines()[0]


def explain(code: str) -> str:
    """A few lines on one rule, for people.

    Raises BadSetting for a code that no rule has.
    """
    for rule in rules():
        if rule.code == code.strip().upper():
            stands_for = ", ".join(rule.sources) or "a rule of our own"
            repair = "--fix may repair it" if rule.fixable else "to be repaired by hand"
            return (
                f"{rule.code} {rule.name} ({rule.level})\n{definition(rule)}\n{rule.reason}\n"
                f"Stands for: {stands_for}. {repair[0].upper()}{repair[1:]}.\n"
            )
    known = f"{RULES[0].code} to {RULES[-1].code}"
    raise BadSetting(f"There is no rule {code!r}.", f"Codes are {known}; docs/rules.md lists them.")


def rule_table() -> str:
    """All rules as a Markdown table, as it stands in docs/rules.md."""
    rows = [
        "| code | name | what it finds | stands for | level | fix |",
        "|---|---|---|---|---|---|",
    ]
    for rule in RULES:
        repair = "yes" if rule.fixable else ""
        sources = ", ".join(rule.sources)
        found = definition(rule).replace("|", "\\|")
        rows.append(
            f"| {rule.code} | {rule.name} | {found} | {sources} | {rule.level} | {repair} |"
        )
    return "\n".join(rows) + "\n"
