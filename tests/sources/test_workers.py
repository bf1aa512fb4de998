"""Whatever becomes of one page, the others are read."""

import asyncio
import os
import signal
import sys

import pytest

from deepassay.errors import DeepAssayError
from deepassay.limits import MEMORY
from deepassay.sources import extract
from deepassay.sources.extract import Extractor, WorkerDied
from deepassay.sources.page import ExtractedPage, Failure, NoText

FINE = b"<html><body><p>A page about herons in the marshes of the delta.</p></body></html>"
# Quadratic in trafilatura: several seconds of work.
SLOW = b"<html><body><p" + b"".join(b" a%d=1" % n for n in range(100_000)) + b">words</p></html>"
HTML = {"media": "text/html", "url": "https://example.org/"}
WAITING = b"waiting"
LIGHT = """#!{python} -I
import sys, time, types
def text_of_page(body, media, url):
    while body == {waiting!r}:
        open({begun!r}, "w").close()
        time.sleep(1)
    return types.SimpleNamespace(text=body.decode(), title="", said="")
reader = sys.modules["deepassay.sources.document"] = types.ModuleType("document")
reader.text_of_page = text_of_page
from deepassay.sources import worker
del sys.argv[1:-1]
worker.main()
"""
"""The worker without its parsers, which take most of its start; for one page it takes for ever."""


@pytest.fixture
def light(tmp_path, monkeypatch):
    """A file that is there once a worker has begun that page."""
    program, begun = tmp_path / "python", tmp_path / "begun"
    program.write_text(LIGHT.format(python=sys.executable, waiting=WAITING, begun=str(begun)))
    program.chmod(0o755)
    monkeypatch.setattr(extract.sys, "executable", str(program))
    return begun


def processes(pool):
    return [each._process for each in pool._all if each._process is not None]


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.mark.asyncio
async def test_a_killed_worker_costs_its_page_only(light):
    async with Extractor(processes=2, seconds=20.0) as extractor:
        slow = asyncio.create_task(extractor.extract(WAITING, "text/html", ""))
        others = [asyncio.create_task(extractor.extract(FINE, "text/html", "")) for _ in range(40)]
        # Who is still at work when all others are done reads the slow one.
        done = await asyncio.gather(*others[:20])
        await until(light.exists)
        [at_work] = [
            each._process
            for each in extractor._all
            if each not in extractor._free._queue and each._process and not each._served
        ]
        os.kill(at_work.pid, signal.SIGKILL)
        done += await asyncio.gather(*others[20:])
        killed = await slow
        again = await extractor.extract(FINE, "text/html", "")
    assert isinstance(killed, NoText)
    assert killed.failure is Failure.TOO_LARGE
    assert all(isinstance(each, ExtractedPage) for each in [*done, again])


@pytest.mark.asyncio
async def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_read():
    async with Extractor(processes=1, seconds=0.2) as extractor:
        slow = await extractor.extract(SLOW, "text/html", "")
        extractor._all[0]._seconds = 20.0
        fine = await extractor.extract(FINE, "text/html", "")
    assert isinstance(slow, NoText)
    assert slow.failure is Failure.TIMEOUT
    assert "within 0.2 s" in slow.detail
    assert isinstance(fine, ExtractedPage)


@pytest.mark.asyncio
@pytest.mark.usefixtures("light")
@pytest.mark.parametrize(
    ("number", "failure"),
    [
        (signal.SIGXCPU, Failure.TIMEOUT),
        (signal.SIGABRT, Failure.TOO_LARGE),
        (signal.SIGSEGV, Failure.NOT_TEXT),
    ],
)
async def test_how_a_worker_ends_says_what_was_wrong(number, failure):
    async with Extractor(processes=1) as extractor:
        await extractor.extract(FINE, "text/html", "")
        [process] = processes(extractor)
        slow = asyncio.create_task(extractor.extract(WAITING, "text/html", ""))
        await asyncio.sleep(0.2)
        os.kill(process.pid, number)
        outcome = await slow
    assert isinstance(outcome, NoText)
    assert outcome.failure is failure


@pytest.mark.asyncio
@pytest.mark.usefixtures("light")
async def test_a_worker_that_died_between_pages_costs_none():
    async with Extractor(1, 20.0) as pool:
        await pool._ask(HTML, FINE)
        [process] = processes(pool)
        os.kill(process.pid, signal.SIGKILL)
        await until(lambda: process.returncode is not None)
        assert "herons" in (await pool._ask(HTML, FINE))["text"]


@pytest.mark.asyncio
@pytest.mark.usefixtures("light")
async def test_a_worker_is_replaced_after_its_share(monkeypatch):
    monkeypatch.setattr(extract, "PAGES", 3)
    served = []
    async with Extractor(1, 20.0) as pool:
        for _ in range(7):
            await pool._ask(HTML, FINE)
            served += [process.pid for process in processes(pool)]
    assert [served.count(pid) for pid in dict.fromkeys(served)] == [3, 3, 1]


@pytest.mark.asyncio
@pytest.mark.usefixtures("light")
async def test_who_stops_waiting_leaves_no_work_behind():
    async with Extractor(1, 20.0) as pool:
        await pool._ask(HTML, FINE)
        [process] = processes(pool)
        slow = asyncio.create_task(pool._ask(HTML, WAITING))
        await asyncio.sleep(0.1)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert process.returncode == -signal.SIGKILL
        assert "herons" in (await pool._ask(HTML, FINE))["text"]


@pytest.mark.asyncio
@pytest.mark.usefixtures("light")
async def test_no_process_outlives_the_pool():
    async with Extractor(2, 20.0) as pool:
        await asyncio.gather(*(pool._ask(HTML, FINE) for _ in range(4)))
        started = processes(pool)
        assert len(started) == 2
    for process in started:
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)


@pytest.mark.asyncio
@pytest.mark.usefixtures("light")
async def test_nothing_is_started_before_it_is_needed():
    async with Extractor(2, 20.0) as pool:
        assert not processes(pool)
        await pool._ask(HTML, FINE)
        await pool._ask(HTML, FINE)
        assert len(processes(pool)) == 1


@pytest.mark.asyncio
@pytest.mark.usefixtures("light")
async def test_a_reply_longer_than_any_text_is_not_read(monkeypatch):
    monkeypatch.setattr(extract, "MOST_REPLY", 10)
    async with Extractor(1, 20.0) as pool:
        with pytest.raises(WorkerDied):
            await pool._ask(HTML, FINE)


@pytest.mark.asyncio
async def test_an_interpreter_that_does_not_start_is_an_error_and_no_failure_of_the_page(
    monkeypatch,
):
    monkeypatch.setattr(extract.sys, "executable", "/bin/false")
    async with Extractor(1) as extractor:
        with pytest.raises(DeepAssayError, match="does not start"):
            await extractor.extract(FINE, "text/html", "")


@pytest.mark.asyncio
@pytest.mark.usefixtures("light")
async def test_a_worker_lives_under_its_limits():
    async with Extractor(1, 20.0) as pool:
        await pool._ask(HTML, FINE)
        [process] = processes(pool)
        with open(f"/proc/{process.pid}/limits") as listing:  # noqa: PTH123
            limits = {line[:26].strip(): line[26:].split()[0] for line in listing}
    assert limits["Max address space"] == str(MEMORY)
    assert limits["Max file size"] == "0"
    assert limits["Max open files"] == "64"
    assert int(limits["Max cpu time"]) < 30
