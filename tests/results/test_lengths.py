import pytest

from deepassay.errors import BadInput, BadSetting
from deepassay.results.lengths import Length, MeasuredReport, mean_lengths


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
    with pytest.raises(BadInput):
        mean_lengths([])
