"""Who waits for whom before a question is sent."""

from __future__ import annotations

import asyncio

import pytest

from deepassay.models.prompt import Prompt
from deepassay.models.service import LEAST, Prefixes


def about(material: str, question: str = "?") -> Prompt:
    return Prompt("You judge.", material, question)


REPORT = "r" * LEAST


class Log:
    """Questions as they begin and end, each taking a moment."""

    def __init__(self) -> None:
        self.prefixes = Prefixes()
        self.lines: list[str] = []

    async def ask(self, name: str, prompt: Prompt, fail: bool = False) -> None:
        async with self.prefixes.await_cached_prefix(prompt):
            self.lines.append(f"{name} begins")
            await asyncio.sleep(0.02)
            self.lines.append(f"{name} ends")
            if fail:
                raise RuntimeError(name)


@pytest.mark.asyncio
async def test_the_first_question_about_a_report_ends_before_the_others_begin_together() -> None:
    log = Log()
    await asyncio.gather(*(log.ask(name, about(REPORT, name)) for name in "abc"))
    assert log.lines[:4] == ["a begins", "a ends", "b begins", "c begins"]


@pytest.mark.asyncio
async def test_reports_do_not_wait_for_each_other_and_short_texts_for_nobody() -> None:
    log = Log()
    other, short = about("s" * LEAST), about("short")
    await asyncio.gather(
        log.ask("a", about(REPORT)), log.ask("b", other), log.ask("c", short), log.ask("d", short)
    )
    assert log.lines[:4] == ["a begins", "b begins", "c begins", "d begins"]


@pytest.mark.asyncio
async def test_once_a_report_was_asked_about_nobody_waits() -> None:
    log = Log()
    await log.ask("a", about(REPORT))
    await asyncio.gather(*(log.ask(name, about(REPORT, name)) for name in "bc"))
    assert log.lines[2:4] == ["b begins", "c begins"]


@pytest.mark.asyncio
async def test_after_a_first_that_was_stopped_another_one_is_the_first() -> None:
    log = Log()
    ends = await asyncio.gather(
        log.ask("a", about(REPORT), fail=True),
        *(log.ask(name, about(REPORT, name)) for name in "bc"),
        return_exceptions=True,
    )
    assert isinstance(ends[0], RuntimeError)
    assert log.lines == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]
