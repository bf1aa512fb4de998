"""Tables of LiveResearchBench: the printed figures of table 1 come out as they are printed."""

import pytest

from deepassay.errors import BadInput
from deepassay.results.citation_errors import COLUMNS
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.score import Score
from deepassay.wings.papers import live
from deepassay.wings.papers.material import Given, PaperMaterial
from tests.results.judgements import make
from tests.results.test_families import PROFILES, PUBLISHED, TABLE_1, under


def of(*records, **more):
    return PaperMaterial((Given("run", records),), **more)


def rows(table):
    return {row[0]: [cell.strip() for cell in row[1:]] for row in table.rows}


def test_table_1_comes_out_with_the_papers_bold_and_underlined_figures():
    records = [
        under(protocol, make(agent, "1", mean))
        for agent, (_, *means) in PUBLISHED.items()
        for protocol, mean in zip(TABLE_1, means, strict=True)
    ]
    (table,) = live.table1(of(*records, profiles=PROFILES))
    found = rows(table)
    # Best of all, and of a family, as printed; families without all of their agents are left out.
    assert found["Gemini 2.5 Pro"] == ["51.9", "76.5**", "73.1", "38.5"]
    assert found["GPT-5"] == ["71.6", "68.3", "83.4*", "67.6*"]
    assert found["Sonar Reasoning"][0] == "82.1*"
    assert found["Sonar Deep Research"][0] == "83.5**"
    assert found["Open Deep Research"] == ["81.0*", "71.3*", "65.3", "76.9"]
    assert found["Deerflow+"] == ["78.8", "69.9", "61.6", "77.0**"]
    assert found["Grok-4 Heavy"][2] == "89.3**"


def test_a_metric_that_was_not_judged_is_a_column_of_dashes():
    (table,) = live.table1(of(make("heron", "1", 60)))
    assert rows(table)["heron"] == ["–", "–", "60.0**", "–"]
    assert "– heron: nobody was judged by presentation." in table.notes


def test_table_7_counts_errors_by_category():
    def tree(task, category, e3):
        counts = {"E1": 1, "E3": e3, "errors": 1 + e3, "citing": 1}
        errors = dict.fromkeys(COLUMNS.values(), 0) | counts
        score = Score(50.0, (0.0, 100.0), details={"errors": errors})
        return under("citation_accuracy", make("heron", task, score, labels={"category": category}))

    records = [tree("1", "market", 4), tree("2", "market", 7), tree("3", "wide", 2)]
    (table,) = live.table7(of(*records))
    assert table.head == ("Agent Name", "E1 Errors", "E2 Errors", "E3 Errors", "Total")
    assert table.rows == (
        ("Task: market", "", "", "", ""),
        ("heron", "1.0", "0.0", "5.5", "6.5"),
        ("Task: wide", "", "", "", ""),
        ("heron", "1.0", "0.0", "2.0", "3.0"),
    )


def test_figure_6_is_of_the_games_that_are_no_tie():
    def game(agent, task, winner):
        score = Score(50.0, (0.0, 100.0), details={"baseline": "odr", "winner": winner})
        return under("depth(baseline='odr')", make(agent, task, score))

    ends = {"wren": ("own", "own", "baseline", "tie"), "lark": ("tie", "tie")}
    games = [game(a, str(n), w) for a, own in ends.items() for n, w in enumerate(own)]
    (table,) = live.figure6(of(*games))
    assert table.title.endswith("win rate over odr")
    assert rows(table) == {"wren": ["66.7", "2", "1", "1"], "lark": ["–", "0", "0", "2"]}


def test_figure_22_has_all_ten_checks_in_order():
    parts = {f"P{number}": 100.0 if number % 2 else 0.0 for number in range(1, 11)}
    score = Score(50.0, (0.0, 100.0), parts)
    (table,) = live.figure22(of(under("presentation", make("heron", "1", score))))
    assert table.head == ("Agent", *(f"P{number}" for number in range(1, 11)))
    assert rows(table)["heron"] == ["100", "0"] * 5


def test_figure_5_shows_how_lengths_are_distributed():
    def report(task, tokens):
        length = Length(4 * tokens, tokens, tokens)
        bare = Length(tokens, tokens, tokens - 10)
        return MeasuredReport("heron", task, 1, {"category": "wide"}, length, bare, 0, 0)

    reports = [report(str(n), tokens) for n, tokens in enumerate((100, 200, 300, 400, 500))]
    by_agent, by_task = live.figure5(PaperMaterial((), reports))
    assert rows(by_agent)["heron"] == ["5", "100", "200", "300", "400", "500", "290"]
    assert rows(by_task)["wide"][0] == "5"


@pytest.mark.parametrize("make_table", [live.table7, live.figure5, live.figure6, live.table1])
def test_an_empty_run_says_what_is_missing(make_table):
    with pytest.raises(BadInput):
        make_table(PaperMaterial(()))
