"""`rescue`, as a user types it: published scores, anchors by a living judge, and refusals."""

import csv
import io
import json

import numpy as np
import pytest

from tests.draws import few_draws  # noqa: F401 - for all tests
from tests.judging import verdicts
from tests.loopback import FakeJudge

NAMES = ("comprehensiveness", "insight", "instruction_following", "readability")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def publish(folder, scores, prompts=None):
    """A folder as the Bench program writes it. scores: by agent, of tasks by identifier."""
    for agent, own in scores.items():
        (folder / agent).mkdir(parents=True, exist_ok=True)
        rows = [
            {
                "id": task,
                "prompt": (prompts or {}).get(task, f"What of {task}?"),
                **dict.fromkeys(NAMES, value),
                "overall_score": value,
            }
            for task, value in own.items()
        ]
        (folder / agent / "raw_results.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.fixture
def made(folder):
    """Five agents on thirty tasks; four of them have twelve anchors."""
    chance = np.random.default_rng(3)
    old = {
        agent: {t: float(level + 0.02 * chance.normal()) for t in range(1, 31)}
        for agent, level in zip("abcde", (0.55, 0.52, 0.5, 0.47, 0.44), strict=True)
    }
    drawn = sorted(chance.permutation(30)[:12] + 1)
    new = {
        agent: {int(t): 0.2 + 0.6 * own[int(t)] + 0.004 * float(chance.normal()) for t in drawn}
        for agent, own in old.items()
        if agent != "c"
    }
    return publish(folder / "old", old), publish(folder / "new", new), old, new


BY = ("--judged-by", "one", "--judged-by", "new=two")


def rows(done):
    return {row["agent"]: row for row in csv.DictReader(io.StringIO(done.stdout))}


def test_a_board_of_old_and_new(deepassay, made):
    done = deepassay("rescue", "old", "--under", "new", *BY, "--format", "csv")
    assert done.returncode == 0, done.stderr
    found = rows(done)
    assert {row["by"] for name, row in found.items() if name != "c"} == {"own anchors"}
    assert found["c"]["by"] == "other agents" and found["c"]["anchors"] == "0"
    _, _, old, _ = made
    for name, row in found.items():
        truth = 0.2 + 0.6 * np.mean([*old[name].values()])
        assert float(row["new_low"]) - 0.003 < truth < float(row["new_high"]) + 0.003
        assert float(row["old"]) == pytest.approx(np.mean([*old[name].values()]))
    assert "150 came in, 150 found their tasks of all agents, 150 used" in done.stderr
    assert "48 came in, 48 found their tasks and agents of the old ones, 48 used" in done.stderr
    text = deepassay("rescue", "old", "--under", "new", *BY).stdout
    assert "From one to two, race: 5 agents on 30 tasks" in text
    assert "Order by two" in text and "as before" in text
    told = json.loads(deepassay("rescue", "old", "--under", "new", *BY, "--format", "json").stdout)
    assert len(told["pairs"]) == 10
    linear = next(each for each in told["mappings"] if each["mapping"] == "linear")
    assert linear["slope"] == pytest.approx(0.6, abs=0.1)
    assert linear["error_unseen_agents"] < 0.02


def test_without_anchors_in_common_it_is_refused_in_a_sentence(deepassay, shared):
    there = shared / "data/race-community"
    done = deepassay(
        *("rescue", there / "bodhi.jsonl", "--judged-by", "gpt-5.5"),
        *("--under", there / "qianfan.jsonl"),
    )
    assert done.returncode == 2
    assert "No report has a score by both judges" in done.stderr
    assert "Old scores are of bodhi; new ones of qianfan" in done.stderr


def test_too_few_anchors_are_refused_with_their_number(deepassay, made, folder):
    _, _, _, new = made
    publish(folder / "few", {"a": dict([*new["a"].items()][:5]), "b": {}} | {"b": {1: 0.5}})
    done = deepassay("rescue", "old", "--under", "few", *BY[:2], "--judged-by", "few=two")
    assert done.returncode == 2
    assert "at most 5 of one agent: too few to say anything, which takes 8" in done.stderr


def test_an_agent_of_which_nothing_can_be_said_is_named(deepassay, made, folder):
    _, _, _, new = made
    publish(folder / "three", {name: new[name] for name in "ab"})
    done = deepassay("rescue", "old", "--under", "three", *BY[:2], "--judged-by", "three=two")
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert "Nothing is said of c by two: it has fewer than 8 anchors of its own" in said
    assert "of other agents 2 have old and new means, where 4 are the least" in said


def test_judges_are_not_mixed_and_have_to_be_named(deepassay, made):
    done = deepassay("rescue", "old", "--under", "new")
    assert (
        done.returncode == 2 and "Nobody says who judged the old scores of a, b, c" in done.stderr
    )
    two = ("--judged-by", "old/a=one", "--judged-by", "other", "--judged-by", "new=two")
    done = deepassay("rescue", "old", "--under", "new", *two)
    assert done.returncode == 2
    assert "The old scores are of several judges: one, other" in done.stderr


def test_missing_rows_and_agents_with_few_of_them_are_counted(deepassay, made, folder):
    _, _, old, _ = made
    short = {t: v for t, v in old["a"].items() if t not in (3, 4)}
    publish(folder / "old", {"a": short, "f": dict.fromkeys(range(1, 9), 0.4)})
    publish(folder / "new", {"stranger": dict.fromkeys(range(1, 5), 0.5)})
    done = deepassay("rescue", "old", "--under", "new", *BY)
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert (
        "5 agents on 28 tasks" in said
        and "Set aside: f: 8 old scores, where others have 30" in said
    )
    assert "156 came in, 140 found their tasks of all agents, 140 used" in done.stderr
    assert "stranger, 1: no old score" in done.stderr


def test_an_agent_that_the_new_judge_alone_scored_stands_beside_them(deepassay, made, folder):
    publish(folder / "new", {"fresh": dict.fromkeys(range(1, 31), 0.6)})
    done = deepassay("rescue", "old", "--under", "new", *BY, "--format", "csv")
    found = rows(done)
    assert found["fresh"]["by"] == "in full" and found["fresh"]["old"] == ""
    assert float(found["fresh"]["new"]) == pytest.approx(0.6)


def test_tasks_that_are_others_under_the_same_identifier_are_left_out(deepassay, made, folder):
    _, _, _, new = made
    drawn = [*new["a"]]
    publish(folder / "new", new, {drawn[0]: "Something else?"})
    done = deepassay("rescue", "old", "--under", "new", *BY)
    assert done.returncode == 0, done.stderr
    assert "5 agents on 29 tasks" in " ".join(done.stdout.split())
    assert "the new judge had another prompt under this identifier" in done.stderr
    publish(folder / "new", new, dict.fromkeys(drawn, "Something else?"))
    done = deepassay("rescue", "old", "--under", "new", *BY)
    assert done.returncode == 2 and "12 tasks have another prompt" in done.stderr


def test_a_printed_mean_that_is_another_one_is_told(deepassay, made, folder):
    (folder / "old/a/race_result.txt").write_text("Insight: 0.1\nOverall Score: 0.9999\n")
    mean = np.mean([*made[2]["b"].values()])
    (folder / "old/b/race_result.txt").write_text(f"Overall: {mean:.4f}\n")
    done = deepassay("rescue", "old", "--under", "new", *BY)
    assert done.returncode == 0
    assert "old/a/raw_results.jsonl: the mean of the rows is" in done.stderr
    assert "old/b" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "There are no new scores"),
        (("--tasks", "t.jsonl"), "--tasks and --reports go together"),
        (("--under", "empty"), "empty holds no raw_results.jsonl"),
        (("--under", "new", "--protocol", "fact"), "There are no old scores by fact"),
    ],
)
def test_what_cannot_be_done_is_refused(deepassay, made, folder, words, said):
    (folder / "empty").mkdir()
    done = deepassay("rescue", "old", *words, *BY)
    assert done.returncode == 2 and said in done.stderr


