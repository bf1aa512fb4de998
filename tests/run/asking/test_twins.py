"""Two agents with the same report share a question, and replay still finds what both were told."""

import json
from pathlib import Path

import pytest

from deepassay.run.asking.evaluate import evaluate
from deepassay.run.showing.replay import replay
from deepassay.runfile import RunFile
from tests.asked import Asked
from tests.asked import asked as asking
from tests.judging import verdicts
from tests.loopback import FakeJudge, completion


@pytest.fixture
def material(tmp_path: Path) -> Path:
    """One task, and the same report for it by two agents."""
    task = {"id": "t", "prompt": "How high?", "checklist": ["a?", "b?"]}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    for agent in ("heron", "magpie"):
        (tmp_path / agent).mkdir()
        (tmp_path / agent / "t.md").write_text("# Report\n\nIt was measured in the field.\n")
    return tmp_path


def request(material: Path, server: FakeJudge, agents: str = "heron magpie") -> Asked:
    return asking(
        tasks=material / "tasks.jsonl",
        reports=[material / agent for agent in agents.split()],
        protocols=["coverage"],
        judge=["openai:moody"],
        base_url=server.base_url,
        date="2026-11-20",
        run=material / "run.assay",
        max_connections=1,
    )


def replayed(path: Path) -> tuple[int, tuple[str, ...]]:
    with RunFile.read(path) as run:
        found = replay(run)
    return found.same, found.different


def moody(request, text):
    """The first answer is cut off, all others are good."""
    return completion(text[:9], "length") if request.number == 1 else completion(text)


def test_what_failed_for_one_has_failed_for_the_other(material):
    with FakeJudge(verdicts, scenarios={"moody": moody}) as server:
        tally = evaluate(*request(material, server)).tally
        assert (tally.scored, tally.causes.total(), server.count("moody")) == (0, 2, 1)
        assert replayed(material / "run.assay") == (2, ())


def test_also_if_the_other_comes_in_a_later_run(material):
    with FakeJudge(verdicts, scenarios={"moody": moody}) as server:
        evaluate(*request(material, server, "heron"))
        evaluate(*request(material, server))
        assert replayed(material / "run.assay") == (2, ())


def test_what_is_to_be_asked_again_is_asked_once_for_both(material):
    with FakeJudge(verdicts, scenarios={"moody": moody}) as server:
        evaluate(*request(material, server))
        again = request(material, server).but(retry_unscored=True)
        assert evaluate(*again).tally.scored == 2
        assert server.count("moody") == 2
        assert replayed(material / "run.assay") == (2, ())
