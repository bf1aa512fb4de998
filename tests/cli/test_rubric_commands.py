"""Rubrics as a person types them: --rubric, `tasks rubric`, `tasks describe`."""

import json
from pathlib import Path

import pytest

from deepassay.results.ranking import rank
from deepassay.run.showing.records import records_of
from deepassay.tasks.rubric import RUBRIC_FILE
from tests.loopback import FakeJudge

RUBRIC = """\
- id: a
  prompt: Why is the sky blue?
  rubric:
    - id: named
      criterion: Scattering is named (e.g., by air)
      weight: 5
      axis: Explicit
    - id: open
      criterion: Leaves the answer open with Information not provided
      weight: -4
      axis: Clarity
"""
ASKED = ("--protocol", "rubrics", "--date", "2026-05-04", "--run", "r")


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    path = tmp_path / "rubrics.yaml"
    path.write_text(RUBRIC)
    return path


def expanding(body):
    asked = next(each["content"] for each in body["messages"] if each["role"] == "user")
    line = asked.split("BEGIN criterion")[1].splitlines()[1]
    return json.dumps({"criterion": f"{line}, spelled out at length"})


@pytest.fixture
def maker():
    with FakeJudge(expanding) as server:
        yield server


def asking(maker, model="good"):
    return ("--maker", f"openai:{model}", "--base-url", maker.base_url, "--allow-unpriced")


def test_reports_are_graded_by_a_file_of_rubrics(deepassay, small, rubric):
    done = deepassay("evaluate", *small, "--rubric", rubric, *ASKED)
    assert done.returncode == 0, done.stderr
    assert "rubric:" in deepassay("leaderboard", "r", "--wide").stdout
    explained = deepassay("explain", "r", "--agent", "cuckoo", "--task", "a").stdout
    assert "Leaves the answer open" in explained


def test_a_run_remembers_its_rubrics_and_refuses_others(deepassay, small, rubric):
    assert deepassay("evaluate", *small, "--rubric", rubric, *ASKED).returncode == 0
    kept = deepassay("evaluate", *small, *ASKED)
    assert kept.returncode == 0 and "were there already" in kept.stderr
    assert deepassay("replay", "r").returncode == 0
    rubric.write_text(RUBRIC.replace("weight: 5", "weight: 3"))
    changed = deepassay("evaluate", *small, "--rubric", rubric, *ASKED)
    assert changed.returncode == 2
    assert "the rubric for task a changed since the run began" in changed.stderr


def test_rubrics_may_be_added_to_a_run_that_began_without(deepassay, small, rubric):
    began = deepassay("evaluate", *small, "--protocol", "coverage", *ASKED[2:])
    assert began.returncode == 0, began.stderr
    added = deepassay("evaluate", *small, "--rubric", rubric, "--protocol", "coverage", *ASKED)
    assert added.returncode == 0, added.stderr
    assert "3 were there already" in added.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            RUBRIC.replace("weight: 5", "weight: .inf"),
            "line 6 (task a): rubric[1].weight: is not a finite number",
        ),
        (RUBRIC.replace("      weight: 5\n", ""), "line 4 (task a): rubric[1].weight: is missing"),
        (RUBRIC.replace("id: open", "id: named"), "line 8 (task a): rubric[2]: criterion 2 has"),
        (RUBRIC.encode("utf-16"), "line 1: UTF-16"),
        (RUBRIC.replace("air", "l'été").encode("latin-1"), "line 5: not UTF-8"),
        ("", "rubrics for none of the tasks"),
    ],
)
def test_a_bad_rubric_is_refused_before_anything_is_asked(
    deepassay, small, judge, rubric, content, said
):
    rubric.write_bytes(content if isinstance(content, bytes) else content.encode())
    judged = ("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")
    done = deepassay("evaluate", *small, "--rubric", rubric, *ASKED, *judged)
    assert done.returncode == 2
    assert said in done.stderr
    assert not judge.requests and not Path("r").exists()


