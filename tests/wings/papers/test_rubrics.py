"""Tables of ResearchRubrics on rubrics graded by hand."""

import pytest

from deepassay.errors import BadInput
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.score import Cause, Score
from deepassay.wings.papers import rubric_people, rubrics
from deepassay.wings.papers.material import Given, PaperMaterial, TaskFacts
from deepassay.wings.people.agreement.rubrics import CriterionPlace
from tests.results.rubrics import EXPLICIT, IMPLICIT, N, P, S, graded, rubric


def of(*records, **more):
    return PaperMaterial((Given("run", records),), **more)


def rows(table, words=1):
    return {row[:words]: list(row[words:]) for row in table.rows}


ONE = rubric((EXPLICIT, 4, S), (IMPLICIT, 2, P), (IMPLICIT, 2, N))
"""(4 + 1) / 8 = .625, and .5 with partly taken for not; both failures implicit or optional."""


def test_table_5_collapses_the_verdicts_for_the_binary_scale():
    (table,) = rubrics.table5(of(graded("heron", "1", ONE)))
    assert table.head == ("Model", "Ternary", "Binary")
    assert rows(table) == {("heron",): ["0.625", "0.500"]}


def test_a_run_on_the_binary_scale_has_no_ternary_figure():
    protocol = "rubrics(scale='binary')"
    (table,) = rubrics.table5(of(graded("heron", "1", ONE, protocol=protocol)))
    assert rows(table) == {("heron",): ["–", "0.500"]}
    assert "– Ternary of heron: judged on the binary scale only." in table.notes


@pytest.mark.parametrize(
    "make",
    [
        rubrics.table5,
        rubrics.figure5,
        rubrics.figure8,
        rubrics.figure14,
        rubrics.strata("figure 6", "binary", "ternary"),
    ],
)
def test_criteria_that_a_set_judged_by_another_menu_are_told_as_that(make):
    def judged(agent, task, *verdicts):
        lines = [
            {"key": f"c{n}", "item": "Says.", "weight": 1.0, "axis": "a", "verdict": each}
            for n, each in enumerate(verdicts)
        ]
        score = Score(0.5, (0.0, 1.0), details={"items": lines})
        return graded(agent, task, score, protocol="rubrics(set='mr-dre')", nesting="Deep")

    records = [judged("heron", "1", "1", "0.5"), judged("heron", "2", "0"), judged("owl", "1", "1")]
    failed = graded("owl", "2", Cause.MISSING_INPUT, protocol="rubrics(set='mr-dre')")
    with pytest.raises(BadInput) as caught:
        make(of(*records, failed))
    assert caught.value.problem == (
        "This is of the verdicts Satisfied, Partially Satisfied, Not Satisfied; "
        "rubrics(set='mr-dre') has others: 0, 0.5, 1."
    )
    assert "without --set" in caught.value.remedy


def test_reports_that_nobody_graded_are_no_other_menu():
    (table,) = rubrics.table5(of(graded("heron", "1", Cause.TIMEOUT)))
    assert "heron: 1 of 1 reports not graded at all (timeout 1)." in table.notes


def test_nor_has_it_strata_of_one():
    records = [graded("heron", "1", ONE, protocol="rubrics(scale='binary')", nesting="Deep")]
    (table,) = rubrics.strata("figure 6", "binary", "ternary")(of(*records))
    assert "binary compliance" in table.title
    with pytest.raises(BadInput, match="binary scale only"):
        rubrics.strata("figure 13", "ternary")(of(*records))


def test_strata_stand_from_the_easiest_to_the_hardest():
    records = [
        graded("heron", "1", ONE, nesting="Deep", domain="STEM"),
        graded("heron", "2", rubric((EXPLICIT, 4, S)), nesting="Shallow", domain="STEM"),
    ]
    (table,) = rubrics.strata("figure 13", "ternary")(of(*records))
    assert table.title.endswith("figure 13: ternary compliance by nesting")
    assert table.head == ("Model", "Shallow", "Deep")
    assert rows(table)["heron",] == ["1.000", "0.625"]
    binary, ternary = rubrics.strata("figure 6", "binary", "ternary")(of(*records))
    assert rows(binary)["heron",] == ["1.000", "0.500"]
    assert rows(ternary)["heron",] == ["1.000", "0.625"]


def test_failures_by_axis_and_by_importance():
    records = [graded("heron", "1", rubric((EXPLICIT, 5, N), (IMPLICIT, 1, N), (IMPLICIT, 1, S)))]
    (whole,) = rubrics.figure5(of(*records))
    assert rows(whole)["heron",] == ["0.500", "0.500"]
    mandatory, optional = rubrics.figure8(of(*records))
    assert rows(mandatory)["heron",] == ["0.500", "0.000"]
    assert rows(optional)["heron",] == ["0.000", "0.500"]


def test_figure_14_is_a_grid_of_domains_and_axes():
    records = [graded("heron", "1", ONE, domain="STEM"), graded("heron", "2", ONE, domain="Other")]
    (table,) = rubrics.figure14(of(*records))
    assert table.title.endswith("heron")
    assert [row[0] for row in table.rows] == ["Other", "STEM"]
    assert rows(table)["STEM",] == ["0.000", "1.000"]


LABELS = {
    CriterionPlace("heron", "1", 1, f"c{number}"): verdict
    for number, verdict in enumerate((S, P, N), start=1)
}


