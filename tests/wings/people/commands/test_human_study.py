"""`agree draw`, `agree people`, `agree show`, `agree preferences`: a study from draw to rates."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest


@pytest.fixture
def run(deepassay, small, judge):
    """Two judges on coverage and presentation."""
    options = ("--judge", "openai:good", "--judge", "offline", "--base-url", judge.base_url)
    protocols = ("--protocol", "coverage", "--protocol", "presentation")
    done = deepassay("evaluate", *small, *options, *protocols, "--run", "r.assay")
    assert done.returncode == 0, done.stderr
    return "r.assay"


def read(path):
    return list(csv.DictReader(io.StringIO(Path(path).read_text("utf-8"))))


def fill(path, column, value):
    rows = read(path)
    with Path(path).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {column: value(row)} for row in rows)
    return path


def draw(deepassay, run, *more, protocol="presentation"):
    asked = ("--protocol", protocol, "-n", "9", "-o", "study", *more)
    return deepassay("agree", "draw", run, *asked)


def test_a_study_from_draw_to_preferences(deepassay, run):
    done = draw(deepassay, run, "--rater", "ada")
    assert done.returncode == 0, done.stderr
    rows = read("study/decisions.csv")
    assert len(rows) == 9
    assert {row["rater"] for row in rows} == {"ada"}
    assert {row["verdict"] for row in rows} == {""}
    text = Path("study", rows[0]["text"]).read_text("utf-8")
    assert text.startswith("# Request") and "# Report" in text

    fill("study/decisions.csv", "verdict", lambda row: "yes")
    agreed = deepassay("agree", run, "--human", "study/decisions.csv", "--format", "csv")
    assert agreed.returncode == 0, agreed.stderr
    assert any("agreement with openai:good" in line for line in agreed.stdout.splitlines())

    shown = deepassay("agree", "show", run, "--human", "study/decisions.csv", "-o", "study")
    assert shown.returncode == 0, shown.stderr
    rows = read("study/preferences.csv")
    assert len(rows) == 9
    assert {row["own verdict"] for row in rows} == {"met"}
    assert "openai:good" not in Path("study/preferences.csv").read_text("utf-8")
    key = json.loads(Path("study/preferences.key.json").read_text("utf-8"))
    fill("study/preferences.csv", "prefer", lambda row: letter_of("openai:good", key[row["row"]]))

    counted = deepassay("agree", "preferences", "study/preferences.csv", "--format", "csv")
    assert counted.returncode == 0, counted.stderr
    rates = {row["figure"]: row for row in csv.DictReader(io.StringIO(counted.stdout))}
    assert float(rates["openai:good preferred alone"]["value"]) == 1.0
    assert float(rates["offline preferred, alone or with others"]["value"]) == 0.0
    assert rates["none preferred"]["n"] == "9"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE reports SET body = 'x'", "the run file is damaged (reports, row 1"),
        ("DELETE FROM reports", "The run has judgements, and no report, of cuckoo on "),
    ],
)
def test_a_report_that_is_damaged_or_lost_is_named(deepassay, run, change, told):
    with closing(sqlite3.connect(run)) as file, file:
        file.execute(f"{change} WHERE agent = 'cuckoo'")
    done = draw(deepassay, run)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    assert not Path("study").exists()


def letter_of(judge, letters):
    return next(letter for letter, name in letters.items() if name == judge)


def test_what_the_judges_said_stands_under_its_letter(deepassay, run):
    draw(deepassay, run)
    fill("study/decisions.csv", "verdict", lambda row: "no")
    deepassay("agree", "show", run, "--human", "study/decisions.csv", "-o", "study")
    key = json.loads(Path("study/preferences.key.json").read_text("utf-8"))
    for row in read("study/preferences.csv"):
        good = row[letter_of("openai:good", key[row["row"]])]
        assert good.endswith(f"because of {row['item']}")


def test_decisions_in_a_file_for_each_rater_are_shown_together(deepassay, run):
    draw(deepassay, run, "--rater", "ada", "--rater", "ben")
    fill("study/decisions.csv", "verdict", lambda row: "yes")
    rows = read("study/decisions.csv")
    for rater in ("ada", "ben"):
        with Path(f"{rater}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(row for row in rows if row["rater"] == rater)
    files = ("--human", "ada.csv", "--human", "ben.csv")
    done = deepassay("agree", "show", run, *files, "-o", "study")
    assert done.returncode == 0, done.stderr
    raters = [row["rater"] for row in read("study/preferences.csv")]
    assert (raters.count("ada"), raters.count("ben")) == (9, 9)


def test_only_where_the_judges_differ(deepassay, run):
    draw(deepassay, run, "--of", "both")
    fill("study/decisions.csv", "verdict", lambda row: "no")
    asked = ("agree", "show", run, "--human", "study/decisions.csv", "-o", "study", "--differing")
    assert deepassay(*asked).returncode == 0
    for row in read("study/preferences.csv"):
        words = {row[letter].partition(":")[0] for letter in "AB"}
        assert words == {"met", "not met"}


def test_several_raters_get_the_same_rows(deepassay, run):
    draw(deepassay, run, "--rater", "ada", "--rater", "ben")
    rows = read("study/decisions.csv")
    places = {
        name: [(row["agent"], row["task"], row["item"]) for row in rows if row["rater"] == name]
        for name in ("ada", "ben")
    }
    assert places["ada"] == places["ben"]
    assert len(places["ada"]) == 9


@pytest.mark.parametrize(
    ("raters", "said"),
    [
        (("ada", " "), "--rater is empty"),
        (("ada", "ben", "ada "), "--rater 'ada' is there 2 times"),
    ],
)
def test_raters_without_a_name_of_their_own_are_refused(deepassay, run, raters, said):
    done = draw(deepassay, run, *(f"--rater={each}" for each in raters))
    assert (done.returncode, said in done.stderr) == (2, True)
    assert not Path("study").exists()


def test_nobody_reads_a_judge_before_deciding(deepassay, run):
    draw(deepassay, run)
    done = deepassay("agree", "show", run, "--human", "study/decisions.csv", "-o", "study")
    assert done.returncode == 2
    assert not Path("study/preferences.csv").exists()


def test_files_that_are_there_are_not_overwritten(deepassay, run):
    draw(deepassay, run)
    fill("study/decisions.csv", "verdict", lambda row: "yes")
    done = draw(deepassay, run)
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert read("study/decisions.csv")[0]["verdict"] == "yes"


@pytest.mark.parametrize(
    ("answer", "said"), [("Z", "is no preference"), ("", "holds no preference")]
)
def test_answers_that_mean_nothing_are_named(deepassay, run, answer, said):
    draw(deepassay, run)
    fill("study/decisions.csv", "verdict", lambda row: "yes")
    deepassay("agree", "show", run, "--human", "study/decisions.csv", "-o", "study")
    fill(
        "study/preferences.csv",
        "prefer",
        lambda row: "A" if row["row"] == "1" and answer else answer,
    )
    done = deepassay("agree", "preferences", "study/preferences.csv")
    assert done.returncode == (1 if answer else 2)
    assert said in done.stderr


def test_without_its_key_a_file_says_nothing(deepassay, run):
    draw(deepassay, run)
    fill("study/decisions.csv", "verdict", lambda row: "yes")
    deepassay("agree", "show", run, "--human", "study/decisions.csv", "-o", "study")
    Path("study/preferences.key.json").unlink()
    done = deepassay("agree", "preferences", "study/preferences.csv")
    assert done.returncode == 2
    assert "which letter is which judge" in done.stderr


def test_one_judge_gives_no_sets_and_no_choice(deepassay, judged):
    run = judged("coverage", checklist=["Is scattering named?"])
    done = draw(deepassay, run, "--of", "disagreement", protocol="coverage")
    assert done.returncode == 2
    assert "several --judge" in done.stderr
    draw(deepassay, run, protocol="coverage")
    fill("study/decisions.csv", "verdict", lambda row: "yes")
    shown = deepassay("agree", "show", run, "--human", "study/decisions.csv", "-o", "study")
    assert shown.returncode == 2
    assert "several --judge" in shown.stderr


RACE = "race(dimension_weights=False, reference=False, criteria='static')"


def scored(deepassay, small, *protocols):
    asked = [f"--protocol={name}" for name in protocols]
    deepassay("evaluate", *small, "--judge", "offline", *asked, "--run", "r.assay")


def test_marks_are_not_drawn_for_words_and_it_says_what_has_verdicts(deepassay, small):
    names = (RACE, "direct_rating", "coverage", "presentation")
    scored(deepassay, small, *names)
    for name in ("race", "direct_rating"):
        done = draw(deepassay, "r.assay", protocol=name)
        assert done.returncode == 2
        assert f"{name} gives marks or counts and no verdicts" in done.stderr
        assert "These runs have verdicts of: coverage, presentation." in done.stderr
        assert not Path("study").exists()
    for name in ("coverage", "presentation"):
        assert draw(deepassay, "r.assay", "--force", protocol=name).returncode == 0


def test_marks_that_were_decided_on_in_a_word_are_not_shown_as_verdicts(deepassay, small):
    """As files drawn by earlier versions have them."""
    scored(deepassay, small, RACE)
    rows = "".join(f'heron,a,ada,"{RACE}",c{n},yes\n' for n in (1, 2, 3))
    Path("d.csv").write_text(f"agent,task,rater,protocol,item,verdict\n{rows}", "utf-8")
    done = deepassay("agree", "show", "r.assay", "--human", "d.csv", "-o", "study")
    assert done.returncode == 2
    assert f"{RACE} gives no verdicts, but numbers." in done.stderr


def test_marks_that_were_decided_on_in_a_word_calibrate_nobody(deepassay, small):
    scored(deepassay, small, RACE, "coverage")
    head = "agent,task,rater,protocol,item,verdict"
    marks = [f'heron,a,ada,"{RACE}",c{n},yes' for n in (1, 2, 3)]
    told = f"{RACE} gives marks or counts, which yes and no do not answer."
    for rows, status in ((marks, 2), ([*marks, "heron,a,ada,coverage,q1,yes"], 1)):
        Path("d.csv").write_text("\n".join([head, *rows]) + "\n", "utf-8")
        done = deepassay("calibrate", "r.assay", "--human", "d.csv")
        assert done.returncode == status
        assert f"d.csv, line 2: {told}" in " ".join(done.stderr.split())
        assert "race" not in done.stdout
