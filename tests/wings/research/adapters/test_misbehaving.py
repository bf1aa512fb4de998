"""Programs that leave what is no report, or will not end: each costs its own task and no other."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deepassay.agents import Stop
from deepassay.agents.registry import agents_of
from deepassay.run.asking.agent_runs import ResearchTerms
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.wings.research.adapters import keeper
from deepassay.wings.research.adapters.output_files import (
    LARGEST,
    MOST_FILES,
    UnreadableOutput,
    newest,
    read_left,
)
from deepassay.wings.research.answering import research
from tests.run.kills import left_behind, wait_until
from tests.wings.research.adapters.test_command import REPORT, WRITES, alive, answered
from tests.wings.research.test_research import started

BEGIN = "import os, signal, sys, time\nout = sys.argv[2]\n"  # what takes long is not loaded by all

REPORTS = [
    ("a FIFO", "os.mkfifo(out)", "no regular file"),
    ("a sparse file", "open(out, 'wb').truncate(6 * 2**30)", "6,442,450,944 bytes"),
    ("a byte too many", f"open(out, 'wb').write(b'a' * {LARGEST + 1})", f"{LARGEST:,} are allowed"),
    ("a folder", "os.mkdir(out)", "no regular file"),
    (
        "a socket",
        "import socket; socket.socket(socket.AF_UNIX).bind('report.md')",
        "cannot be taken",
    ),
    ("a link to a device", "os.symlink('/dev/zero', out)", "it is a link"),
    ("a link to our memory", "os.symlink(f'/proc/{os.getppid()}/environ', out)", "it is a link"),
    ("a link to itself", "os.symlink(out, out)", "it is a link"),
    ("a link into nothing", "os.symlink('nowhere', out)", "it is a link"),
    ("a link to the prompt", "os.symlink('prompt.txt', out)", "it is a link"),
    ("a second name of a link", "os.symlink('/etc/passwd', 'x'); os.symlink('x', out)", "a link"),
    ("UTF-16", f"open(out, 'w', encoding='utf-16').write({REPORT!r})", "UTF-16 or UTF-32"),
    ("no text", "open(out, 'wb').write(bytes(range(256)) * 40)", "(byte 129 of the file is 0x80)"),
    ("Latin-1", "open(out, 'wb').write('# Wärme\\n'.encode('latin-1'))", "not UTF-8 text"),
    ("only blanks", "open(out, 'w').write(' \\n\\t\\u3000' * 99)", ""),
    ("nothing in it", "open(out, 'w').close()", ""),
    ("its folder gone", "import shutil; shutil.rmtree(os.getcwd())", "left no report"),
    ("its folder another", "os.rename('.', '../gone'); os.symlink('/etc', '../work')", ""),
]


@pytest.mark.parametrize(("title", "does", "why"), REPORTS, ids=[each[0] for each in REPORTS])
def test_a_report_that_cannot_be_read_ends_the_task_with_its_cause(tmp_path, title, does, why):
    run = answered(tmp_path, BEGIN + does)
    assert (run.stop, run.report) == (Stop.FAILED, None) and why in run.detail
    assert not alive(str(tmp_path / "agent.py"))


USAGES = [
    ("a FIFO", "os.mkfifo('usage.json')", "no regular file"),
    ("a sparse file", "open('usage.json', 'wb').truncate(6 * 2**30)", "bytes, and"),
    ("a link", "os.symlink('/dev/zero', 'usage.json')", "it is a link"),
    ("a folder", "os.mkdir('usage.json')", "no regular file"),
    ("brackets", "open('usage.json', 'w').write('[' * 60000)", ""),
    ("half a character", "open('usage.json', 'w').write('{\"\\\\ud800tokens\": 3}')", ""),
    ("many digits", "open('usage.json', 'w').write('{\"cost\": ' + '9' * 4000 + '}')", ""),
    ("no number", "open('usage.json', 'w').write('{\"cost\": NaN, \"x_tokens\": Infinity}')", ""),
    ("no text", "open('usage.json', 'wb').write(bytes(range(256)))", ""),
    ("a socket", "import socket; socket.socket(socket.AF_UNIX).bind('usage.json')", ""),
    ("a number below", "open('usage.json', 'w').write('{\"cost\": -1, \"x_tokens\": -5}')", ""),
    ("a list", "open('usage.json', 'w').write('[{\"cost\": 1}]')", ""),
    ("a name twice", "open('usage.json', 'w').write('{\"cost\": 1, \"cost\": NaN}')", ""),
    ("nothing in it", "open('usage.json', 'w').close()", ""),
    ("a device of its own", "os.symlink('/dev/full', 'usage.json')", "it is a link"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "does", "why"), USAGES, ids=[each[0] for each in USAGES])
def test_a_usage_that_cannot_be_believed_costs_no_report(tmp_path, title, does, why):
    run = answered(tmp_path, WRITES + BEGIN + does)
    assert (run.stop, run.report, run.cost) == (Stop.DONE, REPORT, None)
    assert not run.usage and why in run.record.get("usage", "")
    json.dumps(run.record, ensure_ascii=False).encode()


ANEW = "os.truncate(1, 0); os.lseek(1, 0, 0); "
OUTPUTS = [
    ("removed", "[os.remove(e) for e in os.listdir('.') if e != 'prompt.txt']", REPORT),
    ("put aside", "os.mkfifo('.stdout'); os.mkfifo('.stderr')", REPORT),
    ("closed", "os.close(1)", REPORT),
    ("UTF-16", ANEW + f"os.write(1, {REPORT!r}.encode('utf-16'))", None),
    ("a mark before it", ANEW + f"os.write(1, {REPORT!r}.encode('utf-8-sig'))", REPORT),
    ("half a character at its end", "os.write(1, '鹅'.encode()[:2])", f"{REPORT}\ufffd"),
    ("without an end", "os.truncate(1, 6 * 2**30)", None),
    ("errors without an end", "os.truncate(2, 6 * 2**30)", REPORT),
]


@pytest.mark.parametrize(("title", "does", "report"), OUTPUTS, ids=[each[0] for each in OUTPUTS])
def test_outputs_are_ours_whatever_stands_in_the_folder(tmp_path, title, does, report):
    text = BEGIN + f"sys.stdout.write({REPORT!r}); sys.stdout.flush()\n" + does
    run = answered(tmp_path, text, read="stdout")
    assert run.report == report
    assert report or "6,442,450,944 bytes" in run.detail or "UTF-16" in run.detail


def test_patterns_meet_no_link_and_no_crowd(tmp_path):
    text = (
        BEGIN + "os.symlink('/etc', 'etc'); os.mkdir('o'); os.symlink('/etc/hostname', 'o/a.md')\n"
        "os.mkfifo('o/b.md'); open('o/c.md', 'w').write('# C\\n\\nWhole.\\n')"
    )
    assert answered(tmp_path, text, read="o/*.md").report == "# C\n\nWhole.\n"
    (tmp_path / "many").mkdir()
    (tmp_path / "etc").symlink_to("/etc")
    with pytest.raises(UnreadableOutput, match="etc/hostname is not read"):
        read_left(tmp_path, "etc/hostname")
    for number in range(MOST_FILES + 1):
        os.mknod(tmp_path / "many" / f"{number}.md")
    with pytest.raises(UnreadableOutput, match=f"more than {MOST_FILES:,} files"):
        newest(tmp_path / "many", "*.md")


DAEMON = """
import os, sys, time
if os.fork():
    time.sleep({pause}); sys.exit({status})
