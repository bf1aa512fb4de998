"""Comparisons as their file keeps them, and what of it is refused."""

import json

import pytest

from deepassay.curate.arena.comparisons import (
    drawn,
    played,
    read_comparisons,
    refuse_changed,
    repeats,
    write_comparisons,
)
from deepassay.curate.arena.pairing import Pair
from deepassay.curate.arena.rank_eval import Compared
from deepassay.errors import BadTasks
from tests.curate.arena.duels import answer, comparison, task

TASKS = {name: task(name) for name in "abcde"}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "r.comparisons.jsonl"


def test_file_gives_back_what_was_written(file):
    waiting = drawn(2, [Pair("c", "a"), Pair("b", None)], TASKS)
    write_comparisons(file, [comparison(1, "a", "b"), *waiting])
    found = read_comparisons(file)
    assert found == [comparison(1, "a", "b"), *waiting]
    assert [each.pending for each in found] == [False, True, False]


@pytest.mark.parametrize(("better", "winner"), [("A", "c"), ("B", "a")])
def test_a_is_the_one_shown_first(better, winner):
    (pair,) = drawn(1, [Pair("c", "a")], TASKS)
    marks = {"a": 4, "b": 2} if better == "A" else {"a": 2, "b": 4}
    said = Compared.model_validate_json(answer(**marks, better=better, confidence=0.9))
    decided = pair.decided(said, "some-model")
    assert decided.verdict.winner == winner
    assert (decided.verdict.first, decided.verdict.confidence) == (said.a, 0.9)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"second": "a"}, "compared with itself"),
        ({"verdict": {"winner": "z"}}, "the winner 'z' is none of the two"),
        ({"verdict": {"confidence": 0.4}}, "verdict.confidence"),
        ({"second": None}, "is none of the two|rests has no verdict"),
        ({"round": 0}, "round"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_damaged_line_is_named(file, change, problem):
    fields = comparison(1, "a", "b").model_dump()
    fields |= {**change, "verdict": {**fields["verdict"], **change.get("verdict", {})}}
    file.write_text(json.dumps(fields))
    with pytest.raises(BadTasks, match=rf"line 1: .*(?:{problem})"):
        read_comparisons(file)


def test_task_twice_in_a_round_is_refused(file):
    write_comparisons(file, [comparison(1, "a", "b"), comparison(1, "c", "a")])
    with pytest.raises(BadTasks, match="line 2: task 'a' occurs twice in round 1"):
        read_comparisons(file)


def test_task_with_another_prompt_than_when_it_was_compared_is_refused(file):
    refuse_changed([comparison(1, "a", "b")], [TASKS["a"], TASKS["c"]], file)
    with pytest.raises(BadTasks, match="task 'b' was compared with another prompt"):
        refuse_changed([comparison(1, "a", "b")], [task("b", "Something else.")], file)


def test_rests_count_as_rounds():
    known = [*drawn(1, [Pair("a", "b"), Pair("c", None)], TASKS), comparison(2, "a", "c")]
    assert played(known, [TASKS[name] for name in "abcd"]) == {"a": 2, "b": 1, "c": 2, "d": 0}


def test_the_same_pair_in_the_same_order_is_asked_anew():
    known = [comparison(3, "a", "b"), comparison(1, "a", "b"), comparison(2, "b", "a")]
    assert repeats(known) == {(1, "a"): 0, (2, "b"): 0, (3, "a"): 1}