def test_table_6_has_judges_across_and_scales_down():
    near, far = rubric(("A", 1, S), ("A", 1, P), ("A", 1, N)), rubric(*[("A", 1, N)] * 3)
    records = [graded("heron", "1", near, judge="gpt"), graded("heron", "1", far, judge="claude")]
    (table,) = rubric_people.table6(of(*records, labels=LABELS))
    assert table.head == ("", "Agent", "claude", "gpt")
    # Ternary, all called not satisfied: one class of three has F1 of 1/2, the others 0.
    # Binary: not satisfied has F1 of 4/5, satisfied 0.
    assert rows(table, 2) == {
        ("Binary", "heron"): ["0.400", "1.000"],
        ("Ternary", "heron"): ["0.167", "1.000"],
    }


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_table_7_takes_its_columns_from_how_rubrics_were_made(order):
    near, far = rubric(("A", 1, S), ("A", 1, P), ("A", 1, N)), rubric(*[("A", 1, N)] * 3)
    made = ((6, ("remove_examples",)), (9, ()))
    tasks = [[TaskFacts("1", {}, 5, {"A": 1}, [words], steps=steps)] for words, steps in made]
    runs = (
        Given("low", [graded("heron", "1", far)], tasks[0]),
        Given("high", [graded("heron", "1", near)], tasks[1]),
    )
    given = [runs[place] for place in order]
    (table,) = rubric_people.table7(PaperMaterial(given, labels=LABELS))
    assert table.head == ("", "Agent", "Low", "High", "Absent", "Present")
    assert rows(table, 2)["Binary", "heron"] == ["0.400", "1.000", "1.000", "–"]
    sizes = "; ".join(("low: 6.0", "high: 9.0")[place] for place in order)
    assert f"Mean words of a criterion: {sizes}." in table.notes
    assert "– Present: no run file of such rubrics is given." in table.notes


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (((), ()), "the rubrics of both are the same: 2 as written"),
        ((("augment",), ("augment",)), "the rubrics of both are the same: 2 augment"),
        (((), ("remove_examples", "augment")), "2 remove_examples, then augment"),
    ],
)
def test_table_7_refuses_runs_that_histories_do_not_tell_apart(steps, said):
    line = rubric(("A", 1, S))
    runs = [
        Given(name, [graded("heron", "1", line)], facts(own, own))
        for name, own in zip("xy", steps, strict=True)
    ]
    with pytest.raises(BadInput, match=said):
        rubric_people.table7(PaperMaterial(runs, labels=LABELS))
    mixed = Given("mixed", [graded("heron", "1", line)], facts((), ("augment",)))
    with pytest.raises(BadInput, match=r"mixed: .* no single column .* 1 as written; 1 augment"):
        rubric_people.table7(PaperMaterial([mixed, runs[0]], labels=LABELS))


def facts(*steps):
    return [TaskFacts(str(n), {}, 5, {"A": 1}, [7], steps=own) for n, own in enumerate(steps, 1)]


def test_table_7_refuses_one_run_and_several_judges():
    run = Given("run", [graded("heron", "1", ONE)])
    with pytest.raises(BadInput, match="two or three"):
        rubric_people.table7(PaperMaterial((run,), labels=LABELS))
    two = [graded("heron", "1", ONE, judge=name) for name in ("a", "b")]
    with pytest.raises(BadInput, match="several judges"):
        rubric_people.table7(PaperMaterial((Given("x", two), Given("y", two)), labels=LABELS))


def test_figure_15_parts_mismatches_by_axis_and_by_importance():
    line = rubric((EXPLICIT, 5, S), (IMPLICIT, 1, S), (IMPLICIT, 1, N))
    by_axis, by_importance = rubric_people.figure15(of(graded("heron", "1", line), labels=LABELS))
    assert by_axis.head == (
        *("Axis", "Criteria", "share (ternary)", "rate (ternary)"),
        *("share (binary)", "rate (binary)"),
    )
    assert rows(by_axis)[IMPLICIT,] == ["2", "100.0 %", "50.0 %", "100.0 %", "50.0 %"]
    assert rows(by_importance)["mandatory",] == ["1", "0.0 %", "0.0 %", "0.0 %", "0.0 %"]


def test_without_verdicts_of_people_the_table_says_how_to_give_them():
    with pytest.raises(BadInput) as caught:
        rubric_people.table6(of(graded("heron", "1", ONE)))
    assert "--human" in caught.value.remedy


def report(task, words):
    return MeasuredReport("heron", task, 1, {}, Length(9, words, 2 * words), Length(0, 0, 0), 0, 0)


def test_table_9_divides_by_the_number_of_reports():
    (table,) = rubrics.table9(PaperMaterial((), [report("1", 10), report("2", 20)]))
    assert table.head == ("Type", "Model", "Mean", "SD", "Median", "Min", "Max")
    assert rows(table, 2)["Words", "heron"] == ["15.00", "5.00", "15", "10", "20"]


def test_figure_7_correlates_scores_with_lengths():
    scores = (0.1, 0.2, 0.3, 0.4)
    records = [
        graded("heron", str(n), rubric(("A", 1, S), value=score)) for n, score in enumerate(scores)
    ]
    lengths = [report(str(n), 10 * n + 10) for n in range(4)]
    (table,) = rubrics.length_correlation("figure 7")(of(*records, reports=lengths))
    assert rows(table)["heron",] == ["4", "1.000", "1.000", "1.000", "1.000"]
