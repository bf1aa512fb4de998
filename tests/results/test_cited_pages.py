"""How many cited pages came back as what."""

from __future__ import annotations

from dataclasses import replace

from deepassay.results.cited_pages import cited_pages_in_words, classes_of, page_tables
from deepassay.score import Score
from tests.results.test_citations import judged


def with_classes(agent, task, **classes):
    record = judged(agent, task, supported=1)
    details = {**record.outcome.details, "page_classes": classes}
    outcome = Score(1.0, (0.0, 1.0), details=details)
    return replace(record, outcome=outcome)


def test_pages_come_first_and_the_rest_by_name():
    classes = classes_of(["gone", "ok", "blocked", "ok"])
    assert list(classes.items()) == [("ok", 2), ("blocked", 1), ("gone", 1)]
    assert cited_pages_in_words(classes) == "cited pages: 2 ok, 1 blocked, 1 gone"
    assert cited_pages_in_words({}) == ""


def test_a_row_an_agent_and_a_column_a_class_that_came_up():
    records = [
        with_classes("alpha", "1", ok=3, gone=1),
        with_classes("alpha", "2", ok=2),
        with_classes("beta", "1", redirected_home=1),
    ]
    (table,) = page_tables(records)
    assert table.head == ("agent", "pages", "ok", "gone", "redirected home")
    assert table.rows == (("alpha", "6", "5", "1", "0"), ("beta", "1", "0", "0", "1"))


def test_scores_of_earlier_versions_have_no_table():
    assert page_tables([judged("alpha", "1", supported=1)]) == ()
