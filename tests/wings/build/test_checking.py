"""Criteria on trial, counted by hand, and by `tasks check` as a person types it."""

import json
from pathlib import Path

import pytest

from deepassay.models.panel import combine
from deepassay.score import Score
from deepassay.wings.build.checking.criteria_tried import hanging, tried_criteria
from tests.cli.conftest import deepassay, place  # noqa: F401 - fixtures are found by their names
from tests.results.judgements import make, unfolded


def score(**verdicts):
    items = [
        {"key": key, "item": f"Is there {key}?", "verdict": verdict}
        for key, verdict in verdicts.items()
    ]
    return Score(50.0, (0.0, 100.0), details={"items": items})


def test_a_criterion_that_all_reports_meet_separates_nothing():
    records = [make(f"a{at}", "t", score(always=1, some=at % 2)) for at in range(4)]
    always, some = tried_criteria(records).tried
    assert (always.key, always.separates, always.mean) == ("always", False, 1.0)
    assert (some.separates, some.mean, len(some.verdicts)) == (True, 0.5, 4)


def test_what_stands_in_one_report_is_no_criterion_and_repeats_do_not_count():
    records = [make("a", "t", score(x=1)), make("a", "t", score(x=0), repeat=1)]
    trial = tried_criteria(records)
    assert trial.tried == []
    assert [each.key for each in trial.alone] == ["x"]


def test_the_same_words_in_several_tasks_are_one_criterion():
    records = [make("a", f"t{at}", score(x=at % 2)) for at in range(6)]
    (found,) = tried_criteria(records).tried
    assert found.tasks == [f"t{at}" for at in range(6)]


def test_what_has_no_verdict_anywhere_is_counted_apart():
    records = [make("a", "t", score(x=1, y=None)), make("b", "t", score(x=0, y=None, z=1))]
    trial = tried_criteria(records)
    assert [[each.key for each in own] for own in trial[:2]] == [["x"], ["z"]]
    assert trial.open == {("coverage", "Is there y?")}


def test_of_a_panel_the_mean_counts():
    panel = combine({"x": score(q=1), "y": score(q=0)})
    found = tried_criteria([make("a", "t", panel), make("b", "t", panel)]).tried
    assert [each.mean for each in found] == [0.5]


def test_criteria_of_a_rubric_count_by_their_merit():
    def graded(verdict):
        item = {"key": "q", "item": "Is it?", "verdict": verdict, "axis": "a", "weight": 1}
        return Score(50.0, (0.0, 100.0), details={"items": [{**item, "mandatory": False}]})

    records = [make("a", "t", graded("Satisfied")), make("b", "t", graded("Partially Satisfied"))]
    (found,) = tried_criteria(records).tried
    assert found.mean == 0.75


