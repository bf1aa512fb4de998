"""What is drawn for people, and what their preferences come to (LiveResearchBench, appendix C)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deepassay.results.records import Judged
from deepassay.score import Score, Signature, to_json
from deepassay.wings.people.agreement.sampling import (
    Candidate,
    Preference,
    candidates,
    drawn_candidates,
    lettered,
    preference_figures,
    preferred,
)


def judged(details, *, judges=("m",), repeat=0):
    recipe = Signature({"judges": [{"model": name} for name in judges]})
    score = Score(50.0, (0.0, 100.0), details=details)
    return Judged("coverage", "heron", "t", 1, repeat, {}, score, recipe)


def panel(**details):
    each = {name: to_json(Score(50.0, (0.0, 100.0), details=own)) for name, own in details.items()}
    return judged({"judges": each}, judges=tuple(details))


def item(key, score, reason=""):
    return {"key": key, "item": f"Says {key}?", "score": score, "justification": reason}


def test_items_stand_with_what_each_judge_said_and_why():
    record = panel(
        gpt={"items": [item("q1", 1, "it does"), item("q2", 0)]},
        claude={"items": [item("q1", 0, "it does not"), item("q2", 0)]},
    )
    first, second = candidates([record])
    assert first.place == ("coverage", "heron", "t", 1, "q1", "")
    assert first.question == "Says q1?"
    assert first.verdicts == {"gpt": "met", "claude": "not met"}
    assert first.reasons == {"gpt": "it does", "claude": "it does not"}
    assert (first.united, first.divided) == (False, True)
    assert (second.united, second.divided) == (True, False)


def test_an_issue_is_the_judges_who_flagged_it():
    own = {"issues": 1, "items": [{"key": "i1", "item": "They clash.", "quotes": ["a", "b"]}]}
    one, other = candidates([panel(gpt=own, claude=own)])
    assert (one.judge, other.judge) == ("gpt", "claude")
    assert one.question.endswith("They clash. “a / b”")
    assert one.verdicts == {"gpt": "met"}


def test_a_pair_of_reports_is_decided_as_a_whole():
    won = {"baseline": "odr", "winner": "own", "items": [item("first", 20, "it goes deeper")]}
    (pair,) = candidates([panel(gpt=won, claude=won | {"winner": "tie"})])
    assert (pair.item, pair.verdicts) == ("", {"gpt": "win", "claude": "tie"})
    assert pair.reasons["gpt"] == "it goes deeper"


def test_claims_of_a_tree_stand_with_the_page_that_they_are_judged_by():
    page = {"key": "s1", "item": "https://a.org/1", "depth": 0, "state": "reachable"}
    claim = item("s1.1", 1) | {"depth": 1, "verdict": "supported"}
    (found,) = candidates([judged({"items": [page, claim]})])
    assert (found.item, found.url, found.verdicts) == ("s1.1", "https://a.org/1", {"m": "met"})


@pytest.mark.parametrize(
    ("found", "marked"),
    [
        ([item("c1", 7.5) | {"dimension": "insight"}], True),
        ([item("c1", 1) | {"dimension": "insight"}], True),  # which a verdict may be too
        ([item("c1", 10)], True),
        ([item("c1", 4) | {"verdict": "4 of 5"}], True),
        ([item("q1", 1)], False),
        ([item("q1", 0.5)], False),
        ([item("k1", 0) | {"verdict": "CONTRADICTS"}], False),
        (
            [item("r1", 0.25) | {"verdict": "weak", "axis": "a", "weight": 2, "mandatory": False}],
            False,
        ),
    ],
)
def test_marks_on_a_scale_are_told_from_verdicts(found, marked):
    assert [each.marked for each in candidates([judged({"items": found})])] == [marked]


def test_repeats_and_items_that_are_open_are_not_drawn():
    lost = item("q2", None) | {"cause": "timeout"}
    record = judged({"items": [item("q1", 1), lost]})
    again = judged({"items": [item("q1", 1)]}, repeat=1)
    assert [each.item for each in candidates([record, again])] == ["q1"]


@pytest.mark.parametrize(
    ("items", "marked"),
    [
        ([item("q1", 1), item("q2", 0), item("q3", 0.5)], False),
        ([item("q1", None) | {"verdict": "supported"}], False),
        ([{"key": "s1", "verdict": "unknown"}, {"key": "s2", "verdict": "supported"}], False),
        ([item("c1", 0.25) | {"axis": "A", "weight": 1.0, "verdict": "hardly"}], False),
        ([item("c1", 1) | {"dimension": "insight", "weight": 0.5}], True),
        ([item("c1", 8.2) | {"dimension": "insight"}, item("c2", 1) | {"dimension": "x"}], True),
        ([item("m1", 1), item("m2", 0), item("m3", 3) | {"verdict": "3 of 5"}], True),
        ([{"key": "r1", "verdict": 7}, {"key": "r2", "verdict": 1}], True),
    ],
)
def test_marks_and_counts_are_told_from_verdicts_for_the_whole_protocol(items, marked):
    """A mark of 0 or 1 is a mark if others of its protocol are, and a rubric's grade is none."""
    first, again = judged({"items": items}), judged({"items": [item("q1", 1)]})
    found = candidates([first, replace(again, task="u"), replace(again, protocol="other")])
    assert {each.marked for each in found if each.protocol == "coverage"} == {marked}
    assert [each.marked for each in found if each.protocol == "other"] == [False]


