import csv
import io
import json

import pytest

from deepassay.score import Cause
from deepassay.wings.people.agreement.rubric_tables import (
    agreement_tables,
    flat_agreement,
    missing,
)
from deepassay.wings.people.agreement.rubrics import (
    CriterionPlace,
    Mismatches,
    agreement,
    compare_rubric_verdicts,
    mismatches,
    named_criterion,
)
from deepassay.wings.people.agreement.tables import written_agreement
from tests.results.rubrics import EXPLICIT, IMPLICIT, N, P, S, graded, panel, rubric


def write_agreement(found, format):
    tables = [table for each in found for table in agreement_tables(each)]
    return written_agreement(flat_agreement(found), tables, format)


RECORDS = [
    graded("heron", "a", rubric((EXPLICIT, 5, S), (EXPLICIT, 2, P), (IMPLICIT, -4, N))),
    graded("heron", "b", rubric((EXPLICIT, 5, S))),
    graded("cuckoo", "a", rubric((EXPLICIT, 5, N), (IMPLICIT, 1, None, "timeout"))),
]
LABELS = {
    CriterionPlace("heron", "a", 1, "c1"): S,
    CriterionPlace("heron", "a", 1, "c2"): N,
    CriterionPlace("heron", "a", 1, "c3"): S,
    CriterionPlace("heron", "b", 1, "c1"): S,
    CriterionPlace("cuckoo", "a", 1, "c1"): N,
    CriterionPlace("cuckoo", "a", 1, "c2"): S,
}

OPEN = (CriterionPlace("cuckoo", "a", 1, "c2"),)
"""What people decided on and the judge did not."""


def test_verdicts_are_joined_by_agent_task_and_criterion():
    (found,) = compare_rubric_verdicts(LABELS, RECORDS)
    assert [(each.place.agent, each.place.criterion, *each.pair) for each in found.compared] == [
        ("cuckoo", "c1", N, N),
        ("heron", "c1", S, S),
        ("heron", "c2", N, P),
        ("heron", "c3", S, N),
        ("heron", "c1", S, S),
    ]
    assert found.unjudged == {"timeout": 1}
    assert (found.labelled, found.whole) == (6, False)


def test_macro_f1_is_averaged_over_tasks_and_pooled():
    (found,) = compare_rubric_verdicts(LABELS, RECORDS)
    heron = agreement(found, "binary", "heron")
    # Task a: Satisfied has 1 hit and 1 miss, Not Satisfied 1 hit and 1 false alarm: 2/3 each.
    # Task b: only Satisfied occurs, 1, to which the released program adds a class that counts 0.
    assert heron.per_task == pytest.approx((2 / 3 + 1) / 2)
    assert heron.released == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert heron.pooled == pytest.approx((4 / 5 + 2 / 3) / 2)
    assert heron.verdicts == (4, 4)
    together = agreement(found, "binary")
    assert (together.tasks, together.verdicts) == (3, (5, 6))
    assert together.per_task == pytest.approx((2 / 3 + 1 + 1) / 3)


def test_what_people_labelled_and_no_one_graded_is_counted():
    labels = LABELS | {CriterionPlace("heron", "z", 1, f"c{n}"): S for n in range(5)}
    (found,) = compare_rubric_verdicts(labels, RECORDS)
    assert len(found.unknown) == 5
    assert agreement(found, "ternary", "heron").verdicts == (4, 9)
    assert list(missing(found)) == [
        "verdicts of people: 11 came in, 6 found their graded criteria, 5 used.",
        *(f"left out: c{n} of heron on z: no graded criterion." for n in range(3)),
        "left out: 2 more verdicts of people of this kind",
        *(f"left out: {named_criterion(each)}: no verdict of the judge." for each in OPEN),
        "Without a verdict of the judge: 1 (timeout).",
    ]


