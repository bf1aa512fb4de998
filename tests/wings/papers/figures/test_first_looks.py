"""What people look at first besides rankings: the map, judges against each other, cost, people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deepassay.results.agents import RunTotals
from deepassay.results.figures.figure import Figure, Omitted
from deepassay.results.figures.making import make_figures
from deepassay.results.figures.rendering import as_svg
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.results.standings import ByPeople
from deepassay.score import Score, Signature
from deepassay.stats.intervals import Interval

from .materials import material

PANEL = Signature({"protocol": "coverage", "judges": [{"model": "a:x"}, {"model": "b:y"}]})


def drawn(what, kind):
    """The only figure of a kind, which can be drawn."""
    (figure,) = make_figures(what, (kind,))
    assert isinstance(figure, Figure), figure
    assert as_svg(figure)
    return figure


def test_the_map_has_every_mean_hardest_tasks_first():
    what = material(("heron", "magpie", "通义"), tasks=5, repeats=2)
    table = drawn(what, "heat-map").table
    tasks = table.head[1:]
    assert {*tasks} == {f"t{task}" for task in range(5)}
    means = [[float(cell) for cell in row[1:]] for row in table.rows]
    of_tasks = [sum(column) for column in zip(*means, strict=True)]
    assert of_tasks == sorted(of_tasks)
    assert [row[0] for row in table.rows] == [row.agent for row in what.boards[0].standings]
    heron = [each for each in what.records if each.agent == "heron" and each.task == tasks[0]]
    mean = sum(each.outcome.value for each in heron) / len(heron)
    row = next(row for row in table.rows if row[0] == "heron")
    assert float(row[1]) == pytest.approx(mean, abs=0.06)


def test_a_map_says_which_tasks_have_no_room():
    figure = drawn(material(("heron", "magpie"), tasks=45, repeats=1), "heat-map")
    assert len(figure.table.head) == 41
    assert "The 40 hardest of 45 tasks." in figure.caption
    (omitted,) = make_figures(material(("heron",), tasks=1), ("heat-map",))
    assert isinstance(omitted, Omitted)


def panel(*scores):
    """A judgement of one report for each pair of scores, by a panel of two."""
    for at, (one, other) in enumerate(scores):
        judges = {
            name: {"value": value, "parts": {}, "bounds": [0, 100], "details": {"items": []}}
            for name, value in (("a:x", one), ("b:y", other))
        }
        score = Score((one + other) / 2, (0, 100), {}, None, {"judges": judges})
        yield Judged("coverage", "heron", f"t{at}", 1, 0, {}, score, PANEL)


def test_judges_stand_against_each_other_with_their_coefficient():
    records = [*panel((10, 90), (20, 80), (30, 70), (30, 70))]
    what = replace(material(("heron",)), records=records, boards=rank(records))
    (row,) = drawn(what, "judges").table.rows
    assert row == ("a:x", "b:y", "4", "-1.000", "22.5", "77.5")
    unasked = [replace(each, task="more", is_reference=True) for each in panel((50, 50))]
    what = replace(what, records=records + unasked, boards=rank(records + unasked))
    assert drawn(what, "judges").table.rows == (row,)
    assert make_figures(material(("heron",)), ("judges",)) == []


def test_scores_stand_against_what_is_known_of_every_agent():
    what = material(("heron", "magpie", "cuckoo"))
    heron = RunTotals(2, 2, [60.0, 80.0], [1000, 3000], [0.5, 1.5])
    magpie = RunTotals(1, 1, [30.0], [500], [])
    figure = drawn(replace(what, agents={"heron": heron, "magpie": magpie}), "score-against-cost")
    assert figure.table.head[1] == "tokens of a run"
    assert {row[0]: row[1] for row in figure.table.rows} == {"heron": "2,000", "magpie": "500"}
    assert "Of 1 more agents no run is known." in figure.caption
    assert make_figures(what, ("score-against-cost",)) == []


def test_what_people_would_give_stands_beside_the_judge():
    what = material(("heron", "magpie"))
    (board, *_) = what.boards
    people = ByPeople(0.4, Interval(0.2, 0.6), Interval(0.0, 1.0), 50)
    silent = ByPeople(None, None, Interval(0.0, 1.0), 50, "too few labels")
    told = [replace(board.standings[0], people=people), replace(board.standings[1], people=silent)]
    figure = drawn(replace(what, boards=(replace(board, standings=tuple(told)),)), "calibration")
    ((agent, *_, by_people, low, high),) = figure.table.rows
    assert (agent, by_people, low, high) == (told[0].agent, "0.400", "0.200", "0.600")
    assert "Labels of people: 50." in figure.caption
    assert "Of 1 more agents they say nothing." in figure.caption
    assert make_figures(what, ("calibration",)) == []
