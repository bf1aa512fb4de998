"""ResearcherBench from end to end: four systems' real reports and a scripted judge."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.loopback import FakeJudge

POINTS = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
TASKS = 3


def covers(report: str, point: str) -> bool:
    """What the script says: whether the report has the longest word of the point."""
    return max(re.findall(r"\w+", point), key=len).lower() in report.lower()


@pytest.fixture
def published(shared):
    """The set's folder, its rubrics by task, and the reports of its systems."""
    folder = shared / "data/sets/researcherbench"
    rubrics = {
        each["id"]: each["rubric"] for each in json.loads((folder / "rubric.json").read_bytes())
    }
    reports = {
        path.stem: {
            each["id"]: each["response"]
            for each in map(json.loads, path.read_text("utf-8").splitlines())
        }
        for path in sorted((folder / "reports").glob("*.jsonl"))
    }
    return folder, rubrics, reports


def test_four_systems_are_judged_and_compared(deepassay, published, tmp_path):
    folder, rubrics, reports = published
    known = [
        (" ".join(text.split())[:300], text)
        for of_agent in reports.values() for text in of_agent.values()
    ]  # fmt: skip

    def judge(body: dict[str, Any]) -> str:
        asked = next(each["content"] for each in body["messages"] if each["role"] == "user")
        (point,) = POINTS.findall(asked.split("<<<BEGIN criteria")[1].split("<<<END criteria")[0])
        shown = " ".join(asked.split())
        (report,) = {text for start, text in known if start in shown}
        said = "Yes" if covers(report, point) else "No"
        return json.dumps({"verdicts": {"r1": {"reason": "as it seems", "verdict": said}}})

    run = tmp_path / "r"
    with FakeJudge(judge) as server:
        asked = ("--judge", "openai:good", "--base-url", server.base_url, "--allow-unpriced")
        done = deepassay(
            *("evaluate", folder / "rubric.json", folder / "reports", "--set", "researcherbench"),
            *(*asked, "--limit", TASKS, "--run", run),
        )
    assert done.returncode in (0, 1), done.stderr
    expected = {}
    for agent, of_agent in reports.items():
        for task in range(1, TASKS + 1):
            if task in of_agent:
                met = sum(p["weight"] for p in rubrics[task] if covers(of_agent[task], p["point"]))
                expected[agent, str(task)] = met / sum(p["weight"] for p in rubrics[task])
    lines = deepassay("export", run).stdout.splitlines()
    found = {(each["agent"], each["task"]): each for each in map(json.loads, lines)}
    assert {key: each["value"] for key, each in found.items() if "value" in each} == {
        key: pytest.approx(value, abs=1e-12) for key, value in expected.items()
    }
    (board,) = json.loads(deepassay("leaderboard", run, "--format", "json").stdout)
    assert {each["agent"] for each in board["standings"]} == set(reports)
    assert deepassay("compare", run).returncode in (0, 1)
    assert "Yes" in deepassay("explain", run, "--agent", "OpenAI", "--task", "1").stdout
    page = deepassay("html", run, "-o", tmp_path / "page.html")
    assert page.returncode == 0, page.stderr
    written = (tmp_path / "page.html").read_text("utf-8")
    assert all(agent in written for agent in reports)
    assert rubrics[1][0]["point"][:40] in written
    assert "0 are not" in deepassay("replay", run).stdout
