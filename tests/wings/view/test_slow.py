"""What takes long to work out holds up no view: what was there before is shown meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from deepassay.errors import BadInput
from deepassay.wings.view import slow
from deepassay.wings.view.slow import SlowParts
from tests.wings.view.rooms import Visitor


def parts(patience: float) -> tuple[SlowParts, Any]:
    filling: Any = SimpleNamespace(looks=("as it was",), version="1")
    side: Any = None
    return SlowParts((Path("run.assay"),), side, filling, patience), filling


def test_a_part_that_takes_long_is_none_then_fresh_then_the_earlier_one() -> None:
    async def errand() -> None:
        own, filling = parts(0.05)
        may_go, begun = Event(), []

        def make(paths: tuple[Path, ...], what: str) -> str:
            begun.append(what)
            assert may_go.wait(60)
            return f"{what} of {paths[0]}, number {len(begun)}"

        assert await own.of_runs(make, "means") == (None, False)
        assert await own.of_runs(make, "means") == (None, False)
        assert begun == ["means"], "it is worked out once"
        may_go.set()
        while not (found := await own.of_runs(make, "means")).fresh:
            await asyncio.sleep(0.01)
        assert found == ("means of run.assay, number 1", True)
        may_go.clear()
        filling.looks = ("there is more",)
        assert await own.of_runs(make, "means") == ("means of run.assay, number 1", False)
        may_go.set()
        while not (found := await own.of_runs(make, "means")).fresh:
            await asyncio.sleep(0.01)
        assert found == ("means of run.assay, number 2", True)

    asyncio.run(errand())


def test_what_cannot_be_made_says_why_each_time() -> None:
    async def errand() -> None:
        own, _ = parts(60.0)

        def make(paths: tuple[Path, ...]) -> str:
            raise BadInput("There is nothing.", "Give something.")

        for _ in range(2):
            with pytest.raises(BadInput, match="nothing"):
                await own.of_runs(make)

    asyncio.run(errand())


def test_what_takes_long_is_not_made_anew_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(slow, "monotonic", lambda: now[0])

    async def errand() -> None:
        own, filling = parts(60.0)
        made = []

        def make(paths: object) -> int:
            now[0] += 1.0  # second that it takes
            made.append(filling.looks)
            return len(made)

        assert await own.of_runs(make) == (1, True)
        filling.looks = ("other",)
        assert await own.of_runs(make) == (1, False)
        now[0] += slow.REST - 0.5
        assert await own.of_runs(make) == (1, False)
        now[0] += 1.0
        assert await own.of_runs(make) == (2, True)

    asyncio.run(errand())


def test_parts_that_are_held_ready_are_no_more_than_so_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow, "KEPT", 3)

    async def errand() -> None:
        own, _ = parts(60.0)
        made = []
        for number in (1, 2, 3, 4, 4, 1):
            await own.of_runs(lambda paths, which: made.append(which), number)
        assert len(own._made) <= 3

    asyncio.run(errand())


def test_a_board_whose_means_are_being_worked_out_says_so_and_asks_again(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go = Event()
    monkeypatch.setattr(
        "deepassay.wings.view.application.agent_boards", lambda *given: may_go.wait(60) and []
    )
    visitor.made._slow._patience = 0.05
    try:
        page = visitor.get("/")
    finally:
        may_go.set()
    assert "are being worked out, and shown here once they are" in page.text
    assert 'data-seen="90?"' in page.html
    assert visitor.get("/pulse", seen="90?").status == 200
    assert page.html.count("<tr data-go>") == 18
