"""`deepassay evaluate --batch`, killed at each step of a batch, then typed again.

Every provider's shape, and files. Reports hold what breaks lines, and what makes a request expire
or leaves it without a line.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from aiohttp import web

from deepassay.runfile import RunFile
from tests.batching import FakeBatches
from tests.judging import verdicts
from tests.models.batches.gemini import FakeGemini
from tests.run.asking.test_batches import scores_in
from tests.run.kills import Forker, forking

QUICK = (0.05, 0.01, 0.02)
REPORTS = {
    "plain": "Air scatters blue light.",
    "parted": "A line\u2028and another\u2029, one more\u0085 and\x0b the last\x1c.",
    "late": "EXPIRE: the first batch has no time for it.",
    "left": "LOST: the first batch comes back without a line for it.",
}


class Shape(NamedTuple):
    """How one provider is asked. creates, batches, gives: the paths of its interface."""

    judge: str
    service: type[FakeBatches]
    creates: str
    batches: str
    gives: str


FILES = ("/v1/batches", "/v1/batches", "/v1/files/{id}/content")
MESSAGES = ("/v1/messages/batches", "/v1/messages/batches", "/v1/messages/batches/{id}/results")
JOBS = ("/v1beta/models/good:batchGenerateContent", "/v1beta/batches", "/v1beta/files/{id}")
SHAPES = [
    Shape("openai:good", FakeBatches, *FILES),
    Shape("openai-responses:good", FakeBatches, *FILES),
    Shape("anthropic:good", FakeBatches, *MESSAGES),
    Shape("google:good", FakeGemini, *JOBS),
]


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    modules = ("pydantic_ai.models.anthropic", "pydantic_ai.models.google")
    with forking({}, *modules) as forker:
        yield forker


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One task, four reports for it, and a price."""
    task = {"id": "a", "prompt": "Why is the sky blue?", "checklist": ["Is scattering named?"]}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    for agent, text in REPORTS.items():
        (tmp_path / "reports" / agent).mkdir(parents=True)
        (tmp_path / "reports" / agent / "a.md").write_bytes(text.encode())
    (tmp_path / "prices.json").write_text('{"good": {"input": 10, "output": 100}}')
    return tmp_path


def typed(judge: str, address: str, *options: str, run: str = "run.assay") -> list[str]:
    return [
        *("evaluate", "tasks.jsonl", "reports", "--date", "2026-11-20"),
        *("--protocol", "coverage", "--protocol", "presentation", "--judge", judge),
        *("--base-url", address, "--prices", "prices.json", "--run", run, *options),
    ]


def moments_of(shape: Shape) -> list[tuple[str, int, int]]:
    """Each with the batches that were made until then, and the questions that were paid for."""
    return [
        (f"before POST {shape.creates}", 0, 0),
        (f"before GET {shape.batches}/{{id}}", 1, 0),  # it is made, and its handle is kept
        (f"after GET {shape.gives}", 1, 4),  # its results are on their way
        (f"after POST {shape.creates}", 2, 4),  # one for what expired, and what had no line
        (f"after GET {shape.batches}", 2, 4),  # it is looked for, its handle was not kept
    ]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.judge.partition(":")[0])
def test_the_same_command_goes_on_wherever_it_was_killed(forker, folder, shape):
    with shape.service(verdicts) as service:
        address = service.base_url if shape.judge.startswith("openai") else service.address
        words = typed(shape.judge, address, "--batch")
        for moment, made, paid in moments_of(shape):
            killed_at(service, moment, lambda: forker.command(words, folder, pacing=QUICK))
            assert forker.status() == -signal.SIGKILL, moment
            assert (len(service.batches), service.paid.total()) == (made, paid), moment
        forker.command(words, folder, pacing=QUICK)
        assert forker.status() == 0, (folder / "said").read_text()
        assert "Scored 8 of 8" in (folder / "said").read_text()
        assert len(service.batches) == 2
        assert service.paid.total() == 8 and set(service.paid.values()) == {1}
        forker.command(typed(shape.judge, address, run="live.assay"), folder)
        assert forker.status() == 0
        assert service.paid.total() == 16
    assert_equal_at_half_the_price(folder)


def killed_at(service: FakeBatches, moment: str, begin: Callable[[], int]) -> None:
    """Begin a command that is killed at a moment of the service; `before`: nobody is answered."""
    begun, child = threading.Event(), list[int]()

    def kill() -> None:
        begun.wait()
        os.kill(child[0], signal.SIGKILL)
        if moment.startswith("before"):
            raise web.HTTPServiceUnavailable

    service.moments[moment] = kill
    child.append(begin())
    begun.set()


def assert_equal_at_half_the_price(folder: Path) -> None:
    assert scores_in(folder / "run.assay") == scores_in(folder / "live.assay")
    with RunFile.read(folder / "run.assay") as run, RunFile.read(folder / "live.assay") as live:
        # What has no line at first comes back empty where one is asked live, and costs as much.
        empty = live.attempts().get("empty", 0) / live.attempts()["answered"]
        assert run.spent() * (1 + empty) == pytest.approx(live.spent() / 2)
        assert not run.batching.requests and not run.verify().damage


def test_files_are_written_once_and_collected_wherever_the_command_was_killed(forker, folder):
    files = folder / "files"
    with FakeBatches(verdicts) as service:
        words = typed("openai:good", service.base_url, "--batch-file", "files")

        def command(after: str = "", dies_at: int = 0) -> int:
            forker.command(words, folder, after=after, dies_at=dies_at, pacing=QUICK)
            return forker.status()

        assert command(".batch-1.jsonl", 1) == -signal.SIGKILL  # before the file is written
        assert not files.exists() or not list(files.glob("batch-*"))
        assert command("os.rename", 2) == -signal.SIGKILL  # it is, and that was not kept
        assert [each.name for each in files.glob("batch-*")] == ["batch-2.jsonl"]
        assert command("os.remove run.assay.lock", 1) == -signal.SIGKILL  # that is kept as well
        assert [each.name for each in files.glob("batch-*")] == ["batch-2.jsonl"]
        service.carry_out(files / "batch-2.jsonl")
        os.utime(files / "batch-2.results.jsonl", (1, 1))
        assert command("os.rename", 1) == -signal.SIGKILL  # before the next one is written
        assert command() == 4
        assert [each.name for each in files.glob("batch-4*")] == ["batch-4.jsonl"]
        service.carry_out(files / "batch-4.jsonl")
        assert command() == 0, (folder / "said").read_text()
        assert service.paid.total() == 8 and set(service.paid.values()) == {1}
        forker.command(typed("openai:good", service.base_url, run="live.assay"), folder)
        assert forker.status() == 0
    assert_equal_at_half_the_price(folder)
