"""`sandbox` and `research --sandbox`: agents outside search and read a corpus, and are watched."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from deepassay.runfile import RunFile

MILL, BARRED = "https://mills.example/tide", "https://weekly.example/mills"

# Searches as SearXNG, opens what it finds, and cites what it could read and the last hit.
AGENT = """
import json, sys, urllib.error, urllib.parse, urllib.request
sandbox, out = sys.argv[1:]
query = urllib.parse.urlencode({"q": "mill at Ardle", "format": "json"})
with urllib.request.urlopen(f"{sandbox}/search?{query}") as answer:
    hits = json.load(answer)["results"]
lines = ["# The mill", ""]
for hit in hits:
    try:
        with urllib.request.urlopen(hit["url"]) as page:
            lines.append(f"{page.read().decode().strip()} [read]({hit['url']})")
    except urllib.error.HTTPError as error:
        lines.append(f"Status {error.code} [not read]({hit['url']}).")
with open(out, "w") as file:
    file.write("\\n\\n".join(lines))
"""


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "mill.md").write_text(f"---\nurl: {MILL}\n---\nThe mill at Ardle turns.\n")
    (folder / "barred.md").write_text(f"---\nurl: {BARRED}\nstatus: 403\n---\nThe mill earns.\n")
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "tasks.jsonl").write_text('{"id": "mill/1", "prompt": "What of the mill?"}\n')
    (tmp_path / "assay.toml").write_text(
        f'[agent.own]\ncommand = ["{sys.executable}", "{tmp_path / "agent.py"}", '
        '"{sandbox}", "{out_file}"]\n'
    )
    return folder


def test_what_an_agent_found_and_opened_is_in_the_run_file(corpus, deepassay):
    words = ("research", "tasks.jsonl", "--agent", "own", "--sandbox", corpus)
    done = deepassay(*words)
    assert done.returncode == 0, done.stderr
    with RunFile.read(Path("run.assay")) as run:
        (kept,) = run.answering.runs()
        served = list(run.answering.served())
        (agent,) = run.answering.agents().values()
    assert kept.run.found == (MILL, BARRED) and kept.run.opened == (MILL,)
    # The report names the pages, and not the sandbox, without a `map`.
    assert set(kept.run.sources) == {MILL, BARRED} and "127.0.0.1" not in kept.run.report
    assert "127.0.0.1" in kept.run.raw and "map" in kept.run.steps
    assert [(row.session, row.kind) for row in served] == [
        ("own/mill/1/1", "search"),
        ("own/mill/1/1", "page"),
        ("own/mill/1/1", "page"),
    ]
    assert agent["sandbox"]["provider"] == "corpus"


def test_what_an_earlier_attempt_found_is_not_what_this_one_found(corpus, tmp_path, deepassay):
    words = ("research", "tasks.jsonl", "--agent", "own", "--sandbox", corpus, "--retry")
    program = tmp_path / "agent.py"
    program.write_text(AGENT.replace("with open(out", "sys.exit(3)\nwith open(out"))
    assert deepassay(*words).returncode == 1
    program.write_text("import sys; open(sys.argv[2], 'w').write('# The mill\\n\\nIt turns.')")
    assert deepassay(*words).returncode == 0
    with RunFile.read(Path("run.assay")) as run:
        (kept,) = run.answering.runs()
        assert list(run.answering.served("own/mill/1/1"))
    assert (kept.run.stop, kept.run.found, kept.run.opened) == ("done", None, None)


def test_another_corpus_is_another_run(corpus, deepassay):
    words = ("research", "tasks.jsonl", "--agent", "own", "--sandbox", corpus)
    assert deepassay(*words).returncode == 0
    (corpus / "more.md").write_text("---\nurl: https://more.example/\n---\nA mill.\n")
    done = deepassay(*words)
    assert done.returncode == 2 and "own, sandbox: " in done.stderr


@pytest.mark.parametrize("command", ["sandbox", "research"])
def test_an_empty_corpus_is_told_before_anything_is_made(command, corpus, tmp_path, deepassay):
    empty = tmp_path / "empty"
    empty.mkdir()
    words = {
        "sandbox": ("sandbox", empty, "--port", 0, "--run", "run.assay"),
        "research": ("research", "tasks.jsonl", "--agent", "own", "--sandbox", empty),
    }
    done = deepassay(*words[command])
    assert done.returncode == 2 and "empty: the corpus is empty." in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "run.assay").exists()


def test_a_port_that_is_taken_is_one_line_with_a_remedy(corpus, deepassay):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = deepassay("sandbox", corpus, "--port", taken.getsockname()[1])
    assert done.returncode == 2 and "cannot be listened on" in done.stderr
    assert "Choose another port with --port" in done.stderr and "Traceback" not in done.stderr
    assert "Ctrl-C" not in done.stderr  # which would say that it serves


def test_a_missing_extra_is_named(corpus, deepassay, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for loaded in ("web.serving", "wings.research.sandbox.server"):
        monkeypatch.delitem(sys.modules, f"deepassay.{loaded}", raising=False)
    done = deepassay("sandbox", corpus, "--port", 0)
    assert done.returncode == 2 and "pip install 'deepassay[web]'" in done.stderr
