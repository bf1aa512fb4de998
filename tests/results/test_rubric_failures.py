import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.failure_tables import failure_tables
from deepassay.results.reading import GradedRubrics
from deepassay.results.rubric_compliance import compliance_tables
from deepassay.results.rubric_failures import breakdown
from deepassay.results.rubric_items import Reading, readings
from deepassay.results.weighing import GradedCriterion
from deepassay.score import Cause
from tests.growth import assert_linear

from .rubrics import EXPLICIT, IMPLICIT, N, P, S, graded, panel, rubric

VERDICTS = (S, P, N)


def reading(task, *lines):
    """A report of heron. lines: axis, weight, verdict."""
    made = (
        GradedCriterion(
            f"c{n}", axis, weight, abs(weight) >= 4, verdict if verdict in VERDICTS else None
        )
        for n, (axis, weight, verdict) in enumerate(lines, 1)
    )
    return Reading("heron", task, 1, 0, "m", {}, tuple(made))


# ------------------------------------------------------------------ the released program


@pytest.mark.parametrize("binary", [False, True])
def test_golden_breakdowns_agree_with_edition_code(shared, binary):
    vectors = json.loads((shared / "golden/rubrics/failure_breakdown.json").read_text())
    assert len(vectors) == 16
    for vector in vectors:
        tasks = [
            reading(str(n), *((c["category"], c["weight"], c["verdict"]) for c in criteria))
            for n, criteria in enumerate(vector["tasks"])
        ]
        found = breakdown(tasks, "code", binary=binary)
        wanted = vector["official"]["binary" if binary else "ternary"]
        by_task, together = wanted["per_task_avg"], wanted["aggregate"]
        assert by_task.pop("_metadata") == {
            "tasks_with_failures": found.failing,
            "total_tasks": found.tasks,
        }
        assert together.pop("_metadata")["total_failures"] == found.failures
        assert {axis: share.tasks for axis, share in found.shares.items()} == {
            axis: each["num_tasks"] for axis, each in by_task.items()
        }
        for axis, each in by_task.items():
            assert found.shares[axis].mean == pytest.approx(each["average_ratio"], rel=0, abs=1e-12)
        assert found.counts == {axis: each["count"] for axis, each in together.items()}
        for axis, each in together.items():
            assert found.pooled(axis) == pytest.approx(each["ratio"], rel=0, abs=1e-12)


# ------------------------------------------------------------------ the paper


def test_the_paper_averages_over_tasks_in_which_an_axis_occurs():
    tasks = [
        reading("a", (EXPLICIT, 5, N), (IMPLICIT, 3, N)),
        reading("b", (EXPLICIT, 5, S), (IMPLICIT, 3, N)),
        reading("c", (EXPLICIT, 5, S)),  # no failure, so that it is skipped
    ]
    paper, code = breakdown(tasks), breakdown(tasks, "code")
    assert paper.shares == {EXPLICIT: (0.25, 2), IMPLICIT: (0.75, 2)}
    assert code.shares == {EXPLICIT: (0.5, 1), IMPLICIT: (0.75, 2)}
    assert (paper.failing, paper.tasks) == (2, 3)


def test_an_axis_without_any_verdict_does_not_occur():
    found = breakdown([reading("a", (EXPLICIT, 5, N), (IMPLICIT, 3, None))])
    assert found.shares == {EXPLICIT: (1.0, 1)}


def test_inverted_a_fault_fails_when_it_is_met():
    tasks = [reading("a", (EXPLICIT, -4, N), (IMPLICIT, -4, S), (IMPLICIT, -1, P))]
    assert breakdown(tasks).counts == {EXPLICIT: 1}
    assert breakdown(tasks, inverted=True).counts == {IMPLICIT: 1}


def test_repeats_and_judges_weigh_within_a_task():
    outcome = panel(one=rubric((EXPLICIT, 5, N)), two=rubric((EXPLICIT, 5, S), (IMPLICIT, 1, N)))
    records = [
        graded("heron", "a", outcome),
        graded("heron", "b", rubric((EXPLICIT, 5, N), (IMPLICIT, 1, S))),
    ]
    found = breakdown(readings(records))
    assert found.shares[EXPLICIT] == (0.75, 2)  # (1 + 0) / 2 in a, 1 in b


