"""Figures of judges on criteria, against counts made in another way and the released program."""

import csv
import io
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from deepassay.results.joined import Joined
from deepassay.results.weighing import NOT, PARTIAL, SATISFIED
from deepassay.wings.people.agreement.graded_set import GradedSet, OnCriterion
from deepassay.wings.people.agreement.published import judges_of_set
from deepassay.wings.people.agreement.rubric_labels import BalancedByKind, measured_rubrics
from deepassay.wings.people.agreement.rubrics import CriterionPlace, compare_rubric_verdicts
from tests.draws import few_draws  # noqa: F401 - for all tests; 99 tell 0.25 from none
from tests.results.rubrics import EXPLICIT, IMPLICIT, graded, rubric


def test_the_mean_over_kinds_is_that_of_the_released_program(shared):
    golden = json.loads((shared / "golden/sets/ruverbench.json").read_text())
    assert len(golden["cases"]) == 40
    for case in golden["cases"]:
        kinds, labels, verdicts, there = zip(*case["rows"], strict=True)
        said = np.array(verdicts) * np.array(there)
        order = tuple(case["expected"]["categories"])
        mean = BalancedByKind(np.array(labels, dtype=float), said.astype(float), kinds, order)
        found = mean(np.ones(len(kinds)))
        assert found == pytest.approx(case["expected"]["macro_bal_acc"], rel=0, abs=1e-12)


def given(labels, kinds=("x",)):
    """Reports with criteria: labels by report, a list each of what raters said."""
    found = {
        CriterionPlace("heron", f"t{at}", 1, f"c{n}"): OnCriterion(
            f"Criterion {n}.", tuple(said), kinds[n % len(kinds)]
        )
        for at, own in enumerate(labels)
        for n, said in enumerate(own, start=1)
    }
    return GradedSet("set", (), (), found, Joined("verdicts", "criteria", len(found)))


def judged(verdicts):
    return [
        graded("heron", f"t{at}", rubric(*((EXPLICIT, 1, word) for word in own)))
        for at, own in enumerate(verdicts)
    ]


def measured(own, records):
    return measured_rubrics(own, compare_rubric_verdicts(own.words(), records), 0)


def figures(own, records):
    known = measured(own, records)
    return known, {(name, each.name): each for name, each in known.figures}


def judge_alone(own, records):
    """Figures without those of the rules that stand beside the judge."""
    known = measured(own, records)
    return {each.name: each for _, each in replace(known, sayings=known.sayings[:1]).figures}


def test_every_figure_against_a_count_by_hand():
    labels = [[[SATISFIED]] * 6 + [[NOT]] * 4] * 3
    verdicts = [[SATISFIED] * 5 + [NOT] * 5] * 3
    _, found = figures(given(labels), judged(verdicts))
    mine = {name: each.value for (who, name), each in found.items() if who == "m"}
    assert mine["accuracy"] == pytest.approx(0.9)
    assert mine["balanced accuracy"] == pytest.approx((5 / 6 + 1) / 2)
    assert mine["F1 of met"] == pytest.approx(10 / 11)
    assert mine["F1 of not met"] == pytest.approx(8 / 9)
    assert mine["Cohen's kappa"] == pytest.approx((0.9 - 0.5) / 0.5)
    assert mine["Pearson (phi)"] == pytest.approx((5 * 4 - 1 * 0) / (6 * 4 * 5 * 5) ** 0.5)
    rules = {who: each.value for (who, name), each in found.items() if name == "accuracy"}
    assert rules["always met"] == rules["what people say most"] == pytest.approx(0.6)


def test_a_judge_s_partly_met_is_not_met_where_people_had_two_words():
    own = given([[[SATISFIED], [NOT]]])
    _, found = figures(own, judged([[PARTIAL, PARTIAL]]))
    assert found["m", "accuracy"].value == 0.5
    own = given([[[SATISFIED], [PARTIAL]]])
    _, found = figures(own, judged([[SATISFIED, PARTIAL]]))
    assert found["m", "accuracy"].value == 1.0
    assert found["m", "F1 of partly met"].value == 1.0


def test_several_raters_stand_beside_each_other_and_divided_ones_are_left_out():
    own = given([[[SATISFIED, SATISFIED, NOT], [NOT, NOT, NOT], [SATISFIED, NOT]]])
    known, found = figures(own, judged([[SATISFIED, NOT, SATISFIED]]))
    assert found["m", "accuracy"].n == 2 and found["m", "accuracy"].value == 1.0
    assert found["people", "accuracy"].n == 3
    assert known.divided == 1 and own.words().keys() == {
        place for place in own.labels if place.criterion != "c3"
    }


