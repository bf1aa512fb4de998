"""Tables of DeepResearch Arena on judgements by hand."""

import pytest

from deepassay.errors import BadInput
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.results.records import Judged
from deepassay.score import Score, Signature
from deepassay.wings.papers import arena
from deepassay.wings.papers.material import Given, PaperMaterial, TaskFacts
from deepassay.wings.people.agreement.decisions import Decision, Decisions

RECIPE = Signature({"judges": [{"model": "m"}]})


def judged(protocol, agent, task, value, parts=None, **labels):
    bounds = (0.0, 1.0) if protocol == "kae" else (0.0, 10.0)
    score = Score(value, bounds, parts or {})
    return Judged(protocol, agent, task, 1, 0, labels, score, RECIPE)


def kae(agent, task, supported, conflicting, language):
    rates = {"KSR": supported, "KCR": conflicting, "KOR": 1 - supported - conflicting}
    return judged("kae", agent, task, supported, rates, language=language)


def of(*records, **more):
    return PaperMaterial((Given("run", records),), **more)


def rows(table):
    return {row[0]: list(row[1:]) for row in table.rows}


def report(task, tokens, references, language):
    length = Length(4 * tokens, tokens, tokens)
    return MeasuredReport("o4", task, 1, {"language": language}, length, length, 0, references)


def test_table_3_gives_english_left_and_chinese_right():
    records = [
        kae("o4", "1", 0.75, 0.05, "en"),
        kae("o4", "2", 0.5, 0.25, "zh"),
        judged("ace", "o4", "1", 4.03, language="en"),
        judged("ace", "o4", "2", 3.88, language="zh"),
    ]
    reports = [report("1", 5590, 30, "en"), report("2", 12500, 37, "zh")]
    (table,) = arena.table3(of(*records, reports=reports))
    assert table.head == (
        *("Model", "KSR", "KCR", "KOR", "ACE", "Avg. Token (k)", "Avg. references"),
    )
    assert rows(table)["o4"] == [
        *("75.0 | 50.0", "5.0 | 25.0", "20.0 | 25.0", "4.03 | 3.88"),
        *("5.59 | 12.50", "30.00 | 37.00"),
    ]


def test_what_table_3_lacks_is_a_dash_with_its_reason():
    (table,) = arena.table3(of(kae("o4", "1", 0.75, 0.05, "en")))
    assert rows(table)["o4"][0] == "75.0 | –"
    assert any("ACE of o4" in note and "nobody was judged by ace" in note for note in table.notes)
    assert any("KSR of o4" in note and "no score for tasks in zh" in note for note in table.notes)


def test_figure_1_counts_tasks_by_discipline_and_family():
    tasks = [
        TaskFacts(str(n), {"discipline": discipline, "family": family}, 9)
        for n, (discipline, family) in enumerate(
            [("Health", "Trend Scan"), ("Finance", "Trend Scan"), ("Finance", "Empirical Test")]
        )
    ]
    (table,) = arena.figure1(PaperMaterial((Given("set", tasks=tasks),)))
    assert table.rows == (
        ("Finance", "Empirical Test", "1", "33.3 %"),
        ("Finance", "Trend Scan", "1", "33.3 %"),
        ("Health", "Trend Scan", "1", "33.3 %"),
    )


def test_figure_3_cuts_ace_by_both_labels():
    records = [
        judged("ace", "o4", "1", 4.0, discipline="Art", family="Trend Scan"),
        judged("ace", "o4", "2", 2.0, discipline="Art", family="Empirical Test"),
    ]
    disciplines, families = arena.figure3(of(*records))
    assert rows(disciplines) == {"o4": ["3.00"]}
    assert families.head == ("Model", "Empirical Test", "Trend Scan")
    assert rows(families) == {"o4": ["2.00", "4.00"]}


def test_figure_4_says_that_its_cost_axis_is_ours():
    (table,) = arena.figure4(
        of(kae("o4", "1", 0.75, 0.05, "en"), reports=[report("1", 5590, 0, "en")])
    )
    assert rows(table)["o4"] == ["75.0", "5.0", "20.0", "5590"]
    assert any("does not define" in note for note in table.notes)


def average(model, composite):
    return {
        **{"model": model, "label": "", "value": "", "tested": 100, "trials": 100, "leaked": 0},
        **{"share": 0.0, "composite": composite, "string": 0.104, "tfidf": 0.071, "overlap": 0.141},
    }


def test_table_4_has_the_papers_columns_and_an_average():
    rows_of_test = [average("gpt", 0.098), average("grok", 0.148), average(None, 0.123)]
    (table,) = arena.table4(PaperMaterial((), leakage=rows_of_test))
    assert table.head == (
        *("Model", "Leak", "Avg. Comp.", "Avg. StrSim", "Avg. TFIDF", "Avg. Overlap", "Count"),
    )
    assert rows(table)["gpt"] == ["0.0 %", "9.8 %", "10.4 %", "7.1 %", "14.1 %", "0"]
    assert rows(table)["Average"][1] == "12.3 %"


def test_table_5_correlates_both_with_people():
    scores = {"a": 0.9, "b": 0.5, "c": 0.1}
    people = [
        Decision("", agent, "1", "p", score=score)
        for agent, score in {"a": 9.0, "b": 4.0, "c": 5.0}.items()
    ]
    records = [judged("kae", agent, "1", value) for agent, value in scores.items()]
    (table,) = arena.table5(of(*records, decisions=Decisions(tuple(people))))
    # Ranks 3 2 1 against 3 1 2: rho 1 - 6 * 2 / 24; two of three pairs concordant.
    assert rows(table)["Spearman's rho"] == ["0.50", "–"]
    assert rows(table)["Kendall's tau"] == ["0.33", "–"]
    assert "– ACE vs. Human: nobody was judged by ace." in table.notes


def test_without_people_the_table_says_how_to_give_them():
    with pytest.raises(BadInput) as caught:
        arena.table5(of(kae("o4", "1", 0.75, 0.05, "en")))
    assert "--human" in caught.value.remedy
