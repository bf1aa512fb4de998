"""What people would say beside the scores of a ranking."""

from __future__ import annotations

import csv
import io
import json

import pytest

from deepassay.errors import BadInput
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.score import Signature
from deepassay.wings.people.agreement.decisions import Decision
from deepassay.wings.people.calibration.board_column import (
    CHANGED,
    UNCALIBRATED,
    rankings_with_calibration,
)
from deepassay.wings.people.calibration.calibrate import calibrate
from deepassay.wings.people.calibration.calibration_file import CalibrationFile, digests
from deepassay.wings.people.calibration.labelled import labels_on
from tests.results.judgements import make, unfolded

TASKS = range(40)


def records(*agents, shift=0.0, **own):
    return [
        make(agent, f"t{task}", 50 + task % 7 + 5 * at + shift, **own)
        for at, agent in enumerate(agents)
        for task in TASKS
    ]


def kept(found, shown=30, agents=("heron",), **own):
    """A calibration of them: people give a tenth of the score, more on every third task."""
    given = [
        Decision(
            "line", each.agent, each.task, "p", score=each.outcome.value / 10 + (at % 3), **own
        )
        for at, each in enumerate(found)
        if each.agent in agents and int(each.task[1:]) < shown
    ]
    labelled, _ = labels_on(given, found, {})
    return CalibrationFile.of("p.csv", [calibrate(each, 0) for each in labelled], digests(found))


def test_the_score_and_the_rank_stay_and_people_stand_beside() -> None:
    found = records("heron", "magpie")
    plain, with_people = (
        rank(found),
        rankings_with_calibration(rank(found), kept(found), digests(found), "c.json"),
    )
    for one, other in zip(plain[0].standings, with_people[0].standings, strict=True):
        assert (one.rank, one.summary) == (other.rank, other.summary)
    heron = next(each for each in with_people[0].standings if each.agent == "heron")
    low, high = heron.people.interval
    assert low < heron.people.value < high
    assert heron.people.labels == 30


@pytest.mark.parametrize("wide", [False, True])
def test_tables_show_the_figure_and_why_there_is_none(wide) -> None:
    found = records("heron", "magpie")
    boards = rankings_with_calibration(rank(found), kept(found), digests(found), "c.json")
    said = unfolded(write(boards, wide=wide))
    assert "people" in said
    assert "people: none for magpie: labels on 0 tasks; 20 are needed." in said
    assert "people" not in write(rank(found), wide=wide)


def test_rows_for_programs_have_it_too() -> None:
    found = records("heron", "magpie")
    boards = rankings_with_calibration(rank(found), kept(found), digests(found), "c.json")
    rows = {each["agent"]: each for each in csv.DictReader(io.StringIO(write(boards, "csv")))}
    assert float(rows["heron"]["people_low"]) < float(rows["heron"]["people"])
    assert rows["magpie"]["people"] == ""
    assert json.loads(write(boards, "json"))[0]["standings"][1]["people_labels"] == 30
    assert "people" not in write(rank(found), "csv").split("\n")[0]


def test_a_calibration_of_other_scores_is_not_shown() -> None:
    old, new = records("heron"), records("heron", shift=1.0) + records("wren")
    boards = rankings_with_calibration(rank(new), kept(old), digests(new), "c.json")
    assert {each.agent: (each.people.value, each.people.why) for each in boards[0].standings} == {
        "heron": (None, CHANGED),
        "wren": (None, UNCALIBRATED),
    }


def test_a_calibration_of_another_recipe_is_refused_and_says_what_it_is_of() -> None:
    found = records("heron")
    other = records("heron", recipe=Signature({"protocol": "coverage", "judges": [{"model": "x"}]}))
    with pytest.raises(BadInput, match="calibrates none of these rankings") as refused:
        rankings_with_calibration(rank(other), kept(found), digests(other), "c.json")
    assert "coverage by offline" in str(refused.value)


def test_a_part_of_the_score_is_not_the_score() -> None:
    found = records("heron", parts={"Style": 1.0})
    with pytest.raises(BadInput):
        rankings_with_calibration(rank(found), kept(found, item="style"), digests(found), "c.json")


def test_cuts_by_label_stay_as_they_are() -> None:
    found = records("heron", labels={"topic": "law"})
    boards = rankings_with_calibration(
        rank(found, by="topic"), kept(found), digests(found), "c.json"
    )
    assert [bool(each.standings[0].people) for each in boards] == [True, False]


@pytest.mark.parametrize("text", ["agent,task\n", "{}", '{"calibration": 2}', "[1]"])
def test_a_file_that_is_none_is_refused(text) -> None:
    with pytest.raises(BadInput, match="is no calibration"):
        CalibrationFile.read(text, "c.json")