def some(number, *verdicts):
    said = dict(zip(("x", "y"), verdicts, strict=False))
    return Candidate("coverage", "heron", f"t{number}", 1, "q1", "", "?", "", said, said)


POOL = [some(n, "met", "met" if n % 3 else "not met") for n in range(30)]


def test_both_sets_are_drawn_without_replacement_and_mixed():
    chosen = drawn_candidates(POOL, 5, "both", np.random.default_rng(0))
    assert len({each.place for each in chosen}) == 10
    assert sum(each.united for each in chosen) == 5
    assert [each.united for each in chosen] != sorted(each.united for each in chosen)
    assert drawn_candidates(POOL, 5, "both", np.random.default_rng(0)) == chosen
    assert drawn_candidates(POOL, 5, "both", np.random.default_rng(1)) != chosen


def test_one_set_alone_and_fewer_than_were_asked_for():
    assert all(
        each.divided for each in drawn_candidates(POOL, 4, "disagreement", np.random.default_rng(0))
    )
    assert len(drawn_candidates(POOL, 99, "disagreement", np.random.default_rng(0))) == 10
    assert len(drawn_candidates(POOL, 99, "all", np.random.default_rng(0))) == 30


def test_every_candidate_is_drawn_about_equally_often():
    counts = np.zeros(30)
    for seed in range(600):
        for each in drawn_candidates(POOL, 3, "all", np.random.default_rng(seed)):
            counts[int(each.task[1:])] += 1
    assert counts.min() > 30 and counts.max() < 95  # 60 expected, 6 standard deviations of 7.3


LETTERS = {"A": "gpt", "B": "claude", "C": "gemini"}


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("A", {"gpt"}),
        ("a c", {"gpt", "gemini"}),
        ("B, C", {"claude", "gemini"}),
        ("Tie", set(LETTERS.values())),
        ("none", set()),
        ("D", None),
        ("A and B", None),
        ("", None),
        ("A none", None),
    ],
)
def test_answers_are_letters_a_tie_or_none(answer, meant):
    assert preferred(answer, LETTERS) == meant


def test_letters_are_a_random_order_of_the_judges():
    orders = {
        tuple(lettered(["x", "y", "z"], np.random.default_rng(seed)).values()) for seed in range(50)
    }
    assert len(orders) == 6


def chose(row, *names, task="t"):
    return Preference(task, str(row), "p", frozenset(LETTERS.values()), frozenset(names))


def test_rates_are_those_of_the_paper():
    found = [
        chose(1, "gpt"),
        chose(2, "gpt", "gemini"),
        chose(3, *LETTERS.values(), task="u"),
        chose(4, task="u"),
    ]
    rates = {each.name: (each.value, each.n) for each in preference_figures(found, seed=1)}
    assert rates["gpt preferred, alone or with others"] == (3 / 4, 4)
    assert rates["gemini preferred, alone or with others"] == (2 / 4, 4)
    assert rates["gpt preferred alone"] == (1 / 4, 4)
    assert rates["claude or gemini preferred"] == (2 / 4, 4)
    assert rates["all judges preferred (tie)"] == (1 / 4, 4)
    assert rates["none preferred"] == (1 / 4, 4)
