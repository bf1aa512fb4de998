"""A judge on people's labels: every coefficient against another way to it, cuts, people, floors."""

from itertools import product

import numpy as np
import pytest

from deepassay.wings.people.agreement.labels import LabelledItem, Measured, Saying
from tests.draws import few_draws  # noqa: F401 - for all tests

CLASSES = (1.0, 0.0)


def items(labels, units=None, **cuts):
    return [
        LabelledItem(
            tuple(own) if isinstance(own, list) else (own,),
            units[at] if units else str(at),
            {name: values[at] for name, values in cuts.items()},
        )
        for at, own in enumerate(labels)
    ]


def figures(measured, name):
    return {figure.name: figure for by, figure in measured.figures if by == name}


def area_by_pairs(grades, labels):
    """Over all pairs of unequal labels: the share in which the better one has more; ties half."""
    pairs = [
        (g > h) + (g == h) / 2
        for (g, one), (h, other) in product(zip(grades, labels, strict=True), repeat=2)
        if one > other
    ]
    return sum(pairs) / len(pairs)


def test_every_figure_of_random_verdicts_is_what_counting_gives():
    chance = np.random.default_rng(11)
    labels = [float(each) for each in chance.integers(0, 2, 60)]
    grades = [float(each) for each in chance.integers(0, 5, 60) / 4]
    verdicts = [float(each >= 0.5) for each in grades]
    found = figures(Measured("set", items(labels), CLASSES, [Saying("j", verdicts, grades)]), "j")
    table = np.zeros((2, 2))
    for label, verdict in zip(labels, verdicts, strict=True):
        table[int(label), int(verdict)] += 1
    n = table.sum()
    observed = np.trace(table) / n
    by_chance = (table.sum(0) * table.sum(1)).sum() / n**2
    f1 = [2 * table[c, c] / (table[c].sum() + table[:, c].sum()) for c in (0, 1)]
    assert found["accuracy"].value == pytest.approx(observed)
    assert found["balanced accuracy"].value == pytest.approx((np.diag(table) / table.sum(1)).mean())
    assert found["macro-F1"].value == pytest.approx(np.mean(f1))
    assert found["Cohen's kappa"].value == pytest.approx((observed - by_chance) / (1 - by_chance))
    assert found["Pearson (phi)"].value == pytest.approx(np.corrcoef(labels, verdicts)[0, 1])
    assert found["AUC"].value == pytest.approx(area_by_pairs(grades, labels))
    assert len(found) == 10
    for each in found.values():
        assert each.n == 60
        low, high = each.interval
        assert low < each.value < high


def test_three_grades_are_kept_and_order_pairs_of_all_of_them():
    labels, grades = [1.0, 1.0, 0.5, 0.5, 0.0, 0.0], [0.9, 0.4, 0.6, 0.5, 0.45, 0.1]
    saying = Saying("j", [float(each > 0.5) for each in grades], grades)
    found = figures(Measured("s", items(labels), (1.0, 0.5, 0.0), [saying]), "j")
    assert found["AUC"].value == pytest.approx(area_by_pairs(grades, labels))
    assert found["accuracy"].value == pytest.approx(3 / 6)


def test_people_stand_beside_the_judge_and_where_they_differ_nothing_is_counted():
    labels = [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0]]
    saying = Saying("j", [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0])
    measured = Measured("s", items(labels), CLASSES, [saying])
    assert figures(measured, "j")["accuracy"].n == 3
    assert figures(measured, "j")["accuracy"].value == 1
    people = figures(measured, "people")["accuracy"]
    assert (people.n, people.value) == (4, pytest.approx(14 / 20))


def test_of_two_who_differ_nobody_says_what_lies_between():
    """Twelve say the opposite, three differ by a half: neither a tie nor a first or second."""
    labels = [[1.0, 0.0]] * 7 + [[0.0, 1.0]] * 5 + [[1.0, 0.5]] * 3 + [[0.5, 0.5]] * 2 + [[1.0]] * 4
    labels += [[1.0, 0.5, 0.0]] * 2
    tie = Saying("j", [0.5] * len(labels), [0.5] * len(labels))
    measured = Measured("s", items(labels), (1.0, 0.5, 0.0), [tie])
    accuracy = figures(measured, "j")["accuracy"]
    assert (accuracy.n, accuracy.value) == (8, pytest.approx(4 / 8))
    assert figures(measured, "people")["accuracy"].n == 19
    assert measured.divided == 15
    said = "Divided, and counted for people alone: 15 items."
    assert said in measured.tables()[0].notes
    agreed = Measured("s", items(labels[15:]), (1.0, 0.5, 0.0), [tie])
    assert agreed.divided == 0
    assert not any("do not agree" in note for note in agreed.tables()[0].notes)


def test_items_of_one_page_are_drawn_together():
    labels = [1.0, 0.0] * 20
    verdicts = [1.0] * 20 + [0.0] * 20
    apart = Measured("s", items(labels), CLASSES, [Saying("j", verdicts, verdicts)])
    pages = [str(at // 10) for at in range(40)]
    together = Measured("s", items(labels, pages), CLASSES, [Saying("j", verdicts, verdicts)])
    assert figures(apart, "j")["accuracy"].interval is not None
    assert figures(together, "j")["accuracy"].interval is None  # each page has a half of each


def test_what_has_no_verdict_is_left_out():
    saying = Saying("j", [1.0, None, 0.0], [1.0, None, 0.0])
    assert figures(Measured("s", items([1.0, 1.0, 0.0]), CLASSES, [saying]), "j")["AUC"].n == 2


def test_cuts_have_rows_with_the_floor_and_people_beside_them():
    labels = [[float(at % 2)] * 2 for at in range(40)]
    source = ["a"] * 20 + ["b"] * 15 + ["c"] * 5
    right = [own[0] for own in labels]
    wrong = [1 - each for each in right]
    measured = Measured(
        "set",
        items(labels, source=source, language=["en"] * 40),
        CLASSES,
        [Saying("judge", right, right), Saying("floor", wrong, wrong)],
    )
    whole, cuts = measured.tables()
    assert whole.head == ("figure", "judge", "floor", "people")
    assert whole.rows[-1] == ("items", "40", "40", "40")
    assert [row[0] for row in cuts.rows] == ["source a", "source b"]  # one language, five of c
    assert cuts.rows[0] == ("source a", "20", "1.00", "1.00", "1.00", "0.00", "1.00")


def test_without_a_judge_people_are_told_alone():
    labels = [[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    (whole,) = Measured("LFQA", items(labels), CLASSES, []).tables()
    assert whole.title == "people on LFQA"
    assert whole.head == ("figure", "people")


def test_lines_are_unrounded_and_name_whose_they_are():
    saying = Saying("j", [1.0, 0.0, 1.0], [0.9, 0.2, 0.7])
    lines = Measured("s", items([1.0, 0.0, 0.0]), CLASSES, [saying]).flat()
    accuracy = next(each for each in lines if each["figure"] == "accuracy")
    assert accuracy["value"] == pytest.approx(2 / 3)
    assert (accuracy["set"], accuracy["by"], accuracy["n"]) == ("s", "j", 3)
