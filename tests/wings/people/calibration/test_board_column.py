"""What people would say beside the scores of a ranking."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from deepassay.errors import BadInput
from deepassay.results.known import why_not_trusted
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


def judged_by(name, protocol="coverage", **more):
    identity = {"protocol": protocol, "judges": [{"model": name}], **more}
    found = records("heron", "magpie", recipe=Signature(identity))
    return [replace(each, protocol=protocol) for each in found]


def test_of_another_judge_it_is_stale_and_says_what_moved() -> None:
    found, other = judged_by("x", prompts="abc"), judged_by("x", prompts="abd")
    (board,) = rankings_with_calibration(rank(other), kept(found), digests(other), "c.json")
    (known,) = board.known
    assert known.stale
    assert "prompts was abc in the calibration, is abd here" in known.sentence
    assert board.notices[0].startswith("STALE, and counts for nothing: the calibration by p.csv")
    assert not any(row.people for row in board.standings)
    assert why_not_trusted(board.recipes, board.known) == "what is known of its judge is stale"


def test_of_another_protocol_or_an_earlier_version_it_is_refused() -> None:
    found, other = judged_by("x"), judged_by("y", "race")
    with pytest.raises(BadInput, match="calibrates none of these rankings") as refused:
        rankings_with_calibration(rank(other), kept(found), digests(other), "c.json")
    assert "coverage by x" in str(refused.value)
    (judge,) = (old := kept(found)).judges
    old = old.model_copy(update={"judges": (judge.model_copy(update={"identity": {}}),)})
    with pytest.raises(BadInput, match="calibrates none of these rankings"):
        rankings_with_calibration(rank(judged_by("z")), old, {}, "c.json")


def test_of_the_same_judge_on_other_tasks_the_error_holds_and_the_estimates_do_not() -> None:
    found, other = judged_by("x"), judged_by("x", tasks="others")
    (board,) = rankings_with_calibration(
        rank(other), kept(found, agents=("heron", "magpie")), digests(other), "c.json"
    )
    (known,) = board.known
    assert known.error is not None and not known.stale
    assert "contradicts people in" in known.sentence
    assert "change places" not in known.sentence
    assert not any(row.people for row in board.standings)


def closed_for(board) -> str:
    return why_not_trusted(board.recipes, board.known)


@pytest.mark.parametrize("shown", [19, 30, 40])
def test_labels_on_one_report_a_task_do_not_say_how_often_the_judge_errs(shown) -> None:
    """Of one agent as many labels as one likes: no ranking hangs on their order."""
    found = judged_by("x")
    (board,) = rankings_with_calibration(rank(found), kept(found, shown), digests(found), "c.json")
    assert unfolded(board.notices[0]) == (
        "calibrated by p.csv: how often the judge contradicts people is not known (people put "
        "reports on one task in an order on 0 tasks; 20 are needed)."
    )
    assert closed_for(board) == "what is known of its judge is not how often it errs"


def test_an_error_that_may_be_of_reports_on_different_tasks_is_to_be_counted_again() -> None:
    """Files of earlier versions do not say which pairs they counted."""
    found = judged_by("x")
    file = kept(found, agents=("heron", "magpie"))
    (error,) = (each.error for each in file.judges)
    assert (error.of, error.tasks) == (30, 30)
    for of, known in ((30, False), (31, True)):
        text = json.loads(file.to_json())
        del text["judges"][0]["why_no_error"]
        text["judges"][0]["error"]["of"] = of
        old = CalibrationFile.read(json.dumps(text), "c.json")
        (board,) = rankings_with_calibration(rank(found), old, digests(found), "c.json")
        assert (board.known[0].error is not None) == known
        assert ("by an earlier version: make" in board.notices[0]) != known
    (board,) = rankings_with_calibration(rank(found), file, digests(found), "c.json")
    assert board.known[0].error is not None


def test_pairs_of_items_in_files_of_earlier_versions_are_to_be_counted_again() -> None:
    found = judged_by("x")
    text = json.loads(kept(found, agents=("heron", "magpie")).to_json())
    for part, known in (("items", False), ("", True)):
        text["judges"][0]["part"] = part
        file = CalibrationFile.read(json.dumps(text), "c.json")
        (board,) = rankings_with_calibration(rank(found), file, digests(found), "c.json")
        assert (board.known[0].error is not None) == known
        assert ("by an earlier version: make" in board.notices[0]) != known


def with_items(found):
    """With two checks in each, of which the judge says yes to the first and no to the second."""
    items = [{"key": key, "item": "?", "score": value} for key, value in (("q1", 1), ("q2", 0))]
    return [
        replace(each, outcome=replace(each.outcome, details={"items": items})) for each in found
    ]


@pytest.mark.parametrize(("scores", "of"), [((), 80), (("heron",), 80), (("heron", "magpie"), 25)])
def test_scores_that_do_not_say_how_often_it_errs_hide_no_verdicts_that_do(scores, of) -> None:
    """Of 40 tasks verdicts, a quarter of them wrong; of one of two agents scores make no pair."""
    found = with_items(judged_by("x"))
    given = [
        Decision("l", "heron", f"t{at}", "p", item=key, verdict=word)
        for at in TASKS
        for key, word in (("q1", "yes"), ("q2", "yes" if at % 2 else "no"))
    ]
    given += [
        Decision("l", each.agent, each.task, "p", score=each.outcome.value)
        for each in found
        if each.agent in scores and int(each.task[1:]) < 25
    ]
    labelled, _ = labels_on(given, found, {})
    file = CalibrationFile.of("p.csv", [calibrate(each, 0) for each in labelled], digests(found))
    (board,) = rankings_with_calibration(rank(found), file, digests(found), "c.json")
    unit, share = ("verdicts", 25.0) if of == 80 else ("pairs of reports", 0.0)
    assert f"contradicts people in {share} %" in board.notices[0]
    assert f"of {of} {unit}, on {40 if of == 80 else 25} tasks" in board.notices[0]
    assert closed_for(board) != "what is known of its judge is not how often it errs"
    heron = next(each for each in board.standings if each.agent == "heron")
    assert heron.people.labels == (25 if scores else 80)


def test_pairs_of_agents_that_people_would_put_in_the_other_order_are_counted() -> None:
    found = records("heron", "magpie")
    given = [
        Decision(
            "line",
            e.agent,
            e.task,
            "p",
            score=e.outcome.value - 9.9 * (e.agent == "magpie") + at % 3,
        )
        for at, e in enumerate(found)
        if int(e.task[1:]) < 30
    ]
    labelled, _ = labels_on(given, found, {})
    file = CalibrationFile.of("p.csv", [calibrate(each, 0) for each in labelled], digests(found))
    (board,) = rankings_with_calibration(rank(found), file, digests(found), "c.json")
    assert board.standings[0].agent == "magpie"
    assert "by their estimates 1.0 of 1 pair of agents change places" in board.notices[0]
    assert "contradicts people in 100.0 %" in board.notices[0]
    ranks = {each.agent: each.ranks for each in file.judges[0].agents}
    assert ranks == {"heron": (1, 1), "magpie": (2, 2)}


def test_cuts_by_a_label_are_as_trusted_as_the_whole() -> None:
    found = records("heron", "magpie", labels={"topic": "law"})
    boards = rankings_with_calibration(
        rank(found, by="topic"), kept(found, agents=("heron", "magpie")), digests(found), "c.json"
    )
    whole, cut = (each.known[0].error for each in boards)
    assert whole == cut
    assert [len(each.notices) for each in boards] == [1, 0]


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
