"""The rule for contradictions: what it finds and leaves alone, pair by pair, and in reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.files import read_yaml
from deepassay.models.quotes import find_quote
from deepassay.protocols.pointwise.offline_consistency import contradictions_by_rule
from deepassay.reports.perturb import perturb, random_for
from deepassay.reports.report import Report
from tests.growth import assert_linear

PAIRS: list[dict[str, Any]] = read_yaml(
    (Path(__file__).parent / "fixtures" / "contradictions.yaml").read_text(encoding="utf-8")
)
FILLER = (
    "The village bakery opens before dawn.",
    "Swallows return to the barn every spring.",
    "A narrow lane leads down to the harbour.",
    "Old maps show a mill beside the stream.",
)


def report_with(first: str, second: str) -> Report:
    return Report(
        f"# Findings\n\n## One part\n\n{FILLER[0]} {first} {FILLER[1]}\n\n"
        f"## Another part\n\n{FILLER[2]} {second} {FILLER[3]}\n"
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["id"])
def test_pairs_of_the_fixture_are_told_apart_as_it_says(pair: dict[str, Any]) -> None:
    found = contradictions_by_rule(report_with(*pair["says"])).issues
    assert bool(found) == (pair["disagree"] and pair.get("rule", True)), found


def test_both_statements_are_quoted_with_their_citations_as_the_report_has_them() -> None:
    report = report_with(
        "**Ridership** of the Lyon tram rose 8% in 2022 [1].",
        "Ridership of the Lyon tram rose 14% in 2022 [2].",
    )
    (issue,) = contradictions_by_rule(report).issues
    assert issue.quote == "**Ridership** of the Lyon tram rose 8% in 2022 [1]."
    assert issue.other_quote == "Ridership of the Lyon tram rose 14% in 2022 [2]."
    assert "8%" in issue.problem and "14%" in issue.problem


def test_lines_of_data_on_several_things_are_no_contradictions() -> None:
    rows = "\n".join(
        f"- Retail price per bag at the shop counter in town: ${price}.00" for price in range(4, 9)
    )
    assert not contradictions_by_rule(Report(f"# Prices\n\n{rows}\n")).issues


def test_what_stands_under_the_headings_of_two_products_is_of_two_products() -> None:
    report = Report(
        "# Phones\n\n## Borealis\n\nThe Borealis lasts 14 hours on a single charge in the test.\n\n"
        "## Meridian\n\nIt lasts 9 hours on a single charge in the test.\n"
    )
    assert not contradictions_by_rule(report).issues


def test_the_number_of_contradictions_does_not_depend_on_the_order_of_sections() -> None:
    sections = [
        f"## Part {number}\n\n{first}\n\n{second}\n\n"
        for number, (first, second) in enumerate(pair["says"] for pair in PAIRS)
    ]
    one = contradictions_by_rule(Report("# All\n\n" + "".join(sections)))
    other = contradictions_by_rule(Report("# All\n\n" + "".join(reversed(sections))))
    assert len(one.issues) == len(other.issues) > 10


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.sampled_from([said for pair in PAIRS for said in pair["says"]] + ["\n\n", "## H\n\n"]),
        max_size=14,
    )
)
def test_every_quote_stands_in_the_report(parts: list[str]) -> None:
    report = Report(" ".join(parts))
    for issue in contradictions_by_rule(report).issues:
        assert find_quote(report.text, issue.quote)
        assert find_quote(report.text, issue.other_quote)
        assert issue.quote != issue.other_quote


@pytest.mark.parametrize(
    "piece",
    [
        "Sales rose 5% in 2021. ",
        "1 2 3, 4 to 5 ",
        "不" * 20 + "3%,",
        "- A: 1\n",
        "w{n} market share of w{n} is {n}% today. ",
        "no no not never ",
        "12:30 2024-01-02 ",
    ],
)
def test_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    def made(size: int) -> Report:
        unit = [piece.replace("{n}", str(number % 3000)) for number in range(size // len(piece))]
        report = Report("".join(unit))
        assert report.statements is not None
        return report

    assert_linear(contradictions_by_rule, made, 240_000)


def test_contradictions_planted_in_real_reports_are_found_in_four_of_five(shared: Path) -> None:
    found = planted = 0
    for path in sorted((shared / "data" / "live" / "reports").glob("*.md")):
        report = Report(path.read_text(encoding="utf-8"))
        before = len(contradictions_by_rule(report).issues)
        changed = perturb(
            report, "plant-contradiction", random_for(1, report, "plant-contradiction")
        )
        shuffled = perturb(report, "shuffle-sections", random_for(1, report, "shuffle-sections"))
        if changed is not None:
            planted += 1
            found += len(contradictions_by_rule(changed.report).issues) > before
        if shuffled is not None:
            assert len(contradictions_by_rule(shuffled.report).issues) == before, path.name
    assert planted >= 35
    assert found >= 0.8 * planted
