"""`leaderboard --as`: every numbered table of the papers from one run, or what it lacks."""

import csv
import io
import json

import pytest

from deepassay.results.tables import width
from deepassay.wings.papers.declared import TABLES
from tests.draws import few_draws  # noqa: F401 - for all tests

PROTOCOLS = (
    *("race-ablations", "fact", "rubrics", "presentation", "consistency", "coverage"),
    *("citation_association", "citation_accuracy", "depth", "kae", "ace"),
)
NOT_IN_THE_DEMO = {
    "bench:table4": "two sets of tasks",
    "bench:figure3": "label topic",
    "bench:table11": "nobody was judged by race_reward",
    "rubrics:table7": "two or three run files",
    "rubrics:figure6": "labels breadth",
    "rubrics:figure12": "labels breadth",
    "rubrics:figure13": "labels breadth",
    "rubrics:figure17": "labels breadth",
    "arena:table4": "leakage",
    "arena:figure1": "label discipline",
    "arena:figure3": "label discipline",
}
"""What the demonstration has nothing for, and a word of what is said."""


def evaluated(deepassay, repository, *protocols):
    demo = repository / "examples" / "demo"
    chosen = [part for name in protocols for part in ("--protocol", name)]
    deepassay("sources", "import", demo / "pages.jsonl", "--snapshots", "run.assay")
    done = deepassay(
        *("evaluate", demo / "tasks.jsonl", demo / "reports", *chosen, "--run", "run.assay"),
        *("--criteria", demo / "criteria.yaml", "--rubric", demo / "rubrics.yaml"),
        *("--reference", "heron", "--baseline", "heron", "--offline-sources"),
        *("--date", "2026-05-04", "--limit", "2"),
    )
    assert done.returncode == 0, done.stderr
    return demo


def verdicts_on_criteria(deepassay, path):
    """Verdicts of a person on two criteria: those of the judge."""
    lines = deepassay("export", "run.assay").stdout.splitlines()
    graded = [each for each in map(json.loads, lines) if each["protocol"] == "rubrics"]
    with path.open("w") as file:
        file.write("agent,task,criterion,verdict\n")
        for each in graded:
            for item in each["details"]["items"][:2]:
                row = (each["agent"], each["task"], item["key"], item["verdict"])
                file.write(",".join(row) + "\n")


def test_every_table_fits_a_terminal_or_says_what_is_missing(deepassay, repository, tmp_path):
    demo = evaluated(deepassay, repository, *PROTOCOLS)
    criteria = tmp_path / "criteria.csv"
    verdicts_on_criteria(deepassay, criteria)
    for name, table in TABLES.items():
        human = {"people": demo / "people.csv", "criteria": criteria}
        given = [path for need, path in human.items() if need in table.needs]
        options = ("--human", given[0]) if given else ()
        done = deepassay("leaderboard", "run.assay", "--as", name, *options)
        if name in NOT_IN_THE_DEMO:
            assert done.returncode == 2, name
            assert NOT_IN_THE_DEMO[name] in done.stderr, name
        else:
            assert done.returncode == 0, (name, done.stderr)
            assert max(map(width, done.stdout.splitlines())) <= 80, name


def test_tables_of_tasks_need_no_run(deepassay, repository):
    tasks = repository / "examples" / "demo" / "tasks.jsonl"
    done = deepassay("leaderboard", tasks, "--as", "rubrics:table8", "--format", "csv")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0] == ["Subset", "Count", "Mean", "SD", "Median", "Min-Max", "95% CI"]
    assert rows[2][:2] == ["All Prompts", "6"]


def test_the_leakage_test_is_read_as_it_was_printed(deepassay, tmp_path):
    average = {"label": "", "tested": 2, "trials": 2, "leaked": 0, "share": 0.0, "composite": 0.1}
    average |= {"model": "m", "string": 0.1, "tfidf": 0.1, "overlap": 0.1}
    path = tmp_path / "leakage.json"
    path.write_text(json.dumps({"averages": [average]}))
    done = deepassay("leaderboard", path, "--as", "arena:table4", "--format", "markdown")
    assert "| m | 0.0 % | 10.0 % | 10.0 % | 10.0 % | 10.0 % | 0 |" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--as", "bench:table1", "--by", "topic"), "Leave the other options out"),
        (("--as", "bench:table99"), "bench:table10"),
        (("--as", "bench:figure2"), "diagram"),
        (("--as", "live:figure2", "--format", "parquet", "-o", "x.parquet"), "Parquet"),
        (("--human", "people.csv"), "--as"),
    ],
)
def test_what_does_not_fit_together_is_refused(deepassay, repository, options, said):
    tasks = repository / "examples" / "demo" / "tasks.jsonl"
    done = deepassay("leaderboard", tasks, *options)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_protocol_can_be_chosen(deepassay, repository):
    evaluated(deepassay, repository, "race(vanilla=True)", "race(criteria='static')")
    as_table = ("leaderboard", "run.assay", "--as", "bench:table1")
    assert "choose one with --protocol" in deepassay(*as_table).stderr
    done = deepassay(*as_table, "--protocol", "race(criteria='static')", "--format", "json")
    (table,) = json.loads(done.stdout)
    assert any("race(criteria='static')" in note for note in table["notes"])
