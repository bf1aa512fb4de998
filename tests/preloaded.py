"""`deepassay`, `inspect` and Python, loaded once and forked for every block that a document shows.

Starting Python and loading everything takes most of the time of a command, a fork none. The
program on the PATH hands its name, arguments, folder, environment and standard streams to the
loaded process; what runs there is the same `main`. The installed command itself is started by
tests/cli.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

PROGRAM = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    asked = {{"words": sys.argv, "folder": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(line, [json.dumps(asked).encode()], [0, 1, 2])
    sys.exit(int(line.recv(16) or b"70"))
"""

MAINS = {
    "deepassay": "deepassay.cli",
    "inspect": "inspect_ai._cli.main",
    "python-c": "__main__",
}
"""The programs, each with the module whose `main` it runs."""

LATE = (
    "anyio._backends._asyncio",
    "genai_prices.data",
    "genai_prices.decompose",
    "inspect_ai._cli.main",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "openai.lib.streaming.chat",
    "openai.resources.chat",
    "pydantic_ai.models.openai",
    "pydantic_ai.models.openrouter",
    "pydantic_ai.models.ollama",
    "scipy.stats",
    "ruamel.yaml",
    "warcio",
)


@contextmanager
def preloaded(
    folder: Path, environment: Mapping[str, str], python: str = sys.executable
) -> Iterator[Path]:
    """A folder for the PATH, with the programs, which are there while this lasts.

    python: of the environment that it is installed in, perhaps without what is optional.
    """
    address = folder / "line"
    programs = folder / "bin"
    programs.mkdir()
    for name in MAINS:
        program = programs / name
        program.write_text(PROGRAM.format(python=python, address=str(address)))
        program.chmod(0o755)
    with subprocess.Popen(
        [python, __file__, str(address)],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield programs
        finally:
            process.kill()


def run(line: socket.socket) -> int:
    """One command, in a fork."""
    message, streams, *_ = socket.recv_fds(line, 1 << 20, 3)
    asked = json.loads(message)
    for stream, place in zip(streams, (0, 1, 2), strict=True):
        os.dup2(stream, place)
        os.close(stream)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = asked["words"]
    try:
        importlib.import_module(MAINS[Path(sys.argv[0]).name]).main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def main() -> None:
    """A program, as `python -c` runs it."""
    exec(compile(sys.argv[1], "<string>", "exec"), {"__name__": "__main__"})


def load() -> None:
    """Load all of the package, and what it loads late, so that the forks need not."""
    import deepassay

    modules = pkgutil.walk_packages(deepassay.__path__, "deepassay.", onerror=lambda _: None)
    own = [each.name for each in modules if "__main__" not in each.name]
    for name in (*own, *LATE):
        with suppress(ImportError, deepassay.MissingExtra):  # the command says what it misses
            importlib.import_module(name)
    build_commands()
    gc.collect()
    gc.freeze()  # a collection in a fork would write to, and so copy, all that was loaded


def build_commands() -> None:
    """Put the command line together, as each process does for itself."""
    from typer.main import get_command

    from deepassay.cli import app

    built = get_command(app.app)
    for name in built.list_commands(None):
        built.commands[name]
    app.app = built


def serve(address: str) -> None:
    load()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while True:
            line, _ = server.accept()
            if os.fork() == 0:
                server.close()
                status = 70
                try:
                    status = run(line)
                except BaseException:
                    traceback.print_exc()
                finally:
                    with suppress(OSError):
                        sys.stdout.flush()
                        sys.stderr.flush()
                    line.sendall(str(status).encode())
                    os._exit(status)
            line.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


if __name__ == "__main__":
    serve(sys.argv[1])
