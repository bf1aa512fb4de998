"""`robustness`: the three studies of DeepResearch Bench's appendix J, as a user types them.

What they print, `bench:table7`, `bench:table9` and `bench:table10`, is laid out by `papers`.
"""

from __future__ import annotations

import json
import re

import pytest

from deepassay.runfile import RunFile
from deepassay.wings.trials.robustness import Arm, told_order
from tests.judging import verdicts
from tests.loopback import FakeJudge

DATE = ("--date", "2026-05-04", "--limit", "2")


@pytest.fixture
def demo(request):
    """Tasks and reports of the example, and its criteria."""
    folder = request.config.rootpath / "examples/demo"
    return (folder / "tasks.jsonl", folder / "reports", *DATE), folder / "criteria.yaml"


def test_several_references_over_the_same_criteria(deepassay, demo, tmp_path):
    given, _ = demo
    words = ("robustness", "references", *given, "--reference", "heron", "-o", "out")
    lone = deepassay(*words)
    assert lone.returncode == 2 and "Give --reference twice" in lone.stderr
    done = deepassay(*words, "--reference", "cuckoo")
    assert done.returncode == 0, done.stderr
    assert "RACE with heron as reference" in done.stdout
    assert "RACE with cuckoo as reference" in done.stdout
    assert "No two arms have scores of the same two agents" in done.stdout
    made = (tmp_path / "out/criteria.jsonl").read_text()
    assert len(made.splitlines()) == 2
    again = deepassay(*words, "--reference", "cuckoo")
    assert again.stdout == done.stdout and "(2 had them already)" in again.stderr


def test_the_order_of_agents_is_compared(deepassay, demo, tmp_path):
    given, criteria = demo
    (tmp_path / "other.jsonl").write_text(
        "".join(
            json.dumps({"id": name, "article": f"# {name}\n\nA short answer."}) + "\n"
            for name in ("compost-yard", "lift-retrofit", "swift-boxes", "open-library")
        )
    )
    done = deepassay(
        *("robustness", "references", *given, "--criteria", criteria, "-o", "out"),
        *("--reference", "heron", "--reference", "other.jsonl"),
    )
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^(Two arms that scored .* same order|The order changes\. )", done.stdout, re.M
    )


def test_an_order_that_changes_is_told_for_the_two_arms_that_differ():
    one = Arm("one", {"wren": 0.6, "heron": 0.5, "lark": 0.4}, 6, 0.0)
    other = Arm("other", {"wren": 0.4, "heron": 0.5}, 6, None)
    third = Arm("third", {"wren": 0.6, "lark": 0.3}, 6, 0.0)
    assert told_order([one, third]).endswith("into the same order.")
    assert told_order([one, other, third]) == (
        "The order changes. one: wren > heron; other: heron > wren."
    )
    assert "at a price that nobody knows" in other.price


def test_longer_versions_stand_beside_their_originals(deepassay, demo, tmp_path):
    given, criteria = demo
    words = (
        *("robustness", "lengths", *given, "--agent", "magpie", "--reference", "heron"),
        *("--criteria", criteria, "-o", "out"),
    )
    done = deepassay(*words)
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("magpie")]
    assert [re.split(r"  +", row)[0] for row in rows] == [
        "magpie", "magpie (expand)", "magpie (expand 2)"
    ]  # fmt: skip
    assert "heron" not in done.stdout.partition("Judged")[0]
    lines = [
        json.loads(each) for each in (tmp_path / "out/lengthened.jsonl").read_text().splitlines()
    ]
    assert {each["agent"] for each in lines} == {"magpie (expand)", "magpie (expand 2)"}
    assert all(before < after for before, after in (each["characters"] for each in lines))
    assert deepassay(*words).stdout == done.stdout
    assert len((tmp_path / "out/lengthened.jsonl").read_text().splitlines()) == len(lines)


def longer(folder):
    """Agent, task and paragraphs of every line of a study's record."""
    lines = (folder / "lengthened.jsonl").read_text().splitlines()
    return [json.loads(each) for each in lines]