def test_every_judge_of_a_panel_and_every_protocol_is_held_apart():
    both = panel(one=rubric((EXPLICIT, 5, S)), two=rubric((EXPLICIT, 5, N)))
    records = [
        graded("heron", "a", both),
        graded("heron", "a", rubric((EXPLICIT, 5, S)), protocol="rubrics(scale='binary')"),
        graded("heron", "b", Cause.TIMEOUT),
    ]
    found = compare_rubric_verdicts({CriterionPlace("heron", "a", 1, "c1"): S}, records)
    assert [(each.protocol, each.judge, each.scales) for each in found] == [
        ("rubrics", "one", ("ternary", "binary")),
        ("rubrics", "two", ("ternary", "binary")),
        ("rubrics(scale='binary')", "m", ("binary",)),
    ]
    assert [agreement(each, "binary").pooled for each in found] == [1, 0, 1]


def test_repeats_weigh_within_their_task():
    records = [
        graded("heron", "a", rubric((EXPLICIT, 5, S)), repeat=0),
        graded("heron", "a", rubric((EXPLICIT, 5, N)), repeat=1),
        graded("heron", "b", rubric((EXPLICIT, 5, S))),
    ]
    labels = {CriterionPlace("heron", task, 1, "c1"): S for task in "ab"}
    (found,) = compare_rubric_verdicts(labels, records)
    whole = agreement(found, "binary")
    assert whole.per_task == pytest.approx((1 / 2 + 1) / 2)
    assert whole.verdicts == (2, 2)  # what two people said, however often it was judged
    assert found.joined.came == found.joined.used == 2
    # One and a half of the judge's two verdicts are Satisfied: F1 is 2 * 1.5 / (2 * 1.5 + .5).
    assert whole.pooled == pytest.approx((3 / 3.5 + 0) / 2)
    assert mismatches(found.compared, "binary", lambda line: line.axis) == {
        EXPLICIT: Mismatches(2, 0.5)
    }


def test_differences_are_counted_by_kind():
    (found,) = compare_rubric_verdicts(LABELS, RECORDS)
    assert mismatches(found.compared, "ternary", lambda line: line.axis) == {
        EXPLICIT: Mismatches(4, 1),
        IMPLICIT: Mismatches(1, 1),
    }
    assert mismatches(found.compared, "binary", lambda line: line.obligation) == {
        "mandatory": Mismatches(4, 1),
        "optional": Mismatches(1, 0),
    }


def test_the_tables_hold_classes_confusion_and_differences():
    (found,) = compare_rubric_verdicts(LABELS, RECORDS)
    f1, classes, confusion, by_axis, by_level, _ = agreement_tables(found)
    assert f1.rows[-1][:4] == ("(all)", "binary", "3", "5/6")
    assert ("ternary", S, "3", "2", "2", "1.0000", "0.6667", "0.8000") in classes.rows
    assert confusion.rows == ((S, "2", "0", "1"), (P, "0", "0", "0"), (N, "0", "1", "1"))
    assert by_axis.rows[0] == (EXPLICIT, "4", "1", "50.0 %", "25.0 %", "0", "0.0 %", "0.0 %")
    assert {row[0] for row in by_level.rows} == {
        *("Critically Important", "Important", "Critically Detrimental"),
    }


def test_agreement_is_written_in_every_format():
    found = compare_rubric_verdicts(LABELS, RECORDS)
    assert "rubrics, judge m against people: macro-F1" in write_agreement(found, "text")
    assert write_agreement(found, "markdown").startswith("### rubrics, judge m")
    rows = list(csv.DictReader(io.StringIO(write_agreement(found, "csv"))))
    assert [(row["agent"], row["scale"]) for row in rows[-2:]] == [
        *(("(all)", "ternary"), ("(all)", "binary")),
    ]
    whole = json.loads(write_agreement(found, "json"))
    assert whole["agreement"][-1]["macro_f1_per_task"] == pytest.approx((2 / 3 + 2) / 3)
    assert len(whole["tables"]) == 6
