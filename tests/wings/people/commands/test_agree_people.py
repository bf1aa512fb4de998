"""`agree RUN --human FILE`, as a user types it."""

from __future__ import annotations

import csv
import io
import json

import pytest

SCORES = ("heron,a,ada,8,", "heron,a,ben,9,", "cuckoo,a,ada,3,", "cuckoo,a,ben,2,")
HEAD = "agent,task,rater,score,verdict,protocol,item"


@pytest.fixture
def run(judged):
    return judged("coverage", checklist=["Is scattering named?"])


@pytest.fixture
def people(tmp_path):
    def write(*lines, head=HEAD):
        path = tmp_path / "people.csv"
        cells = head.count(",")
        full = [line + "," * (cells - line.count(",")) for line in lines]
        path.write_text("\n".join([head, *full]) + "\n", encoding="utf-8")
        return path

    return write


def figures(done):
    return {row["figure"]: row for row in csv.DictReader(io.StringIO(done.stdout))}


def test_scores_of_a_run_are_held_against_those_of_people(deepassay, run, people):
    done = deepassay("agree", run, "--human", people(*SCORES), "--format", "csv")
    assert done.returncode == 0, done.stderr
    found = figures(done)
    assert float(found["PAR against each person"]["value"]) == 1.0
    assert found["PAR of people with each other"]["n"] == "1"


@pytest.mark.parametrize("words", [("agree", "people"), ("agree",)])
def test_the_name_of_the_command_may_be_left_out(deepassay, run, people, words):
    done = deepassay(*words, "--human", people(*SCORES), run)
    assert "coverage, judge offline: scores against people" in done.stdout


@pytest.mark.parametrize("format", ["text", "markdown", "csv", "json"])
def test_verdicts_are_held_against_those_of_people(deepassay, run, people, format):
    lines = ("heron,a,ada,,met,coverage,q1", "cuckoo,a,ada,,no,coverage,q1")
    done = deepassay("agree", run, "--human", people(*lines), "--format", format)
    assert done.returncode == 0, done.stderr
    assert "agreement with offline" in done.stdout
    if format == "json":
        assert json.loads(done.stdout)["agreement"][0]["value"] == 1.0


def test_text_in_place_of_a_number_costs_its_own_row_alone(deepassay, run, people):
    done = deepassay(
        "agree", run, "--human", people(*SCORES, "heron,a,chi,good,"), "--format", "csv"
    )
    assert done.returncode == 1
    assert "people.csv, line 6: score 'good' is no number." in done.stderr
    assert figures(done)["PAR against each person"]["value"] == "1.0"


def test_rows_on_unknown_tasks_are_named_and_the_others_counted(deepassay, run, people):
    human = people(*SCORES, "heron,moon,ada,7,")
    done = deepassay("agree", run, "--human", human, "--format", "csv")
    assert done.returncode == 1
    assert "line 6: the run files have nothing for agent 'heron', task 'moon'" in done.stderr
    assert figures(done)["PAR against each person"]["n"] == "2"


def test_one_rater_is_told_what_is_missing(deepassay, run, people):
    done = deepassay("agree", run, "--human", people("heron,a,ada,8,", "cuckoo,a,ada,3,"))
    assert done.returncode == 0
    assert "One person: no agreement of people" in done.stdout
    assert "PAR against the mean of people" in done.stdout


def test_missing_cells_are_nothing(deepassay, run, people):
    human = people(*SCORES, "heron,a,chi,,")
    done = deepassay("agree", run, "--human", human, "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert figures(done)["PAR against each person"]["n"] == "2"


@pytest.mark.parametrize(
    ("head", "lines", "said"),
    [
        ("agent,query,who,mark", ["heron,a,ada,8"], "has no column task, rater, score or verdict"),
        (HEAD, [], "holds no decisions"),
        (HEAD, ["heron,moon,ada,8,"], "Task 'moon' is unknown; known: a."),
        (HEAD, ["wren,a,ada,8,"], "Agent 'wren' is unknown; known: cuckoo, heron."),
        (HEAD, ["heron,a,ada,good,"], "holds nothing usable. people.csv, line 2: score 'good'"),
    ],
)
def test_a_file_of_which_nothing_can_be_used_is_an_error(deepassay, run, people, head, lines, said):
    done = deepassay("agree", run, "--human", people(*lines, head=head))
    assert done.returncode == 2
    assert said in done.stderr
    assert not done.stdout
