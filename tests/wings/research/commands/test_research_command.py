"""`research`: agents answer tasks, and what they wrote is scored from the same run file."""

from __future__ import annotations

import json
import sys

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


def test_an_agent_may_be_declared_otherwise_after_a_command_that_was_refused(
    demo, tmp_path, deepassay
):
    run, corpus = tmp_path / "r.assay", tmp_path / "corpus"
    corpus.mkdir()
    tasks = demo / "research" / "tasks.jsonl"
    words = ("research", tasks, "--run", run, "--limit", "1", "--agent", "deerflow+")
    done = deepassay(*words, "--search", f"corpus:{corpus}")
    assert done.returncode == 2 and "the corpus is empty" in done.stderr
    done = deepassay(*words, "--search", f"corpus:{demo / 'research' / 'corpus'}")
    assert done.returncode == 0 and "1 reports of 1" in done.stderr


def test_a_kind_that_is_mistyped_is_no_module(demo, tmp_path, deepassay):
    words = ("research", demo / "tasks.jsonl", "--run", tmp_path / "r.assay", "--agent")
    done = deepassay(*words, "a=comand:drawn")
    assert done.returncode == 2 and "there is no module 'comand'" in done.stderr
    assert "command:..." in done.stderr


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
    assert done.returncode == 1 and "failed: 1, the first: " in done.stderr
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
    done = deepassay("lint", out, "--ignore", "DA403")  # the corpus is on reserved domains
    assert done.returncode == 0 and "no findings in 6 reports" in done.stdout
    done = deepassay("evaluate", tasks, run, "--run", run, "--protocol", "presentation")
    assert done.returncode == 0 and "Scored 6 of 6" in done.stderr


def test_what_it_would_ask_is_said_before(demo, heron, tmp_path, deepassay):
    run = tmp_path / "r.assay"
    program = "crow=command:python {prompt_file}"
    words = ("estimate", demo / "tasks.jsonl", "--run", run, "--agent", heron, "--agent", program)
    shown = deepassay(*words).stdout.splitlines()
    assert shown == [
        "heron: 6 runs; nothing is asked, its reports are there",
        "crow: 6 runs; what it takes, only the agent knows",
    ]
    assert not run.exists()
    deepassay("research", demo / "tasks.jsonl", "--run", run, "--agent", heron, "--limit", "2")
    assert deepassay(*words).stdout.startswith("heron: 4 runs (2 are there already)")
    done = deepassay("estimate", demo / "tasks.jsonl")
    assert done.returncode == 2 and "Give reports to score, or --agent NAME." in done.stderr


def test_doctor_has_an_agent_answer_one_short_task(heron, tmp_path, deepassay):
    text = "# Tides\\n\\nThe moon [1].\\n\\n## References\\n\\n[1] https://a.example/\\n"
    (tmp_path / "crow.py").write_text(f"print('{text}')")
    (tmp_path / "cuckoo.py").write_text("print('Error generating final report: no key')")
    (tmp_path / "assay.toml").write_text(
        f'[agent.crow]\ncommand = ["{sys.executable}", "crow.py"]\nread = "stdout"\n'
        f'[agent.cuckoo]\ncommand = ["{sys.executable}", "cuckoo.py"]\nread = "stdout"\n'
        '[agent.gull]\ncommand = ["no-such-program-anywhere"]\n'
    )
    agents = [word for name in ("crow", "cuckoo", "gull", heron) for word in ("--agent", name)]
    done = deepassay("doctor", "--ask", *agents)
    assert done.returncode == 1
    lines = {line.split(":")[0]: line for line in done.stdout.splitlines()}
    assert "ended with done after" in lines["ok    crow"] and "1 citations" in lines["ok    crow"]
    assert "ended with failed" in lines["FAIL  cuckoo"]
    assert "there is no such program" in lines["FAIL  gull"]
    assert "its reports are there" in lines["ok    heron"]
    done = deepassay("doctor", "--agent", "crow")
    assert done.returncode == 0 and "crow: has what it takes" in done.stdout


