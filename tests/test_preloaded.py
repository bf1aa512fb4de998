"""Commands in forks of what is loaded end as those do that are started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.preloaded import once

WAITS = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"


def begin(programs: Path, text: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([programs / "python-c", text], stdin=pipe, stdout=pipe, text=True)


def test_streams_folder_environment_and_status_are_those_of_who_asks(
    programs: Path, tmp_path: Path
) -> None:
    text = "import os, sys; print(input(), os.getcwd(), os.environ['WORD'], file=sys.stderr); "
    done = subprocess.run(
        [programs / "python-c", text + "sys.exit(3)"],
        cwd=tmp_path, env={"WORD": "hello"}, input="said\n",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"said {tmp_path} hello\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_reaches_what_runs(programs: Path, number: int) -> None:
    process = begin(programs, WAITS)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    process.send_signal(number)
    process.communicate()
    assert process.returncode == -number
    end = time.monotonic() + 60
    while Path(f"/proc/{child}").exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_one_that_kills_itself_ends_so_for_who_asked(programs: Path) -> None:
    process = begin(programs, "import os; os.kill(os.getpid(), 9)")
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def test_what_takes_long_is_made_once_and_each_has_a_copy_of_it(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    made = []

    def tides(folder: Path) -> None:
        made.append(folder)
        (folder / "tide").write_text("low")

    first, second = (once(tides, tmp_path / name) for name in ("first", "second"))
    (first / "tide").write_text("high")
    assert [path.read_text() for path in second.iterdir()] == ["low"]
    assert len(made) == 1
