"""Cells that hold JSON: opened whatever stands for nothing in some, and never taken as they are."""

import json

import pytest

from deepassay.errors import BadInput
from tests.intake.test_choices import LONG, planned, sheet

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")

RIGHT = {(a, q, t) for q, a, t in LONG}
HEAD = ["input", "output", "metadata"]


def packed(asked, agent, text, write=json.dumps):
    return [write({"query": asked}), write({"report": text}), write({"agent": agent})]


@pytest.mark.parametrize("write", [json.dumps, repr])
def test_the_first_row_is_no_head_where_all_cells_are_objects(tmp_path, write):
    rows = [packed(*each, write) for each in LONG]
    assert planned(sheet(tmp_path, [HEAD, *rows])) == RIGHT
    assert planned(sheet(tmp_path, [HEAD, *rows]), "head=1") == RIGHT


@pytest.mark.parametrize("nothing", ["null", "None", "", "{}", "[]", '""', "NaN"])
def test_a_cell_with_nothing_in_it_does_not_close_the_others(tmp_path, nothing):
    rows = [packed(*each) for each in LONG]
    rows[3][1] = nothing
    asked, agent, text = LONG[3]
    assert planned(sheet(tmp_path, [HEAD, *rows])) == RIGHT - {(agent, asked, text)}


def fenced(value):
    return f"```json\n{json.dumps(value, indent=1)}\n```"


def as_it_is(value):
    return value


@pytest.mark.parametrize("write", [json.dumps, repr, fenced, as_it_is])
def test_objects_in_lines_are_opened_however_each_is_written(tmp_path, write):
    rows = [dict(zip(HEAD, packed(*each), strict=True)) for each in LONG]
    for number in (1, 4):
        rows[number] = dict(zip(HEAD, packed(*LONG[number], write), strict=True))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert planned(tmp_path / "a.jsonl") == RIGHT


def test_a_cell_that_says_what_its_column_is_called_makes_no_head(tmp_path):
    rows = [["prompt", "agent", "report", "area"], *([q, a, t[:80], "other"] for q, a, t in LONG)]
    rows[1][3] = "area"
    assert planned(sheet(tmp_path, rows)) == {(a, q, t[:80]) for q, a, t in LONG}


def test_texts_in_quotes_are_what_they_say(tmp_path):
    rows = [[*map(json.dumps, each)] for each in LONG]
    assert planned(sheet(tmp_path, [["input", "agent", "output"], *rows])) == RIGHT


@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("other", ["It is not settled, and nobody knows.", '{"report": "It is cut'])
def test_source_is_no_text_and_the_lines_are_named(tmp_path, column, other):
    rows = [packed(*each) for each in LONG]
    rows[3][column] = other
    with pytest.raises(BadInput, match=r"a\.csv, line 2: .*'(in|out)put' is the source of JSON"):
        planned(sheet(tmp_path, [HEAD, *rows]))
    rows[3] = packed(*LONG[3])  # as the message says
    assert planned(sheet(tmp_path, [HEAD, *rows])) == RIGHT


def test_a_text_file_with_json_in_it_is_no_report(tmp_path):
    tasks = sheet(tmp_path, [["id", "prompt"], ["q1", LONG[0][0]]])
    (tmp_path / "tern").mkdir()
    (tmp_path / "tern" / "q1.md").write_text(json.dumps({"report": LONG[0][2]}))
    with pytest.raises(BadInput, match=r"q1\.md: it holds JSON"):
        planned(tasks, reports=tmp_path / "tern")


def test_a_line_of_marks_below_the_questions_of_a_survey_is_left_out(tmp_path):
    marks = [json.dumps({"ImportId": f"QID{n}"}) for n in range(3)]
    told = ["What was asked", "Who answered", "What was answered"]
    rows = [["Q1", "Q2", "Q3"], told, marks, *map(list, LONG)]
    said = "prompt=What was asked,agent=Who answered,report=What was answered"
    assert planned(sheet(tmp_path, rows), said) == RIGHT
