"""Figures of released programs, got by the command line from verdicts that a scripted judge gives.

Each case of a golden file becomes a task of its set in the set's own layout, with a report; a judge
on loopback answers what the case says, and `evaluate --set NAME --edition code` has to arrive at
what the program made of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import FakeJudge

CASE = re.compile(r"Report of case (\S+)\.")
ENTRY = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
LOST = "(lost)"
"""A verdict that the judge leaves out."""


@dataclass
class Script:
    """What a judge says: by case the texts of the criteria in order, and a verdict on each.

    bare: it answers with the verdict alone, as a text.
    """

    texts: Mapping[str, Sequence[str]]
    said: Mapping[str, Sequence[Any]]
    bare: bool = False

    def __call__(self, body: dict[str, Any]) -> str:
        """An answer to a question about some criteria that follow each other."""
        text = next(each["content"] for each in body["messages"] if each["role"] == "user")
        case = CASE.search(text)
        assert case is not None
        asked = ENTRY.findall(text.split("<<<BEGIN criteria")[1].split("<<<END criteria")[0])
        known = [*self.texts[case[1]]]
        starts = [n for n in range(len(known)) if known[n : n + len(asked)] == asked]
        verdicts = self.said[case[1]][starts[0] : starts[0] + len(asked)]
        if self.bare:
            return "" if verdicts[0] is None else str(verdicts[0])
        keyed = {
            f"r{number}": {"reason": "as it seems", "verdict": each, "quotes": []}
            for number, each in enumerate(verdicts, start=1)
            if each != LOST
        }
        return json.dumps({"verdicts": keyed})


@pytest.fixture
def figures(deepassay, tmp_path):
    """The outcomes of a run by the command line, by task, and the line of the leaderboard."""

    def run(
        name: str, tasks: Path | Sequence[Any], script: Script, *options: str
    ) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        if not isinstance(tasks, Path):
            rows, tasks = tasks, tmp_path / "tasks.jsonl"
            tasks.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        for case in script.texts:
            report = tmp_path / "reports" / "heron" / f"{case}.md"
            report.parent.mkdir(parents=True, exist_ok=True)
            report.write_text(f"Report of case {case}.\n", "utf-8")
        with FakeJudge(script) as judge:
            asked = ("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")
            done = deepassay(
                *("evaluate", tasks, tmp_path / "reports", "--set", name, "--edition", "code"),
                *(*asked, "--run", tmp_path / "r", *options),
            )
        assert done.returncode in (0, 1), done.stderr
        lines = deepassay("export", tmp_path / "r").stdout.splitlines()
        (board,) = json.loads(deepassay("leaderboard", tmp_path / "r", "--format", "json").stdout)
        return {each["task"]: each for each in map(json.loads, lines)}, board

    return run


def golden(shared: Path, name: str) -> dict[str, Any]:
    return json.loads((shared / "golden/sets" / f"{name}.json").read_text("utf-8"))


def near(value: float | None) -> Any:
    return pytest.approx(value, abs=1e-12, rel=1e-12)


def test_bench_ii(shared, figures):
    cases = {f"idx-{n}": each for n, each in enumerate(golden(shared, "drb2")["cases"])}
    rows, texts, said = [], {}, {}
    for n, (name, case) in enumerate(cases.items()):
        content = {"task": f"About {n}.", "rubric": case["rubric"], "blocked": None}
        rows.append({"id": f"task{n}", "idx": n, "prompt": f"Write {n}.", "content": content})
        texts[name] = [text for own in case["rubric"].values() for text in own]
        said[name] = [LOST if case["batch_fails"] else each for each in case["verdicts"]]
    found, _ = figures("drb2", rows, Script(texts, said))
    for name, case in cases.items():
        if case["error"]:
            assert "value" not in found[name] or found[name]["value"] is None
            continue
        expected, parts = case["expected"], found[name]["parts"]
        assert found[name]["value"] == near(expected["total"]), name
        assert parts["blocked_rate"] == near(expected["blocked_rate"])
        for part, spelled in (
            ("inforecall", "info_recall"),
            ("analysis",) * 2,
            ("presentation",) * 2,
        ):
            assert (parts.get(spelled) or 0.0) == near(expected[part] or 0.0), (name, part)


def test_mr_dre(shared, figures):
    cases = {str(n): each for n, each in enumerate(golden(shared, "mrdre")["cases"])}
    rows, texts, said = [], {}, {}
    for name, case in cases.items():
        texts[name] = [f"item {n}" for n, _ in enumerate(case["weights"])]
        listed = [
            {"id": n, "item": text, "weight": weight}
            for n, (text, weight) in enumerate(zip(texts[name], case["weights"], strict=True))
        ]
        rows.append({"id": int(name), "question": f"Why {name}?", "checklist": listed})
        said[name] = [
            LOST if n == case["unreadable"] else each for n, each in enumerate(case["verdicts"])
        ]
    found, _ = figures("mr-dre", rows, Script(texts, said))
    for name, case in cases.items():
        expected = case["expected"]
        if "raises" in expected:
            assert found[name].get("value") is None, name
            continue
        assert found[name]["value"] == near(expected["coverage_score"]), name
        points = found[name]["parts"]["covered"] * expected["total_points"]
        assert points == near(expected["covered_points"])


def test_researcher_bench(shared, figures):
    whole = golden(shared, "researcherbench")
    cases = {str(n): each for n, each in enumerate(whole["cases"])}
    rows, texts, said = [], {}, {}
    for name, case in cases.items():
        texts[name] = [f"item {n}" for n, _ in enumerate(case["weights"])]
        points = [
            {"point": text, "weight": weight}
            for text, weight in zip(texts[name], case["weights"], strict=True)
        ]
        rows.append({"id": int(name), "question": f"Why {name}?", "rubric": points})
        said[name] = case["answers"]
    found, board = figures("researcherbench", rows, Script(texts, said, bare=True))
    for name, case in cases.items():
        assert found[name]["value"] == case["expected"]["recall"], name
    assert board["standings"][0]["mean"] == near(whole["mean_recall"])
