"""How often a judge contradicts people, counted by hand."""

import numpy as np
import pytest

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
    found = contradiction(labelled("verdicts", rows), answers=True, fewest=2, seed=0)
    assert found.share == pytest.approx((1 + 1 / 2) / 5)
    assert (found.unit, found.of, found.tasks) == ("verdicts", 5, 2)
    assert contradiction(labelled("verdicts", rows), answers=True, fewest=3, seed=0) is None


def test_of_scores_the_pairs_that_are_turned_and_half_of_those_without_a_difference():
    rows = [("t", 5, 1), ("t", 3, 2), ("t", 3, 3), ("u", 1, 1), ("u", 2, 2), ("u", 9, 2)]
    found = contradiction(labelled("scores", rows), answers=False, fewest=2, seed=0)
    # t: 1-2 turned, 1-3 turned, 2-3 half; u: two right, and people see no difference in 2-2.
    assert found.share == pytest.approx(2.5 / 5)
    assert (found.unit, found.of, found.tasks) == ("pairs of reports", 5, 2)


def test_with_one_report_a_task_reports_of_two_tasks_make_a_pair_once_each():
    rows = [(f"t{at}", at, at) for at in range(40)]
    found = contradiction(labelled("scores", rows), answers=False, fewest=20, seed=0)
    assert (found.share, found.of, found.tasks) == (0.0, 20, 20)
    turned = [(task, -ours, theirs) for task, ours, theirs in rows]
    found = contradiction(labelled("scores", turned), answers=False, fewest=20, seed=0)
    assert found.share == 1.0
    assert found.interval.high == 1.0
