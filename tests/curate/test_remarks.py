"""Findings on a whole rubric."""

import pytest

from deepassay.curate.remarks import remarks_of
from deepassay.tasks.rubric import Criterion

RUBRICS = [
    ("in order", [("Names a grant.", 4), ("Names a county.", 2)], []),
    ("two demands", [("Names a grant and a county.", 2)], [("c1", "and")]),
    ("nothing to earn", [("Names a lawn.", -2)], [("", "positive")]),
    ("all is mandatory", [("Names a grant.", 4), ("Names a lawn.", -5)], [("", "mandatory")]),
    (
        "twice",
        [("Names a grant.", 1), ("names a  GRANT.", 2)],
        [("c2", "twice")],
    ),
    ("nothing yet", [], []),
]


@pytest.mark.parametrize(("title", "lines", "found"), RUBRICS, ids=[each[0] for each in RUBRICS])
def test_findings_on_a_rubric(title, lines, found):
    rubric = [
        Criterion(id=f"c{number}", criterion=words, weight=weight)
        for number, (words, weight) in enumerate(lines, start=1)
    ]
    remarks = remarks_of(rubric)
    assert [(each.of, each.rule) for each in remarks] == found
    assert all(each.told("en") and each.told("zh") for each in remarks)
