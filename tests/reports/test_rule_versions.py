"""Rules that decide scores have versions, which are part of the recipe: see `Protocol.rules`."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from deepassay.protocols.error_patterns import PATTERNS, ErrorPatterns
from deepassay.protocols.presentation import by_rule as mechanical
from deepassay.protocols.presentation.by_rule import BEARING_ON
from deepassay.protocols.presentation.protocol import Presentation
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.race.protocol import Race
from deepassay.protocols.registry import PROTOCOLS, parse
from deepassay.reports import rules
from deepassay.reports.clean import CLEANING, clean
from deepassay.reports.finding import Hit, Rule
from deepassay.reports.lint import as_sarif, explain_rule, lint
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES, rules_of_codes, versions
from deepassay.reports.spans import Span
from deepassay.score import digest
from deepassay.tasks.task import Task
from tests.protocols.judges import NO_SOURCES, ByRule

REPOSITORY = Path(__file__).parents[2]
TEXTS = [
    path.read_text("utf-8")
    for folder in (
        "tests/reports/fixtures",
        "tests/reports/rules/fixtures",
        "examples/demo/reports",
    )
    for path in sorted((REPOSITORY / folder).rglob("*.md"))
]

CASE = re.compile(r"^~~~~ report\n(.*?)~~~~$", re.DOTALL | re.MULTILINE)
CASES = [text for document in TEXTS for text in CASE.findall(document)]

# Version of each rule and digest of what it finds in these texts. After a change of what a rule
# finds: raise its version, then write here what the test prints. Where only a fixture was added or
# edited, the digests alone.
LINTED = Path(__file__).with_name("rule_versions.json")
CLEANED = (4, "a891abf32c98")


@pytest.fixture
def eager(monkeypatch):
    """A rule that is added to all others; it finds fault with every report."""
    rule = Rule("DA499", "eager", "None.", ("P9", "G18"), lambda _: [Hit(Span(0, 1), "a fault")])
    monkeypatch.setattr(rules, "RULES", (*RULES, rule))
    rules.rules.cache_clear()
    yield rule
    rules.rules.cache_clear()


def written(found):
    lines = (f'  "{code}": {json.dumps(line)}' for code, line in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def test_what_a_rule_finds_changes_with_its_version_only():
    reports = [Report(text) for text in (*TEXTS, *CASES)]
    found = {}
    for rule in RULES:
        hits = [
            [[each.span.start, each.span.end, each.message] for each in lint(report, [rule])]
            for report in reports
        ]
        assert any(hits), rule.code
        found[rule.code] = [rule.version, digest(hits)[:12]]
    if found != json.loads(LINTED.read_text("utf-8")):
        pytest.fail(f"{LINTED.name} is to say:\n{written(found)}")


def test_what_cleaning_leaves_changes_with_its_version_only():
    assert (CLEANING, digest([clean(text) for text in TEXTS])[:12]) == CLEANED


def test_protocols_name_the_rules_that_decide_their_scores():
    of_patterns = {code for key in PATTERNS for code in mechanical.DECIDING[key]}
    of_checks = {code for key in mechanical.MECHANICAL for code in mechanical.DECIDING[key]}
    of_checks |= {code for codes in BEARING_ON.values() for code in codes}
    assert ErrorPatterns().rules == versions(rules_of_codes(of_patterns))
    assert Presentation(mechanical=True).rules == versions(rules_of_codes(of_checks))
    assert {"DA105", "DA402"}.isdisjoint(of_patterns | of_checks)
    assert Race().rules == {"clean": CLEANING}
    assert Presentation().rules == Race(cleaning="none").rules == {}


def test_a_rule_decides_what_it_says_that_it_stands_for():
    stands_for = {(source.lower(), rule.code) for rule in RULES for source in rule.sources}
    decides = {(key, code) for key, codes in mechanical.DECIDING.items() for code in codes}
    assert decides == stands_for


def test_a_rule_that_is_added_changes_no_recipe_and_no_score(eager):
    report = Report("# A\n\nB is a boat.\n")
    assert eager in [each.rule for each in lint(report)]
    chosen = [*parse("presentation(mechanical=True)"), *(p for n in PROTOCOLS for p in parse(n))]
    assert not [protocol for protocol in chosen if eager.code in protocol.rules]
    case = Case(Task(id="t1", prompt="Which boats?"), report)
    for protocol in (Presentation(mechanical=True), ErrorPatterns()):
        score = asyncio.run(protocol.score(case, RoleAskers.alone(ByRule()), NO_SOURCES))
        assert eager.code not in json.dumps(score.details)
        assert "a fault" not in json.dumps(score.details)


def test_a_rule_that_is_added_is_explained_and_written_as_sarif(eager):
    log = json.loads(as_sarif(lint(Report("# A [1]\n"))))
    result = log["runs"][0]["results"][0]
    driver = log["runs"][0]["tool"]["driver"]
    assert driver["rules"][result["ruleIndex"]]["id"] == eager.code
    assert explain_rule("da499").startswith("DA499 eager")
