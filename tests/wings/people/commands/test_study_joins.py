"""What studies with people join: decisions to judges, preferences to keys, pairs to verdicts."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from deepassay.run.showing.records import records_of
from deepassay.wings.people.agreement.sampling import candidates
from tests.cli.several import AGENTS, JUDGES, RATERS, lay_out, make, written


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make(tmp_path_factory.mktemp("study") / "set")


@pytest.fixture
def drawn(deepassay, run, tmp_path):
    """Decisions of two people on a hundred items, all filled in."""
    raters = [word for name in RATERS[:2] for word in ("--rater", name)]
    done = deepassay(
        *("agree", "draw", run, "--protocol", "coverage", "-n", 50, "-o", tmp_path, *raters)
    )
    assert done.returncode == 0, done.stderr
    rows = read(tmp_path / "decisions.csv")
    assert Counter(row["rater"] for row in rows) == dict.fromkeys(RATERS[:2], 50)
    return [row | {"verdict": "yes"} for row in rows]


def read(path):
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def filled(path, rows):
    return written(path, rows[0], (row.values() for row in rows))


def show(deepassay, run, tmp_path, rows, *more):
    file = filled(tmp_path / "filled.csv", rows)
    return deepassay("agree", "show", run, "--human", file, "-o", tmp_path, "--force", *more)


@pytest.mark.parametrize("differing", [(), ("--differing",)])
def test_show_counts_decisions_as_plain_code_does(deepassay, run, drawn, tmp_path, differing):
    done = show(deepassay, run, tmp_path, drawn, *differing)
    assert done.returncode == 0, done.stderr
    said = {
        (each.agent, each.task, each.item): each.verdicts
        for each in candidates(records_of([run]))
        if each.protocol == "coverage"
    }
    places = [said[row["agent"], row["task"], row["item"]] for row in drawn]
    used = sum(len(each) > 1 and (not differing or len({*each.values()}) > 1) for each in places)
    assert f"decisions: 100 came in, 100 found their judges, {used} used." in done.stderr
    assert len(read(tmp_path / "preferences.csv")) == used


def test_show_names_decisions_on_what_is_not_in_the_run(deepassay, run, drawn, tmp_path):
    rows = [row | {"task": f"moon-{at}"} if at < 9 else row for at, row in enumerate(drawn)]
    done = show(deepassay, run, tmp_path, rows)
    assert done.returncode == 1
    assert "decisions: 100 came in, 91 found their judges, 91 used." in done.stderr
    assert "line 2: the run files have nothing on it." in done.stderr
    assert "left out: 6 more decisions of this kind" in done.stderr
    rows = [row | {"task": "moon"} if at < 51 else row for at, row in enumerate(drawn)]
    (tmp_path / "preferences.csv").unlink()
    done = show(deepassay, run, tmp_path, rows)
    assert done.returncode == 2
    assert "51 of 100 decisions found no judges" in " ".join(done.stderr.split())
    assert not (tmp_path / "preferences.csv").exists()


@pytest.mark.parametrize(("wrong", "empty", "status"), [(0, 20, 0), (7, 20, 1), (60, 20, 1)])
def test_preferences_are_counted(deepassay, run, drawn, tmp_path, wrong, empty, status):
    show(deepassay, run, tmp_path, drawn)
    rows = read(tmp_path / "preferences.csv")
    key = json.loads((tmp_path / "preferences.key.json").read_text())
    for at, row in enumerate(rows):
        own = next(letter for letter, name in key[row["row"]].items() if name == JUDGES[at % 2])
        row["prefer"] = "Q" if at < wrong else "" if at < wrong + empty else own
    done = deepassay("agree", "preferences", filled(tmp_path / "preferences.csv", rows))
    used = len(rows) - wrong - empty
    assert f"rows: 100 came in, {100 - wrong} found their judges, {used} used." in done.stderr
    assert f"Rows with a preference: {used}." in done.stdout
    assert done.returncode == status
    assert ("60 of 100 rows found no judges" in " ".join(done.stderr.split())) == (wrong == 60)


@pytest.mark.parametrize(("lost", "status"), [(0, 0), (4, 1), (9, 1)])
def test_pairs_without_a_page_are_counted(deepassay, tmp_path, lost, status):
    page = "The ferry line opened in 2019. It carries 4,200 passengers a day."
    rows = [
        (f"The ferry line opened in 2019, says source {at}.", at % 2, "" if at < lost else page,
         f"https://a.example/{at}")
        for at in range(12)
    ]  # fmt: skip
    file = written(tmp_path / "pairs.csv", ("statement", "label", "page", "url"), rows)
    done = deepassay("agree", "support", file, "--run", tmp_path / "r.assay")
    assert done.returncode == status
    assert f"pairs: 12 came in, {12 - lost} found their verdicts, {12 - lost} used." in done.stdout
    said = f"{lost} of 12 pairs found no verdicts: {file.name}, line 2: page not_archived."
    assert (said in " ".join(done.stderr.split())) == (lost == 9)


def test_a_study_of_reports_says_which_answer_no_task(deepassay, tmp_path):
    tasks = lay_out(tmp_path / "set")
    folder = tasks.parent / AGENTS[0]
    questions = tmp_path / "q.yaml"
    questions.write_text(
        "questions:\n- key: good\n  text: Is it good?\n  menu: ['yes', 'no']\n",
        encoding="utf-8",
    )
    for path in sorted(folder.iterdir())[:7]:
        path.rename(path.with_name(f"x-{path.name}"))
    done = deepassay(
        *("annotate", "serve", folder, "--questions", questions, "--tasks", tasks),
        *("--raters", "ada", "--study", tmp_path / "study.assay"),
    )
    assert done.returncode == 2
    assert "7 of 8 reports found no tasks" in " ".join(done.stderr.split())