os.setsid()
if os.fork():
    os._exit(0)
os.execve(sys.executable, [sys.executable, "-c", {what!r}, {marker!r}], {{}})
"""
SLEEPS = "import time; time.sleep(600)"
STUBBORN = "import signal, time; signal.signal(15, 1); signal.signal(1, 1); time.sleep(600)"
FORKS = (
    "import os, time\nwhile True:\n    if os.fork(): time.sleep(.02); os._exit(0)\n    os.setsid()"
)


@pytest.mark.skipif(sys.platform != "linux", reason="orphans find their keeper on Linux only")
@pytest.mark.parametrize("what", [SLEEPS, STUBBORN, FORKS], ids=["sleeps", "stubborn", "forks"])
@pytest.mark.parametrize(("pause", "limit"), [(0.3, 20), (600, 1.0)], ids=["ends", "is ended"])
def test_a_daemon_without_an_environment_is_ended(tmp_path, what, pause, limit):
    marker = f"deepassay-{os.getpid()}-{tmp_path.name}"
    text = DAEMON.format(pause=pause, status=0, what=what, marker=marker)
    run = answered(tmp_path, text, limit_s=limit)
    assert run.report is None and not alive(marker)


def test_a_keeper_that_its_program_kills_costs_the_task_alone(tmp_path):
    marker = f"deepassay-{os.getpid()}-{tmp_path.name}"
    text = (
        BEGIN
        + f"import subprocess; subprocess.Popen([sys.executable, '-c', {SLEEPS!r}, {marker!r}])\n"
        "os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)"
    )
    run = answered(tmp_path, text)
    assert run.stop == Stop.FAILED and run.record["status"] == -signal.SIGKILL
    assert not alive(marker) and not alive(str(tmp_path / "agent.py"))


def test_a_keeper_that_is_told_to_end_at_once_ends_the_program_gently(tmp_path):
    """The byte for that comes with what is to be started: it is not read as part of it."""
    given = {"folder": str(tmp_path), "environment": {}, "remove": True}
    given["command"] = ["/bin/sh", "-c", "exec sleep 600"]
    with Path(os.devnull).open("w") as out, Path(os.devnull).open("w") as err:
        handles = out.fileno(), err.fileno()
        done = subprocess.run(
            [sys.executable, "-PS", keeper.__file__, *map(str, handles)], pass_fds=handles,
            input=json.dumps(given).encode() + b"\n.", capture_output=True, check=True,
        )  # fmt: skip
    assert json.loads(done.stdout) == {"status": -signal.SIGTERM}
    assert tmp_path.is_dir(), "it is removed where nobody is left who would read it"


@pytest.mark.skipif(sys.platform != "linux", reason="it is Linux that shows environments")
def test_the_environment_of_its_parent_has_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user-0123456789")
    text = "import os; print('# Env\\n', open(f'/proc/{os.getppid()}/environ').read())"
    run = answered(tmp_path, text, read="stdout")
    assert "sk-of-the-user" not in f"{run.raw}{run.detail}"
    # Only whoever may trace us can read ours: root, and nobody else of this user.
    assert ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0


NOTE = {"type": "url_citation", "url": 5, "start_index": 1e999, "end_index": -9, "title": ["x"]}
PART = {"type": "output_text", "text": "of it", "annotations": [NOTE, None, "x"]}
ODD = {"output": [{"type": "message", "content": [PART, 3]}, None], "usage": {"x": "y"}}
JSONS = [
    ('half a character', '{"report": "\\ud800 \\udfff of it"}'),
    ("a null", '{"report": "\\u0000 of it"}'),
    ("brackets", "[" * 100_000),
    ("a report of lists", '{"report": [[["x"]]]}'),
    ("sources of everything", '{"report": "of it", "sources": [1, null, {}, "\\ud800", "x"]}'),
    ("annotations of everything", json.dumps(ODD)),
    ("an error of lists", '{"error": [[["x"]]], "report": null}'),
    ("a number as a report", '{"report": 1e999}'),
    ("no object", '"of it"'),
    ("bytes", "\udcff\udc00 of it"),
]  # fmt: skip


def test_whatever_a_report_is_can_be_kept_and_the_others_answer(tmp_path, monkeypatch):
    """Through the whole command: what comes of the odd ones is in the file, and all others are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    Path("tasks.jsonl").write_text('{"id": "a", "prompt": "Why?"}\n')
    Path("odd.py").write_text("import shutil, sys; shutil.copy(sys.argv[2], sys.argv[1])")
    Path("good.py").write_text(f"import sys; open(sys.argv[1], 'w').write({REPORT!r})")
    specs = [f"good=command:{sys.executable} good.py {{out_file}}"]
    for number, (_, text) in enumerate(JSONS):
        odd = tmp_path / f"{number}.md"
        odd.write_bytes(text.encode("utf-8", "surrogatepass"))
        specs.append(f"odd{number}=command:{sys.executable} odd.py {{out_file}} {odd}")
    settings = Settings(run=tmp_path / "r.assay", offline_sources=True)
    done = research(
        "tasks.jsonl", agents_of(specs, {}), settings, ResearchTerms(output=tmp_path / "out")
    )
    assert done.progress.done == len(specs)
    with RunFile.read(tmp_path / "r.assay") as run:
        kept = {each.agent: each.run for each in run.answering.runs()}
    assert kept.keys() == {spec.partition("=")[0] for spec in specs}
    assert kept["good"].report == REPORT


