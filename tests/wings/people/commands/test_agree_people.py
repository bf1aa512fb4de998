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


def test_a_file_for_each_rater_is_as_one_file_of_all(deepassay, run, people, tmp_path):
    whole = people(SCORES[0], SCORES[2], SCORES[1], SCORES[3], "cuckoo,a,cleo,5,")
    head, *rows = whole.read_text("utf-8").splitlines()
    files = []
    for rater in ("ada", "ben", "cleo"):
        files.append(tmp_path / f"{rater}.csv")
        own = [row for row in rows if f",{rater}," in row]
        files[-1].write_text("\n".join([head, *own]) + "\n", encoding="utf-8")
    named = [word for file in files for word in ("--human", file)]
    apart = deepassay("agree", run, *named, "--format", "csv")
    together = deepassay("agree", run, "--human", whole, "--format", "csv")
    assert (apart.returncode, apart.stdout) == (0, together.stdout)
    assert "labels: 5 came in, 5 found their scores, 5 used." in apart.stderr


def test_files_of_one_name_are_told_apart_and_a_second_decision_is_left_out(
    deepassay, run, people, tmp_path
):
    first = people(*SCORES)
    folder = tmp_path / "ben"
    folder.mkdir()
    second = folder / first.name
    lines = ("agent,task,rater,score", "heron,a,ben,1", "heron,a,cleo,many", "cuckoo,a,cleo,4")
    second.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = deepassay("agree", run, "--human", first, "--human", second)
    assert done.returncode == 1
    assert "labels: 7 came in, 6 found their scores, 5 used." in done.stderr
    assert f"{second}, line 2: ben has decided on this already ({first}, line 3)." in done.stderr
    assert f"{second}, line 3: score 'many' is no number." in done.stderr


def test_a_file_of_several_without_any_decision_is_named(deepassay, run, people, tmp_path):
    blank = tmp_path / "blank.csv"
    blank.write_text("agent,task,rater,score\nheron,a,cleo,\n", encoding="utf-8")
    alone = deepassay("agree", run, "--human", blank)
    assert alone.returncode == 2
    assert f"{blank} holds nothing usable. No row has a score or a verdict." in alone.stderr
    whole = deepassay("agree", run, "--human", people(*SCORES), "--format", "csv")
    done = deepassay("agree", run, "--human", blank, "--human", people(*SCORES), "--format", "csv")
    assert (done.returncode, done.stdout) == (0, whole.stdout)
    assert f"{blank} has no scores and no verdicts yet." in done.stderr


def test_three_exports_that_overlap_are_as_the_last_of_them(deepassay, run, people, tmp_path):
    whole = people(*SCORES)
    head, *rows = whole.read_text("utf-8").splitlines()
    files = [tmp_path / f"{at}.csv" for at in (2, 3, 4)]
    for at, file in enumerate(files, start=2):
        file.write_text("\n".join([head, *rows[:at]]) + "\n", encoding="utf-8")
    named = [word for file in files for word in ("--human", file)]
    done = deepassay("agree", run, *named, "--format", "csv")
    assert (done.returncode, done.stdout) == (
        0,
        deepassay("agree", run, "--human", whole, "--format", "csv").stdout,
    )
    assert "labels: 9 came in, 9 found their scores, 4 used." in done.stderr
    assert "not to count: 3.csv, line 2: ada has decided the same already (2.csv, line 2)." in (
        done.stderr
    )


def test_all_protocols_that_are_known_are_named(deepassay, small, people):
    named = ("coverage", "presentation", "direct_rating", "surface", "error_patterns")
    asked = [word for each in named for word in ("--protocol", each)]
    done = deepassay("evaluate", *small, *asked, "--run", "r")
    assert done.returncode == 0, done.stderr
    done = deepassay("agree", "r", "--human", people("heron,a,ada,8,,depth"))
    assert done.returncode == 2
    known = ", ".join(sorted(named))
    assert f"Protocol 'depth' is unknown; known: {known}." in done.stderr
