"""Two versions of reports and the feedback between, as a person gives them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

OLD = "The tide is four metres high, as the office says [1].\n\n## References\n\n[1] https://a.example/\n"
NEW = "The tide is four metres high.\n"


@pytest.fixture
def versions(tmp_path):
    rubric = [{"criterion": "The office says the height of the tide", "weight": 2}]
    task = {"id": "t", "prompt": "How high?", "rubric": rubric}
    Path("t.jsonl").write_text(json.dumps(task))
    Path("f.jsonl").write_text(json.dumps({"id": "t", "agent": "heron", "feedback": "Be brief"}))
    for folder, text in (("old", OLD), ("new", NEW)):
        path = Path(folder) / "heron" / "t.md"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return "evaluate", "t.jsonl", "new", "--protocol", "revision"


def test_versions_are_two_folders(deepassay, versions):
    given = ("--previous", "old", "--feedback", "f.jsonl", "--run", "r")
    done = deepassay(*versions, *given)
    assert done.returncode == 0, done.stderr
    (found,) = map(json.loads, deepassay("export", "r").stdout.splitlines())
    assert found["parts"]["sources lost"] == 1 and found["parts"]["broken"] == 1
    told = deepassay("explain", "r", "--agent", "heron", "--task", "t").stdout
    assert "Of 1 criteria that were met 1 are not any more." in told
    assert "lost 1 cited before, not now" in told
    assert "1 outcomes are the same to the byte" in deepassay("replay", "r").stdout
    again = deepassay(*versions, "--run", "r")  # what was given need not be given again
    assert "1 were there already" in again.stdout + again.stderr
    board = deepassay("leaderboard", "r", "--format", "json")
    assert json.loads(board.stdout)[0]["standings"][0]["agent"] == "heron"


def test_an_earlier_run_file_is_a_previous_version(deepassay, versions):
    first = deepassay("evaluate", "t.jsonl", "old", "--protocol", "rubrics", "--run", "first")
    assert first.returncode == 0, first.stderr
    done = deepassay(*versions, "--previous", "first", "--feedback", "f.jsonl", "--run", "r")
    assert done.returncode == 0, done.stderr
    (found,) = map(json.loads, deepassay("export", "r").stdout.splitlines())
    assert found["parts"]["sources lost"] == 1


def test_remarks_on_what_is_not_there_are_named(deepassay, versions):
    rows = [("t", "heron"), ("t", "heron"), ("t", "magpie"), ("t", "wren"), ("u", "heron")]
    lines = [f"{task},{agent},Say {at}." for at, (task, agent) in enumerate(rows)]
    Path("f.csv").write_text("\n".join(["id,agent,feedback", *lines]))
    done = deepassay(*versions, "--previous", "old", "--feedback", "f.csv", "--run", "r")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert "f.csv: remarks: 5 came in, 4 found their tasks, 4 used." in said
    assert "left out: u, heron, 'Say 4.': no such task." in said
    assert "remarks on these tasks: 4 came in, 2 found their reports, 2 used." in said
    assert "left out: t, magpie, 'Say 2.': no report is of this agent." in said
    assert "left out: t, wren, 'Say 3.': no report is of this agent." in said


def test_versions_of_others_are_refused(deepassay, versions):
    Path("old/heron").rename("old/magpie")
    done = deepassay(*versions, "--previous", "old", "--feedback", "f.jsonl", "--run", "r")
    assert done.returncode == 2
    assert "it has reports of magpie, and given are those of heron" in done.stderr


def test_what_is_not_given_is_told(deepassay, versions):
    done = deepassay(*versions, "--feedback", "f.jsonl", "--run", "r")
    assert "Give --previous REPORTS" in done.stdout + done.stderr
