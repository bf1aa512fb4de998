"""Answers that are no JSON: the text as the model wrote it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deepassay.models.ask import Answer, OfflineAsker
from deepassay.models.operation import Inputs, Operation, Prose
from deepassay.models.prompt import LANGUAGES, house_text
from deepassay.models.reading import Unreadable, read_reply
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from tests.loopback import completion

from .judged import judged


class Line(Inputs):
    line: str


LINE = Line(language="en", line="To be or")
VERSE = 'not to be, said {"text": "Hamlet"}'


@pytest.fixture
def prose(tmp_path: Path) -> Operation[Line, Prose]:
    for language in LANGUAGES:
        (tmp_path / f"verse.{language}.md").write_text("{{line}}\n\n---\n\nGo on.\n", "utf-8")
    return Operation(
        "verse", prompts=tmp_path, takes=Line, gives=Prose, offline=lambda line: Prose(text=VERSE)
    )


def test_the_system_prompt_asks_for_no_json(prose: Operation[Line, Prose]) -> None:
    assert prose.render(LINE, "salt").system == house_text("prose", "en")


def test_the_text_is_the_answer_even_where_it_looks_like_json(
    prose: Operation[Line, Prose],
) -> None:
    assert read_reply(prose, LINE, f"<think>{{}}</think>\n{VERSE}").value == Prose(text=VERSE)
    with pytest.raises(Unreadable):
        read_reply(prose, LINE, "<think>for ever")


@pytest.mark.asyncio
async def test_what_the_rule_wrote_is_read_again_as_it_was(
    prose: Operation[Line, Prose], run: RunFile
) -> None:
    for _ in range(2):
        answer = await OfflineAsker(run)(prose, LINE)
        assert isinstance(answer, Answer) and answer.value.text == VERSE


@pytest.mark.asyncio
@pytest.mark.parametrize(("text", "kept"), [(VERSE, True), (" ", False)])
async def test_a_text_cut_off_at_the_limit_counts_unless_it_is_blank(
    prose: Operation[Line, Prose], run: RunFile, text: str, kept: bool
) -> None:
    cut = {"cut": lambda request, said: completion(text, "length")}
    async with judged(run, scenarios=cut) as judge:
        for _ in range(2):
            answer = await (await judge.asker("cut"))(prose, LINE)
            if kept:
                assert isinstance(answer, Answer) and answer.value.text == text
            else:
                assert isinstance(answer, Unscored) and answer.cause is Cause.ANSWER_TRUNCATED
        assert judge.server.count("cut") == 1


@pytest.mark.asyncio
async def test_prose_is_asked_for_again_as_prose(
    prose: Operation[Line, Prose], run: RunFile
) -> None:
    doubting = replace(prose, soft_check=lambda line, answer: "too short")
    said = {"short": lambda request, said: completion("Ay.", "stop")}
    async with judged(run, scenarios=said) as judge:
        await (await judge.asker("short"))(doubting, LINE)
        message = judge.server.requests[-1].body["messages"][-1]["content"]
    assert "too short" in message and "no JSON" in message and "as one JSON" not in message
    assert doubting.digest("en") != prose.digest("en")
