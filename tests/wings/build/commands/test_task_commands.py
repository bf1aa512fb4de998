"""`tasks criteria`, as a person types it."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from deepassay.stopping import GRACE
from deepassay.tasks.criteria import CRITERIA_FILE
from tests.cli.conftest import COMMAND
from tests.loopback import FakeJudge
from tests.wings.build.makers import WEIGHTS, made_up


@pytest.fixture
def maker():
    with FakeJudge(made_up) as server:
        yield server


def asking(maker, model="good"):
    return ("--maker", f"openai:{model}", "--base-url", maker.base_url)


@pytest.mark.parametrize("name", ["criteria.yaml", "criteria.jsonl"])
def test_criteria_are_made_by_rule_for_every_task(deepassay, small, name):
    tasks, _ = small
    done = deepassay("tasks", "criteria", tasks, "-o", name)
    assert done.returncode == 0, done.stderr
    assert f"Criteria for 2 of 2 tasks are in {name}." in done.stderr
    assert "by rule, a baseline" in done.stderr
    made = CRITERIA_FILE.load(name)
    assert list(made) == ["a", "b"]
    assert "天空" in made["b"].criteria.criterions["comprehensiveness"][0].criterion


def test_what_is_there_is_neither_asked_nor_changed(deepassay, small, maker, tmp_path):
    tasks, _ = small
    command = ("tasks", "criteria", tasks, "-o", "c.yaml", *asking(maker))
    assert deepassay(*command, "--limit", "1").returncode == 0
    assert len(maker.requests) == 9
    file = tmp_path / "c.yaml"
    file.write_text(file.read_text().replace("Criterion 1", "Anna's criterion"))
    before = file.read_text()
    done = deepassay(*command)
    assert done.returncode == 0, done.stderr
    assert "Criteria for 2 of 2 tasks are in c.yaml (1 had them already)." in done.stderr
    assert len(maker.requests) == 18
    assert file.read_text().startswith(before)
    assert CRITERIA_FILE.load(file)["b"].criteria.dimension_weight == WEIGHTS


def test_answers_are_kept_when_the_file_is_lost(deepassay, small, maker, tmp_path):
    tasks, _ = small
    command = ("tasks", "criteria", tasks, "-o", "c.jsonl", "--samples", "2", *asking(maker))
    assert deepassay(*command).returncode == 0
    assert len(maker.requests) == 12
    first = (tmp_path / "c.jsonl").read_text()
    (tmp_path / "c.jsonl").unlink()
    assert deepassay(*command).returncode == 0
    assert len(maker.requests) == 12
    assert (tmp_path / "c.jsonl").read_text() == first


def test_failures_are_told_with_their_cause_and_asked_again(deepassay, small, maker):
    tasks, _ = small
    done = deepassay("tasks", "criteria", tasks, "-o", "c.jsonl", *asking(maker, "refusal"))
    assert done.returncode == 1
    assert "task a: judge_refused: weights: " in done.stderr
    assert "Without criteria: 2 tasks." in done.stderr
    assert CRITERIA_FILE.load("c.jsonl") == {}
    maker.scenarios["refusal"] = maker.scenarios["good"]
    done = deepassay("tasks", "criteria", tasks, "-o", "c.jsonl", *asking(maker, "refusal"))
    assert done.returncode == 0, done.stderr


def test_the_budget_is_not_passed(deepassay, small, maker, tmp_path):
    tasks, _ = small
    (tmp_path / "prices.toml").write_text("good = {input = 1.0, output = 1.0}")
    done = deepassay(
        *("tasks", "criteria", tasks, "-o", "c.jsonl", *asking(maker)),
        *("--budget", "0.00001", "--prices", "prices.toml"),
    )
    assert done.returncode == 3, done.stderr
    assert maker.requests == []
    assert "with a larger --budget" in done.stderr


def test_no_further_task_is_begun_once_the_budget_refused_one(deepassay, maker, tmp_path):
    tasks = "\n".join(f'{{"id": "{n}", "prompt": "What is {n}?"}}' for n in range(9))
    (tmp_path / "many.jsonl").write_text(tasks)
    (tmp_path / "prices.toml").write_text("good = {input = 1.0, output = 1.0}")
    done = deepassay(
        *("tasks", "criteria", "many.jsonl", "-o", "c.jsonl", *asking(maker)),
        *("--budget", "0.00001", "--prices", "prices.toml", "--max-connections", "1"),
    )
    assert done.returncode == 3
    assert 0 < done.stderr.count(": budget: ") < 9
    assert "Without criteria: 9 tasks" in done.stderr


def test_criteria_of_other_prompts_are_refused_before_anything_is_asked(deepassay, small, maker):
    tasks, _ = small
    assert deepassay("tasks", "criteria", tasks, "-o", "c.yaml", "--limit", "1").returncode == 0
    file = Path(tasks)
    file.write_text(file.read_text("utf-8").replace("Why is", "Why was"), "utf-8")
    done = deepassay("tasks", "criteria", tasks, "-o", "c.yaml", *asking(maker))
    assert done.returncode == 2
    assert "for another prompt than task a" in done.stderr
    assert maker.requests == []


@pytest.mark.parametrize(
    "wrong", [("-o", "/dev/null/c.yaml"), ("-o", "c.yaml", "--maker", "nobody"), ()]
)
def test_what_is_wrong_is_told_without_a_traceback(deepassay, small, wrong):
    done = deepassay("tasks", "criteria", small[0], *wrong)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_good_order_and_it_goes_on_from_there(deepassay, tmp_path, number):
    rows = [f'{{"id": "{n}", "prompt": "Why is lake number {n} green?"}}\n' for n in range(6)]
    (tmp_path / "t.jsonl").write_text("".join(rows))
    with FakeJudge(made_up, latency=0.1) as maker:
        command = ("tasks", "criteria", "t.jsonl", "-o", "c.yaml", "--samples", "2")
        command += ("--max-connections", "2")
        with subprocess.Popen(
            [COMMAND, *command, *asking(maker)], stderr=subprocess.PIPE, encoding="utf-8"
        ) as running:
            while len(maker.requests) < 14 and running.poll() is None:
                time.sleep(0.02)
            running.send_signal(number)
            said = running.communicate(timeout=60)[1]
        assert running.returncode == 128 + number, said
        assert f"Stopping: what is in flight has {GRACE:g} seconds to end" in said
        done = list(CRITERIA_FILE.load("c.yaml"))
        assert 0 < len(done) < 6
        again = deepassay(*command, *asking(maker))
        assert again.returncode == 0, again.stderr
        assert len(maker.requests) == 6 * 6
    assert list(CRITERIA_FILE.load("c.yaml")) == [str(n) for n in range(6)]
