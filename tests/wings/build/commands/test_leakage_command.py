"""`tasks leakage` as a person types it, with models on loopback."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.loopback import FakeJudge, completion

PROMPTS = {
    "a": "Compare hedges and fences. Name the cost of both.",
    "b": "比较树篱和围栏，说明两者的成本。",
}
SUFFIXES = {
    "Compare hedges and fences": ". Name the cost of both.",
    "比较树篱和围栏": "，说明两者的成本。",
}


def by_heart(body):
    asked = body["messages"][-1]["content"]
    return next(suffix for prefix, suffix in SUFFIXES.items() if prefix in asked)


def cut_off(request, text):
    return completion(text, "length")


def used_up(request, text):
    return completion("", "length")


@pytest.fixture
def models():
    scenarios = {
        "guess": lambda request, text: completion("Nobody knows."),
        "cut": cut_off,
        "used-up": used_up,
    }
    with FakeJudge(by_heart, scenarios=scenarios) as server:
        yield server


@pytest.fixture
def tasks(tmp_path):
    path = tmp_path / "tasks.jsonl"
    rows = [
        {"id": name, "prompt": prompt, "labels": {"discipline": "law"}}
        for name, prompt in PROMPTS.items()
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def command(tasks, models, *names, run="r"):
    chosen = [part for name in names for part in ("--model", f"openai:{name}")]
    asking = ("--base-url", models.base_url, "--allow-unpriced", "--run", run)
    return ("tasks", "leakage", tasks, *chosen, *asking)


def lines(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_a_model_that_knows_the_tasks_and_one_that_does_not(deepassay, tasks, models):
    done = deepassay(*command(tasks, models, "good", "guess"), "-o", "out.jsonl", "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    whole = {row["model"]: row for row in rows if not row["label"]}
    assert (whole["openai:good"]["leaked"], whole["openai:good"]["composite"]) == ("2", "1.0")
    assert whole["openai:guess"]["leaked"] == "0"
    assert {row["value"] for row in rows} == {"", "en", "zh", "law"}
    assert [(each["model"], each["task"], each["leaked"]) for each in lines("out.jsonl")] == [
        *(("openai:good", "a", True), ("openai:good", "b", True)),
        *(("openai:guess", "a", False), ("openai:guess", "b", False)),
    ]


def test_what_is_sent_is_the_first_half_with_the_settings_of_the_paper(deepassay, tasks, models):
    assert deepassay(*command(tasks, models, "good")).returncode == 0
    first = models.requests[0]
    assert first.body["temperature"] == 0.1
    assert 500 in (first.body.get("max_tokens"), first.body.get("max_completion_tokens"))
    assert "Compare hedges and fences\n<<<END prefix" in first.text + models.requests[1].text
    assert not any("Name the cost" in str(request.body) for request in models.requests)


def test_the_same_command_asks_nothing_twice_and_a_model_can_be_added(deepassay, tasks, models):
    given = ("-o", "out.jsonl")
    first = deepassay(*command(tasks, models, "good"), *given)
    again = deepassay(*command(tasks, models, "good"), *given)
    assert again.stdout == first.stdout and len(models.requests) == 2
    assert deepassay(*command(tasks, models, "good", "guess"), *given).returncode == 0
    assert len(models.requests) == 4 and len(lines("out.jsonl")) == 4


def test_a_continuation_cut_off_at_the_limit_is_compared(deepassay, tasks, models):
    done = deepassay(*command(tasks, models, "cut"), "-o", "out.jsonl")
    assert done.returncode == 0, done.stderr
    assert all(each["leaked"] for each in lines("out.jsonl"))
    assert len(models.requests) == 2


def test_a_model_that_only_thinks_up_to_the_limit_is_not_tested(deepassay, tasks, models):
    done = deepassay(*command(tasks, models, "used-up"), "-o", "out.jsonl")
    assert done.returncode == 1
    assert [each["cause"] for each in lines("out.jsonl")] == ["answer_truncated"] * 2
    assert "0/2" in done.stdout and "Not tested: 2 of 2" in done.stderr


@pytest.mark.parametrize(("most", "status"), [(1, 1), (2, 0)])
def test_more_leaked_tasks_than_allowed(deepassay, tasks, models, most, status):
    done = deepassay(*command(tasks, models, "guess", "good"), "--max-leaked", most)
    assert done.returncode == status
    told = "openai:good: 2 tasks leaked, more than --max-leaked 1." in done.stderr
    assert (told, "openai:guess:" in done.stderr) == (status == 1, False)


def test_offline_says_that_it_is_no_model(deepassay, demo):
    done = deepassay("tasks", "leakage", demo / "tasks.jsonl", "--run", "r")
    assert done.returncode == 0, done.stderr
    assert "offline is no model" in done.stdout and "6/6" in done.stdout


def test_a_prompt_without_two_halves_is_not_said_to_be_tried_again(deepassay, tasks, models):
    with tasks.open("a") as file:
        file.write('\n{"id": "c", "prompt": "One phrase", "labels": {}}')
    done = deepassay(*command(tasks, models, "guess"))
    assert done.returncode == 1
    assert "Prompts without two halves cannot be tested: 1 of these." in done.stderr
    assert "goes on from here" not in done.stderr
    both = deepassay(*command(tasks, models, "used-up", run="other"))
    assert "Not tested: 3 of 3" in both.stderr and "goes on from here" in both.stderr


def test_no_money_left(deepassay, tasks, models):
    prices = Path("prices.json")
    prices.write_text(json.dumps({"good": {"input": 1000, "output": 1000}}))
    given = ("--prices", prices, "--budget", "0.0001", "-o", "out.jsonl")
    done = deepassay(*command(tasks, models, "good", "guess"), *given)
    assert done.returncode == 3 and "larger --budget" in done.stderr
    causes = {each["model"]: each["cause"] for each in lines("out.jsonl") if each["task"] == "b"}
    assert causes["openai:guess"] == "not_asked" and not models.requests


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--model", "offline", "--model", "offline"), "named twice"),
        (("--by", "dicipline"), "No task has the label 'dicipline'. There are: discipline"),
        (("-o", "tasks.jsonl"), "something else than results of the leakage test"),
        (("-o", "tasks.jsonl/out.jsonl"), "cannot be written"),
        (("--temperature", "inf"), "not possible"),
    ],
)
def test_mistakes_are_said_before_anything_is_asked(deepassay, tasks, given, said):
    before = tasks.read_bytes()
    done = deepassay("tasks", "leakage", tasks, "--run", "r", *given)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert tasks.read_bytes() == before and not Path("r").exists()
