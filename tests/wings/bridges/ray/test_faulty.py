"""A worker that says what none of ours says costs its own cases, never the driver or its money."""

import asyncio
import json
import math

import pytest

from deepassay.errors import DeepAssayError
from deepassay.models.budget import Budget
from deepassay.protocols.protocol import Case
from deepassay.protocols.registry import parse
from deepassay.reports.report import Report
from deepassay.runfile import Attempt, RunFile
from deepassay.score import Cause, Score, Unscored, to_json
from deepassay.sources.snapshots import Snapshots
from deepassay.tasks.task import Task
from deepassay.wings.bridges.ray.fleet import Fleet
from deepassay.wings.bridges.ray.wire import Message, amount_of, of

GOOD = [to_json(Score(50.0)), {}]
OUTCOMES = [
    *(None, 5, "text", [], {}, [[], {}], [{}, {}], [GOOD[0]], [GOOD[0], 5], [GOOD[0], {}, {}]),
    *([{**GOOD[0], "value": bad}, {}] for bad in ("50", None, [], {}, True, math.nan, 10**400)),
    *([{**GOOD[0], name: 7}, {}] for name in ("bounds", "parts", "tally", "details")),
    [{**GOOD[0], "bounds": [1, 2, 3]}, {}],
    [{**GOOD[0], "details": {"items": {"a": 1}}}, {}],
    [{**GOOD[0], "details": {"judges": ["a"]}}, {}],
    [{"cause": "nobody_knows", "detail": "", "details": {}}, {}],
    [{"cause": "timeout", "detail": 5, "details": {}}, {}],
    [{"cause": "timeout"}, {}],
    *([GOOD[0], {"pages": bad}] for bad in (5, ["https://a.example/"], {"https://a.example/": 5})),
    *([GOOD[0], {"made": bad}] for bad in ("criteria", {"criteria": {}})),
]
AMOUNTS = [math.nan, math.inf, -math.inf, -1, -0.01, "5", None, [], {}, True, 10**30, 10**400]


class FaultyLink:
    """A worker that says `answer` to each case, and `then` to what it is granted."""

    def __init__(self, name, answer, then=None):
        self.name = name
        self._then = then
        self._answer = answer
        self._said = asyncio.Queue()
        self.killed = False

    async def send(self, messages):
        for each in map(Message.of, messages):
            if each.kind == "case":
                for said in self._answer(each.number):
                    self._said.put_nowait(said)
            elif each.kind == "answer" and self._then:
                self._said.put_nowait(self._then)
            elif each.kind == "end":
                self._said.put_nowait(None)

    async def listen(self):
        said = await self._said.get()
        return None if said is None else [said]

    def kill(self):
        self.killed = True
        self._said.put_nowait(None)


def packed(kind, number, value):
    return json.dumps([kind, number, value]).encode()


def outcome(value):
    return lambda number: [packed("outcome", number, value)]


def carried_out(*links, cap=None):
    """What comes of one case by these workers, and the purse."""

    async def carry_out():
        with RunFile.in_memory() as run:
            budget = Budget(cap)
            fleet = Fleet(links, run, Snapshots(run.captures), budget, [1] * len(links))
            case = Case(Task(id="t", prompt="Why?"), Report("Because.", "heron", "t"))
            try:
                return await fleet.judge(parse("presentation"), case), budget
            finally:
                await fleet.close()

    async def patiently():
        async with asyncio.timeout(60):  # a guard against a hang only
            return await carry_out()

    return asyncio.run(patiently())


@pytest.mark.parametrize("value", OUTCOMES, ids=lambda each: repr(each)[:60])
def test_a_malformed_outcome_costs_that_case(value):
    judged, _ = carried_out(FaultyLink("worker 1", outcome(value)))
    assert isinstance(judged.outcome, Unscored)
    assert judged.outcome.cause is Cause.JUDGE_UNREACHABLE
    assert "worker 1 returned what is no outcome" in judged.outcome.detail


