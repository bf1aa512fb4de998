"""Moments at which a process does something that lasts, each of which may be its last."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

_LASTING = frozenset(
    {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "subprocess.Popen", "fcntl.flock"}
)


def die_at(moment: int, tell: Path, after: str = "") -> None:
    """Have this process kill itself right before the moment of this number, from 1; 0: never.

    after: count from the first moment on whose line has this.

    Moments: a file or folder is made, renamed, locked or removed; a process is begun; a connection
    is opened, which with a service that keeps none is a request; a transaction is committed.
    tell: a file with a line for each moment.
    """
    left, counts = moment, not after
    lines = os.open(tell, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def comes(what: str) -> None:
        nonlocal left, counts
        os.write(lines, f"{what}\n".encode())
        counts = counts or after in what
        left -= counts
        if left == 0 and counts:
            os.kill(os.getpid(), signal.SIGKILL)

    def event(name: str, given: tuple[Any, ...]) -> None:
        if name == "open":
            if given[2] & (os.O_WRONLY | os.O_RDWR) and given[0] != os.devnull:
                comes(f"open {given[0]}")
        elif name == "socket.connect":
            if isinstance(given[1], tuple):  # an address and no file
                comes("connect")
        elif name in _LASTING:
            comes(f"{name} {given[0]}")

    def connect(*given: Any, **more: Any) -> sqlite3.Connection:
        connection = connected(*given, **more)
        connection.set_trace_callback(lambda sql: comes(sql) if sql == "COMMIT" else None)
        return connection

    connected, sqlite3.connect = sqlite3.connect, connect
    sys.addaudithook(event)