def test_people_are_held_against_each_other_also_where_they_are_divided():
    """Of ten criteria of a report two are equal on five, and say met and partly met of five."""
    labels = [[[SATISFIED] * 2] * 3 + [[NOT] * 2] * 2 + [[SATISFIED, PARTIAL]] * 5] * 4
    verdicts = [[SATISFIED] * 3 + [PARTIAL] * 2 + [NOT] * 5] * 4
    own = given(labels, kinds=("",))
    known, found = figures(own, judged(verdicts))
    assert (found["people", "accuracy"].n, found["people", "accuracy"].value) == (40, 0.5)
    assert found["people", "F1 of partly met"].value == 0
    # People had three words, so that partly met is not the not met that they say together.
    assert (found["m", "accuracy"].n, found["m", "accuracy"].value) == (20, 0.6)
    assert not any("met or not" in note for note in known.notes)
    rule = found["what people say most", "accuracy"]
    assert (rule.n, rule.value) == (20, 0.6)


def test_people_count_once_what_was_judged_three_times():
    own = given([[[SATISFIED] * 2, [NOT] * 2, [SATISFIED, NOT]]] * 4)
    records = [
        replace(each, repeat=repeat)
        for repeat, said in enumerate((SATISFIED, NOT, SATISFIED))
        for each in judged([[said, NOT, NOT]] * 4)
    ]
    known, found = figures(own, records)
    assert (found["m", "accuracy"].n, found["m", "accuracy"].value) == (24, pytest.approx(20 / 24))
    assert (found["people", "accuracy"].n, known.divided) == (12, 4)
    assert found["people", "accuracy"].value == pytest.approx(8 / 12)


def test_the_cuts_of_people_hold_criteria_on_which_they_are_divided():
    own = given([[[SATISFIED] * 2, [NOT, SATISFIED]] * 2] * 12, kinds=("",))
    lines = [(axis, 1, SATISFIED) for axis in (EXPLICIT, IMPLICIT) for _ in range(2)]
    records = [graded("heron", f"t{at}", rubric(*lines)) for at in range(12)]
    cuts = measured(own, records).tables()[1]
    place = cuts.head.index("people")
    rows = {row[0]: (row[1], row[place]) for row in cuts.rows}
    assert rows == {f"axis {axis}": ("12", "0.50") for axis in (EXPLICIT, IMPLICIT)}


def test_the_sentence_says_whether_the_rule_is_beaten():
    labels = [[[SATISFIED]] * 2 + [[NOT]] * 2] * 30
    right, wrong = [SATISFIED] * 2 + [NOT] * 2, [NOT] * 2 + [SATISFIED] * 2
    good = measured(given(labels), judged([right] * 27 + [wrong] * 3))
    assert "m says what people say of 90.0 % of 120 criteria" in good.notes[0]
    assert "50.0 %: it does better (by " in good.notes[0]
    bad = measured(given(labels), judged([wrong] * 27 + [right] * 3))
    assert "it does worse" in bad.notes[0]
    same = measured(given(labels), judged([right] * 15 + [wrong] * 15))
    assert "that it does better is not shown" in same.notes[0]


def test_labels_that_no_judge_could_use_say_nothing_of_the_rules():
    """Of 40 criteria of reports that were judged 30 are met; of 90 of others, none."""
    labels = [[[SATISFIED]] * 3 + [[NOT]]] * 10
    strays = [[[NOT]] * 9] * 10
    verdicts = [[SATISFIED] + [NOT] * 3] * 5 + [[NOT] * 4] * 5
    alone, known = figures(given(labels), judged(verdicts))
    more, found = figures(given([*labels, *strays]), judged(verdicts))
    assert (
        "37.5 % of 40 criteria, the rule that asks nobody of 75.0 %: it does worse"
        in (more.notes[0])
    )
    assert more.notes[0] == alone.notes[0]
    for rule in ("always met", "what people say most"):
        assert found[rule, "accuracy"].value == known[rule, "accuracy"].value == 0.75
        assert found[rule, "accuracy"].n == 40