def test_a_bad_rubric_inside_the_task_file_is_refused_likewise(deepassay, small):
    task = {"id": "a", "prompt": "p", "rubric": [{"criterion": "c", "weight": "9"}]}
    Path("tasks.jsonl").write_text(json.dumps(task))
    done = deepassay("evaluate", *small, *ASKED)
    assert done.returncode == 2
    assert "tasks.jsonl, line 1: field 'rubric[1].weight': is not a number" in done.stderr


def test_rubrics_without_examples_are_a_file_that_can_be_used(deepassay, small, rubric):
    tasks, _ = small
    command = ("tasks", "rubric", tasks, "--rubric", rubric, "-o", "bare.yaml", "--run", "m")
    done = deepassay(*command, "--without-examples")
    assert done.returncode == 0, done.stderr
    assert "Rubrics for 1 of 1 tasks are in bare.yaml." in done.stderr
    entry = RUBRIC_FILE.load("bare.yaml")["a"]
    assert entry.rubric[0].criterion == "Scattering is named"
    assert [step.step for step in entry.history] == ["remove_examples"]
    assert deepassay("evaluate", *small, "--rubric", "bare.yaml", *ASKED).returncode == 0


def test_table_7_knows_from_the_runs_how_their_rubrics_were_made(
    deepassay, small, rubric, tmp_path
):
    tasks, _ = small
    command = ("tasks", "rubric", tasks, "--rubric", rubric, "-o", "bare.yaml", "--run", "m")
    deepassay(*command, "--without-examples")
    for name, file in (("one", rubric), ("two", "bare.yaml")):
        terms = ("--protocol", "rubrics", "--date", "2026-05-04", "--run", name)
        assert deepassay("evaluate", *small, "--rubric", file, *terms).returncode == 0
    people = tmp_path / "people.csv"
    said = [f"{agent},a,named,Satisfied" for agent in ("heron", "cuckoo")]
    people.write_text("\n".join(["agent,task,criterion,verdict", *said]))
    as_table = ("leaderboard", "--as", "rubrics:table7", "--human", people, "--format", "csv")
    either = [deepassay(*as_table, *runs) for runs in (("one", "two"), ("two", "one"))]
    assert either[0].returncode == 0, either[0].stderr
    assert either[0].stdout == either[1].stdout
    row = next(line for line in either[0].stdout.splitlines() if line.startswith("Binary"))
    *_, low, high, absent, present = row.split(",")
    assert high == absent and present == "–" and low[0].isdigit() and high[0].isdigit()
    deepassay("evaluate", *small, "--rubric", rubric, *terms[:-1], "one-again")
    done = deepassay(*as_table, "one", "one-again")
    assert done.returncode == 2
    assert "one and one-again: by their histories the rubrics of both are the same" in " ".join(
        done.stderr.split()
    )


def test_criteria_are_expanded_once_and_answers_kept(deepassay, small, rubric, maker):
    tasks, _ = small
    command = ("tasks", "rubric", tasks, "--rubric", rubric, "--run", "m", "--augment")
    done = deepassay(*command, "-o", "more.jsonl", *asking(maker))
    assert done.returncode == 0, done.stderr
    assert len(maker.requests) == 2
    entry = RUBRIC_FILE.load("more.jsonl")["a"]
    assert entry.rubric[1].criterion.endswith("Information not provided, spelled out at length")
    assert entry.history[0].by == "openai:good"
    assert deepassay(*command, "-o", "more.jsonl", *asking(maker)).returncode == 0
    assert deepassay(*command, "-o", "again.jsonl", *asking(maker)).returncode == 0
    assert len(maker.requests) == 2
    assert RUBRIC_FILE.load("again.jsonl")["a"].rubric == entry.rubric


