"""Tests spread over processes that are forked when all is collected: `pytest -p tests.forked`.

Collecting ten thousand tests and loading what they import takes longer than most files of tests.
Here it is done once, where each worker that was started for itself would do it. A worker runs whole
files, one after the other; the process that forked it is told what pytest reports of each test.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections import Counter, deque
from contextlib import suppress
from itertools import groupby
from multiprocessing.connection import Connection, Pipe, wait
from tempfile import TemporaryFile
from typing import Any, NoReturn

import pytest
from _pytest.capture import FDCapture

WORKERS = (os.cpu_count() or 1) + 2
"""For two fifths of their time tests wait for others."""

SECONDS = "deepassay/seconds"
"""In pytest's cache, by file what its tests took lately."""

took: Counter[str] = Counter()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What took longest comes first, so that nobody has a long file at the end.

    Where it is not known yet, files with slow tests do: each is taken to last ten seconds.
    """
    cache = getattr(config, "cache", None)
    known = cache.get(SECONDS, {}) if cache else {}
    slow = Counter(item.path for item in items if "slow" in item.keywords)
    items.sort(key=lambda item: -known.get(item.location[0], 10 * slow[item.path]))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    took[report.location[0]] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what files took; of one that ran in part only, most of what it took before."""
    if cache := getattr(session.config, "cache", None):
        before = cache.get(SECONDS, {})
        now = {file: max(took[file], 0.8 * before.get(file, 0)) for file in took}
        cache.set(SECONDS, before | now)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    if session.config.option.collectonly or session.testsfailed:
        return None
    Leader(session).run()
    return True


class Worker:
    """As the process that forked it knows it: its line, and the files that it has to run."""

    def __init__(self, pid: int, line: Connection) -> None:
        self.pid = pid
        self.line = line
        self.files: deque[deque[pytest.Item]] = deque()

    def finish(self) -> None:
        """Strike out the test that is over."""
        self.files[0].popleft()
        if not self.files[0]:
            self.files.popleft()


class Leader:
    """Gives out files, and passes on what is said of their tests."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.hook = session.config.hook
        self.todo = deque(deque(own) for _, own in groupby(session.items, lambda item: item.path))
        self.workers: dict[Connection, Worker] = {}
        self.folder = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        reporter: Any = session.config.pluginmanager.getplugin("terminalreporter")
        reporter.showfspath = False  # dots of many files come mixed

    def run(self) -> None:
        """Until all is run, or the session is to stop."""
        try:
            for _ in range(min(WORKERS, len(self.todo))):
                self.begin()
            while self.workers:
                for line in wait(list(self.workers)):
                    self.take(self.workers[line])  # type: ignore[index]
        finally:
            for worker in self.workers.values():
                worker.line.close()  # a test may take the signal for its own
                os.kill(worker.pid, signal.SIGINT)
            for worker in self.workers.values():
                os.waitpid(worker.pid, 0)
        if self.session.shouldfail:
            raise self.session.Failed(self.session.shouldfail)
        if self.session.shouldstop:
            raise self.session.Interrupted(self.session.shouldstop)

    def begin(self) -> None:
        """One more worker."""
        ours, theirs = Pipe()
        if pid := os.fork():
            theirs.close()
            self.workers[ours] = Worker(pid, ours)
            return
        for line in (ours, *self.workers):
            line.close()
        Fork(self.session, theirs).run()

    def take(self, worker: Worker) -> None:
        """What a worker says, or that it is over."""
        name, given = "end", {}
        with suppress(EOFError):
            name, given = worker.line.recv()
        if name == "end":
            self.end(worker)
        elif name == "more":
            stop = self.session.shouldfail or self.session.shouldstop
            file = self.todo.popleft() if self.todo and not stop else deque()
            worker.line.send([item.nodeid for item in file])
            if file:
                worker.files.append(file)
        elif name == "pytest_runtest_logreport":
            report = self.hook.pytest_report_from_serializable(config=self.session.config, **given)
            self.hook.pytest_runtest_logreport(report=report)
        else:
            getattr(self.hook, name)(**given)
            if name == "pytest_runtest_logfinish":
                worker.finish()

    def end(self, worker: Worker) -> None:
        """A worker that died has failed at its test; another goes on with what it had to do."""
        del self.workers[worker.line]
        _, status = os.waitpid(worker.pid, 0)
        if not worker.files:
            return
        item = worker.files[0][0]
        said = f"its process ended with {os.waitstatus_to_exitcode(status)}"
        self.hook.pytest_runtest_logreport(
            report=pytest.TestReport(
                item.nodeid, item.location, dict(item.keywords), "failed", said, "call"
            )
        )
        worker.finish()
        self.todo.extendleft(reversed(worker.files))
        if self.todo:
            self.begin()


class Fork:
    """A fork: runs what it is given, and passes on what pytest says of it."""

    def __init__(self, session: pytest.Session, line: Connection) -> None:
        self.session = session
        self.line = line
        self.items = {item.nodeid: item for item in session.items}

    def run(self) -> NoReturn:
        status = 1
        try:
            self.settle()
            self.work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            self.session._setupstate.teardown_exact(None)
            os._exit(status)

    def settle(self) -> None:
        """Have what tests print and write for oneself."""
        config = self.session.config
        manager: Any = config.pluginmanager.getplugin("capturemanager")
        for each in (manager._global_capturing.out, manager._global_capturing.err):
            if isinstance(each, FDCapture):  # others may hold its streams
                with TemporaryFile() as own:
                    os.dup2(own.fileno(), each.tmpfile.fileno())
                    os.dup2(own.fileno(), each.targetfd)
        paths = config._tmp_path_factory  # type: ignore[attr-defined]
        paths._basetemp = paths.getbasetemp() / f"{os.getpid()}"
        paths._basetemp.mkdir()
        config.pluginmanager.unregister(name="terminalreporter")
        config.pluginmanager.register(self)

    def work(self) -> None:
        """What comes next is known before a test ends, so that fixtures stay which both use."""
        items = self.given()
        while items:
            item = items.popleft()
            items = items or self.given()
            self.session.config.hook.pytest_runtest_protocol(
                item=item, nextitem=items[0] if items else None
            )

    def given(self) -> deque[pytest.Item]:
        """The tests of another file, or none."""
        self.line.send(("more", {}))
        return deque(self.items[each] for each in self.line.recv())

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        self.line.send(("pytest_runtest_logstart", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        config = self.session.config
        data = config.hook.pytest_report_to_serializable(config=config, report=report)
        self.line.send(("pytest_runtest_logreport", {"data": data}))

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        self.line.send(("pytest_runtest_logfinish", {"nodeid": nodeid, "location": location}))
