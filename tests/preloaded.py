"""`deepassay`, `inspect` and Python, loaded once and forked for every command that a test starts.

Starting Python and loading everything takes most of the time of a command, a fork none. The
program on the PATH hands its name, arguments, folder, environment and standard streams to the
loaded process; what runs there is the same `main`. Signals reach it, and it ends as the command
does. The installed command itself is started by tests/docs/test_installed.py.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import importlib
import marshal
import os
import pkgutil
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

PROGRAM = """\
#!{python} -IS
import marshal, posix, sys
from _signal import SIG_DFL, SIGHUP, SIGINT, SIGKILL, SIGTERM, signal
from _socket import AF_UNIX, SCM_RIGHTS, SOL_SOCKET, socket
line = socket(AF_UNIX)
line.connect({address!r})
asked = marshal.dumps([sys.argv, posix.getcwd(), posix.environ])
streams = b"".join(each.to_bytes(4, sys.byteorder) for each in (0, 1, 2))
line.sendmsg([asked], [(SOL_SOCKET, SCM_RIGHTS, streams)])
def pass_on(number, frame):
    try:
        line.send(bytes([number]))
    except OSError:
        pass  # it has ended
for each in (SIGHUP, SIGINT, SIGTERM):
    signal(each, pass_on)
status = int(line.recv(16) or b"70")
if status < 0:
    if -status != SIGKILL:
        signal(-status, SIG_DFL)
    posix.kill(posix.getpid(), -status)
posix._exit(status)
"""
"""Without `json`, `os`, `signal` and `socket`: they take longer to load than Python to start."""

SERVER = """\
import sys
from tests.preloaded import Server, socket
sys.path.remove("")
Server(socket.socket(fileno=int(sys.argv[1]))).serve()
"""

MAINS = {
    "deepassay": "deepassay.cli",
    "inspect": "inspect_ai._cli.main",
    "python-c": __name__,
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
    "pydantic_ai.models.anthropic",
    "pydantic_ai.models.google",
    "pydantic_ai.models.openai",
    "pydantic_ai.models.openrouter",
    "pydantic_ai.models.ollama",
    "scipy.stats",
    "ruamel.yaml",
    "uvicorn.lifespan.on",
    "uvicorn.protocols.http.h11_impl",
    "warcio",
)


REPOSITORY = Path(__file__).resolve().parent.parent


@contextmanager
def programs_of(python: str) -> Iterator[tuple[Path, socket.socket]]:
    """A folder for the PATH, and the door that its programs knock at, whose language is Python."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as door:
        address, programs = f"{folder}/door", Path(folder, "bin")
        door.bind(address)
        door.listen()
        programs.mkdir()
        for name in MAINS:
            program = programs / name
            program.write_text(PROGRAM.format(python=python, address=address))
            program.chmod(0o755)
        yield programs, door


def once(make: Callable[[Path], object], folder: Path) -> Path:
    """A new folder, filled. Of workers the first fills it, and the others have copies of that."""
    ready = shutil.which("python-c")
    if ready is None:
        folder.mkdir()
        make(folder)
        return folder
    kept = Path(ready).parent.with_name(make.__name__)
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            begun = kept.with_suffix(".begun")
            shutil.rmtree(begun, ignore_errors=True)  # of one in which this failed
            begun.mkdir()
            make(begun)
            begun.rename(kept)
    return Path(shutil.copytree(kept, folder))


def python(text: str, *words: str) -> list[str]:
    """The command that runs a program: in a fork, if there are programs for the PATH."""
    ready = shutil.which("python-c")
    return [ready, text, *words] if ready else [sys.executable, "-c", text, *words]


@contextmanager
def preloaded(environment: Mapping[str, str], python: str = sys.executable) -> Iterator[Path]:
    """A folder for the PATH, with the programs, which are there while this lasts.

    python: of the environment that it is installed in, perhaps without what is optional.
    """
    with programs_of(python) as (programs, door):
        command = [python, "-c", SERVER, f"{door.fileno()}"]
        given = {"env": environment, "pass_fds": [door.fileno()], "stdin": subprocess.DEVNULL}
        given["cwd"] = REPOSITORY
        with subprocess.Popen(command, **given) as process:  # type: ignore[call-overload]
            yield programs
            process.kill()


def run(message: bytes, streams: list[int]) -> int:
    """One command, in a fork."""
    words, folder, environment = marshal.loads(message)
    for stream, place in zip(streams, (0, 1, 2), strict=True):
        os.dup2(stream, place)
        os.close(stream)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update((os.fsdecode(name), os.fsdecode(environment[name])) for name in environment)
    tempfile.tempdir = None
    sys.path[:0] = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.argv = words
    program = MAINS[Path(sys.argv[0]).name]
    if program == "deepassay.cli":
        from deepassay.cli import app

        app.app = built()
    try:
        importlib.import_module(program).main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def main() -> None:
    """A program, as `python -c` runs it: what starts workers says `-u -c` before it."""
    text = next(each for each in sys.argv[1:] if each not in {"-u", "-c"})
    del sys.argv[1 : sys.argv.index(text) + 1]
    sys.argv[0], sys.path[:0] = "-c", [""]
    exec(compile(text, "<string>", "exec"), {"__name__": "__main__"})