@pytest.mark.parametrize("left", ["report.md", "usage.json", ".stdout"])
def test_signals_end_the_command_whatever_an_agent_left(tmp_path, monkeypatch, left):
    """An agent that leaves FIFOs and goes on: two signals, and nothing is alive."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    Path("tasks.jsonl").write_text('{"id": "a", "prompt": "Why?"}\n')
    Path("held_agent.py").write_text("def answer(prompt, **context): return '# A'")
    Path("heron").mkdir()
    Path("heron/a.md").write_text("# Sky\n\nIt is so.\n")
    Path("odd.py").write_text(
        f"import os, time\nwith __import__('contextlib').suppress(OSError): os.remove({left!r})\n"
        f"os.mkfifo({left!r}); open({str(tmp_path / 'begun')!r}, 'w'); time.sleep(600)"
    )
    Path("assay.toml").write_text(
        '[agent.heron]\nfiles = "heron"\n[agent.program]\n'
        f'command = [{json.dumps(sys.executable)}, "odd.py"]\n'
        'read = "stdout"\n[agent.function]\npython = "held_agent:answer"\n'
    )
    with started("r.assay") as process:
        wait_until(Path("begun").exists)
        os.kill(process.pid, signal.SIGTERM)
        wait_until(Path("told").exists)
        os.kill(process.pid, signal.SIGTERM)
    assert process.exitcode == signal.SIGTERM and not left_behind(tmp_path)
    with RunFile.read(Path("r.assay")) as run:
        assert [each.agent for each in run.answering.runs()] == ["heron"]
