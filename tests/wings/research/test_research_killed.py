"""Every adapter: killed at each call and at all that lasts, out of time, out of budget, failed.

`deepassay research` runs in forks of a process; service and programs are on loopback.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import threading
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from deepassay.agents import Stop
from deepassay.runfile import RunFile
from deepassay.wings.research.adapters.recipe import READY
from deepassay.wings.research.scratch import SCRATCH
from tests.loopback import SILENCE, Reply, completion, error
from tests.run.kills import Forker, forking, left_behind, wait_until
from tests.wings.research.vendors import Vendor, openai

REPORT = (
    "# Tides\n\nThe moon pulls at the sea [1].\n\n## References\n\n[1] https://a.example/tides\n"
)

PROGRAM = f"""
import _socket, os, sys  # the other one takes as long to load as Python

def answer(prompt, **context):
    service = _socket.socket()
    service.connect(("127.0.0.1", int(os.environ["PORT"])))
    service.send(b"POST /paid HTTP/1.1\\r\\n\\r\\n")
    if b" 200 " not in service.recv(100):
        sys.exit("it was not paid")
    service.close()
    with open("usage.json", "w") as file:
        file.write('{{"input_tokens": 9, "cost": 0.5}}')
    return {REPORT!r}

if __name__ == "__main__":
    with open(sys.argv[2], "w") as file:
        file.write(answer(open(sys.argv[1]).read()))
