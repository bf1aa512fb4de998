"""Two agents with reports for the same tasks never mix, also after kills; damage stays where it is.

The judge's answers follow from the text of the report, so that a score of one agent that stood
under the name of the other would be seen.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deepassay.run.showing.records import as_lines
from deepassay.run.showing.replay import replay
from deepassay.runfile import RunFile
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.run.kills import Forker, exported, forking, rest
from tests.site import HTML, PAGE, Site

AGENTS = ("heron", "magpie")
ALONE = ("presentation", "consistency", "coverage", "citation_association", "fact")
TASKS = 3
KILLS = (2, 10, 22)
"""After so many questions in all the run is killed."""


@pytest.fixture(scope="module")
def judge() -> Iterator[FakeJudge]:
    with FakeJudge(verdicts, latency=0.03) as server:
        yield server


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as server:
        for number in range(TASKS):
            server.pages[f"/{number}"] = (200, HTML, PAGE.replace(b"Tides", b"Tides %d" % number))
        yield server


@pytest.fixture(scope="module")
def material(tmp_path_factory, site) -> Path:
    """Tasks, and reports of two agents for each that differ in what they say."""
    folder = tmp_path_factory.mktemp("set")
    rows = []
    for number in range(TASKS):
        rows.append({"id": f"t{number}", "prompt": f"Ask {number}?", "checklist": ["a?", "b?"]})
        for agent in AGENTS:
            text = (
                f"# Tides {number}\n\nThe {agent} saw the tide rise by {number + 3} metres [1]. "
                f"It fell again within the hour, as any {agent} knows well.\n\n"
                f"## Sources\n\n[1] Tides {site.url(f'/{number}')}\n"
            )
            (folder / agent).mkdir(exist_ok=True)
            (folder / agent / f"t{number}.md").write_text(text)
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


class Evaluation:
    """The same evaluation over and over, of other agents or by other protocols."""

    def __init__(self, forker: Forker, material: Path) -> None:
        self._forker = forker
        self._material = material

    def start(self, run: Path, agents=AGENTS, protocols=ALONE) -> int:
        reports = [str(self._material / agent) for agent in agents]
        return self._forker.start(run, reports=reports, protocols=list(protocols))

    def finish(self, run: Path, **which) -> None:
        self.start(run, **which)
        assert self._forker.status() == 0

    def killed(self, run: Path, moment, **which) -> bool:
        return self._forker.kill_at(moment, self.start(run, **which))


@pytest.fixture(scope="module")
def evaluation(material, judge, site) -> Iterator[Evaluation]:
    options = {
        "tasks": str(material / "tasks.jsonl"),
        "judges": ["openai:good"],
        "base_url": judge.base_url,
        "allow_unpriced": True,
        "allow_hosts": [site.spec],
        "date": "2026-11-20",
        "max_connections": 8,
    }
    with forking(options) as forker:
        yield Evaluation(forker, material)


def outcomes(path: Path) -> dict[tuple[str, str, str], dict]:
    """What was kept for each protocol, agent and task."""
    with RunFile.read(path) as run:
        lines = list(as_lines(run))
    kept = {
        (each["protocol"], each["agent"], each["task"]): {
            part: each.get(part) for part in ("value", "cause", "parts", "details")
        }
        for each in lines
    }
    assert len(kept) == len(lines)
    return kept


def replayed(path: Path) -> tuple[int, tuple[str, ...]]:
    with RunFile.read(path) as run:
        found = replay(run)
    return found.same, found.different


def test_two_agents_never_mix_also_after_kills(evaluation, judge, tmp_path):
    alone = {}
    for agent in AGENTS:
        evaluation.finish(tmp_path / agent, agents=[agent])
        alone |= outcomes(tmp_path / agent)
    heron, magpie = ({k[::2]: v for k, v in alone.items() if k[1] == agent} for agent in AGENTS)
    differing = sum(heron[place] != magpie[place] for place in heron)
    assert differing > len(heron) / 2  # else a mix could not be seen

    protocols = (*ALONE, "depth(baseline='heron')")
    undisturbed, path = tmp_path / "undisturbed", tmp_path / "killed"
    evaluation.finish(undisturbed, protocols=protocols)
    judge.requests.clear()
    killed = 0
    for questions in KILLS:
        killed += evaluation.killed(
            path, lambda least=questions: len(judge.requests) >= least, protocols=protocols
        )
        rest(judge)
    assert killed == len(KILLS)
    evaluation.finish(path, protocols=protocols)

    together = outcomes(path)
    assert together == outcomes(undisturbed)
    assert {k: v for k, v in together.items() if not k[0].startswith("depth")} == alone
    assert replayed(path) == (len(together), ())


def tear(path: Path, table: str, where: str = "1") -> str:
    """Overwrite the middle of one stored body, as a bad disk does; the key of its row."""
    with closing(sqlite3.connect(path)) as db:
        key, body = db.execute(
            f"SELECT key, body FROM {table} WHERE {where} ORDER BY length(body) DESC LIMIT 1"
        ).fetchone()
    content = bytearray(path.read_bytes())
    # The longest body may continue on another page of the file: its beginning is whole.
    at = content.index(body[:40]) + 8
    content[at : at + 24] = os.urandom(24)
    path.write_bytes(content)
    return str(key)


def drop_scores(path: Path) -> None:
    """As if the run had been killed after its last answer and before its first outcome."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM outcomes")
        db.commit()


@pytest.fixture(scope="module")
def finished(evaluation, tmp_path_factory) -> bytes:
    """A run file in which everything is answered and scored."""
    path = tmp_path_factory.mktemp("finished") / "run.assay"
    evaluation.finish(path)
    return path.read_bytes()


@pytest.fixture
def path(finished, tmp_path) -> Path:
    path = tmp_path / "run.assay"
    path.write_bytes(finished)
    return path


def test_a_torn_answer_costs_that_answer_alone(path, evaluation, judge):
    before = outcomes(path)
    drop_scores(path)
    tear(path, "answers")
    judge.requests.clear()
    evaluation.finish(path)
    assert len(judge.requests) == 1
    assert outcomes(path) == before
    assert replayed(path) == (len(before), ())


def test_a_torn_score_is_made_again_and_nothing_asked(path, evaluation, judge):
    before = outcomes(path)
    tear(path, "outcomes")
    judge.requests.clear()
    evaluation.finish(path)
    assert judge.requests == []
    assert outcomes(path) == before


def test_outcomes_made_of_kept_answers_name_who_judged_as_the_first_ones_did(path, evaluation):
    before = exported(path)
    drop_scores(path)
    evaluation.finish(path)
    assert exported(path) == before


def test_a_torn_verdict_costs_that_verdict_alone(path, evaluation, judge):
    before = outcomes(path)
    drop_scores(path)
    tear(path, "verdicts", "verdict <> 'failed'")
    judge.requests.clear()
    evaluation.finish(path)
    assert len(judge.requests) <= 1
    assert outcomes(path) == before
