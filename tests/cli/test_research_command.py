"""`research`: agents answer tasks, and what they wrote is scored from the same run file."""

from __future__ import annotations

import json

import pytest

from deepassay.runfile import RunFile


@pytest.fixture
def demo(repository):
    return repository / "examples" / "demo"


@pytest.fixture
def heron(demo):
    return f"heron=files:{demo / 'reports' / 'heron'}"


def test_reports_are_kept_written_and_scored_from_the_run_file(demo, heron, tmp_path, deepassay):
    run, out = tmp_path / "r.assay", tmp_path / "reports"
    words = ("research", demo / "tasks.jsonl", "--agent", heron, "-o", out, "--run", run)
    done = deepassay(*words, "--limit", "2")
    assert done.returncode == 0 and "2 reports of 2" in done.stderr
    done = deepassay(*words)
    assert "6 reports of 6" in done.stderr and "(2 were there already)" in done.stderr
    for file in (demo / "reports" / "heron").glob("*.md"):
        assert (out / "heron" / file.name).read_text() == file.read_text()
    done = deepassay(
        *("evaluate", demo / "tasks.jsonl", run, "--run", run, "--protocol", "presentation")
    )
    assert done.returncode == 0 and "Scored 6 of 6" in done.stderr
    with RunFile.read(run) as kept:
        assert not kept.verify().damage
    for options in ((), ("--wide",), ("--format", "markdown"), ("--format", "latex")):
        shown = deepassay("leaderboard", run, *options).stdout
        assert "6/6" in shown and "done 6" in shown, options
    (row,) = json.loads(deepassay("leaderboard", run, "--format", "json").stdout)[0]["standings"]
    assert (row["run_reports"], row["run_cost"], row["run_stops"]) == (6, None, "done 6")
    page = tmp_path / "page.html"
    assert deepassay("html", run, "-o", page).returncode == 0
    assert "done 6" in page.read_text()


def test_an_agent_that_is_declared_otherwise_is_refused(demo, heron, tmp_path, deepassay):
    run = tmp_path / "r.assay"
    words = ("research", demo / "tasks.jsonl", "--run", run, "--limit", "1", "--agent")
    assert deepassay(*words, heron).returncode == 0
    done = deepassay(*words, heron.replace("heron=", "heron=", 1) + "/../magpie")
    assert done.returncode == 2 and "an agent was declared otherwise" in done.stderr


def test_an_agent_that_nobody_knows_is_refused_before_anything_is_made(demo, tmp_path, deepassay):
    run = tmp_path / "r.assay"
    done = deepassay("research", demo / "tasks.jsonl", "--agent", "stork", "--run", run)
    assert done.returncode == 2 and "There is no agent 'stork'" in done.stderr
    assert "Traceback" not in done.stderr and not run.exists()


def test_files_that_are_not_there_are_told_before_anything_is_made(demo, tmp_path, deepassay):
    run = tmp_path / "r.assay"
    words = ("research", demo / "tasks.jsonl", "--run", run, "--agent", "x=files:nowhere")
    done = deepassay(*words)
    assert done.returncode == 2 and "nowhere" in done.stderr and not run.exists()


def test_a_task_without_a_report_is_a_named_stop(demo, heron, tmp_path, deepassay):
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text('{"id": "new", "prompt": "What is new?"}\n')
    run = tmp_path / "r.assay"
    done = deepassay("research", tasks, "--agent", heron, "--run", run)
    assert done.returncode == 1 and "failed: 1" in done.stderr
    assert "No report was written." in done.stderr


def test_deerflow_answers_from_a_corpus_and_is_scored(repository, tmp_path, deepassay):
    folder = repository / "examples" / "demo" / "research"
    run, out = tmp_path / "r.assay", tmp_path / "reports"
    tasks = folder / "tasks.jsonl"
    agents = ("--agent", "deerflow+", "--agent", "printed=deerflow+:paper")
    words = ("research", tasks, *agents, "--run", run, "-o", out, "--date", "2026-05-04")
    done = deepassay(*words)
    assert done.returncode == 2 and "Give --search" in done.stderr and not run.exists()
    done = deepassay(*words, "--search", f"corpus:{folder / 'corpus'}")
    assert done.returncode == 0 and "6 reports of 6" in done.stderr
    done = deepassay("lint", out)
    assert done.returncode == 0 and "no findings in 6 reports" in done.stdout
    done = deepassay("evaluate", tasks, run, "--run", run, "--protocol", "presentation")
    assert done.returncode == 0 and "Scored 6 of 6" in done.stderr


def test_reports_of_the_rules_are_the_same_under_every_hash_seed(
    repository, tmp_path, process, monkeypatch
):
    folder = repository / "examples" / "demo" / "research"
    written = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = process(
            *("research", folder / "tasks.jsonl", "--agent", "deerflow+", "-o", out),
            *("--search", f"corpus:{folder / 'corpus'}", "--run", tmp_path / f"{seed}.assay"),
            *("--date", "2026-05-04"),
        )
        assert done.returncode == 0
        written.append({each.name: each.read_bytes() for each in out.rglob("*.md")})
    assert len(written[0]) == 3 and written[0] == written[1]