def load() -> None:
    """Load all of the package, and what it loads late, so that the forks need not."""
    gc.disable()  # nothing of it goes, and to look through it again and again takes a second
    import deepassay

    modules = pkgutil.walk_packages(deepassay.__path__, "deepassay.", onerror=lambda _: None)
    own = [each.name for each in modules if "__main__" not in each.name]
    for name in (*own, *LATE):
        with suppress(ImportError, deepassay.MissingExtra):  # the command says what it misses
            importlib.import_module(name)
    built()
    warm_up()
    with suppress(ImportError):
        from matplotlib.font_manager import _get_font  # type: ignore[attr-defined]

        _get_font.cache_clear()  # which each fork does anyway, and so copies 900 pages
    gc.enable()
    gc.collect()
    gc.freeze()  # a collection in a fork would write to, and so copy, all that was loaded
    if sys.platform == "linux":
        take_large_pages()


def take_large_pages() -> None:
    """Have memory in pages of 2 MB where Linux can: two thirds of a fork is listing small ones."""
    libc = ctypes.CDLL(None)
    collapse, large = 25, 1 << 21  # MADV_COLLAPSE
    maps = Path("/proc/self/maps").read_text("ascii")
    for begin, end in re.findall(r"(?m)^(\w+)-(\w+) rw-p 0+ 00:00 0\b", maps):
        first, last = -(-int(begin, 16) // large), int(end, 16) // large
        if first < last:  # what is refused stays as it is
            libc.madvise(
                ctypes.c_void_p(first * large), ctypes.c_size_t((last - first) * large), collapse
            )


@cache
def built() -> Any:
    """The command line put together, with how each value is read: each process does it anew."""
    from typer import Context
    from typer.main import get_command

    from deepassay.cli.app import app

    command: Any = get_command(app)
    commands = [command]
    for each in commands:
        if hasattr(each, "commands"):
            commands += [each.commands[name] for name in each.list_commands(None)]
        for parameter in each.get_params(Context(each)):
            parameter.get_runtime_param()
    return command


WARM = """\
sources import {demo}/pages.jsonl --snapshots {run}
evaluate {demo}/tasks.jsonl {demo}/reports --run {run} --reference heron --offline-sources \
 --criteria {demo}/criteria.yaml --rubric {demo}/rubrics.yaml --judge offline \
 --protocol presentation --protocol race --protocol fact --protocol rubrics
leaderboard {run}
compare {run} --protocol presentation
html {run} -o {run}.html
figures {run} -o {run}-figures
export {run}
research {demo}/tasks.jsonl --agent heron=files:{demo}/reports/heron --run {run} --limit 1
"""


def warm_up() -> None:
    """Judge and show the demonstration: what each process makes once for itself, the forks have.

    Half of the time of a small command goes into reading patterns, prompts and fonts.
    """
    from deepassay.cli import main as deepassay

    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("w") as silence:
        sys.stdout = sys.stderr = silence
        for stream in (1, 2):
            os.dup2(silence.fileno(), stream)
        places = {"demo": REPOSITORY / "examples" / "demo", "run": f"{folder}/run"}
        for line in WARM.format(**places).splitlines():
            sys.argv[1:] = line.split()
            with suppress(SystemExit):
                deepassay()
    for stream, place in zip(kept, (1, 2), strict=True):
        os.dup2(stream, place)
        os.close(stream)


class Server:
    """Forks for those who come to the door, and tells them how each ended."""

    def __init__(self, door: socket.socket) -> None:
        self.door = door
        self.lines: dict[int, socket.socket] = {}
        self.woken, self.waking = os.pipe()
        os.set_blocking(self.waking, False)
        self.chooser = selectors.DefaultSelector()
        self.chooser.register(door, selectors.EVENT_READ, self.begin)
        self.chooser.register(self.woken, selectors.EVENT_READ, self.end)

    def serve(self) -> None:
        """As long as who began this process lives; it loads when it is first asked."""
        parent, loaded = os.getppid(), False
        while os.getppid() == parent:
            for key, _ in self.chooser.select(10):
                if not loaded:
                    load()
                    loaded = True
                    signal.signal(signal.SIGCHLD, lambda number, frame: None)
                    signal.set_wakeup_fd(self.waking, warn_on_full_buffer=False)
                key.data(key.fileobj)

    def begin(self, door: socket.socket) -> None:
        """Fork for who is at the door."""
        line, _ = door.accept()
        message, streams, *_ = socket.recv_fds(line, 1 << 20, 3)
        if not streams:
            line.close()  # it is gone already
            return
        child = os.fork()
        if child == 0:
            self.leave()
            become(message, streams)
        for each in streams:
            os.close(each)
        self.lines[child] = line
        self.chooser.register(line, selectors.EVENT_READ, self.pass_on)

    def leave(self) -> None:
        """Have nothing of the server, in a fork."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.chooser.close()
        for each in (self.door, *self.lines.values()):
            each.close()

    def pass_on(self, line: socket.socket) -> None:
        """A signal to who runs for it; who asked and is gone has it killed."""
        if line.fileno() < 0:
            return  # it was over a moment ago
        number = line.recv(1) or bytes([signal.SIGKILL])
        os.kill(next(child for child, own in self.lines.items() if own is line), number[0])
        if number[0] == signal.SIGKILL:
            self.chooser.unregister(line)

    def end(self, woken: int) -> None:
        """Tell those whose commands are over."""
        os.read(woken, 512)
        while self.lines:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            with self.lines.pop(child) as line:
                with suppress(KeyError):
                    self.chooser.unregister(line)
                with suppress(OSError):
                    line.send(str(os.waitstatus_to_exitcode(status)).encode())


def become(message: bytes, streams: list[int]) -> NoReturn:
    """The command, to its end."""
    status = 70
    try:
        status = run(message, streams)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
