import csv
import io
import json
import warnings

import pytest

from deepassay.errors import BadInput, Notice
from deepassay.results.length_correlations import correlations
from deepassay.results.length_tables import flat_lengths, write_lengths
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.score import Cause

from .judgements import make
from .rubrics import EXPLICIT, N, P, S, graded, rubric


def measured(agent, task, words, *, sample=1, **labels):
    length = Length(5 * words, words, 2 * words)
    return MeasuredReport(agent, task, sample, labels, length, length, 0, 7)


REPORTS = [measured("heron", task, 100 * n) for n, task in enumerate("abcde", 1)]


def scored(*values):
    return [make("heron", task, value) for task, value in zip("abcde", values, strict=False)]


def test_longer_reports_that_score_higher_correlate():
    (found,) = correlations(REPORTS, scored(10, 30, 20, 40, 60))
    assert (found.n, found.reports, found.expected, found.of) == (5, 5, 5, "score")
    assert found.pearson["words"].value == pytest.approx(0.904194, abs=1e-6)
    assert found.spearman["tokens"].value == pytest.approx(0.9)
    assert found.spearman["words"].interval.low < 0.9


def test_repeats_are_one_point_and_what_is_unscored_is_none():
    records = [*scored(10, 30), make("heron", "a", 80, repeat=1), make("heron", "c", Cause.TIMEOUT)]
    (found,) = correlations(REPORTS, records)
    assert (found.n, found.reports, found.expected) == (2, 2, 3)
    assert found.pearson["words"].value == pytest.approx(-1)  # 45 for the shorter one


def test_a_report_of_two_lengths_has_none():
    (found,) = correlations([*REPORTS, measured("heron", "a", 7)], scored(10, 30, 20))
    assert found.reports == 2


def test_criteria_are_points_of_their_report_and_a_fault_counts_the_other_way():
    records = [
        graded("heron", task, rubric((EXPLICIT, 5, verdict), (EXPLICIT, -4, fault), value=value))
        for task, verdict, fault, value in (
            *(("a", N, S, -0.8), ("b", N, P, -0.4), ("c", P, P, 0.1), ("d", S, N, 1.0)),
        )
    ]
    score, criteria = correlations(REPORTS, records)
    assert (criteria.of, criteria.n, criteria.reports) == ("criteria", 8, 4)
    assert criteria.pearson["words"].value > 0.8
    assert score.n == 4
    assert criteria.pearson["words"].interval is not None


def test_unequal_recipes_are_told_apart():
    records = [
        graded("heron", task, rubric((EXPLICIT, 5, S)), judge=j) for task in "ab" for j in "mn"
    ]
    found = correlations(REPORTS, records)
    assert len({each.protocol for each in found}) == 2
    assert all("[" in each.protocol for each in found)


def test_lengths_and_correlations_are_written_in_every_format():
    records = scored(10, 30, 20, 40, 60)
    text = write_lengths(REPORTS, records, "text")
    assert "Length of reports and scores" in text
    assert "0.904 (" in text
    assert write_lengths(REPORTS, records, "markdown").startswith("### Length of reports")
    (row,) = csv.DictReader(io.StringIO(write_lengths(REPORTS, records, "csv")))
    assert (row["agent"], row["words"], row["words_without_urls"]) == ("heron", "300.0", "300.0")
    assert float(row["coverage:score:spearman_words"]) == pytest.approx(0.9)
    (nested,) = json.loads(write_lengths(REPORTS, records, "json"))
    assert nested["references"] == 7
    assert nested["correlations"][0]["reports_expected"] == 5


def test_without_judgements_lengths_stand_alone():
    assert "scores" not in write_lengths(REPORTS, [], "text")


def test_empty_reports_are_told_of_in_every_format():
    reports = [*REPORTS, measured("tern", "a", 7)]
    empty = {"tern": 2, "gull": 3, "he\x1bron": 1}
    told = "Empty reports have no length and are left out: 3 of gull, 1 of heron, 2 of tern."
    for format in ("text", "markdown", "latex"):
        assert told in write_lengths(reports, [], format, None, empty)
    for write in (
        lambda: write_lengths(reports, [], "csv", None, empty),
        lambda: write_lengths(reports, [], "json", None, empty),
        lambda: flat_lengths(reports, [], None, empty),
    ):
        with pytest.warns(Notice) as caught:
            write()
        assert [str(each.message) for each in caught] == [told]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_lengths(reports, [], "json")


def test_where_every_report_is_empty_that_is_said():
    empty = {"tern": 2, "gull": 3}
    for format in ("text", "csv", "json"):
        with pytest.raises(BadInput, match="has no length: 3 of gull, 2 of tern"):
            write_lengths([], [], format, None, empty)
        with pytest.raises(BadInput, match="no reports to measure"):
            write_lengths([], [], format)


def test_a_label_cuts_both_tables():
    reports = [measured("heron", "a", 100, topic="x"), measured("heron", "b", 200, topic="y")]
    records = [
        make("heron", task, value, labels={"topic": topic})
        for task, value, topic in (("a", 1, "x"), ("b", 2, "y"))
    ]
    text = write_lengths(reports, records, "text", "topic")
    assert text.index("Length of reports, topic: x") < text.index("scores, topic: x")
    rows = json.loads(write_lengths(reports, records, "json", "topic"))
    assert [row["correlations"][0]["n"] for row in rows] == [2, 1, 1]