def test_a_living_judge_scores_drawn_anchors_first(deepassay, folder):
    """Of twelve tasks ten are drawn, the same for both agents."""
    tasks = [{"id": f"t{n}", "prompt": f"What of t{n}?"} for n in range(12)]
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    for agent in ("one", "two", "model-answer", "unpublished"):
        (folder / "reports" / agent).mkdir(parents=True)
        for each in tasks:
            text = f"# {each['id']}\n\n{agent} says so. " + "It is a long text. " * 5
            (folder / "reports" / agent / f"{each['id']}.md").write_text(text)
    criteria = {
        "dimension_weight": dict.fromkeys(NAMES, 0.25),
        "criterions": {
            name: [{"criterion": f"Good {name}.", "explanation": "So.", "weight": 1.0}]
            for name in NAMES
        },
    }
    lines = [json.dumps({"id": each["id"], "prompt": each["prompt"]} | criteria) for each in tasks]
    (folder / "criteria.jsonl").write_text("\n".join(lines))
    publish(
        folder / "old",
        {a: {f"t{n}": 0.4 + n / 100 for n in range(12)} for a in ("one", "two")},
    )
    with FakeJudge(verdicts) as judge:
        command = (
            *("rescue", "old", "--judged-by", "gone", "--tasks", "tasks.jsonl"),
            *("--reports", "reports", "--anchors", "10", "--reference", "model-answer"),
            *("--judge", "openai:m", "--base-url", judge.base_url, "--allow-unpriced"),
            *("--criteria", "criteria.jsonl", "--run", "anchors.assay", "--format", "csv"),
        )
        done = deepassay(*command)
        count = len(judge.requests)
        again = deepassay(*command)
        assert len(judge.requests) == count
    assert done.returncode == 0, done.stderr
    assert again.stdout == done.stdout
    found = rows(done)
    assert {row["anchors"] for row in found.values()} == {"10"} and set(found) == {"one", "two"}
    assert {row["by"] for row in found.values()} == {"own anchors"}
    assert "Anchors: 30 reports on 10 tasks" in done.stderr
    assert "36 came in" not in done.stderr and "48 came in, 36 found" in done.stderr
    read = deepassay("rescue", "old", "--judged-by", "gone", "--under", "anchors.assay",
                     "--format", "csv")  # fmt: skip
    assert read.stdout == done.stdout


def test_reports_of_agents_that_nobody_published_are_refused(deepassay, made, folder):
    (folder / "tasks.jsonl").write_text('{"id": "1", "prompt": "What of 1?"}\n')
    (folder / "reports" / "zed").mkdir(parents=True)
    (folder / "reports" / "zed" / "1.md").write_text("A text.")
    done = deepassay("rescue", "old", *BY[:2], "--tasks", "tasks.jsonl", "--reports", "reports")
    assert done.returncode == 2
    assert "None of these reports was published with a score: they are of zed" in done.stderr
