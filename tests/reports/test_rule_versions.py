"""Rules that decide scores have versions, which are part of the recipe: see `Protocol.rules`."""

from pathlib import Path

from deepassay.protocols.error_patterns.error_patterns import ErrorPatterns
from deepassay.protocols.presentation import Presentation
from deepassay.protocols.race.race import Race
from deepassay.reports.clean import CLEANING, clean
from deepassay.reports.lint import LINTING, lint
from deepassay.reports.report import Report
from deepassay.score import digest

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

# After a change of what the rules give: raise the version beside them, then change this line.
# Where only a fixture was added or edited, change the digest alone.
LINTED = (1, "5604d9aa9ed5")
CLEANED = (1, "76c4879c00c4")


def test_what_lint_rules_find_changes_with_their_version_only():
    found = [
        [[each.code, each.span.start, each.span.end, each.message] for each in lint(Report(text))]
        for text in TEXTS
    ]
    assert sum(map(len, found)) > 100
    assert (LINTING, digest(found)[:12]) == LINTED


def test_what_cleaning_leaves_changes_with_its_version_only():
    assert (CLEANING, digest([clean(text) for text in TEXTS])[:12]) == CLEANED


def test_protocols_name_the_rules_that_decide_their_scores():
    assert Presentation(mechanical=True).rules == ErrorPatterns().rules == {"lint": LINTING}
    assert Race().rules == {"clean": CLEANING}
    assert Presentation().rules == Race(cleaning="none").rules == {}
