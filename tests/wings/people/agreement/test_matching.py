"""Which score or verdict of which judge a decision is on."""

from __future__ import annotations

import pytest

from deepassay.models.panel import combine
from deepassay.score import Score
from deepassay.wings.people.agreement.decisions import MET, NOT_MET, Decision
from deepassay.wings.people.agreement.matching import PANEL, match
from tests.results.judgements import make


def decision(**own) -> Decision:
    return Decision(**{"place": "line 2", "agent": "a", "task": "t", "rater": "p", **own})


def score(value, items=(), **details) -> Score:
    return Score(value, (0.0, 100.0), {"Style": value / 2}, details={"items": items, **details})


def item(verdict):
    return {"key": "q1", "item": "?", "score": verdict, "justification": ""}


PANELS = [make("a", "t", combine({"x": score(80.0, [item(1)]), "y": score(60.0, [item(0)])}))]
ISSUES = [
    make("a", "t", combine({name: score(90.0, [{"key": "i1", "verdict": "figures"}], issues=1)
                            for name in "xy"}))
]  # fmt: skip


def test_scores_of_a_panel_and_of_each_judge_are_held_against_people() -> None:
    (found,) = match([decision(score=7.0)], PANELS)
    assert {judge: each.reports[0].score for (judge, _), each in found.scores.items()} == {
        PANEL: 70.0,
        "x": 80.0,
        "y": 60.0,
    }


def test_an_item_with_a_score_is_a_part_of_the_automated_score() -> None:
    (found,) = match([decision(score=7.0, item="style")], PANELS)
    assert found.scores["x", "style"].reports[0].score == 40.0


def test_an_item_with_a_verdict_is_held_against_every_judge() -> None:
    (found,) = match([decision(verdict="yes", item="Q1")], PANELS)
    assert (found.lines[0].person, found.lines[0].judges) == (MET, {"x": MET, "y": NOT_MET})


def test_issues_of_a_panel_need_the_name_of_the_judge() -> None:
    named = decision(verdict="yes", item="i1", judge="x")
    nameless = decision(verdict="yes", item="i1", protocol="coverage")
    (found,) = match([named, nameless], ISSUES)
    assert [line.judges for line in found.lines] == [{"x": MET}]
    assert found.unjudged == {"verdict": (nameless,)}
    assert found.used == {named}


def test_a_row_without_item_on_a_pairwise_protocol_is_held_against_the_winner() -> None:
    (found,) = match([decision(verdict="Win")], [make("a", "t", score(100.0, winner="own"))])
    assert (found.lines[0].person, found.lines[0].judges) == ("win", {"offline": "win"})


def test_repeats_are_averaged_and_samples_too() -> None:
    records = [
        *(make("a", "t", value, repeat=at) for at, value in enumerate((10, 30))),
        make("a", "t", 80, sample=2),
    ]
    (found,) = match([decision(score=1.0), decision(score=4.0, sample=2)], records)
    (rated,) = found.scores["offline", ""].reports
    assert (rated.score, rated.people) == (50.0, {"p": 2.5})


@pytest.mark.parametrize(
    "own",
    [{"task": "u"}, {"agent": "b"}, {"sample": 2}, {"protocol": "race"}, {"item": "nothing"}],
)
def test_a_decision_on_what_is_not_there_matches_nothing(own) -> None:
    assert not match([decision(score=1.0, **own)], PANELS)