def test_runs_are_exported_and_both_ways_to_evaluate_agree(demo, heron, tmp_path, deepassay):
    run, out = tmp_path / "r.assay", tmp_path / "reports"
    deepassay("research", demo / "tasks.jsonl", "--agent", heron, "-o", out, "--run", run)
    scores = []
    for number, reports in enumerate((run, out)):
        scored = tmp_path / f"{number}.assay"
        words = ("evaluate", demo / "tasks.jsonl", reports, "--run", scored)
        assert deepassay(*words, "--protocol", "presentation").returncode == 0
        assert deepassay("replay", scored).returncode == 0
        shown = json.loads(deepassay("leaderboard", scored, "--format", "json").stdout)
        row = shown[0]["standings"][0]
        scores.append({name: row[name] for name in row if not name.startswith("run_")})
    assert scores[0] == scores[1]
    table = tmp_path / "runs.jsonl"
    assert deepassay("export", run, "--tables", "runs", "-o", table).returncode == 0
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    assert len(rows) == 6
    assert {(row["agent"], row["stop"], row["cost"], row["tokens"]) for row in rows} == {
        ("heron", "done", None, None)
    }
    assert all(row["characters"] > 100 for row in rows)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('command = ["no-such-program"]', "Give its path, or install it."),
        ('command = ["sh"]\nenv = {A = "{env:NO_SUCH}"}', "Set it: export NO_SUCH=..."),
        ('files = "nowhere"', "there is no such file or folder"),
        ('files = "a"\nspeed = 5', "It takes limit_s, files."),
        ('"deerflow+" = "ours"', "Give --search"),
        (
            '"deerflow+" = "ours"\nsearch = "corpus:empty"',
            "the corpus is empty. It holds pages in files",
        ),
        ("limit_s = 5", "Give one of"),
    ],
)
def test_a_declaration_that_cannot_work_names_the_remedy(demo, tmp_path, deepassay, table, told):
    (tmp_path / "empty").mkdir()
    (tmp_path / "assay.toml").write_text(f"[agent.crow]\n{table}\n")
    done = deepassay("research", demo / "tasks.jsonl")
    assert done.returncode == 2 and told in " ".join(done.stderr.split()), done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.strip().splitlines()) <= 2


def test_settings_show_the_agents_of_the_file(tmp_path, deepassay):
    file = tmp_path / "assay.toml"
    file.write_text('[agent.crow]\ncommand = ["sh", "crow.sh"]\nlimit_s = 60\n')
    assert "[agent.crow] command, limit_s = 60.0, " in deepassay("settings").stdout
    file.write_text("[agent.crow]\nfiles = 5\n")
    done = deepassay("settings")
    assert done.returncode == 2 and "[agent.crow] files" in done.stderr


def test_a_task_without_a_prompt_is_named(heron, tmp_path, deepassay):
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text('{"id": "a", "prompt": ""}\n')
    done = deepassay("research", tasks, "--agent", heron)
    assert done.returncode == 2 and "nothing stands in the column 'prompt'" in done.stderr


PLAYED = """
import os, re

asked = []


def model(prompt):
    asked.append(prompt)
    if len(asked) == int(os.environ.get("KILLED_AT", "0")):
        os.kill(os.getpid(), 9)
    with open("asked.log", "a") as log:
        log.write("x")
    cited = re.findall(r"\\[(e\\d+)\\]", prompt)
    return f"So it is [{cited[0]}]." if cited else "{}"
"""


def test_a_model_of_python_is_killed_and_the_command_goes_on(
    repository, tmp_path, process, monkeypatch
):
    (tmp_path / "played.py").write_text(PLAYED)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    folder = repository / "examples" / "demo" / "research"
    words = (
        *("research", folder / "tasks.jsonl", "--agent", "deerflow+", "--limit", "1"),
        *("--search", f"corpus:{folder / 'corpus'}", "--model", "played:model"),
        *("--date", "2026-05-04", "--max-connections", "1"),
    )
    written, counts = [], []
    for name, killed in (("whole", ""), ("killed", "9")):
        out = ("--run", tmp_path / f"{name}.assay", "-o", tmp_path / name)
        if killed:
            monkeypatch.setenv("KILLED_AT", killed)
            assert process(*words, *out).returncode == -9
            monkeypatch.delenv("KILLED_AT")
        done = process(*words, *out)
        assert done.returncode == 0 and "1 reports of 1" in done.stderr
        written.append([each.read_bytes() for each in (tmp_path / name).rglob("*.md")])
        counts.append((tmp_path / "asked.log").stat().st_size)
    assert len(written[0]) == 1 and written[0] == written[1]
    again = counts[1] - 2 * counts[0]
    assert 0 <= again < 10  # of the questions that were under way, at most three at a time
