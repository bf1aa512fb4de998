"""Programs as agents: what they leave, how they end, and that nothing stays behind."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress

import psutil
import pytest

from deepassay.agents import Stop
from deepassay.errors import BadSetting
from deepassay.tasks.task import Task
from deepassay.wings.research.adapters.command import Command
from tests.wings.research.sessions import session

TASK = Task(id="tides", prompt="How high is the tide {today}? 潮汐")
REPORT = "# Tides\n\nThe tide is high [1].\n\n## References\n\n[1] https://a.example/\n"


def script(folder, text):
    """A program of Python in a folder of its own."""
    path = folder / "agent.py"
    path.write_text(text, encoding="utf-8")
    return path


def answered(tmp_path, text, environment=None, sandbox="", **settings):
    """What comes of a program. Its arguments: the file of the prompt, that of the report."""
    here = tmp_path / "work"
    here.mkdir()
    program = str(script(tmp_path, text))
    command = (sys.executable, "-S", program, "{prompt_file}", "{out_file}")  # fast to start
    agent = Command(**{"command": command, "limit_s": 20, **settings})
    with session(here, environment, sandbox=sandbox) as given:
        return asyncio.run(agent.answer(TASK, given))


WRITES = f"import sys; open(sys.argv[2], 'w').write({REPORT!r})\n"


def test_a_report_is_read_from_the_file(tmp_path):
    run = answered(tmp_path, WRITES)
    assert (run.stop, run.report, run.cost, run.usage) == (Stop.DONE, REPORT, None, None)
    assert run.seconds > 0


def test_the_prompt_comes_as_it_is(tmp_path):
    text = "import sys; print('# Echo ' + open(sys.argv[1], encoding='utf-8').read() * 30)"
    run = answered(tmp_path, text, read="stdout", env={"PYTHONIOENCODING": "utf-8"})
    assert run.report.count(TASK.prompt) == 30


def test_the_environment_is_clean_and_the_home_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "of the user")
    text = "import os; print('# Env\\n' + '\\n'.join(f'{k}={v}' for k, v in os.environ.items()))"
    run = answered(tmp_path, text, read="stdout", env={"A": "{sandbox}/x"}, sandbox="http://s")
    assert "of the user" not in run.raw and f"HOME={tmp_path / 'work'}" in run.raw
    assert "A=http://s/x" in run.raw


def test_a_key_is_filled_in_and_written_nowhere(tmp_path):
    key = "sk-abcdefghijklmnop"
    text = (
        "import os, sys; key = os.environ['KEY']; "
        "print('# Key ' + key); sys.stderr.write(key); sys.exit(3)"
    )
    run = answered(tmp_path, text, {"KEY": key}, read="stdout", env={"KEY": "{env:KEY}"})
    assert "# Key" in run.report and key not in repr(run)


def test_a_common_word_of_the_environment_does_not_blot_the_report(tmp_path):
    values = {"STAGE": "production", "KEY": "abc12345defg", "LONG": "correct-horse-battery"}
    text = "from os import environ as e; print('# Notes', e['STAGE'], e['KEY'], e['LONG'])"
    env = {name: f"{{env:{name}}}" for name in values}
    run = answered(tmp_path, text, values, read="stdout", env=env)
    assert run.report.strip() == "# Notes production (the key) (the key)"


def test_an_address_of_the_environment_is_no_secret_but_the_key_in_it_is(tmp_path):
    base = "http://of-user:pass-word-1@127.0.0.1:8791/v1?key=abcdefghijkl"
    text = "import os; print('# Pages\\n[1] http://127.0.0.1:9/w/ ' + os.environ['BASE'])"
    run = answered(tmp_path, text, {"BASE": base}, read="stdout", env={"BASE": "{env:BASE}"})
    assert "[1] http://127.0.0.1:9/w/ http://" in run.report
    assert not [each for each in ("pass-word-1", "abcdefghijkl") if each in repr(run)]


def test_the_newest_file_of_a_pattern_is_read(tmp_path):
    text = (
        "import os\nos.mkdir('out')\n"
        f"open('out/old.md', 'w').write('old')\nopen('out/new.md', 'w').write({REPORT!r})\n"
        "os.utime('out/old.md', (1, 1))\n"
    )
    assert answered(tmp_path, text, read="out/*.md").report == REPORT


def test_a_link_out_of_the_folder_is_not_read(tmp_path):
    (tmp_path / "secret").write_text("secret " * 100)
    text = "import os, sys; os.symlink('../secret', sys.argv[2])"
    run = answered(tmp_path, text)
    assert run.report is None and "secret" not in run.raw


ENDS = [
    ("pass", Stop.FAILED, "left no report"),
    ("import sys; open(sys.argv[2], 'w')", Stop.FAILED, "left an empty report"),
    ("import sys; sys.exit('no key')", Stop.FAILED, "status 1: no key"),
    (WRITES + "raise SystemExit(2)", Stop.TRUNCATED, "status 2"),
    ("import sys; open(sys.argv[2], 'w').write('Error generating final report: x')", Stop.FAILED,
     "It returned"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", Stop.FAILED, "status -9"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "stop", "detail"), ENDS)
def test_how_it_ended_is_a_stop_with_its_cause(tmp_path, text, stop, detail):
    run = answered(tmp_path, text)
    assert run.stop == stop and detail in run.detail
    assert (run.report is None) == (stop == Stop.FAILED)


def alive(marker):
    """Processes with this word in their command line."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if marker in process.cmdline():
                found.append(process)
    return found


STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sleeper = [sys.executable, "-c", "import time; time.sleep(600)", "{marker}"]
subprocess.Popen(sleeper)
subprocess.Popen(sleeper, start_new_session=True)
{then}
"""


@pytest.mark.parametrize(
    ("then", "stop"),
    [
        ("time.sleep(600)", Stop.TIME),
        (WRITES, Stop.DONE),
        (WRITES + "time.sleep(600)", Stop.TRUNCATED),
    ],
)
def test_nothing_that_it_started_is_alive_afterwards(tmp_path, then, stop):
    marker = f"deepassay-{os.getpid()}-{tmp_path.name}"
    run = answered(tmp_path, STUBBORN.format(marker=marker, then=then), limit_s=1.5)
    assert run.stop == stop
    assert not alive(marker)


def test_a_program_that_takes_too_much_memory_is_ended(tmp_path):
    text = (
        "kept = []\nimport time\nwhile True:\n    kept.append(bytearray(10**7)); time.sleep(.01)\n"
    )
    run = answered(tmp_path, text, memory_mb=200)
    assert run.stop == Stop.FAILED and "limit of memory" in run.detail


def test_a_run_that_is_cancelled_ends_the_program(tmp_path):
    marker = f"deepassay-{os.getpid()}-cancelled"
    (tmp_path / "w").mkdir()
    agent = Command(command=[sys.executable, "-c", "import time; time.sleep(600)", marker])

    async def cancelled():
        with session(tmp_path / "w") as given:
            running = asyncio.create_task(agent.answer(TASK, given))
            while not alive(marker):
                await asyncio.sleep(0.02)
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    asyncio.run(cancelled())
    assert not alive(marker)


def test_what_a_program_says_that_it_used_is_believed_where_it_can_be(tmp_path):
    told = '{"input_tokens": 12, "output_tokens": -1, "cost": 0.5}'
    run = answered(tmp_path, WRITES + f"open('usage.json', 'w').write({told!r})")
    assert run.usage == {"input_tokens": 12} and run.cost == 0.5


@pytest.mark.parametrize("place", ["drivers", "."])
def test_a_file_here_is_meant_from_wherever_the_program_runs(tmp_path, monkeypatch, place):
    (tmp_path / "drivers").mkdir()
    program = script(tmp_path / place, WRITES).relative_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    long = "import time / " * 100  # names no file, and is too long for a name
    agent = Command(command=[sys.executable, str(program), long, "{out_file}"])
    with session(tmp_path / "work") as given:
        run = asyncio.run(agent.answer(TASK, given))
    assert run.report == REPORT


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"command": "no-such-program-anywhere"}, "no such program"),
        ({"command": [sys.executable, "{prompt_flie}"]}, "{prompt_flie} is not known"),
        ({"command": [sys.executable], "env": {"A": "{env:NO_SUCH}"}}, "NO_SUCH is not set"),
    ],
)
def test_what_cannot_work_is_told_before_anything_runs(settings, problem):
    with pytest.raises(BadSetting, match=problem):
        Command(**settings).check({})