def test_only_reports_on_the_tasks_that_are_judged_are_rewritten(deepassay, demo, tmp_path):
    """Three agents, eight tasks, two of them asked for; and reports on tasks of nobody."""
    given, criteria = demo
    strange = tmp_path / "more"
    for name in ("magpie", "wren"):
        (strange / name).mkdir(parents=True)
        for at in range(4):
            text = f"# Other {at}\n\n" + "It is a paragraph of a report on a task of others. " * 3
            (strange / name / f"nobody-asked-{at}.md").write_text(text)
    tasks, reports, *rest = given
    words = (
        *("robustness", "lengths", tasks, reports, strange, *rest, "--reference", "heron"),
        *("--criteria", criteria, "-o", "out", "--rounds", "1"),
    )
    done = deepassay(*words)
    assert done.returncode == 0, done.stderr
    asked = [json.loads(each)["id"] for each in tasks.read_text().splitlines()][:2]
    agents = {each.name for each in reports.iterdir() if each.is_dir()}
    rows = longer(tmp_path / "out")
    found = {(each["agent"], each["task"]) for each in rows}
    assert found == {(f"{agent} (expand)", task) for agent in agents for task in asked}
    files = [*(tmp_path / "out/expand1").rglob("*.md")]
    assert len(files) == len(rows) == 2 * len(agents)
    total = len([*reports.rglob("*.md")]) + 8
    assert f"{total - len(rows)} of {total} reports, which answer none" in done.stderr
    paragraphs, rewritten = (
        sum(each[name] for each in rows) for name in ("paragraphs", "rewritten")
    )
    stayed = sum(sum(each["kept"].values()) for each in rows)
    assert rewritten + stayed == paragraphs > 0
    told = f"{paragraphs}, of which {rewritten} were rewritten and {stayed} stayed as they were"
    assert told in done.stderr
    assert told in deepassay(*words).stderr


def test_reports_on_other_tasks_only_are_refused_before_anything_is_written(
    deepassay, demo, tmp_path
):
    (tasks, reports, *_), _ = demo
    last = [json.loads(each)["id"] for each in tasks.read_text().splitlines()][-1]
    alone = tmp_path / "alone"
    for each in reports.rglob(f"{last}.md"):
        (alone / each.parent.name).mkdir(parents=True)
        (alone / each.parent.name / each.name).write_text(each.read_text())
    done = deepassay("robustness", "lengths", tasks, alone, *DATE, "-o", "out")
    assert done.returncode == 2 and "answers one of the 2 tasks" in done.stderr
    assert not [*(tmp_path / "out").rglob("*")]


def test_an_agent_without_reports_is_named(deepassay, demo):
    given, _ = demo
    done = deepassay("robustness", "lengths", *given, "--agent", "ostrich")
    assert done.returncode == 2 and "no reports of ostrich" in done.stderr


def test_judges_alone_one_after_the_other_with_what_each_cost(deepassay, demo, tmp_path):
    given, criteria = demo
    (tmp_path / "prices.toml").write_text(
        '"openai:dear" = {input = 10.0, output = 10.0}\n'
        '"openai:cheap" = {input = 1.0, output = 1.0}\n'
    )
    words = (
        *("robustness", "judges", *given, "--criteria", criteria, "--reference", "heron"),
        *("--judge", "openai:dear", "--prices", "prices.toml", "-o", "out"),
    )
    lone = deepassay(*words)
    assert lone.returncode == 2 and "Give --judge twice" in lone.stderr
    with FakeJudge(verdicts) as server:
        words += ("--judge", "openai:cheap", "--base-url", server.base_url, "--max-output", "500")
        short = deepassay(*words, "--budget", "0.1", "--max-connections", "1")
        assert short.returncode == 3, short.stderr
        assert 0 < spent_in(tmp_path / "out/by-openai-dear.assay") <= 0.1
        done = deepassay(*words, "--budget", "1")
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 2 * 4  # of six reports two are the reference
    dear, cheap = (spent_in(tmp_path / f"out/by-openai-{name}.assay") for name in ("dear", "cheap"))
    assert f"openai:dear: ${dear:.4f} for 4 reports, ${dear / 4:.4f} each." in done.stdout
    assert dear == pytest.approx(10 * cheap)


def spent_in(path):
    with RunFile.read(path) as run:
        return run.spent()