def test_an_outcome_that_is_one_is_taken():
    judged, _ = carried_out(FaultyLink("worker 1", outcome(GOOD)))
    assert judged.outcome == Score(50.0)


NO_MESSAGES = [b"", b"{", b"5", b"[]", b'["outcome", "x", 1]', b"[1, 1, 1]", b'["outcome", -1, 1]']
NO_MESSAGES += [b"[" * 100_000, b"\xff\xfe", b'["outcome", 1e999, 0]']


@pytest.mark.parametrize("said", NO_MESSAGES, ids=lambda each: repr(each[:20]))
def test_a_worker_that_talks_nonsense_is_lost_and_another_has_its_case(said):
    faulty = FaultyLink("worker 1", lambda number: [said])
    judged, _ = carried_out(faulty, FaultyLink("worker 2", outcome(GOOD)))
    assert judged.outcome == Score(50.0) and faulty.killed


REQUESTS = [
    *(("end", 7, each) for each in AMOUNTS),
    *(("spent", 0, each) for each in AMOUNTS),
    *(("lease", 7, each) for each in AMOUNTS),
    ("lease", 0, 1.0),
    ("turn", 0, ["x"]),
    ("turn", 7, "x"),
    ("answer", 7, 5),
    ("keep answer", 7, [{}, []]),
    ("keep attempts", 7, [{"key": "k", "number": 1, "kind": "answered", "cost": -5.0}]),
    ("keep attempts", 0, 5),
    ("keep sent back", 7, ["k", 5]),
    ("keep sent back", 7, ["k", [{"text": "x", "finish": "stop", "served_model": "m"}]]),
    ("keep page", 7, {"id": "x"}),
    ("page", 7, []),
    ("verdicts", 7, 5),
    ("who knows", 7, None),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: repr(each)[:60])
def test_what_no_worker_asks_for_loses_the_worker_and_neither_case_nor_money(request_):
    faulty = FaultyLink("worker 1", lambda number: [packed(*request_)])
    judged, budget = carried_out(faulty, FaultyLink("worker 2", outcome(GOOD)), cap=10.0)
    assert judged.outcome == Score(50.0) and faulty.killed
    assert 0 <= budget.spent <= 10.0


def test_when_the_only_worker_is_faulty_the_run_ends_with_a_word():
    with pytest.raises(DeepAssayError, match="No worker is left"):
        carried_out(FaultyLink("worker 1", lambda number: [b"nonsense"]))


def test_a_lease_taken_twice_is_refused_and_what_was_leased_counts():
    lease = packed("lease", 7, 2.0)
    faulty = FaultyLink("worker 1", lambda number: [lease], then=lease)
    judged, budget = carried_out(faulty, FaultyLink("worker 2", outcome(GOOD)), cap=10.0)
    assert judged.outcome == Score(50.0)
    assert budget.spent == 2.0, "it may have been billed"


@pytest.mark.parametrize("value", AMOUNTS, ids=repr)
def test_no_amount_is_none(value):
    with pytest.raises(ValueError, match="no amount"):
        amount_of(value)


ATTEMPT = {"key": "k", "number": 1, "kind": "answered"}
ATTEMPTS = [
    *({"seconds": bad} for bad in (-5.0, math.nan, math.inf, 10**400, None)),
    *({"usage": {"input": bad}} for bad in (-5, 10**30, 10**400, 1.5)),
    *({"number": bad} for bad in (-1, 2**70)),
    *({"status": bad} for bad in (-1, 10**30)),
    *({"cost": bad} for bad in (math.nan, -1e-300, 1e10, [])),
    {"key": 5},
    {"id": None},
]


@pytest.mark.parametrize("odd", ATTEMPTS, ids=lambda each: repr(each)[:60])
def test_no_attempt_that_a_run_file_cannot_hold_is_taken(odd):
    assert of(list[Attempt], [ATTEMPT])[0].seconds == 0
    with pytest.raises(ValueError, match="validation error"):
        of(list[Attempt], [ATTEMPT | odd])
