"""Which verdicts a person should see."""

import csv
import io

from deepassay.models.panel import combine
from deepassay.score import Score
from deepassay.wings.people.agreement.decisions import Decision
from deepassay.wings.people.calibration.seeing import as_rows, to_see
from tests.results.judgements import make

TASKS = range(60)


def score(*verdicts):
    items = [
        {"key": f"q{at}", "item": f"Question {at}?", "verdict": verdict}
        for at, verdict in enumerate(verdicts)
    ]
    return Score(50.0, (0.0, 100.0), details={"items": items})


def judged():
    """Two judges: united on the first question, divided on the second."""
    return [make("a", f"t{at}", combine({"x": score(1, 1), "y": score(1, 0)})) for at in TASKS]


def said(yes, shown=40):
    return [
        Decision("line", "a", f"t{at}", "p", item=key, verdict="yes" if yes(key, at) else "no")
        for at in range(shown)
        for key in ("q0", "q1")
    ]


def test_the_divided_are_seen_and_the_united_are_not():
    decisions = said(lambda key, at: key == "q0" or at % 2 > 0)
    (found,) = to_see(decisions, judged(), {}, 0.1, 0)
    kinds = {each.said: each for each in found.found}
    united, divided = kinds["met"], kinds["x: met, y: not met"]
    assert (united.is_sure, united.could) == (True, ("met",))
    assert (divided.is_sure, divided.could) == (False, ("not met", "met"))
    assert (len(united.verdicts), united.labels) == (20, 40)
    rows = [*csv.DictReader(io.StringIO(as_rows([found])))]
    assert {row["item"] for row in rows} == {"q1"}
    assert {row["task"] for row in rows} == {f"t{at}" for at in range(40, 60)}
    assert {row["verdict"] for row in rows} == {""}
    (table, notes) = found.table(), " ".join(found.table().notes)
    assert table.rows[0][-1] in ("yes", "no")
    assert "20 of 40 verdicts without a label (50.0 %) should be seen" in notes
    assert "in at most 10.0 %, on average over tasks drawn as the 40 labelled ones" in notes


def test_people_who_are_divided_are_a_word_of_their_own():
    decisions = [
        *said(lambda key, at: True),
        *(Decision("l", "a", f"t{at}", "r", item="q1", verdict="no") for at in range(40)),
    ]
    (found,) = to_see(decisions, judged(), {}, 0.1, 0)
    kinds = {each.said: each.could for each in found.found}
    assert kinds == {"met": ("met",), "x: met, y: not met": ("partly met",)}


def test_with_few_labels_everything_is_seen_and_it_is_said_why():
    (found,) = to_see(said(lambda key, at: at % 2 > 0, 10), judged(), {}, 0.1, 0)
    assert not any(each.is_sure for each in found.found)
    assert "It takes labels on 18 tasks to leave out any word." in found.table().notes
    assert not to_see([], judged(), {}, 0.1, 0)


def test_marks_are_not_to_be_seen_for_words():
    marks = [make("a", f"t{at}", score("3.5", "1")) for at in TASKS]
    assert to_see(said(lambda key, at: True), marks, {}, 0.1, 0) == []
