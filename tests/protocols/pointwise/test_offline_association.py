"""The rule for claims without a source: which it names, and which it knows to be covered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.files import read_yaml
from deepassay.models.quotes import find_quote
from deepassay.protocols.pointwise.offline_association import uncited_by_rule
from deepassay.protocols.pointwise.penalties import PUBLISHED, table
from deepassay.reports.perturb import perturb, random_for
from deepassay.reports.report import Report
from tests.growth import assert_linear

CASES: list[dict[str, Any]] = read_yaml(
    (Path(__file__).parent / "fixtures" / "uncited.yaml").read_text(encoding="utf-8")
)
SOURCES = "\n\n## Sources\n\n[1] A. https://a.example/1\n\n[2] B. https://b.example/2\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_claims_of_the_fixture_lack_a_source_as_it_says(case: dict[str, Any]) -> None:
    text = f"# Trams\n\n## Lines\n\n{case['text']}"
    issues = uncited_by_rule(Report(text + SOURCES * ("[1]" in text))).issues
    assert len(issues) == len(case["lacking"]), issues
    for issue, beginning in zip(issues, case["lacking"], strict=True):
        assert issue.quote.startswith(beginning)
        assert issue.kind == "uncited"


def test_the_more_citations_go_the_more_claims_are_named() -> None:
    claims = [
        f"Line {number} carried {number + 3} million people in {2000 + number}"
        for number in range(1, 13)
    ]
    counts = []
    for cited in (12, 8, 4, 1):
        lines = [f"- {claim} {'[1]' * (at < cited)}." for at, claim in enumerate(claims)]
        counts.append(len(uncited_by_rule(Report("\n".join(lines) + SOURCES)).issues))
    assert counts == sorted(set(counts))
    assert counts[0] == 0


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.sampled_from([case["text"] for case in CASES] + ["\n\n", "## H\n\n", "[1]", "| a |\n"]),
        max_size=10,
    )
)
def test_every_quote_stands_in_the_report(parts: list[str]) -> None:
    report = Report("".join(parts) + SOURCES)
    for issue in uncited_by_rule(report).issues:
        assert find_quote(report.text, issue.quote)


@pytest.mark.parametrize(
    "piece",
    [
        "Sales rose 5% in 2021. ",
        "Sales rose {n}% in 2021 [1].\n\n",
        "| a • 5% | b [1] • 6% |\n",
        "no dogs and 5%, ",
        "12:30 2024-01-02 ",
        "- lines 5 km\n  - of 6 km\n",
        "# Scope\n\nx 5%\n\n",
    ],
)
def test_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    def made(size: int) -> Report:
        unit = [piece.replace("{n}", str(number % 3000)) for number in range(size // len(piece))]
        head = "| a | b |\n|---|---|\n" * piece.startswith("|")
        report = Report(head + "".join(unit) + SOURCES)
        assert report.statements is not None
        return report

    assert_linear(uncited_by_rule, made, 240_000)


def test_half_of_the_citations_lowers_the_score_of_four_real_reports_in_five(shared: Path) -> None:
    steps = table(PUBLISHED)
    lower = reports = 0
    for path in sorted((shared / "data" / "live" / "reports").glob("*.md")):
        report = Report(path.read_text(encoding="utf-8"))
        before = len(uncited_by_rule(report).issues)
        deleted = perturb(report, "delete-citations", random_for(1, report, "delete-citations"))
        shuffled = perturb(report, "shuffle-sections", random_for(1, report, "shuffle-sections"))
        assert deleted is not None
        reports += 1
        lower += steps.score(len(uncited_by_rule(deleted.report).issues)) < steps.score(before)
        if shuffled is not None:
            assert len(uncited_by_rule(shuffled.report).issues) == before, path.name
    assert reports == 40
    assert lower >= 0.8 * reports
