"""How often a judge contradicts people, counted by hand."""

import numpy as np
import pytest

from deepassay.results.tables import several
from deepassay.wings.people.calibration.contradiction import contradiction
from deepassay.wings.people.calibration.labelled import Labelled

NAN = float("nan")


def labelled(kind, rows):
    """rows: task, the judge's number, the people's."""
    return Labelled(
        "p",
        "p",
        "r",
        "x",
        shown=True,
        part="items" if kind == "verdicts" else "",
        kind=kind,
        agents=("a",) * len(rows),
        tasks=tuple(task for task, *_ in rows),
        ours=np.array([ours for _, ours, _ in rows], dtype=float),
        theirs=np.array([theirs for *_, theirs in rows], dtype=float),
    )


def test_of_verdicts_the_share_that_is_wrong():
    rows = [("t", 1, 1), ("t", 1, 0), ("t", 0, 0), ("t", 1, NAN), ("u", 0, 0.5), ("u", 1, 1)]
    found = contradiction(labelled("verdicts", rows), fewest=2)
    assert found.share == pytest.approx((1 + 1 / 2) / 5)
    assert (found.unit, found.of, found.tasks) == ("verdicts", 5, 2)
    too_few = contradiction(labelled("verdicts", rows), fewest=3)
    assert too_few == "labels on 2 tasks; 3 are needed"


def test_of_grades_how_far_they_lie_from_people_and_items_make_no_pairs():
    """One report a task, of which a judge grades two criteria and has their order right."""
    rows = [(f"t{at}", *own) for at in range(25) for own in ((0.25, 0), (0.75, 1), (0.5, 0.5))]
    found = contradiction(labelled("verdicts", rows), fewest=20)
    assert found.share == pytest.approx((1 / 4 + 1 / 4) / 3)
    assert (found.unit, found.of, found.tasks) == ("verdicts", 75, 25)


@pytest.mark.parametrize("odd", [-0.5, 3.5])
def test_of_numbers_on_items_that_people_s_are_not_held_against_nothing_is_said(odd):
    rows = [(f"t{at}", *own) for at in range(25) for own in ((0.25, 0), (odd if at else 1, 1))]
    found = contradiction(labelled("verdicts", rows), fewest=20)
    assert found == "the judge's numbers on items are not from 0, no, to 1, yes"


def test_of_scores_the_pairs_that_are_turned_and_half_of_those_without_a_difference():
    rows = [("t", 5, 1), ("t", 3, 2), ("t", 3, 3), ("u", 1, 1), ("u", 2, 2), ("u", 9, 2)]
    found = contradiction(labelled("scores", rows), fewest=2)
    # t: 1-2 turned, 1-3 turned, 2-3 half; u: two right, and people see no difference in 2-2.
    assert found.share == pytest.approx(2.5 / 5)
    assert (found.unit, found.of, found.tasks) == ("pairs of reports", 5, 2)


@pytest.mark.parametrize(("pairs", "alone"), [(0, 40), (1, 60), (15, 13), (19, 0)])
def test_of_few_tasks_with_a_pair_nothing_is_said_whatever_stands_on_others(pairs, alone):
    """A judge that turns every pair of one task, and has all reports on different ones in order."""
    rows = [(f"t{at}", 9 * at + up, 9 * at - up) for at in range(pairs) for up in (0, 1)]
    rows += [(f"u{at}", 9 * at, 9 * at) for at in range(alone)]
    rows += [("no order", 1, 1), ("no order", 2, 1)]
    found = contradiction(labelled("scores", rows), fewest=20)
    told = f"people put reports on one task in an order on {several(pairs, 'task')}; 20 are needed"
    assert found == told


@pytest.mark.parametrize(("turned", "alone"), [(20, 0), (5, 40), (0, 40)])
def test_of_enough_tasks_with_a_pair_just_these_count(turned, alone):
    rows = [
        (f"t{at}", 9 * at + (up if at < turned else -up), 9 * at - up)
        for at in range(20)
        for up in (0, 1)
    ]
    rows += [(f"u{at}", -at, at) for at in range(alone)]
    found = contradiction(labelled("scores", rows), fewest=20)
    assert (found.share, found.of, found.tasks) == (turned / 20, 20, 20)
    assert found.interval.low <= found.share <= found.interval.high
    assert (found.interval.high == 1) == (turned == 20)
