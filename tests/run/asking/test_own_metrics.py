"""What a metric of somebody else may give and ask: what it may not is refused before it is kept."""

from dataclasses import dataclass, replace
from functools import reduce

import pytest

import deepassay
from deepassay import Report, Score, Task, Unscored
from deepassay.errors import DeepAssayError
from deepassay.protocols.coverage import JUDGE_ITEMS, Coverage
from deepassay.protocols.presentation.protocol import JUDGE_CHECKS
from deepassay.protocols.protocol import ROLES
from deepassay.score import Cause

BOUNDS = (0.0, 100.0)
TASKS = [
    Task(id="sky", prompt="Why is the sky blue?", checklist=["Is scattering named?"]),
    Task(id="sea", prompt="Why is the sea salt?", checklist=["Are rivers named?", "Is rain?"]),
]
REPORTS = [
    Report(f"# {task}\n\nScattering, rivers and rain, says {agent}.", agent=agent, task=task)
    for agent in ("heron", "cuckoo")
    for task in ("sky", "sea")
]


def details(**more):
    return Score(5.0, BOUNDS, details=more)


@dataclass(frozen=True, repr=False)
class Own(deepassay.Protocol):
    """A metric that gives what GIVEN has for its option."""

    gives: str = ""

    name = "own"
    title = "Own"
    source = "ours"
    bounds = BOUNDS

    async def score(self, case, ask, sources):
        return GIVEN[self.gives]()

    def operations(self):
        return ()


@dataclass(frozen=True, repr=False)
class Together(Own):
    """Another that puts a panel together in its own way."""

    name = "together"

    async def score(self, case, ask, sources):
        return Score(5.0, BOUNDS)

    def operations(self):
        return (JUDGE_ITEMS,)

    def combine(self, outcomes):
        return GIVEN[self.gives]()


UNFIT = {
    "items that are a mapping": lambda: details(items={"a": 1}),
    "items that are texts": lambda: details(items=["a", "b"]),
    "a text as a part": lambda: Score(5.0, BOUNDS, parts={"a": "x"}),
    "a part that is no number": lambda: Score(5.0, BOUNDS, parts={"a": float("nan")}),
    "evidence that is no number": lambda: details(seen=[{"at": float("inf")}]),
    "a text as the lowest value": lambda: details(open=True, low="a", high=9.0),
    "a text for a flag": lambda: details(open="yes"),
    "a tally of texts": lambda: Score(5.0, BOUNDS, tally=("1", 2.0)),
    "a truth as the value": lambda: Score(True, BOUNDS),
    "no details": lambda: Score(5.0, BOUNDS, details=None),
    "judges that are a list": lambda: details(judges=["a"]),
    "what is no JSON": lambda: details(items=[{"key": object()}]),
    "what is nested too deep": lambda: details(seen=reduce(lambda x, _: [x], range(20_000), [])),
    "a number as the reason": lambda: Unscored(Cause.TIMEOUT, 5),
    "a cause that is none": lambda: Unscored("no idea", "x"),
}
FIT = {
    "items": lambda: details(items=[{"key": "a", "verdict": True}, {"item": "b"}]),
    "items in tuples": lambda: details(items=({"key": "a"}, {"key": "b", "score": 1})),
    "open": lambda: details(open=True, low=1.0, high=9),
    "parts that are numbered": lambda: Score(5, BOUNDS, parts={1: 2.0, 2: None}),
    "half a character": lambda: details(summary="\ud800", items=[{"key": "\ud800"}]),
    "the text of a cause": lambda: Unscored("answer_unreadable", "x"),
}
GIVEN = UNFIT | FIT | {"nothing": lambda: None}


@pytest.mark.parametrize("gives", UNFIT)
def test_what_no_run_file_holds_is_refused_and_spoils_nothing(tmp_path, gives):
    paid = deepassay.evaluate(TASKS, REPORTS, "coverage", run=tmp_path / "paid.assay")
    before = [*paid.leaderboard()]
    with pytest.raises(DeepAssayError, match=r"own\(.*\) failed on the report of ") as caught:
        deepassay.evaluate(TASKS, REPORTS, Own(gives=gives), run=paid.path)
    assert "Own;" in caught.value.remedy
    assert paid.replay(Own(gives=gives)).proved
    assert [row for row in paid.leaderboard() if row["protocol"] == "coverage"] == before


@pytest.mark.parametrize("gives", FIT)
def test_what_it_holds_comes_out_the_same_again(gives):
    run = deepassay.evaluate(TASKS, REPORTS, Own(gives=gives))
    assert len(run.scores()) == len(REPORTS)
    assert run.replay(Own(gives=gives)).proved


@pytest.mark.parametrize("gives", ["nothing", "items that are texts", "a cause that is none"])
def test_so_is_what_a_panel_comes_to(gives):
    panel = [lambda prompt: "x", "offline"]
    with pytest.raises(DeepAssayError, match=r"together\(.*\) failed on the report of "):
        deepassay.evaluate(TASKS, REPORTS, Together(gives=gives), judge=panel)


@dataclass(frozen=True, repr=False)
class Asks(Coverage):
    """It asks what `coverage` does, in a role, and says that it asks what NAMED has."""

    role: str = "judge"
    names: str = "its own"

    name = "asks"

    async def score(self, case, ask, sources):
        return await super().score(case, replace(ask, judge=getattr(ask, self.role)), sources)

    def operations(self):
        return NAMED[self.names]


NAMED = {
    "nothing": (),
    "another": (JUDGE_CHECKS,),
    "another of that name": (replace(JUDGE_ITEMS, version=JUDGE_ITEMS.version + 1),),
    "its own": Coverage().operations(),
    "the same made anew": (JUDGE_CHECKS, replace(JUDGE_ITEMS)),
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("names", ["nothing", "another", "another of that name"])
def test_what_is_no_part_of_the_recipe_is_not_asked(tmp_path, role, names):
    with pytest.raises(
        DeepAssayError, match=r"coverage/judge_items is asked: name it in operations\(\)"
    ):
        deepassay.evaluate(TASKS, REPORTS, Asks(role=role, names=names), run=tmp_path / "r.assay")
    assert not deepassay.open_run(tmp_path / "r.assay").replay().verified.rows["answers"]


@pytest.mark.parametrize("names", ["its own", "the same made anew"])
def test_what_is_named_is_asked(names):
    run = deepassay.evaluate(TASKS, REPORTS, Asks(names=names))
    assert all(row["value"] is not None for row in run.scores())
    assert run.replay(Asks(names=names)).proved
