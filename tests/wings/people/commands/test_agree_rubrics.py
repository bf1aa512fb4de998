"""`agree rubrics`, as a user types it."""

import csv
import io
import json

import pytest

RUBRIC = [
    {"id": "scatter", "criterion": "Blue light scatters.", "weight": 5, "axis": "Explicit"},
    {"id": "ozone", "criterion": "Discusses stratospheric ozone chemistry.", "weight": 2},
]
LINES = ("heron,a,scatter,Satisfied", "heron,a,ozone,not met", "cuckoo,a,scatter,0")


@pytest.fixture
def run(judged):
    return judged("rubrics", rubric=RUBRIC)


@pytest.fixture
def people(tmp_path):
    def write(*lines):
        path = tmp_path / "people.csv"
        path.write_text("\n".join(["agent,task,criterion,verdict", *lines]), encoding="utf-8")
        return path

    return write


def test_runs_by_two_rubrics_are_told_apart_by_their_files(deepassay, judged, people):
    one, other = judged("rubrics", rubric=RUBRIC), judged("rubrics", rubric=RUBRIC[:1], run="other")
    shown = deepassay("agree", "rubrics", people(*LINES), one, other).stdout
    for name in (one, other):
        assert f"rubrics [{name}], judge offline against people: macro-F1" in shown


def test_verdicts_of_a_run_are_held_against_those_of_people(deepassay, run, people):
    done = deepassay("agree", "rubrics", people(*LINES), run)
    assert done.returncode == 0, done.stderr
    assert "rubrics, judge offline against people: macro-F1" in done.stdout
    assert "where they differ, by axis" in done.stdout
    shown = deepassay("agree", "rubrics", people(*LINES), run, "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert [(row["agent"], row["compared"]) for row in rows if row["scale"] == "binary"] == [
        *(("cuckoo", "1"), ("heron", "2"), ("(all)", "3")),
    ]
    assert rows[-1]["macro_f1_pooled"] == "1.0"


def test_what_could_not_be_compared_is_told_and_decides_the_status(deepassay, run, people):
    done = deepassay("agree", "rubrics", people(*LINES, "heron,a,moon,Satisfied"), run)
    assert done.returncode == 1
    assert "moon of heron on a: no graded criterion." in done.stdout
    assert "4 came in, 3 found their graded criteria, 3 used" in done.stdout


def test_where_most_found_nothing_that_is_an_error(deepassay, run, people):
    lost = [f"heron,a,moon{number},Satisfied" for number in range(4)]
    done = deepassay("agree", "rubrics", people(*LINES, *lost), run)
    assert done.returncode == 1
    assert "4 of 7 verdicts of people found no graded criteria: moon0 of heron on a" in done.stderr
    assert "Check agents, tasks, samples and identifiers" in done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("heron,a,scatter,perhaps", "line 5: 'perhaps' is no verdict"),
        ("heron,,scatter,1", "line 5: task missing"),
        ("heron,a,scatter,1", "line 5: criterion scatter of heron on a has a verdict already"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(deepassay, run, people, line, said):
    done = deepassay("agree", "rubrics", people(*LINES, line), run)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_run_that_graded_none_of_it_is_an_error(deepassay, run, people):
    done = deepassay("agree", "rubrics", people("wren,a,scatter,1"), run)
    assert done.returncode == 2
    assert "No run file holds a graded rubric" in done.stderr


@pytest.mark.parametrize("format", ["csv", "json"])
def test_scores_of_rubrics_are_unrounded_for_each_rater(deepassay, run, tmp_path, format):
    file = tmp_path / "raters.csv"
    given = ("ada,no", "ben,no", "cleo,yes")
    lines = [f"{agent},a,{e},scatter,rubrics" for e in given for agent in ("heron", "cuckoo")]
    head = "agent,task,rater,verdict,item,protocol"
    file.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    done = deepassay("agree", run, "--human", file, "--format", format)
    text = io.StringIO(done.stdout)
    found = list(csv.DictReader(text)) if format == "csv" else json.load(text)["agreement"]
    own = [line for line in found if line.get("macro_f1_pooled") not in (None, "")]
    whole = [line for line in own if (line["agent"], line["scale"]) == ("(all)", "binary")]
    assert [(line["rater"], str(line["compared"])) for line in whole] == [
        *(("ada", "2"), ("ben", "2"), ("cleo", "2")),
    ]
    assert {line["figure"] for line in found if line not in own} >= {"agreement with offline"}
    assert ("Without classes, confusion" in done.stderr) is (format == "csv")
