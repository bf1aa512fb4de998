"""Published sets as a person types them: `--set`, `tasks sets`, `tasks describe`."""

import json
from pathlib import Path

import pytest

from deepassay.tasks.set_tables import published_sets
from tests.protocols.rubrics.test_settings import OWN


@pytest.fixture
def points(tmp_path):
    """Two tasks of ResearcherBench's layout, and a report for each."""
    rows = [
        {"id": n, "question": f"Why {n}?", "rubric": [{"point": "The ferry is loud", "weight": 2}]}
        for n in (1, 2)
    ]
    Path("rubric.json").write_text(json.dumps(rows))
    for n in (1, 2):
        report = Path("reports/heron") / f"{n}.md"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text("The ferry is loud in the harbour.\n")
    return "rubric.json", "reports"


def test_a_set_that_is_named_chooses_layout_and_protocol(deepassay, points):
    done = deepassay("evaluate", *points, "--set", "researcherbench", "--run", "r")
    assert done.returncode == 0, done.stderr
    (line, _) = deepassay("export", "r").stdout.splitlines()
    assert json.loads(line)["protocol"] == "rubrics(set='researcherbench')"
    explained = deepassay("explain", "r", "--agent", "heron", "--task", "1").stdout
    assert "1 criteria: 1 Yes." in explained
    assert "0 are not" in deepassay("replay", "r").stdout


def test_tasks_of_a_set_that_nobody_named_are_told(deepassay, points):
    done = deepassay("evaluate", *points, "--protocol", "rubrics", "--run", "r")
    assert "--set researcherbench judges and counts as that does" in done.stderr
    named = deepassay("evaluate", *points, "--set", "researcherbench", "--run", "s")
    assert "judges and counts as that does" not in named.stderr
    also = "Files of RuVerBench have the same fields: --set ruverbench"
    described = deepassay("tasks", "describe", points[0])
    assert also in done.stderr and also in described.stderr
    assert "RuVerBench" not in named.stderr + described.stdout
    assert "RuVerBench" in deepassay("tasks", "describe", points[0], "--set", "ruverbench").stdout


def test_rubrics_is_the_set_s_where_both_are_named(deepassay, points):
    asked = ("--set", "researcherbench", "--protocol", "rubrics", "--protocol", "surface")
    done = deepassay("evaluate", *points, *asked, "--run", "r")
    assert done.returncode == 0, done.stderr
    found = {json.loads(each)["protocol"] for each in deepassay("export", "r").stdout.splitlines()}
    assert found == {"rubrics(set='researcherbench')", "surface"}


def test_a_set_that_wants_reports_judged_again_has_repeats(deepassay, tmp_path):
    row = {"id": "a", "domain": "d", "problem": "Why?"}
    answer = {"sections": [{"id": "s", "criteria": [{"weight": 3, "requirement": "Is loud"}]}]}
    Path("t.jsonl").write_text(json.dumps({**row, "answer": json.dumps(answer)}))
    Path("reports/heron").mkdir(parents=True)
    Path("reports/heron/a.md").write_text("It is loud.\n")
    deepassay("evaluate", "t.jsonl", "reports", "--set", "draco", "--run", "r")
    assert len(deepassay("export", "r").stdout.splitlines()) == 5
    deepassay("evaluate", "t.jsonl", "reports", "--set", "draco", "--repeat", "1", "--run", "s")
    assert len(deepassay("export", "s").stdout.splitlines()) == 1


def test_a_set_is_a_file_as_well(deepassay, tmp_path):
    Path("own.toml").write_text(OWN)
    Path("t.jsonl").write_text(json.dumps({"task": "Why?", "wants": [{"what": "It is loud"}]}))
    Path("reports/heron").mkdir(parents=True)
    Path("reports/heron/1.md").write_text("It is loud.\n")
    done = deepassay("evaluate", "t.jsonl", "reports", "--set", "own.toml", "--run", "r")
    assert done.returncode == 0, done.stderr
    assert json.loads(deepassay("export", "r").stdout)["value"] == 1
    assert "what we want" in deepassay("tasks", "sets", "own.toml").stdout
    wrong = deepassay("evaluate", "t.jsonl", "reports", "--set", "gone.toml", "--run", "r")
    assert wrong.returncode == 2 and "gone.toml: the set cannot be read" in wrong.stderr


def test_a_plan_says_again_what_was_given(deepassay, points):
    planned = deepassay("start", *points, "--set", "researcherbench").stdout
    assert "deepassay evaluate rubric.json reports --set researcherbench --judge" in planned


def test_every_set_is_listed_with_what_people_ask(deepassay):
    rows = json.loads(deepassay("tasks", "sets", "--format", "json").stdout)
    assert [each["set"] for each in rows] == [*published_sets()]
    assert all(each["measures"] and each["licence"] and each["source"] for each in rows)
    text = deepassay("tasks", "sets").stdout
    assert max(map(len, text.splitlines())) <= 80


def test_rubrics_without_tasks_are_described(deepassay, tmp_path):
    rubrics = [{"criterion": "Is loud", "weight": 4.0, "axis": "Explicit"}]
    Path("r.jsonl").write_text(json.dumps({"qid": "7", "rubrics": rubrics}))
    done = deepassay("tasks", "describe", "r.jsonl")
    assert "Criteria by axis" in done.stdout and "Words of prompts" not in done.stdout
    refused = deepassay("evaluate", "r.jsonl", "reports", "--run", "r")
    assert "these are rubrics of TREC RAG rubrics, which say no prompts" in refused.stderr


def test_a_run_keeps_the_table_of_a_set_of_one_s_own(deepassay, tmp_path):
    Path("own.toml").write_text(OWN)
    Path("t.jsonl").write_text(json.dumps({"task": "Why?", "wants": [{"what": "It is loud"}]}))
    Path("reports/heron").mkdir(parents=True)
    Path("reports/heron/1.md").write_text("It is loud.\n")
    given = ("evaluate", "t.jsonl", "reports", "--set", "own.toml", "--run")
    assert deepassay(*given, "r").returncode == 0
    for left in (None, OWN.replace("title", "titel"), OWN.replace("merit = 1", "merit = 0.25")):
        path = Path("own.toml")
        path.unlink(missing_ok=True)
        if left is not None:
            path.write_text(left)
        replayed = deepassay("replay", "r")
        assert "1 outcomes are the same to the byte, 0 are not." in replayed.stdout, left
        told = deepassay("explain", "r", "--agent", "heron", "--task", "1")
        assert told.returncode == 0 and "It is loud" in told.stdout
    assert deepassay(*given, "s").returncode == 0
    (line,) = deepassay("export", "s").stdout.splitlines()
    assert json.loads(line)["value"] == 0.25
    changed = deepassay("compare", "r", "--since", "s")
    assert changed.returncode == 2 and "definition" in changed.stderr
