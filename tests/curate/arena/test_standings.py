"""Standings from comparisons, and the table of them."""

import csv

import numpy as np
import pytest

from deepassay.curate.arena.comparisons import drawn
from deepassay.curate.arena.pairing import Pair
from deepassay.curate.arena.standings import standings, write_ranking
from tests.curate.arena.duels import comparison, task

TASKS = [task(name) for name in "abc"]
# The four comparisons of test_elo, with their outcomes: a is 0, b is 1, c is 2.
FOUR = [
    comparison(1, "a", "b", 0.8),
    comparison(2, "b", "c", 0.55),
    comparison(3, "c", "a", 1.0),
    comparison(4, "a", "b", 0.7),
]


def ranked(comparisons, tasks=TASKS, seed=1):
    return standings(tasks, comparisons, np.random.default_rng(seed))


def test_the_best_stands_first_with_what_its_rating_rests_on():
    found = ranked(FOUR)
    assert [(each.rank, each.task.id, each.compared, each.won) for each in found] == [
        (1, "c", 2, 1),
        (2, "a", 3, 2),
        (3, "b", 3, 1),
    ]
    ratings = [each.rating for each in found]
    assert ratings == pytest.approx([1214.4940, 1199.4354, 1186.0706], abs=0.001)
    assert all(each.low <= each.rating <= each.high for each in found)


def test_lines_may_stand_in_any_order():
    assert ranked(FOUR[::-1]) == ranked(FOUR)


def test_tasks_without_comparisons_keep_the_start_in_their_order():
    waiting = drawn(5, [Pair("a", "b"), Pair("c", None)], {each.id: each for each in TASKS})
    found = ranked(waiting)
    assert [(each.task.id, each.rating, each.low, each.high) for each in found] == [
        (name, 1200.0, 1200.0, 1200.0) for name in "abc"
    ]


def test_tasks_that_are_gone_still_count_for_those_they_met():
    found = ranked(FOUR, TASKS[:2])
    assert [each.task.id for each in found] == ["a", "b"]
    assert [each.rating for each in found] == pytest.approx([1199.4354, 1186.0706], abs=0.001)


def test_table_has_every_task_and_no_formula(tmp_path):
    formula = [task("=1+1"), task("b")]
    write_ranking(tmp_path / "r.csv", ranked([comparison(1, "=1+1", "b")], formula))
    with (tmp_path / "r.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["id"] for row in rows] == ["'=1+1", "b"]
    assert rows[0] | {"low": "", "high": ""} == {
        "rank": "1", "id": "'=1+1", "rating": "1209.6", "low": "", "high": "",
        "compared": "1", "won": "1",
    }  # fmt: skip
