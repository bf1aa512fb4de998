import pytest

from deepassay.protocols.fact.pairs import (
    CitedPair,
    is_claim,
    leads_somewhere,
    mechanical_pairs,
    merged_by_rule,
)
from deepassay.reports.report import Report

REPORT = """# Storage

Grids stored 3.5 GW in 2023 [1][2]. Costs fell by half [2].

Nothing is known about 2024 [7].

| Region | Capacity | Source |
|---|---|---|
| Texas | 3.5 GW | [1] |
| California, by far the largest market of all | 7 GW [2] | |

## References

[1] Operator, https://operator.example/a#part
[2] Ministry, https://Ministry.example
"""

OPERATOR, MINISTRY = "https://operator.example/a", "https://ministry.example/"


def pairs_of(*statements, url="u"):
    return [CitedPair(each, url, (place,)) for place, each in enumerate(statements)]


def test_every_statement_comes_with_each_address_that_it_is_cited_to():
    found = [(pair.statement, pair.url) for pair in mechanical_pairs(Report(REPORT))]
    assert found[:3] == [
        ("Grids stored 3.5 GW in 2023.", OPERATOR),
        ("Grids stored 3.5 GW in 2023.", MINISTRY),
        ("Costs fell by half.", MINISTRY),
    ]


def test_a_short_cell_is_judged_with_its_row():
    cells = [pair.statement for pair in mechanical_pairs(Report(REPORT)) if "|" in pair.statement]
    assert "Region: Texas | Capacity: 3.5 GW" in cells
    assert "Region: California, by far the largest market of all | Capacity: 7 GW" in cells


def test_a_cell_of_a_very_long_row_is_judged_with_the_first_cell_only():
    cells = [f"{n} [1](https://a.example/)" for n in range(200)]
    table = f"|{' h |' * 201}\n|{'---|' * 201}\n| Texas | {' | '.join(cells)} |\n"
    pairs = mechanical_pairs(Report(table))
    assert [pair.statement for pair in pairs[:2]] == ["Texas | h: 0", "Texas | h: 1"]


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("**Tuning guide of the ministry**  https://a.example/guide", 0),
        ("URL: https://a.example/guide", 0),
        ("https://a.example/guide", 0),
        ("**Prices fell by half** in 2023 https://a.example/guide", 1),
        ("Prices fell (https://a.example/guide).", 1),
        ("Prices fell [guide](https://a.example/guide).", 1),
    ],
)
def test_a_line_that_only_names_a_page_is_no_statement(line, pairs):
    assert len(mechanical_pairs(Report(f"Storage.\n\n- {line}\n"))) == pairs


def test_places_lead_back_to_the_statements_of_the_report():
    report = Report(REPORT)
    for pair in mechanical_pairs(report):
        assert pair.url in report.statements[pair.places[0]].urls


def test_a_report_most_of_whose_citations_lead_nowhere_is_told_apart():
    assert leads_somewhere(Report(REPORT))
    assert leads_somewhere(Report("No citation at all."))
    assert not leads_somewhere(Report("One [1]. Two [2]. Three https://a.example/ and on."))
    links = "\n".join(f"- **Guide number {n}**  https://a.example/{n}" for n in range(3))
    assert not leads_somewhere(Report(f"The guides tell how pilots tune drones.\n\n{links}"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Solar grew 22 %.", "Solar  grew 22 %"),
        ("The plant closed in 2020.", "the plant closed in 2020"),
        ("太阳能装机容量在2023年增长了22%。", "太阳能装机容量在2023年增长了22%"),
    ],
)
def test_what_differs_in_marks_alone_is_merged_and_the_longest_wording_kept(one, other):
    for pairs in (pairs_of(one, other), pairs_of(other, one)):
        (kept,) = merged_by_rule(pairs)
        assert kept.places == (0, 1)
        assert len(kept.statement) == max(len(one), len(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Solar grew 22% in 2023.", "Solar grew 23% in 2023."),
        ("Solar grew 22% in 2023.", "In 2023 solar grew by 22%."),
        ("Margins were -5 %.", "Margins were 5 %."),
        ("Solar grew 22% in 2023.", "Solar did not grow 22% in 2023."),
        ("Samsung overtook Apple in 2023.", "Apple overtook Samsung in 2023."),
        ("Revenue of the group rose in 2023.", "Revenue of the group fell in 2023."),
        ("Solar grew 22% in 2023.", "Solar grew 22% in Texas in 2023."),
        ("该公司2023年盈利。", "该公司2023年未盈利。"),
        ("三星在2023年超过苹果。", "华为在2023年超过苹果。"),
        (
            "Storage costs in large Texan markets declined sharply since lithium supply recovered.",
            "Storage costs in large Texan markets declined sharply since lithium supply recovered"
            " in Ohio.",
        ),
        (
            "该国电网侧储能装机容量去年首次超过抽水蓄能。",
            "该国电网侧储能装机容量去年首次超过半抽水蓄能。",
        ),
    ],
)
def test_another_number_name_negation_or_direction_is_another_fact(one, other):
    assert len(merged_by_rule(pairs_of(one, other))) == 2


def test_the_same_words_under_two_addresses_are_two_pairs():
    assert len(merged_by_rule([CitedPair("a b c", "u", (0,)), CitedPair("a b c", "v", (0,))])) == 2


def test_statements_without_a_word_are_not_one_fact():
    assert len(merged_by_rule(pairs_of("---", "!!!"))) == 2


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Storage doubled in 2023.", 1),
        ("The market is led by Tesla.", 0),
        ("Falling prices made large batteries profitable for most utilities.", 1),
        ("Storage doubled.", 0),
        ("The following table lists all 12 plants:", 0),
        ("How much did it cost in 2023?", 0),
        ("This matters.", 0),
        ("储能装机翻番", 0),
        ("2023年储能装机容量翻了一番。", 1),
        ("# Growth in 2023 at Tesla", 0),
    ],
)
def test_what_counts_as_a_claim(text, claims):
    assert sum(map(is_claim, Report(text).statements)) == claims