lines = st.tuples(
    st.sampled_from([EXPLICIT, IMPLICIT, "References"]),
    st.sampled_from([-5.0, -1.0, 1.0, 3.0, 5.0]),
    st.sampled_from([*VERDICTS, None]),
)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(lines, min_size=1, max_size=8), max_size=6))
def test_shares_of_one_task_are_shares_and_pooled_ones_add_up(tasks):
    graded_tasks = [reading(str(n), *each) for n, each in enumerate(tasks)]
    for edition in ("paper", "code"):
        found = breakdown(graded_tasks, edition)
        assert all(0 <= share.mean <= 1 for share in found.shares.values())
        if found.failures:
            assert sum(found.pooled(axis) for axis in found.counts) == pytest.approx(1)
    for one in graded_tasks:
        alone = breakdown([one])
        if alone.failures:
            assert sum(share.mean for share in alone.shares.values()) == pytest.approx(1)


# ------------------------------------------------------------------ the tables


RECORDS = [
    graded("heron", "a", rubric((EXPLICIT, 5, N), (IMPLICIT, -4, S)), domain="STEM"),
    graded("heron", "b", rubric((EXPLICIT, 3, P), (IMPLICIT, 1, N)), domain="Other"),
    graded("cuckoo", "a", rubric((EXPLICIT, 5, S), (IMPLICIT, -4, None, "budget")), domain="STEM"),
    graded("cuckoo", "b", Cause.NOT_ASKED, domain="Other"),
]


def test_failures_stand_by_axis_in_every_way_of_counting():
    by_axis, _, _ = failure_tables(GradedRubrics(RECORDS))
    assert by_axis.title == "rubrics: failures by axis"
    counted = {row[1]: row[2:] for row in by_axis.rows if row[0] == "heron"}
    assert counted == {
        EXPLICIT: ("1", "0.5000", "2/2", "1.0000", "1/2", "0.5000", "2", "0.7500", "1", "0.2500"),
        IMPLICIT: ("1", "0.5000", "2/2", "1.0000", "1/2", "0.5000", "1", "0.2500", "2", "0.7500"),
    }


def test_an_agent_without_failures_has_dashes_and_what_it_lacks_is_told():
    by_axis, _, _ = failure_tables(GradedRubrics(RECORDS))
    assert by_axis.rows[0] == (
        "cuckoo",
        EXPLICIT,
        "0",
        "–",
        "0/1",
        "–",
        "0/1",
        "–",
        "0",
        "–",
        "0",
        "–",
    )
    assert by_axis.notes[-2:] == (
        "cuckoo: 1 of 2 criteria have no verdict (budget 1).",
        "cuckoo: 1 of 2 reports not graded at all (not_asked 1).",
    )


def test_failures_stand_by_importance_of_what_has_a_verdict():
    _, table, _ = failure_tables(GradedRubrics(RECORDS))
    row = next(row for row in table.rows if row[:2] == ("heron", IMPLICIT))
    cells = dict(zip(table.head, row, strict=True))
    assert cells["mandatory"] == "1/1"
    assert cells["Critically Detrimental"] == "1/1"
    assert cells["Slightly Important"] == "1/1"
    assert cells["Important"] == "–"
    unscored = next(row for row in table.rows if row[:2] == ("cuckoo", IMPLICIT))
    assert set(unscored[2:]) == {"–"}


def test_domains_by_axes_only_where_tasks_have_domains_and_all_of_them_are_meant():
    *_, table = failure_tables(GradedRubrics(RECORDS))
    assert table.head == ("agent", "domain", "failing", EXPLICIT, IMPLICIT)
    assert ("heron", "STEM", "1/1", "1.0000", "0.0000") in table.rows
    (by_axis,) = failure_tables(GradedRubrics(RECORDS), ("domain", "STEM"))
    assert by_axis.title == "rubrics, domain: STEM: failures by axis"
    assert len(failure_tables(GradedRubrics([graded("heron", "a", rubric((EXPLICIT, 5, N)))]))) == 2


def test_thousands_of_axes_take_no_longer_than_their_criteria():
    """Axes are an open vocabulary: nothing may be looked through once for each of them."""

    def tabulate(outcome):
        axes = len(outcome.details["items"])
        read = GradedRubrics([graded("heron", "a", outcome)])
        by_axis, by_importance = failure_tables(read)
        assert len(compliance_tables(read)[1].rows) == axes
        assert len(by_axis.rows) == len(by_importance.rows) == axes

    assert_linear(tabulate, lambda size: rubric(*((f"axis {n}", 5, N) for n in range(size))), 2000)
