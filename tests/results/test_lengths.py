import pytest

from deepassay.errors import BadSetting
from deepassay.results.lengths import (
    FiveNumbers,
    Length,
    MeasuredReport,
    agent_lengths,
    mean_lengths,
    token_spreads,
)


def measured(agent, task, words, *, sample=1, citations=0, **labels):
    length = Length(5 * words, words, 2 * words)
    return MeasuredReport(agent, task, sample, labels, length, length, citations, 7)


def test_answers_to_one_task_weigh_as_one():
    reports = [
        measured("heron", "1", 100),
        measured("heron", "1", 300, sample=2),
        measured("heron", "2", 400),
    ]
    (row,) = mean_lengths(reports)
    assert (row.agent, row.tasks) == ("heron", 2)
    assert row.means[:3] == (1500, 300, 600)


def test_a_label_cuts_the_table_after_the_whole():
    reports = [measured("heron", "1", 100, category="a"), measured("heron", "2", 300, category="b")]
    rows = mean_lengths(reports, "category")
    assert [(row.value, row.means.words) for row in rows] == [(None, 200), ("a", 100), ("b", 300)]
    with pytest.raises(BadSetting, match="colour"):
        mean_lengths(reports, "colour")
    assert mean_lengths([], "topic") == []


def test_tokens_of_reports_are_spread_by_whatever_groups_them():
    reports = [
        measured("heron", "1", 100, category="a"),
        measured("heron", "2", 150, category="b"),
        measured("cuckoo", "1", 300, category="a"),
    ]
    found = token_spreads(reports, lambda report: report.labels["category"])
    assert [*found] == ["a", "b"]
    assert (found["a"].reports, found["a"].whole) == (2, FiveNumbers(200, 300, 400, 500, 600))
    assert found["b"].bare == FiveNumbers(300, 300, 300, 300, 300)


def test_without_reports_no_agent_has_a_length():
    assert agent_lengths([]) == {}
    assert agent_lengths([measured("heron", "1", 100)])["heron"].tokens == 200