def test_a_refusing_maker_leaves_the_rubric_out(deepassay, small, rubric, maker):
    tasks, _ = small
    command = (
        "tasks",
        "rubric",
        tasks,
        "--rubric",
        rubric,
        "--run",
        "m",
        "--augment",
        "-o",
        "x.yaml",
    )
    done = deepassay(*command, *asking(maker, "refusal"))
    assert done.returncode == 1
    assert "task a: judge_refused: criterion named: " in done.stderr
    assert RUBRIC_FILE.load("x.yaml") == {}


def test_nothing_is_augmented_by_rule(deepassay, small, rubric):
    tasks, _ = small
    done = deepassay("tasks", "rubric", tasks, "--rubric", rubric, "-o", "x.yaml", "--augment")
    assert done.returncode == 2 and "--maker openai:NAME" in done.stderr
    assert not Path("x.yaml").exists()


def test_rubrics_are_written_as_they_are_without_a_run(deepassay, demo):
    given = ("--rubric", demo / "rubrics.yaml")
    done = deepassay("tasks", "rubric", demo / "tasks.jsonl", *given, "-o", "own.jsonl")
    assert done.returncode == 0, done.stderr
    assert RUBRIC_FILE.load("own.jsonl") == RUBRIC_FILE.load(demo / "rubrics.yaml")
    assert not Path("run.assay").exists()


@pytest.mark.parametrize("changed", [(), ("--without-examples",)])
def test_tasks_that_have_no_rubric_are_counted_and_named(deepassay, rubric, changed):
    names = ["a", "b", "c", "d", "e"]
    prompts = {name: f"Why {name}?" for name in names} | {"a": "Why is the sky blue?"}
    rows = [json.dumps({"id": name, "prompt": prompt}) for name, prompt in prompts.items()]
    Path("five.jsonl").write_text("\n".join(rows))
    command = ("tasks", "rubric", "five.jsonl", "--rubric", rubric, "-o", "x.yaml", *changed)
    for already in ("", " (1 had them already)"):
        done = deepassay(*command)
        assert done.returncode == 0, done.stderr
        assert f"Rubrics for 1 of 1 tasks are in x.yaml{already}." in done.stderr
        assert "4 other tasks without a rubric: b, c, d and 1 more." in done.stderr


def test_tasks_without_rubrics_have_none_to_write(deepassay, small):
    done = deepassay("tasks", "rubric", small[0], "-o", "x.yaml")
    assert done.returncode == 2 and "a rubric for none of its tasks" in done.stderr


@pytest.mark.parametrize("format", ["text", "markdown", "csv", "json"])
def test_a_set_is_described_in_every_format(deepassay, demo, format):
    given = ("--rubric", demo / "rubrics.yaml", "--format", format)
    done = deepassay("tasks", "describe", demo / "tasks.jsonl", *given)
    assert done.returncode == 0, done.stderr
    assert "Instruction Following" in done.stdout and "compost" not in done.stdout


def test_the_demo_ranks_its_agents_as_they_were_written(deepassay, demo):
    """Six tasks with twenty criteria or more, judged by the offline rule."""
    rubrics = RUBRIC_FILE.load(demo / "rubrics.yaml")
    assert len(rubrics) == 6
    for entry in rubrics.values():
        assert len(entry.rubric) >= 20
        assert 3 <= sum(each.weight < 0 for each in entry.rubric) <= 5
        assert len({each.axis for each in entry.rubric}) == 6
        assert any(each.mandatory for each in entry.rubric)
    given = (demo / "tasks.jsonl", demo / "reports", "--rubric", demo / "rubrics.yaml")
    assert deepassay("evaluate", *given, *ASKED).returncode == 0
    (board,) = rank(records_of([Path("r")]))
    by_mean = sorted(board.standings, key=lambda each: -each.summary.mean)
    assert [each.agent for each in by_mean] == ["heron", "magpie", "cuckoo"]
    assert {each.place for each in board.standings} == {"no reading"}
