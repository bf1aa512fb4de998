"""The tables of the funnel."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deepassay.results.explain import explain
from deepassay.results.funnel import funnel_tables
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.results.tidy import Tabled, part_rows
from deepassay.score import Cause, Score, Unscored
from deepassay.stats.intervals import Units
from tests.results.judgements import make


def judged(agent, task, relevant, pages, *, unopened=(), lost=()):
    """A judgement. relevant: findable, found, opened, cited, or nothing; pages: the last three."""
    names = ("findable", "found", "opened", "cited")
    funnel = {
        "pages": dict(zip(names[1:], pages, strict=True)),
        "unopened": list(unopened),
        "lost": list(lost),
    }
    if not relevant:
        outcome = Unscored(Cause.MISSING_INPUT, "not known", {"funnel": funnel})
        return replace(make(agent, task, Cause.MISSING_INPUT), outcome=outcome)
    funnel["relevant"] = dict(zip(names, relevant, strict=True))
    findable, *_, cited = relevant
    score = Score(
        100 * cited / findable, (0.0, 100.0), {"found": 1.0}, (cited, findable), {"funnel": funnel}
    )
    return make(agent, task, score)


def test_a_row_an_agent_with_pages_of_each_stage_and_the_ratios():
    records = [
        judged("heron", "1", (4, 4, 2, 1), (9, 5, 3), unopened=["https://x.example/"]),
        judged("heron", "2", (4, 2, 2, 2), (3, 3, 3)),
        judged("magpie", "1", (4, 0, 0, 0), (2, 1, 0), lost=["https://y.example/"]),
    ]
    relevant, pages = funnel_tables(records)
    assert relevant.title == "coverage: relevant pages"
    first, second = relevant.rows
    assert first[:6] == ("heron", "2", "4.0", "3.0", "2.0", "1.5")
    assert first[6:] == ("0.75 [0.00 to 1.00]", "0.67 [0.00 to 1.00]", "0.75 [0.00 to 1.00]")
    assert second == ("magpie", "1", "4.0", "0.0", "0.0", "0.0", "0.00", "–", "–")
    assert pages.rows[0][:5] == ("heron", "2", "6.0", "4.0", "3.0")
    assert pages.rows[0][-2:] == ("1", "0") and pages.rows[1][-2:] == ("0", "1")


def test_intervals_are_over_tasks_and_repeats_of_one_task_make_none_narrower():
    tasks = [("1", 3), ("2", 4), ("3", 2), ("4", 3), ("5", 4), ("6", 3)]
    once = [judged("heron", task, (4, found, 0, 0), (4, 0, 0)) for task, found in tasks]
    again = [replace(each, repeat=1) for each in once]
    (row,) = funnel_tables(once)[0].rows
    (twice,) = funnel_tables([*once, *again])[0].rows
    assert row[6] == twice[6]
    low, high = Units.of({task: found / 4 for task, found in tasks}).interval()
    assert row[6] == f"0.79 [{low:.2f} to {high:.2f}]"


def test_without_relevant_pages_only_found_opened_and_cited_are_told():
    (pages,) = funnel_tables([judged("heron", "1", None, (8, 4, 1))])
    row = dict(zip(pages.head, pages.rows[0], strict=True))
    assert "findable" not in row
    assert (row["opened of found"], row["cited of opened"]) == ("0.50", "0.25")


def test_nothing_where_nobody_saw_a_search():
    assert funnel_tables([make("heron", "1", 50), make("heron", "2", Cause.TIMEOUT)]) == ()


@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_the_tables_stand_beneath_the_board(format):
    records = [judged("heron", "1", (4, 4, 2, 1), (9, 5, 3))]
    shown = write(rank(records), format, wide=True)
    assert "relevant pages" in shown and "opened of found" in shown
    assert "opened of found" in json.dumps(json.loads(write(rank(records), "json")))


def test_what_is_kept_is_explained_and_exported():
    record = judged("heron", "1", (4, 4, 2, 1), (9, 5, 3))
    details = {**record.outcome.details, "summary": "Cited and never opened: x."}
    record = replace(record, outcome=replace(record.outcome, details=details))
    assert "Cited and never opened: x." in explain([record], "heron", "1")
    assert [*part_rows(Tabled.of(record))] == [(None, "found", 1.0)]
