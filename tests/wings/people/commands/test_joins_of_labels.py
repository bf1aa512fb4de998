"""What calibrate, agree and audit count beyond the run of several: answers, baselines, copies."""

import csv
import io
import json
import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from deepassay.run.asking.agent_runs import report_file_of
from deepassay.runfile import RunFile
from tests.cli.several import JUDGES, Label, answering, draw, lay_out, written
from tests.draws import few_draws  # noqa: F401 - for all tests
from tests.loopback import FakeJudge

AGENTS = ("cuckoo", "heron", "wren")
TASKS = [f"t{number:02}" for number in range(24)]
SAMPLES = (1, 2, 3)
ITEMS = ("q1", "q2", "q3")


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """24 tasks, and three agents with one to three answers to each."""
    folder = tmp_path_factory.mktemp("answers")
    tasks = [
        {
            "id": task,
            "prompt": f"What of {task}?",
            "checklist": [f"Are {word} of {task} named?" for word in ("storms", "dates", "costs")],
            "rubric": [{"id": "c", "criterion": f"Names dates of {task}.", "weight": 3}],
        }
        for task in TASKS
    ]
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    for agent in AGENTS:
        for task in TASKS:
            for sample in SAMPLES[: 1 + draw("has", agent, task) % 3]:
                words = [
                    w for w in ("storms", "dates", "costs") if draw(agent, task, sample, w) % 2
                ]
                path = report_file_of(folder, (agent, task, sample))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(
                    f"# {task}\n\nThe {', '.join(words) or 'sky'} of {task} are named.\n"
                )
    return folder / "tasks.jsonl", [folder / agent for agent in AGENTS]


@pytest.fixture
def run(deepassay, given, tmp_path):
    made = given[0].with_name("run.assay")
    if not made.exists():
        words = ("--protocol", "coverage", "--protocol", "rubrics", "--date", "2026-11-20")
        assert deepassay("evaluate", given[0], *given[1], *words, "--run", made).returncode == 0
    return Path(shutil.copy(made, tmp_path))


def scores(run, protocol="coverage"):
    """Of each agent, task and sample the score, from the rows of the file."""
    with RunFile.read(run) as file:
        return {
            (row.agent, row.task, row.sample): row.outcome["value"]
            for row in file.scores([protocol])
        }


def table(done):
    return list(csv.DictReader(io.StringIO(done.stdout)))


def only(rows, **where):
    (row,) = [row for row in rows if all(row[name] == each for name, each in where.items())]
    return float(row["value"]), int(row["n"])


HEAD = (*Label._fields, "sample")


def labels(protocol, tasks, *, sample=""):
    """A number from each of two people for each agent and task."""
    return [
        (agent, task, rater, protocol, "", str(1 + draw(rater, agent, task) % 10), "", sample)
        for agent in AGENTS
        for task in tasks
        for rater in ("ada", "ben")
    ]


def test_the_judge_is_the_mean_of_all_answers_and_labels_hang_on_theirs(deepassay, run, tmp_path):
    rows = [*labels("coverage", TASKS, sample="1")]
    file = written(tmp_path / "people.csv", HEAD, rows)
    found = table(deepassay("calibrate", run, "--human", file, "--format", "csv"))
    ours = scores(run)
    for agent in AGENTS:
        by_task = defaultdict(list)
        for (who, task, _), value in ours.items():
            if who == agent:
                by_task[task].append(value)
        assert any(len(own) > 1 for own in by_task.values())
        value, n = only(found, agent=agent, figure="judge")
        assert (n, value) == (24, pytest.approx(np.mean([np.mean(v) for v in by_task.values()])))
        value, n = only(found, agent=agent, figure="labels alone")
        given = [float(row[5]) for row in rows if row[0] == agent]
        assert (n, value) == (24, pytest.approx(np.mean(given)))


