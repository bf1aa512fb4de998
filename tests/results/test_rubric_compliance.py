import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.results.reading import GradedRubrics
from deepassay.results.rubric_compliance import compliance_of, compliance_tables
from deepassay.results.weighing import GradedCriterion, WeightedMerit, compliance
from deepassay.score import Cause

from .rubrics import EXPLICIT, IMPLICIT, N, P, S, graded, rubric

MERITS = {S: 1.0, P: 0.5, N: 0.0, None: None}


def line(weight, verdict):
    return GradedCriterion("c", EXPLICIT, weight, abs(weight) >= 4, verdict)


def test_compliance_is_equation_1_over_the_lines():
    lines = [line(5, S), line(4, P), line(-3, S), line(1, N)]
    assert compliance_of(lines) == pytest.approx((5 + 2 - 3) / 10)
    assert compliance_of(lines, binary=True) == pytest.approx((5 - 3) / 10)
    assert compliance_of([line(2, N), line(-5, S)]) == -2.5
    assert compliance_of([line(-5, N)]) is None


marks = st.tuples(
    st.sampled_from([-5.0, -4.0, -2.5, -1.0, 1.0, 2.0, 3.5, 5.0]), st.sampled_from([S, P, N, None])
)


@settings(deadline=None, max_examples=80)
@given(st.lists(marks, min_size=1, max_size=12))
def test_over_a_whole_rubric_it_is_the_score(lines):
    """The protocol counts with what it was told, results with what they kept: one formula."""
    score = compliance([WeightedMerit(weight, MERITS[verdict]) for weight, verdict in lines])
    found = compliance_of([line(*each) for each in lines])
    assert found == (None if score is None else pytest.approx(score, abs=1e-12))


RECORDS = [
    graded("heron", "a", rubric((EXPLICIT, 5, S), (EXPLICIT, 1, P), (IMPLICIT, -4, N))),
    graded(
        "heron", "b", rubric((EXPLICIT, 4, N), (IMPLICIT, 2, S), (IMPLICIT, -4, None, "timeout"))
    ),
    graded("heron", "c", Cause.MISSING_INPUT),
]


def rows(table):
    return {row[1]: dict(zip(table.head, row, strict=True)) for row in table.rows}


def test_mandatory_stands_against_optional():
    table, _ = compliance_tables(GradedRubrics(RECORDS))
    found = rows(table)
    mandatory, optional = found["mandatory"], found["optional"]
    assert (mandatory["tasks"], mandatory["verdicts"]) == ("1/3", "3/4")
    assert (mandatory["compliance"], mandatory["passed"]) == ("1.0000", "50.0 %")
    assert mandatory["every one passed"] == "1/2"
    assert (optional["compliance"], optional["binary"]) == ("0.7500", "0.5000")
    assert optional["tasks"] == "2/3"
    assert table.notes[-2:] == (
        "heron: 1 of 6 criteria have no verdict (timeout 1).",
        "heron: 1 of 3 reports not graded at all (missing_input 1).",
    )


def test_the_interval_ends_at_1_where_compliance_does():
    records = [
        graded("heron", task, rubric((EXPLICIT, 5, verdict)))
        for task, verdict in zip("abc", (S, S, P), strict=True)
    ]
    table, _ = compliance_tables(GradedRubrics(records))
    assert rows(table)["mandatory"]["95 % interval"] == "0.1162 to 1.0000"


def test_the_interval_ends_where_the_compliance_of_these_tasks_can_be_no_lower():
    # At the lowest, what faults weigh over what merits do: -1, -0.5 and 0; of a task that has only
    # faults there is no compliance.
    records = [
        graded("heron", "a", rubric((EXPLICIT, 2, N), (IMPLICIT, -2, S))),
        graded("heron", "b", rubric((EXPLICIT, 2, S), (IMPLICIT, -1, N))),
        graded("heron", "c", rubric((EXPLICIT, 3, N))),
        graded("heron", "d", rubric((EXPLICIT, -3, S))),
    ]
    table, by_axis = compliance_tables(GradedRubrics(records))
    optional = rows(table)["optional"]
    assert (optional["compliance"], optional["95 % interval"]) == ("0.0000", "-0.5000 to 1.0000")
    assert rows(by_axis)[EXPLICIT]["95 % interval"] == "0.0000 to 1.0000"


def test_a_report_is_settled_by_one_failure_but_not_by_an_open_criterion():
    records = [graded("heron", "a", rubric((EXPLICIT, 5, S), (EXPLICIT, 5, None, "timeout")))]
    table, _ = compliance_tables(GradedRubrics(records))
    assert rows(table)["mandatory"]["every one passed"] == "0/0"


def test_every_axis_has_a_row_and_one_of_faults_alone_no_compliance():
    _, table = compliance_tables(GradedRubrics(RECORDS[:1]))
    found = rows(table)
    assert found[EXPLICIT]["compliance"] == "0.9167"
    assert (found[IMPLICIT]["compliance"], found[IMPLICIT]["passed"]) == ("–", "100.0 %")


def test_the_tables_stand_beneath_the_board_in_every_format_of_a_leaderboard():
    boards = rank(RECORDS)
    for format, mark in (("text", ""), ("markdown", "### "), ("json", '"title": "')):
        shown = write(boards, format, parts=True)
        for title in ("mandatory and optional criteria", "by axis", "failures by axis"):
            assert f"{mark}rubrics: {title}" in shown
    assert "mean" in write(boards, "csv").split("\n")[0]


def test_only_obligations_stand_beneath_the_board_unless_more_is_asked_for():
    shown = write(rank(RECORDS), wide=True)
    assert "rubrics: mandatory and optional criteria" in shown
    assert "by axis" not in shown
    assert shown.endswith("\n\nNot shown: 3 tables of detail; --parts adds them.\n")
    assert "Not shown" not in write(rank(RECORDS), parts=True)


def test_tables_are_cut_by_a_label_and_say_so():
    records = [
        graded("heron", "a", rubric((EXPLICIT, 5, S)), nesting="Deep"),
        graded("heron", "b", rubric((EXPLICIT, 5, N)), nesting="Shallow"),
    ]
    deep = next(
        board for board in rank(records, by="nesting") if board.label == ("nesting", "Deep")
    )
    assert deep.tables[0].title == "rubrics, nesting: Deep: mandatory and optional criteria"
    assert rows(deep.tables[0])["mandatory"]["compliance"] == "1.0000"


def test_unequal_recipes_and_other_protocols_have_no_table():
    unequal = [*RECORDS, graded("x", "a", RECORDS[0].outcome, judge="n")]
    assert not compliance_tables(GradedRubrics(unequal))