def test_pairs_that_say_the_same_hang_on_each_other_and_others_do_not():
    records = [
        make(f"a{at}", "t", score(one=at % 2, same=at % 2, not_one=1 - at % 2, other=at // 2 % 2))
        for at in range(16)
    ]
    pairs, tried = hanging(tried_criteria(records).tried)
    assert tried == 6
    assert {(each.one.key, each.other.key): round(each.phi, 6) for each in pairs} == {
        ("one", "same"): 1.0,
        ("one", "not_one"): -1.0,
        ("same", "not_one"): -1.0,
    }
    few, tried = hanging(tried_criteria(records[:7]).tried)
    assert (few, tried) == ([], 0)


ASKS = """
import json

def maker(prompt):
    with open("calls", "a") as file:
        file.write("x")
    two = "presentation" not in prompt and "P1" not in prompt and "grammar" in prompt.lower()
    return json.dumps({"things": ["spelling", "grammar"] if two else ["one thing"]})
"""


@pytest.fixture
def run(deepassay):  # noqa: F811
    Path("tasks.jsonl").write_text('{"id": "t", "prompt": "Why is the sky blue?"}\n')
    for at in range(9):
        Path("reports", f"a{at}").mkdir(parents=True)
        heading = "# Sky\n\n## Why\n\n" if at % 2 else ""
        Path("reports", f"a{at}", "t.md").write_text(
            f"{heading}Air scatters {at} blue light [1].\n"
        )
    done = deepassay("evaluate", "tasks.jsonl", "reports", "--protocol", "presentation")
    assert done.returncode == 0, done.stderr
    return Path("run.assay")


def test_a_run_tells_which_criteria_decide_nothing(deepassay, run):  # noqa: F811
    done = deepassay("tasks", "check", run)
    assert done.returncode == 0, done.stderr
    assert "Criteria that no report separates" in done.stdout
    assert "says the same of 9 of them in 0.4 % of cases, by chance." in unfolded(done.stdout)
    assert "a model has to say: --maker PROVIDER:NAME" in done.stderr
    shown = json.loads(deepassay("tasks", "check", run, "--format", "json").stdout)
    assert [each["title"] for each in shown] == [
        "Criteria that no report separates",
        "Criteria that hang on each other",
    ]


@pytest.fixture
def of_several_tasks(deepassay):  # noqa: F811
    """Three agents on four tasks, each with three criteria of its own, by which they differ."""
    colours = {"ada": "crimson emerald indigo", "bo": "crimson", "cy": "indigo"}
    with Path("tasks.jsonl").open("w") as tasks:
        for at, number in enumerate(["one", "two", "three", "four"]):
            asked = [f"Is {number} {colour}?" for colour in colours["ada"].split()]
            task = {"id": f"t{at}", "prompt": f"Which colours has {number}?", "checklist": asked}
            print(json.dumps(task), file=tasks)
            for agent, named in colours.items():
                Path("reports", agent).mkdir(parents=True, exist_ok=True)
                text = " ".join(f"Of {number} it is {colour}." for colour in named.split())
                Path("reports", agent, f"t{at}.md").write_text(f"# On {number}\n\n{text}\n")
    done = deepassay("evaluate", "tasks.jsonl", "reports", "--protocol", "coverage")
    assert done.returncode == 0, done.stderr
    return Path("run.assay")


def test_criteria_of_all_tasks_are_looked_at(deepassay, of_several_tasks):  # noqa: F811
    done = deepassay("tasks", "check", of_several_tasks)
    assert done.returncode == 0, done.stderr
    assert "Criteria: 12 of 4 tasks are looked at." in unfolded(done.stdout)


def test_that_nothing_stands_out_is_told(deepassay, of_several_tasks):  # noqa: F811
    for format in ("text", "markdown"):
        done = deepassay("tasks", "check", of_several_tasks, "--format", format)
        assert done.returncode == 0, done.stderr
        assert "Nothing stands out in these criteria" in done.stdout
        assert "0 of 12 criteria say the same of every report" in unfolded(done.stdout)


def test_a_model_says_which_ask_two_things_and_is_asked_once(deepassay, run):  # noqa: F811
    Path("asks.py").write_text(ASKS)
    done = deepassay("tasks", "check", run, "--maker", "asks:maker")
    assert done.returncode == 0, done.stderr
    assert "Criteria that ask several things" in done.stdout
    assert "spelling; grammar" in done.stdout
    calls = Path("calls").read_text()
    again = deepassay("tasks", "check", run, "--maker", "asks:maker")
    assert again.returncode == 0, again.stderr
    assert again.stdout == done.stdout
    assert Path("calls").read_text() == calls, "nobody was asked again"


def test_what_the_maker_does_not_say_is_counted(deepassay, run):  # noqa: F811
    Path("mumbles.py").write_text("def maker(prompt):\n    return 'nothing'\n")
    done = deepassay("tasks", "check", run, "--maker", "mumbles:maker")
    assert done.returncode == 1
    assert "Not asked about:" in done.stderr
    assert "Criteria that no report separates" in done.stdout