def test_labels_that_do_not_say_which_answer_are_counted(deepassay, run, tmp_path):
    rows = labels("coverage", TASKS)
    file = written(tmp_path / "people.csv", HEAD, rows)
    done = deepassay("calibrate", run, "--human", file)
    assert done.returncode == 0, done.stderr
    several = {(agent, task) for agent, task, sample in scores(run) if sample > 1}
    unsaid = sum((row[0], row[1]) in several for row in rows)
    assert f"{unsaid} labels do not say which of several answers they are on" in done.stderr
    said = written(tmp_path / "said.csv", HEAD, labels("coverage", TASKS, sample="1"))
    done = deepassay("calibrate", run, "--human", said)
    assert "do not say which" not in done.stderr


@pytest.mark.parametrize(("lost", "status"), [(10, 1), (13, 1)])
def test_labels_that_find_no_score_are_an_error_where_they_are_most(
    deepassay, run, tmp_path, lost, status
):
    rows = labels("coverage", [f"x{task}" if at < lost else task for at, task in enumerate(TASKS)])
    file = written(tmp_path / "people.csv", HEAD, rows)
    kept = tmp_path / "calibration.json"
    # 14 and 11 tasks are too few to calibrate by, which is another reason.
    done = deepassay("calibrate", run, "--human", file, "-o", kept)
    came, found = len(rows), len(rows) // 24 * (24 - lost)
    assert f"labels: {came} came in, {found} found their scores, {found} used." in done.stderr
    most = f"{came - found} of {came} labels found no scores"
    assert (most in " ".join(done.stderr.split())) == (lost == 13)
    assert (done.returncode, kept.exists()) == (status, False)


def test_too_few_labels_say_what_is_needed_and_the_rest_is_calibrated(deepassay, run, tmp_path):
    few = labels("rubrics", TASKS[:5])
    file = written(tmp_path / "few.csv", HEAD, few)
    kept = tmp_path / "calibration.json"
    done = deepassay("calibrate", run, "--human", file, "-o", kept)
    assert (done.returncode, kept.exists()) == (1, False)
    said = " ".join(done.stderr.split())
    assert "labels on 5 tasks; 20 are needed" in said
    assert "20 tasks or more; with fewer, `deepassay agree RUN --human FILE`" in said
    assert "PAR against" in deepassay("agree", run, "--human", file).stdout
    file = written(tmp_path / "both.csv", HEAD, [*labels("coverage", TASKS), *few])
    done = deepassay("calibrate", run, "--human", file, "-o", kept)
    assert done.returncode == 0, done.stderr
    assert "labels on 5 tasks; 20 are needed" in done.stdout
    found = json.loads(kept.read_text("utf-8"))
    assert "coverage" in json.dumps(found)
    board = deepassay("leaderboard", run, "--calibration", kept)
    assert board.returncode == 0, board.stderr


def test_labels_on_a_baseline_are_left_out_by_rule(deepassay, tmp_path):
    tasks = lay_out(tmp_path / "set", TASKS[:12])
    folders = [tasks.parent / agent for agent in AGENTS]
    terms = ("--protocol", "depth", "--baseline", "heron", "--run", tmp_path / "run.assay")
    done = deepassay("evaluate", tasks, *folders, *terms)
    assert done.returncode == 0, done.stderr
    with RunFile.read(tmp_path / "run.assay") as file:
        (protocol,) = file.protocols()
    rows = labels(protocol, TASKS[:12])
    file = written(tmp_path / "people.csv", HEAD, rows)
    for command in ("agree", "calibrate"):
        done = deepassay(command, tmp_path / "run.assay", "--human", file)
        said = " ".join(done.stderr.split())
        assert "compares the others with 'heron', and not with itself." in said
        assert "labels: 72 came in, " in said and " 46 used." in said, said
        assert "not to count: 21 more labels of this kind" in said
        assert "task 't07'" in said  # on which wren has no report
        assert (done.returncode, "left out: " in said) == (1, True)
    there = [row for row in rows if row[1] != "t07"]
    file = written(tmp_path / "there.csv", HEAD, there)
    done = deepassay("agree", tmp_path / "run.assay", "--human", file)
    assert "not to count: " in done.stderr
    assert (done.returncode, "left out: " in done.stderr) == (0, False), done.stderr