"""

pytestmark = pytest.mark.slow

ADAPTERS = ("files", "command", "python", "chat", "job", "responses")
# What lasts is the same for `responses`, which is a job by a recipe that is there already, and for
# `python`, which is a command.
LASTING = ("files", "command", "chat", "job")
ASKING = ADAPTERS[1:]
PROGRAMS = ("command", "python")
JOBS = ("job", "responses")
KEY = "sk-abcdefghijklmnopqrstuvwxyz"

TABLES = """
[agent.files]
files = "written/heron"
[agent.command]
command = [{python}, "-S", "crow.py", "{{prompt_file}}", "{{out_file}}"]
env = {{ PORT = "{port}" }}
[agent.python]
python = "crow:answer"
env = {{ PORT = "{port}" }}
[agent.chat]
chat = "openai:writer"
base_url = "{base}/v1"
[agent.job]
job = "quick.toml"
base_url = "{base}"
[agent.responses]
responses = "m-1"
base_url = "{base}"
"""

# One answer costs $0.02; its worst case, of 16,384 tokens, $1.64.
PRICES = "writer: {input: 10, output: 100}\n"


class Service(Vendor):
    """A model, a vendor of jobs, and what programs ask, all of it counted.

    otherwise: the reply to the call of a number, from 1. reached: set when such a call has come.
    late: seconds that the first answer takes. accepted: calls that cost something, and answered.
    """

    def __init__(self) -> None:
        super().__init__("openai", openai() | {"usd": 0.5}, running=2)
        self.scenarios["writer"] = lambda request, text: completion(REPORT)
        self.paths["/paid"] = lambda request, text: Reply(body=b"{}")
        self.begin()

    def begin(self, otherwise=None, late=0.0):
        self.requests.clear()
        self.polls, self.cancelled, self.running = 0, False, 2
        self.accepted, self.otherwise, self.late = 0, otherwise or {}, late
        self.reached = threading.Event()

    @property
    def paid(self):
        """Calls that cost something."""
        return sum(self.costs(each) for each in self.requests)

    def costs(self, request):
        return request.path.endswith(("/completions", "/responses", "/paid"))

    def reply(self, request):
        number = len(self.requests)
        reply = self.otherwise.get(number) or super().reply(request)
        if number in self.otherwise:
            self.reached.set()
        elif self.costs(request):
            self.accepted += 1
        if number == 1 and self.late:
            reply.wait = self.late
        reply.headers = {**reply.headers, "Connection": "close"}
        return reply


@dataclass
class Commands:
    """Commands that have one agent answer, with what they keep in folders by their names.

    undisturbed: what came of those that nothing disturbed, by agents and tasks: each is begun once.
    whole: that of this one. moments: where it can be killed.
    """

    forker: Forker
    service: Service
    place: Path
    agent: str
    undisturbed: dict

    def begin(self, name, *options, **how):
        """Begin one; its pid."""
        words = ["research", "tasks.jsonl", "--agent", self.agent, "--run", f"{name}/r.assay"]
        words += ["-o", f"{name}/out", "--offline-sources", "--max-agents", "1", *options]
        return self.forker.command([*words, "--date", "2026-11-20"], self.place, **how)

    def ends(self, name, *options, **how):
        """Its exit status. No traceback is shown and nothing goes on that belongs to it."""
        self.begin(name, *options, **how)
        status = self.forker.status()
        assert "Traceback" not in self.said
        return status

    @property
    def said(self):
        return (self.place / "said").read_text()

    def calls(self):
        """How many an undisturbed command makes."""
        which = self.agent, (self.place / "tasks.jsonl").read_text()
        if which not in self.undisturbed:
            self.service.begin()
            assert self.ends("whole") == 0, self.said
            moments = (self.place / "moments").read_text().splitlines()
            made = len(self.service.requests)
            self.undisturbed[which] = self.came("whole"), moments, made
        self.whole, self.moments, made = self.undisturbed[which]
        return made

    def is_paid(self, name):
        """Whether something is kept that was paid for, so that it need not be paid for again."""
        path = self.place / name / "r.assay"
        if not path.exists():
            return False
        with closing(sqlite3.connect(path)) as db:
            tables = ("runs", "answers", "jobs")
            return any(db.execute(f"SELECT 1 FROM {each}").fetchone() for each in tables)

    def goes_on(self, name):
        """The same command after a kill: all is there, nothing left over or paid for again."""
        paid = self.service.paid + (self.agent in ASKING and not self.is_paid(name))
        assert self.ends(name) == 0, (name, self.said)
        assert self.came(name) == self.whole, name
        assert self.service.paid == paid <= 2, name
        wait_until(lambda: not left_behind(self.place))

    def came(self, name):
        """All that is kept and exported of it, but for the time that it took."""
        path = self.place / name / "r.assay"
        assert KEY.encode() not in path.read_bytes()
        with RunFile.read(path) as file:
            assert not file.verify().damage
            runs = list(file.answering.runs())
        out = self.place / name / "out"
        written = {each.name: each.read_bytes() for each in sorted(out.rglob("*.md"))}
        return [replace(each, run=replace(each.run, seconds=0)) for each in runs], written


@pytest.fixture(scope="module")
def service():
    with Service() as service:
        yield service


@pytest.fixture(scope="module")
def forker():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        with forking() as forker:
            yield forker


@pytest.fixture(scope="module")
def undisturbed():
    return {}


@pytest.fixture
def commands(agent, tmp_path, forker, service, undisturbed):
    (tmp_path / "tasks.jsonl").write_text('{"id": "a", "prompt": "Why does the sea rise?"}\n')
    (tmp_path / "written" / "heron").mkdir(parents=True)
    for task in "ab":
        (tmp_path / "written" / "heron" / f"{task}.md").write_text(REPORT)
    (tmp_path / "crow.py").write_text(PROGRAM)
    recipe = (READY / "openai.toml").read_text("utf-8").replace("every_s = 10", "every_s = 0.01")
    (tmp_path / "quick.toml").write_text(recipe.replace('usage = "usage"', 'cost = "usd"'))
    tables = TABLES.format(base=service.base, port=service.port, python=json.dumps(sys.executable))
    (tmp_path / "assay.toml").write_text(tables)
    (tmp_path / "prices.yaml").write_text(PRICES)
    return Commands(forker, service, tmp_path, agent, undisturbed)


@pytest.fixture
def two_tasks(commands):
    with (commands.place / "tasks.jsonl").open("a") as file:
        file.write('{"id": "b", "prompt": "And why does it fall?"}\n')
    return commands


# ------------------------------------------------------------------ killed


def worth_a_kill(agent, moments):
    """Numbers of moments, from 1: of several removals in a row the first, and of several files
    that are opened in the agent's folder, which goes as a whole.

    What comes before that folder is locked and after its run is kept is the same for all.
    """
    first = next(at for at, each in enumerate(moments) if SCRATCH in each) + 2
    last = next(at for at, each in enumerate(moments) if "/out/" in each)
    for at in range(len(moments)) if agent == "files" else range(first, last + 1):
        in_a_row = {each.partition(" ")[0] for each in moments[max(0, at - 1) : at + 1]}
        within = all(SCRATCH in each for each in moments[max(0, at - 1) : at + 1])
        if in_a_row != {"os.remove"} and not (in_a_row == {"open"} and within):
            yield at + 1


@pytest.mark.parametrize("agent", LASTING)
def test_killed_before_all_that_lasts_it_is_gone_on_with(commands):
    commands.calls()
    for moment in worth_a_kill(commands.agent, commands.moments):
        commands.service.begin()
        name = f"{moment}"
        assert commands.ends(name, dies_at=moment) == -signal.SIGKILL
        commands.goes_on(name)


@pytest.mark.parametrize("agent", ASKING)
def test_killed_while_a_call_is_under_way_it_is_gone_on_with(commands):
    for call in range(1, commands.calls() + 1):
        commands.service.begin({call: Reply(wait=SILENCE)})
        child = commands.begin(f"{call}")
        assert commands.service.reached.wait(60)
        os.kill(child, signal.SIGKILL)
        assert commands.forker.status() == -signal.SIGKILL
        assert commands.is_paid(f"{call}") == (call > 1)  # a job that was begun is never lost
        if commands.agent in PROGRAMS:  # whose guard needs no other command
            wait_until(lambda: not left_behind(commands.place))
        commands.service.otherwise = {}
        commands.goes_on(f"{call}")


# ------------------------------------------------------------------ errors, time, budget


REFUSED = error(400, "no")
CUT = Reply(body=b'{"id"', cut_at=3)


@pytest.mark.parametrize(
    ("agent", "trouble"),
    # A poll of `responses` that is cut off is repeated as that of any job, but 20 seconds later.
    [*((each, REFUSED) for each in ASKING), *((each, CUT) for each in ASKING[:-1])],
)
def test_after_an_error_at_a_call_it_is_gone_on_with(commands, trouble):
    for call in range(1, commands.calls() + 1):
        commands.service.begin({call: trouble})
        name = f"{call}"
        if commands.ends(name) != 0:
            (run,), reports = commands.came(name)
            assert run.run.stop == Stop.FAILED and run.run.detail and not reports
            assert f"  failed: 1, the first: {commands.agent} on a: " in commands.said
            assert commands.ends(name, "--retry") == 0, commands.said
        ((run,), reports), ((whole,), expected) = commands.came(name), commands.whole
        assert (run.run.stop, run.run.sources, reports) == (Stop.DONE, whole.run.sources, expected)
        assert commands.service.accepted <= 1, call


@pytest.mark.parametrize("agent", ASKING)
def test_a_call_without_an_end_is_ended_by_the_limit_of_a_run(commands):
    calls, file = commands.calls(), commands.place / "assay.toml"
    head = f"[agent.{commands.agent}]\n"
    file.write_text(file.read_text().replace(head, f"{head}limit_s = 0.3\n"))
    for call in range(1, calls + 1):
        commands.service.begin({call: Reply(wait=SILENCE)})
        commands.service.running = None
        assert commands.ends(f"{call}", patience=0.2) == 1
        (run,), _ = commands.came(f"{call}")
        stop = Stop.FAILED if "may have begun the job" in run.run.detail else Stop.TIME
        assert (run.run.stop, run.run.report) == (stop, None)
        assert commands.service.cancelled == (stop is Stop.TIME and commands.agent in JOBS)
        asked = len(commands.service.requests)
        assert commands.ends(f"{call}") == 1 and len(commands.service.requests) == asked
        assert not left_behind(commands.place)


@pytest.mark.parametrize("agent", ASKING)
def test_at_the_time_limit_of_the_command_nothing_more_is_begun(two_tasks):
    two_tasks.calls()
    two_tasks.service.begin(late=0.12)
    assert two_tasks.ends("r", "--time-limit", "0.1") == 4
    assert "Stopped by the time limit." in two_tasks.said and two_tasks.service.paid < 2
    assert two_tasks.ends("r") == 0
    assert two_tasks.came("r") == two_tasks.whole
    assert two_tasks.service.paid == 2


@pytest.mark.parametrize(
    ("agent", "budget"), [("command", 0.4), ("python", 0.4), ("chat", 1.65), ("job", 0.4)]
)
def test_at_the_budget_nothing_more_is_begun_and_a_larger_one_goes_on(two_tasks, budget):
    prices = ("--prices", "prices.yaml", "--budget")
    assert two_tasks.ends("whole", *prices, "99") == 0, two_tasks.said
    two_tasks.whole = two_tasks.came("whole")
    two_tasks.service.begin()
    assert two_tasks.ends("r", *prices, f"{budget}") == 3
    assert "Stopped by the budget." in two_tasks.said and two_tasks.service.paid == 1
    (run,), _ = two_tasks.came("r")
    assert run.run.stop == Stop.DONE
    assert two_tasks.ends("r", *prices, "99") == 0
    assert two_tasks.came("r") == two_tasks.whole
    assert two_tasks.service.paid == 2
