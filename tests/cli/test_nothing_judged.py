"""What was paid for nothing is told, and stops; a reference is no scored report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deepassay.models.service import MOST_UNREAD
from tests.loopback import FakeJudge, completion

Run = Callable[..., Any]
TASKS, CONNECTIONS = 12, 2
CRITERIA = {
    name: [{"criterion": f"Is {name} good?", "explanation": "It counts.", "weight": 1.0}]
    for name in ("comprehensiveness", "insight", "instruction_following", "readability")
}


@pytest.fixture
def many() -> tuple[str, ...]:
    """Twelve tasks, each with a report of three agents, of which one is the reference."""
    tasks, criteria = [], []
    for number in range(TASKS):
        name = f"t{number}"
        tasks.append({"id": name, "prompt": f"Why {number}?", "checklist": ["Is it named?"]})
        criteria.append(
            {"id": name, "dimension_weight": dict.fromkeys(CRITERIA, 0.25), "criterions": CRITERIA}
        )
        for agent in ("heron", "cuckoo", "rook"):
            file = Path("reports", agent, f"{name}.md")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# Day {number}\n\nThe {agent} has seen {number} days.\n")
    Path("tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    Path("criteria.jsonl").write_text("\n".join(map(json.dumps, criteria)))
    asked = ("--protocol", "race", "--reference", "rook", "--criteria", "criteria.jsonl")
    return ("evaluate", "tasks.jsonl", "reports", *asked, "--run", "r")


@pytest.fixture
def rambling() -> Any:
    """A judge that answers in prose, whatever it is asked."""
    with FakeJudge("\x1b[31mI like \u202ethem all.") as server:
        yield server


def asking(server: FakeJudge) -> tuple[str, ...]:
    return ("--judge", "openai:good", "--base-url", server.base_url, "--max-connections", "2")


def test_an_unreadable_judge_ends_with_1_though_the_reference_has_its_half(
    deepassay: Run, many: tuple[str, ...], rambling: FakeJudge
) -> None:
    done = deepassay(*many, *asking(rambling))
    assert done.returncode == 1, done.stderr
    assert f"Scored 0 of {2 * TASKS} in" in done.stderr, "of the reports that are judged"
    assert f"whose scores nobody judges: {TASKS}" in done.stderr
    assert "Nothing was scored." in done.stderr
    assert done.stderr.count("gave no readable answer to 10 questions") == 2, "at once, and why"
    assert "“I like them all.”" in done.stderr and "\x1b" not in done.stderr
    assert "--structured" in done.stderr
    sent = rambling.count("good")
    assert sent <= 3 * (MOST_UNREAD + CONNECTIONS), f"{sent} requests were paid for"
    again = deepassay(*many, *asking(rambling))
    assert again.returncode == 1 and rambling.count("good") == sent, "a resume asks nobody"
    for command in (("leaderboard", "r"), ("compare", "r"), ("html", "r", "-o", "page.html")):
        done = deepassay(*command)
        assert done.returncode == 1 and "No report has a score" in done.stderr, command


def test_of_two_judges_one_that_answers_goes_on(
    deepassay: Run, many: tuple[str, ...], judge: FakeJudge
) -> None:
    judge.scenarios["rambling"] = lambda *_: completion("I like them all.")
    panel = (*asking(judge), "--judge", "openai:rambling")
    done = deepassay(*many, *panel)
    assert done.returncode == 0, done.stderr
    assert f"Scored {2 * TASKS} of {2 * TASKS} in" in done.stderr
    assert judge.count("rambling") <= 3 * (MOST_UNREAD + CONNECTIONS)
    assert judge.count("good") >= 2 * TASKS
    assert "openai:rambling gave no readable answer" in done.stderr


@pytest.mark.parametrize("wanted", [False, True])
def test_the_share_of_second_questions_stands_in_the_estimate_and_in_the_summary(
    deepassay: Run, wanted: bool
) -> None:
    criteria = [
        {"id": f"c{n}", "criterion": f"Says {n}.", "weight": 1, "axis": "Explicit Criteria"}
        for n in range(4)
    ]
    Path("tasks.jsonl").write_text(json.dumps({"id": "a", "prompt": "Why?", "rubric": criteria}))
    Path("reports/heron").mkdir(parents=True)
    Path("reports/heron/a.md").write_text("# Sky\n\nScattering is named.\n")
    said = {"reason": "It is.", "verdict": "Satisfied", "quotes": ["..."]}
    with FakeJudge(json.dumps({"verdicts": {"r1": said}})) as server:
        options = ("--protocol", "rubrics", "--run", "r", *asking(server))
        options += ("--quotes",) if wanted else ()
        told = deepassay("estimate", "tasks.jsonl", "reports", *options).stdout
        assert ("for quotes: up to 4 of these are asked a second time, 100% more" in told) is wanted
        done = deepassay("evaluate", "tasks.jsonl", "reports", *options)
        assert done.returncode == 0, done.stderr
        assert server.count("good") == (8 if wanted else 4)
        share = (
            "asked a second time: 4 for a quote (--quotes), 0 because all that they gave would be "
            "dropped"
        )
        assert (f"{share}: 50.0% of the calls" in done.stderr) is wanted
        if wanted:
            Path("assay.toml").write_text("quotes = true\n")
            same = deepassay("evaluate", "tasks.jsonl", "reports", *options[:-1])
            assert same.returncode == 0 and server.count("good") == 8, "the same recipe"


def test_a_table_of_a_paper_in_which_nothing_stands_ends_with_1(
    deepassay: Run, small: tuple[str, str]
) -> None:
    assert deepassay("evaluate", *small, "--protocol", "coverage", "--run", "r").returncode == 0
    Path("people.csv").write_text("agent,task,rater,score\nheron,a,ana,3\nheron,b,ana,4\n")
    done = deepassay("leaderboard", "r", "--as", "arena:table5", "--human", "people.csv")
    assert "Spearman" in done.stdout
    assert done.returncode == 1 and "Nothing stands in this table" in done.stderr
    shown = deepassay("leaderboard", "r", "--as", "live:table1")
    assert shown.returncode == 0, "one side that was judged is something"