def verdict(agent="heron", task="t00", rater="ada", protocol="coverage", item="q1", said="yes"):
    return agent, task, rater, protocol, item, "", said, "1"


SPOILT = {
    "ada has decided on this already": [verdict(said="no")] * 5,
    "rater missing": [verdict(rater="")],
    "nothing for agent 'swan'": [verdict("swan", task) for task in TASKS[:4]],
    "nothing for agent 'wren', task 'moon'": [verdict("wren", "moon")],
    "protocol 'nope'": [verdict(protocol="nope", item=item) for item in ITEMS[:2]],
    "no judge has a score or verdict on agent 'cuckoo'": [verdict("cuckoo", item="zz")],
}
"""Rows of no use beside good ones, by what is said of the first of their kind."""


@pytest.mark.parametrize("kinds", [SPOILT, [*SPOILT][1:]])
def test_every_kind_of_row_of_no_use_is_named_alike_by_both(deepassay, run, tmp_path, kinds):
    good = [verdict(agent, task, item=item) for agent in AGENTS for task in TASKS for item in ITEMS]
    rows = [*good, *(row for kind in kinds for row in SPOILT[kind])]
    file = written(tmp_path / "people.csv", HEAD, rows)
    told = []
    for command in ("agree", "calibrate"):
        done = deepassay(command, run, "--human", file)
        assert done.returncode == 1, done.stderr
        told.append([e for e in done.stderr.splitlines() if e.startswith(("labels", "left out"))])
    assert told[0] == told[1]
    first, *left = told[0]
    matched = len(good) + 1 + sum("already" in kind for kind in kinds) * 5
    assert first == (
        f"labels: {len(rows)} came in, {matched} found their scores, {len(good)} used."
    )
    for kind in kinds:
        assert sum(kind in line for line in left) == min(len(SPOILT[kind]), 3), kind
    more = [f"left out: {len(SPOILT[kind]) - 3} more" for kind in kinds if len(SPOILT[kind]) > 3]
    found = [line.partition(" labels of")[0] for line in left if " more " in line]
    assert sorted(found) == sorted(more)


def test_an_audit_counts_what_the_run_file_holds(deepassay, tmp_path):
    tasks = lay_out(tmp_path / "set", TASKS[:12])
    folders = [tasks.parent / agent for agent in AGENTS]
    run = tmp_path / "audit.assay"
    changes = ("drop-section", "pad-100", "address-judge")
    terms = ("--protocol", "coverage", "--judge", JUDGES[0], "--reports", 20, "--run", run)
    named = [word for each in changes for word in ("--change", each)]
    with FakeJudge(answering()) as judge:
        asked = ("--base-url", judge.base_url, "--allow-unpriced", "--format", "json")
        done = deepassay("audit", tasks, *folders, *terms, *named, *asked)
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.count("12 tasks, 3 agents, 35 of 36 reports; task t07 has none of wren.") == 1
    )
    own = defaultdict(list)
    with RunFile.read(run) as file:
        texts = {(each.agent, each.task): each.text for each in file.reports()}
        for row in file.scores():
            own[row.agent, row.task].append(row.outcome.get("value"))
    originals = {place for place in texts if "+" not in place[0]}
    assert len(originals) == 20
    audit = json.loads(run.with_suffix(".audit.json").read_text("utf-8"))
    found = {
        row["perturbation"]: row
        for each in audit["judges"]
        for row in each["rows"]
        if row["metric"] == "score"
    }
    for change in changes:
        copies = {place for place in texts if place[0].endswith(f"+{change}")}
        pairs = 0
        for agent, task in copies:
            before, after = own[agent.rpartition("+")[0], task], own[agent, task]
            pairs += None not in (*before, *after)
        row = found[change]
        assert (row["reports"], row["applied"]) == (20, len(copies)), change
        assert row["judged"] + row.get("no_room", 0) == pairs, change
