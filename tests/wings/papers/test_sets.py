"""Tables about sets of tasks; those of ResearchRubrics against what the paper prints."""

import json
from collections import Counter

import pytest

from deepassay.errors import BadInput
from deepassay.tasks.topics import two_answers
from deepassay.text import count_words
from deepassay.wings.papers import sets
from deepassay.wings.papers.material import Given, PaperMaterial, TaskFacts


def of(*tasks):
    return PaperMaterial((Given("set", tasks=tasks),))


def task(number, words, axes=None, **labels):
    return TaskFacts(str(number), labels, words, axes or {}, topics=two_answers(labels))


def rows(table, words=1):
    return {row[:words]: list(row[words:]) for row in table.rows}


def test_table_8_has_the_standard_deviation_and_the_interval_that_the_paper_prints():
    tasks = [task(n, words, domain="STEM") for n, words in enumerate((10, 20, 30))]
    (table,) = sets.table8(of(*tasks))
    # SD by n: sqrt(200 / 3). Interval: 20 +- 4.303 * 10 / sqrt(3).
    assert rows(table)["STEM",] == ["3", "20.0", "8.2", "20.0", "10-30", "[-4.8, 44.8]"]
    assert [row[0] for row in table.rows] == [
        "Overall Statistics",
        "All Prompts",
        "By Domain",
        "STEM",
    ]


def test_one_prompt_has_no_interval():
    (table,) = sets.table8(of(task(1, 12)))
    assert rows(table)["All Prompts",][-1] == "–"


def test_histograms_of_axes_criteria_and_words():
    tasks = [task(1, 12, {"A": 2, "B": 1}), task(2, 60, {"A": 3})]
    (axes,) = sets.figure9(of(*tasks))
    assert axes.rows == (("1", "1"), ("2", "1"))
    (criteria,) = sets.figure10(of(*tasks))
    assert criteria.rows == (("3", "2"),)
    assert criteria.notes == ("Mean 3.0, from 3 to 3; tasks: 2.",)
    (words,) = sets.figure16(of(*tasks))
    assert words.rows == (("0-24", "1"), ("25-49", "0"), ("50-74", "1"))


def test_axes_by_domain_are_shares_of_its_criteria():
    (table,) = sets.figure11(of(task(1, 9, {"A": 3, "B": 1}, domain="STEM")))
    assert rows(table)["STEM",] == ["75.0 %", "25.0 %", "4"]


def test_complexity_stands_from_simple_to_high():
    tasks = [task(1, 9, breadth="High"), task(2, 5, breadth="Simple"), task(3, 7, breadth="Simple")]
    (table,) = sets.figure17(of(*tasks))
    assert [row[:4] for row in table.rows] == [
        ("breadth", "Simple", "2", "6.0"),
        ("breadth", "High", "1", "9.0"),
    ]


def test_table_4_of_bench_compares_the_topics_of_two_sets():
    one = Given("ours", tasks=[task(n, 9, topic="a" if n < 3 else "b") for n in range(4)])
    other = Given("arena", tasks=[task(n, 9, topic="b") for n in range(2)])
    (table,) = sets.bench_table4(PaperMaterial((one, other)))
    assert table.head == ("Category", "ours", "arena")
    assert table.rows == (("a", "75.00", "0.00"), ("b", "25.00", "100.00"))
    (lacking,) = sets.bench_table4(PaperMaterial((one, Given("none", tasks=[task(1, 9)]))))
    assert lacking.rows[0] == ("a", "75.00", "–")
    assert "– none: no task has a label topic." in lacking.notes
    assert "none: 0 of 1 tasks." in lacking.notes
    with pytest.raises(BadInput, match="two sets"):
        sets.bench_table4(PaperMaterial((one,)))


def test_tasks_are_counted_by_a_label():
    tasks = [task(1, 9, domain="a"), task(2, 9, domain="b"), task(3, 9, domain="b")]
    (table,) = sets.distribution("Set, figure 3: tasks", "domain", "category")(of(*tasks))
    assert table.title == "Set, figure 3: tasks by domain"
    assert table.rows == (("b", "2", "66.7 %"), ("a", "1", "33.3 %"))


def test_a_label_that_no_task_has_is_said():
    with pytest.raises(BadInput, match="domain or category"):
        sets.distribution("x", "domain", "category")(of(task(1, 9)))
    with pytest.raises(BadInput, match="rubric"):
        sets.figure9(of(task(1, 9)))


PRINTED = {
    "Count": "101 17 12 6 5 11 13 11 6 8 12 36 52 13 19 46 36 29 55 17",
    "Mean": (
        "87.6 61.8 111.0 69.2 51.0 138.4 81.5 78.3 61.2 80.0 112.3 79.1 91.2 96.8 88.9 72.4 "
        "106.4 75.6 80.8 130.1 "
    ),
    "SD": (
        "58.6 44.8 56.2 19.9 20.1 80.2 50.2 45.4 22.6 43.9 69.1 58.7 60.7 45.4 65.8 40.4 68.0 "
        "55.1 48.9 72.7 "
    ),
    "Median": (
        "68.0 46.0 98.5 66.0 55.0 131.0 70.0 69.0 51.0 64.0 75.5 60.5 72.0 95.0 67.0 61.5 79.5 "
        "56.0 66.0 111.0 "
    ),
    "Min-Max": (
        "13-315 13-169 36-224 40-103 21-76 35-315 30-227 22-187 40-107 30-174 49-271 13-271 "
        "22-315 29-195 21-227 13-197 22-315 13-227 21-271 47-315 "
    ),
    "low": (
        "76.0 38.0 73.7 46.2 23.1 81.9 49.9 46.3 35.2 40.8 66.5 59.0 74.1 68.3 56.4 60.3 83.0 "
        "54.3 67.5 91.5 "
    ),
    "high": (
        "99.2 85.5 148.3 92.1 78.9 194.9 113.1 110.2 87.2 119.2 158.2 99.2 108.3 125.4 121.5 "
        "84.5 129.7 96.9 94.2 168.6 "
    ),
}
"""The columns of table 8 of ResearchRubrics, over all prompts and down its sections."""


@pytest.fixture(scope="module")
def published(shared):
    """The 101 published tasks."""
    names = {"domain": "domain", "breadth": "conceptual_breadth", "nesting": "logical_nesting"}
    names["exploration"] = "exploration"
    tasks = []
    file = shared / "data" / "sets" / "researchrubrics" / "mr-dre.jsonl"
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        about = row["metadata"]
        labels = {label: about[name] for label, name in names.items()}
        axes = Counter(each["axis"] for each in about["rubrics_original"])
        tasks.append(TaskFacts(row["id"], labels, count_words(row["question"]), axes))
    return of(*tasks)


def test_table_8_of_the_published_tasks_is_the_printed_one(published):
    (table,) = sets.table8(published)
    columns = {name: own.split() for name, own in PRINTED.items()}
    low, high = columns.pop("low"), columns.pop("high")
    intervals = [f"[{begin}, {end}]" for begin, end in zip(low, high, strict=True)]
    printed = zip(*columns.values(), intervals, strict=True)
    assert [row[1:] for row in table.rows if row[1]] == list(printed)


def test_the_published_rubrics_are_as_long_as_the_paper_says(published):
    (table,) = sets.figure10(published)
    assert table.notes == ("Mean 25.7, from 20 to 43; tasks: 101.",)
    assert sum(sum(task.axes.values()) for task in published.tasks) == 2593
