"""An answer that stands but leaves a doubt is asked again once, and then stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deepassay.models.ask import Answer, ReplayAsker
from deepassay.models.client import ModelSettings
from deepassay.models.service import RetryPolicy
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from tests.loopback import completion, error

from .conftest import GOOD, Question, Verdict
from .judged import Op, judged, question

DOUBTED = '{"verdict": "supported", "score": 3}'
OTHER = '{"verdict": "unsupported", "score": 3}'
BAD = '{"verdict": "so so"}'


def doubt(question: Question, verdict: Verdict) -> str:
    return "why only 3?" if verdict.score == 3 else ""


CASES = [
    ("corrected", [DOUBTED, GOOD], GOOD, ["sent_back", "answered"]),
    ("repeated: the second one stands", [DOUBTED, OTHER, GOOD], OTHER, ["sent_back", "answered"]),
    ("spoilt: the first one stands", [DOUBTED, BAD, GOOD], DOUBTED, ["sent_back", "unreadable"]),
    ("cut off", [DOUBTED, None, GOOD], DOUBTED, ["sent_back", "truncated"]),
    ("after a correction", [BAD, DOUBTED, GOOD], GOOD, ["unreadable", "sent_back", "answered"]),
    (
        "after all corrections it stands at once",
        [BAD, BAD, DOUBTED, GOOD],
        DOUBTED,
        ["unreadable", "unreadable", "sent_back"],
    ),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answers", "stands", "kinds"), [pytest.param(*each[1:], id=each[0]) for each in CASES]
)
async def test_a_doubt_is_told_once_and_costs_no_answer(
    operation: Op, run: RunFile, answers: list[str | None], stands: str, kinds: list[str]
) -> None:
    given = iter(answers)

    def next_one(request: Any, text: str) -> Any:
        answer = next(given)
        return completion(GOOD, "length") if answer is None else completion(answer)

    doubting = replace(operation, soft_check=doubt)
    async with judged(run, scenarios={"many": next_one}) as judge:
        ask = await judge.asker("many")
        found = await ask(doubting, question())
        assert isinstance(found, Answer)
        assert found.value == Verdict.model_validate_json(stands)
        assert [kind for kind, *_ in judge.attempts()] == kinds
        second = judge.server.requests[-1]
        assert len(kinds) == 1 or "why only 3?" in second.text or "Field required" in second.text
        again = await ReplayAsker(run, ask.identity)(doubting, question())
        assert isinstance(again, Answer) and again.value == found.value


@pytest.mark.asyncio
@pytest.mark.parametrize("wanted", [False, True])
async def test_a_quote_on_which_nothing_rests_is_asked_for_again_only_where_it_is_wanted(
    operation: Op, run: RunFile, wanted: bool
) -> None:
    given = iter([DOUBTED, GOOD])
    quoting = replace(operation, quotes=doubt)
    scenarios = {"many": lambda *_: completion(next(given))}
    async with judged(run, scenarios=scenarios) as judge:
        ask = await judge.asker("many", ModelSettings(quotes=wanted))
        found = await ask(quoting, question())
        kinds = [kind for kind, *_ in judge.attempts()]
    assert isinstance(found, Answer)
    assert found.value == Verdict.model_validate_json(GOOD if wanted else DOUBTED)
    assert kinds == (["unquoted", "answered"] if wanted else ["answered"])
    assert ask.identity.get("quotes") == (True if wanted else None)


@pytest.mark.asyncio
async def test_a_server_that_fails_when_asked_again_costs_no_answer(
    operation: Op, run: RunFile
) -> None:
    given = iter([completion(DOUBTED), error(401, "no such key")])
    async with judged(run, scenarios={"locked": lambda *_: next(given)}) as judge:
        asker = await judge.asker("locked")
        found = await asker(replace(operation, soft_check=doubt), question())
    assert isinstance(found, Answer) and found.value.score == 3


@pytest.mark.asyncio
async def test_without_corrections_nobody_is_asked_again(operation: Op, run: RunFile) -> None:
    async with judged(run, answer=DOUBTED) as judge:
        ask = await judge.asker("good", retries=RetryPolicy(corrections=0))
        found = await ask(replace(operation, soft_check=doubt), question())
        assert isinstance(found, Answer) and judge.server.count("good") == 1


@pytest.mark.asyncio
async def test_what_cannot_be_read_is_lost_all_the_same(operation: Op, run: RunFile) -> None:
    async with judged(run, answer=BAD) as judge:
        found = await (await judge.asker("good"))(replace(operation, soft_check=doubt), question())
        assert isinstance(found, Unscored) and found.cause is Cause.ANSWER_UNREADABLE
        assert judge.server.count("good") == 3
