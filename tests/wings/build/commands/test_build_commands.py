"""`tasks weave`, `tasks build` and `tasks provenance` as a person types them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from deepassay.wings.build.arena.inspiration import write_inspirations
from tests.loopback import FakeJudge
from tests.wings.build.weavers import BREACHES, answer, inspirations, proposals


@pytest.fixture
def leads() -> Path:
    write_inspirations("leads.jsonl", inspirations(4))
    return Path("leads.jsonl")


@pytest.fixture
def talk(demo) -> Path:
    return demo / "seminar" / "street-trees.srt"


def asking(judge):
    return ("--maker", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")


def test_tasks_are_woven_described_and_traced(deepassay, leads):
    done = deepassay("tasks", "weave", leads, "-o", "tasks.jsonl", "--discipline", "Physics")
    assert done.returncode == 0, done.stderr
    assert "Tasks for 2 of 2 groups of inspirations are in tasks.jsonl." in done.stderr
    assert "In the file: 12 tasks of these groups." in done.stderr
    assert "a baseline" in done.stderr
    described = deepassay("tasks", "describe", "tasks.jsonl").stdout
    for label in ("set", "discipline", "phase", "family", "difficulty", "type", "language"):
        assert label in described
    shown = deepassay("tasks", "provenance", "tasks.jsonl", "--task", "heat-g2-1").stdout
    assert shown.startswith("heat-g2-1 (discipline Physics, phase Synthesize")
    assert "said in heat, 0:03:00, characters 1500" in shown
    again = deepassay("tasks", "weave", leads, "-o", "tasks.jsonl")
    assert "(2 had them already)" in again.stderr


def test_a_group_that_cannot_be_woven_is_told_and_asked_again(deepassay, leads, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    said = [answer(BREACHES["too few tasks"][0]())]
    with FakeJudge(lambda body: said[0]) as judge:
        weave = ("tasks", "weave", leads, "-o", "t.jsonl", "--limit", "1", *asking(judge))
        failed = deepassay(*weave)
        assert failed.returncode == 1
        assert "group heat-g1" in failed.stderr
        assert "there are 4 tasks" in failed.stderr
        said[0] = answer(proposals())
        mended = deepassay(*weave)
    assert mended.returncode == 0, mended.stderr
    assert len(Path("t.jsonl").read_text().splitlines()) == 6


def test_the_provenance_of_a_task_that_is_not_there_is_refused(deepassay, leads):
    deepassay("tasks", "weave", leads, "-o", "tasks.jsonl")
    done = deepassay("tasks", "provenance", "tasks.jsonl", "--task", "nobody")
    assert done.returncode == 2
    assert "has no task 'nobody'" in done.stderr


def test_tasks_without_provenance_are_not_woven_on(deepassay, leads):
    Path("own.jsonl").write_text(json.dumps({"id": "a", "prompt": "Why?"}) + "\n")
    done = deepassay("tasks", "weave", leads, "-o", "own.jsonl")
    assert done.returncode == 2
    assert "was not made by weaving" in done.stderr


def test_the_line_waits_for_reviewers_and_goes_on(deepassay, talk):
    build = ("tasks", "build", talk, "-o", "tasks.jsonl", "--keep", "5", "--review", "sheet.csv")
    waiting = deepassay(*build)
    assert waiting.returncode == 0, waiting.stderr
    assert "tasks wait for a decision in sheet.csv" in waiting.stderr
    assert not Path("tasks.jsonl").exists()
    with Path("sheet.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with Path("sheet.csv").open("w", encoding="utf-8-sig", newline="") as stream:
        sheet = csv.DictWriter(stream, rows[0])
        sheet.writeheader()
        sheet.writerows([{**row, "decision": "accept", "comment": "fine"} for row in rows])
    done = deepassay(*build)
    assert done.returncode == 0, done.stderr
    assert "The best 5 tasks are in tasks.jsonl" in done.stderr
    shown = deepassay("tasks", "provenance", "tasks.jsonl").stdout
    assert shown.count("reviewed: accept: fine") == 5
    assert shown.count("rating: ") == 5

    with Path("sheet.csv").open("w", encoding="utf-8", newline="") as stream:
        sheet = csv.DictWriter(stream, rows[0])
        sheet.writeheader()
        sheet.writerows([{**row, "decision": "reject"} for row in rows])
    none_left = deepassay(*build)
    assert none_left.returncode == 1
    assert "was not written, and has what was ranked before." in none_left.stderr


def test_a_line_that_leaves_no_task_says_so(deepassay):
    Path("small.txt").write_text("Good afternoon. There is coffee outside.\n")
    done = deepassay("tasks", "build", "small.txt", "-o", "tasks.jsonl")
    assert done.returncode == 1
    assert "No task is left: tasks.jsonl was not written." in done.stderr


def test_the_line_names_transcripts_without_an_inspiration_and_counts_the_others(deepassay, talk):
    for name in ("coffee", "tea"):
        Path(f"{name}.txt").write_text(f"Good afternoon. There is {name} outside.\n")
    build = ("tasks", "build", "coffee.txt", talk, "tea.txt", "-o", "tasks.jsonl", "--keep", "5")
    for already in ("", " (1 had them already)"):
        done = deepassay(*build)
        assert done.returncode == 0, done.stderr
        assert f"Inspirations for 1 of 3 transcripts{already}." in done.stderr
        for name in ("coffee", "tea"):
            assert done.stderr.count(f"transcript {name}: no inspiration found") == 1
        assert "street-trees: no inspiration" not in done.stderr


def test_the_line_says_how_many_tasks_are_of_transcripts_that_are_not_given_now(
    deepassay, talk, demo
):
    other = demo / "seminar" / "warm-nights.vtt"
    first = deepassay("tasks", "build", talk, other, "-o", "tasks.jsonl")
    assert first.returncode == 0, first.stderr
    assert "not given now" not in first.stderr
    second = deepassay("tasks", "build", talk, "-o", "tasks.jsonl")
    lines = Path("tasks.build", "candidates.jsonl").read_text().splitlines()
    kept = sum(json.loads(line)["id"].startswith("warm-nights-") for line in lines)
    assert 0 < kept < len(lines)
    assert f"{kept} of the tasks are of transcripts that are not given now" in second.stderr
    assert "or stand behind --limit: warm-nights. They are kept" in second.stderr
    limited = deepassay("tasks", "build", other, talk, "-o", "tasks.jsonl", "--limit", "1")
    assert f"{len(lines) - kept} of the tasks are of transcripts" in limited.stderr


def test_a_budget_that_no_call_fits_into_is_not_said_to_be_used_up(deepassay, talk, demo):
    Path("prices.toml").write_text("good = {input = 100.0, output = 100.0}")
    terms = ("--budget", "0.02", "--prices", "prices.toml")
    with FakeJudge(answer(proposals())) as judge:
        talks = (talk, demo / "seminar" / "warm-nights.vtt")
        done = deepassay("tasks", "build", *talks, "-o", "tasks.jsonl", *asking(judge), *terms)
        assert judge.requests == []
    assert done.returncode == 3, done.stderr
    assert "; $0.0000 of the budget of $0.02 is spent." in done.stderr
    assert "Stopped by the budget. What is done is kept" in done.stderr
    assert "used up" not in done.stderr


def test_folders_of_the_output_are_made(deepassay, talk, tmp_path):
    done = deepassay("tasks", "build", talk, "-o", "new/deep/tasks.jsonl")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new" / "deep" / "tasks.jsonl").exists()


def test_an_unusable_decision_is_named(deepassay, talk):
    build = ("tasks", "build", talk, "-o", "tasks.jsonl", "--review", "sheet.csv")
    deepassay(*build)
    sheet = Path("sheet.csv")
    text = sheet.read_text("utf-8").rstrip("\r\n")
    sheet.write_text(text.removesuffix(",,") + ",perhaps,,\r\n".removeprefix(","), "utf-8")
    done = deepassay(*build)
    assert done.returncode == 2
    assert "'perhaps' is no decision" in done.stderr