def test_the_rule_of_each_judge_is_of_the_criteria_on_which_it_has_a_verdict():
    """One judged all that is met and more, the other only where people say not met."""
    labels = [[[SATISFIED]] * 4] * 6 + [[[NOT]] * 3 + [[SATISFIED]]] * 4
    records = [*judged([[SATISFIED] * 4] * 10)]
    few = rubric(*((EXPLICIT, 1, word) for word in [NOT] * 2 + [SATISFIED] * 2))
    records += [graded("heron", f"t{at}", few, judge="n") for at in range(6, 10)]
    first, second = measured(given(labels), records).notes[:2]
    assert first.startswith("m says what people say of 70.0 % of 40 criteria, the rule that asks")
    assert "nobody of 70.0 %" in first
    assert "n says what people say of 75.0 % of 16 criteria" in second
    assert "nobody of 75.0 %: that it does better is not shown" in second


def test_the_floor_of_a_cut_is_of_the_criteria_on_which_the_judge_has_a_verdict():
    """Two judges of other reports: people call met what one saw of a kind, and most of all."""
    labels = [[[NOT], [SATISFIED]] * 3] * 10 + [[[SATISFIED]] * 4 + [[NOT]] * 2] * 10
    records = judged([[NOT, SATISFIED] * 3] * 10)
    other = rubric(*((EXPLICIT, 1, word) for word in [SATISFIED] * 4 + [NOT] * 2))
    records += [graded("heron", f"t{at}", other, judge="n") for at in range(10, 20)]
    cuts = measured(given(labels, ("numbers", "logic")), records).tables()[1]
    place = cuts.head.index("floor accuracy")
    rows = {row[0]: (row[1], row[place]) for row in cuts.rows}
    assert rows == {"kind logic": ("30", "0.00"), "kind numbers": ("30", "1.00")}


@pytest.mark.parametrize("format", ["csv", "json"])
def test_lines_of_cuts_have_the_floor_of_every_judge_and_people_once(format):
    """Two raters, and three judges, each of which decided on other reports."""
    labels = [[[NOT] * 2, [SATISFIED] * 2] * 3] * 10 + [
        [[SATISFIED] * 2] * 4 + [[NOT] * 2] * 2
    ] * 20
    records = judged([[NOT, SATISFIED] * 3] * 10)
    other = rubric(*((EXPLICIT, 1, word) for word in [SATISFIED] * 4 + [NOT] * 2))
    for judge, tasks in (("n", range(10, 20)), ("o", range(20, 30))):
        records += [graded("heron", f"t{at}", other, judge=judge) for at in tasks]
    own = measured(given(labels, ("numbers", "logic")), records)
    found = judges_of_set(own, [{"model": name} for name in "mno"], Counter())
    text = found.written(format)
    lines = json.loads(text) if format == "json" else [*csv.DictReader(io.StringIO(text))]
    cuts = [line for line in lines if line["cut"]]
    floors = {
        (line["beside"], line["cut"]): f"{float(line['value']):.2f}"
        for line in cuts
        if line["by"] == "what people say most"
    }
    shown = {}
    for table in found.tables[1:]:
        place = table.head.index("floor accuracy")
        shown |= {(table.title[0], row[0]): row[place] for row in table.rows}
    assert floors == shown
    assert len(floors) == 6 and len(set(floors.values())) > 2
    people = [(line["cut"], line["beside"]) for line in cuts if line["by"] == "people"]
    assert people == [("kind logic", ""), ("kind numbers", "")]
    assert {line["beside"] for line in lines if line["by"] in "mno" or not line["cut"]} == {""}


def test_intervals_are_of_reports_and_not_of_criteria():
    """Ten criteria of a report that are right or wrong together are one piece of evidence."""
    labels = [[[SATISFIED]] * 5 + [[NOT]] * 5] * 40
    right, wrong = [SATISFIED] * 5 + [NOT] * 5, [NOT] * 5 + [SATISFIED] * 5
    together = judge_alone(given(labels), judged([right] * 20 + [wrong] * 20))
    half = [SATISFIED] * 2 + [NOT] * 3 + [NOT] * 3 + [SATISFIED] * 2
    alone = judge_alone(given(labels), judged([half] * 40))
    wide, narrow = (each["accuracy"].interval for each in (together, alone))
    assert wide.high - wide.low > 0.25
    assert narrow is None  # every report has the same share


def test_kinds_are_rows_of_the_cuts():
    labels = [[[SATISFIED], [NOT]] * 3] * 10
    known, _ = figures(
        given(labels, ("numbers", "logic")), judged([[SATISFIED] * 3 + [NOT] * 3] * 10)
    )
    rows = {row[0]: row[1] for row in known.tables()[1].rows}
    assert Counter(rows) == {"kind logic": "30", "kind numbers": "30"}
