"""Fixtures that every room's tests use."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.constants_ast import constants_from_module

from tests.browser import Chromium
from tests.preloaded import preloaded

# Bytecode is kept whatever the machine says: without it each process that a test starts compiles
# the whole package anew, which takes twice as long as loading it.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# `deepassay` is that of the environment which runs the tests; of workers, the one that is loaded.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

# Ten thousand tests are millions of objects that stay: usually, half of the time that it takes to
# collect them goes into looking through those that are there already. The command does the same.
gc.set_threshold(100_000, 50, 1000)

# Run files wait for the disk with every commit, as they must. In memory that takes no time, and no
# other program of the machine can make it long. What passed is removed at once. Files that nobody
# keeps, as of `RunFile.in_memory` and of processes that tests start, go where TMPDIR says.
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4e9:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    os.environ.setdefault("TMPDIR", str(MEMORY))

# A busy machine is no reason to fail: no example has a deadline. Each run tries other examples, so
# that few in each come to many in a week; and those that ever failed are kept and tried first.
settings.register_profile("patient", deadline=None, max_examples=40)
settings.load_profile("patient")

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are cores: for two fifths of their time tests wait for others.

    Each collects all tests anew, in ten seconds and 0.7 GB, so that many are no gain.
    """
    return min(8, (os.cpu_count() or 1) + 2)


def pytest_configure(config: pytest.Config) -> None:
    """Who starts workers has them and their commands loaded once: each is a fork of that."""
    if config.getoption("numprocesses", None):
        ready = ExitStack()
        config.add_cleanup(ready.close)
        programs = ready.enter_context(preloaded(os.environ))
        os.environ["PATH"] = os.pathsep.join([str(programs), os.environ["PATH"]])
        config.option.tx = [f"{each}//python={programs / 'python-c'}" for each in config.option.tx]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Workers share out what is new: else all read and compile the same files at the same time."""
    if worker := getattr(session.config, "workerinput", None):
        first, step = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
        files = sorted(
            file for each in session.config.args for file in Path(each).rglob("test_*.py")
        )
        for file in files[first::step]:
            with suppress(Exception, pytest.skip.Exception):  # said when it is collected
                place = file.resolve().relative_to(REPOSITORY).with_suffix("")
                importlib.import_module(".".join(place.parts))
        own = sorted(name for name in sys.modules if name.split(".")[0] == "deepassay")
        for name in own[first::step]:
            constants_from_module(sys.modules[name])  # hypothesis keeps them, and tries them too


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no worker has a long one at the end."""
    slow = Counter(item.path for item in items if "slow" in item.keywords)
    items.sort(key=lambda item: -slow[item.path])


def pytest_collection_finish() -> None:
    gc.freeze()


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Tasks that are over are collected when there are thousands: each loop that ends asks all.

    After the last test all is, and not five times more: a worker tells no one of what comes then.
    """
    if nextitem is None:
        gc.collect()
        gc.freeze()
    elif len(getattr(asyncio.tasks, "_all_tasks", ())) > 2_000:  # the name is that of Python 3.11
        gc.collect(1)  # of those since the last look: what all tests keep is not gone through again


@pytest.fixture(scope="session")
def programs() -> Iterator[Path]:
    """A folder for the PATH with commands that are loaded already: see tests/preloaded.py."""
    if ready := shutil.which("python-c"):
        yield Path(ready).parent
    else:
        with preloaded(os.environ) as programs:
            yield programs


@pytest.fixture(scope="session", autouse=True)
def browser_is_closed() -> Iterator[None]:
    yield
    Chromium.close()


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are read in this process: that of their own takes a quarter of a second to start.

    It has tests in tests/sources, and is there wherever a command runs in a process of its own.
    """

    from deepassay.sources.worker import page_reply

    async def ask(process: object, about: dict[str, str], body: bytes) -> object:
        return json.loads(page_reply(about, body))

    monkeypatch.setattr("deepassay.sources.extract._ExtractionProcess.ask", ask)


SHARED = REPOSITORY.parent / "shared"


def pytest_report_header() -> str:
    """Whether tests on the papers and on published data will run."""
    if SHARED.is_dir():
        return "shared: papers, golden vectors and data stand beside the checkout"
    return "shared: no folder ../shared beside the checkout, so several hundred tests are skipped"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Papers, golden vectors and real data that stand beside the checkout, where they do."""
    if not SHARED.is_dir():
        pytest.skip("needs the folder ../shared beside the checkout")
    return SHARED
