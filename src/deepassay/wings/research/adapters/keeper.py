"""The parent of a program of somebody else's: it ends all that the program started.

It runs as a script of its own, `python -PS keeper.py OUT ERR`, and loads nothing of ours. On its
standard input it is told what to start, and reads one byte more: `.` where the program is to end,
nothing where whoever would send it is dead. On its standard output it says how the program ended.

Linux hands orphans to the nearest ancestor that asks for them. This one does, so that also what
left its session and emptied its environment is a child here, and "no child is left" is certain.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

GRACE: Final = 2.0
"""Seconds between asking a program to end and ending it."""

_STRIKES: Final = 5_000
"""How often what is left is killed, some milliseconds each time."""

_MOST_AT_ONCE: Final = 10_000
"""Processes that are killed each time, of a program that forks without an end."""

_DUMPABLE: Final = 4  # of Linux, as is the next
_SUBREAPER: Final = 36


def prctl(option: int, value: int) -> None:
    """Ask Linux for a property of this process; nothing elsewhere."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def keep_to_itself() -> None:
    """Deny other processes of this user our environment and memory (`/proc/PID/environ`)."""
    prctl(_DUMPABLE, 0)


class KeptProgram:
    """The program and all that comes of it."""

    def __init__(self, given: dict[str, Any], out: int, err: int) -> None:
        self.child = subprocess.Popen(
            given["command"],
            cwd=given["folder"],
            env=given["environment"],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        self.status: int | None = None
        self.ended = threading.Event()
        self.alone = threading.Event()
        threading.Thread(target=self._reap, daemon=True).start()

    def _reap(self) -> None:
        """Wait for every child, ours and those that were handed to us, until there is none."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, 0)
                if pid == self.child.pid:
                    self.status = os.waitstatus_to_exitcode(status)
                    self.child.returncode = self.status
                    self.ended.set()
        self.alone.set()

    def end(self, *, gently: bool) -> None:
        """End the program and everything below us."""
        if not self.ended.is_set() and gently:
            self._signal(signal.SIGTERM)
            self.ended.wait(GRACE)
        self._signal(signal.SIGKILL)
        for _ in range(_STRIKES):
            if self.alone.wait(0.001):
                return
            _strike()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.child.pid, number)


def _strike() -> None:
    """Kill what is below this process, the youngest first: before it can fork again.

    Linux keeps a list of the children of each. To look through all processes for them takes longer
    than one lives that forks at once, and such a one would never be met.
    """
    below = _children("self")
    for parent in below:
        if len(below) < _MOST_AT_ONCE:
            below += _children(parent)
    for each in reversed(below):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(int(each), signal.SIGKILL)


def _children(parent: str) -> list[str]:
    found: list[str] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it is over
        for task in Path(f"/proc/{parent}/task").iterdir():
            found += (task / "children").read_text().split()
    return found


def main() -> None:
    """Start a program, and end it with all that it started."""
    keep_to_itself()
    prctl(_SUBREAPER, 1)
    out, err = int(sys.argv[1]), int(sys.argv[2])
    told = b""
    while b"\n" not in told and (more := os.read(0, 1 << 16)):
        told += more
    order, _, follows = told.partition(b"\n")  # what follows may come at once
    given = json.loads(order or b"null")
    if given is None:
        return
    try:
        kept = KeptProgram(given, out, err)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        print(json.dumps({"error": why}), flush=True)
        return
    os.close(out)
    os.close(err)
    said: list[bytes] = []
    over = threading.Event()

    def listen() -> None:
        said.append(follows[:1] or os.read(0, 1))
        over.set()

    def wait() -> None:
        kept.ended.wait()
        over.set()

    for each in (listen, wait):
        threading.Thread(target=each, daemon=True).start()
    over.wait()
    is_orphan = said == [b""]
    kept.end(gently=not is_orphan)
    if is_orphan and given["remove"]:
        import shutil  # takes an eighth of our start, and is hardly ever needed

        shutil.rmtree(given["folder"], ignore_errors=True)
    with contextlib.suppress(OSError):
        print(json.dumps({"status": kept.status}), flush=True)


if __name__ == "__main__":
    main()
