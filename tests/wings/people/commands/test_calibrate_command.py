"""`calibrate RUN --human FILE` and `leaderboard --calibration FILE`, as a user types them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.results.judgements import unfolded


@pytest.fixture
def example(repository):
    return repository / "examples" / "calibration"


@pytest.fixture
def calibrate(deepassay, example):
    """`calibrate` of the example; other options behind it."""
    files = [example / f"{agent}.jsonl" for agent in ("heron", "magpie", "cuckoo")]

    def run(*options, human=example / "people.csv"):
        return deepassay("calibrate", *files, "--human", human, *options)

    return run


def test_each_agent_gets_what_people_would_say_or_the_reason(calibrate) -> None:
    done = calibrate("--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = {(r["agent"], r["figure"]): r for r in csv.DictReader(io.StringIO(done.stdout))}
    for agent in ("heron", "magpie"):
        own = rows[agent, "people"]
        assert float(own["low"]) < float(own["value"]) < float(own["high"])
    assert rows["cuckoo", "people"]["value"] == ""
    assert "people: none for cuckoo, labels on 4 tasks; 20 are needed." in calibrate().stdout


def test_labels_in_several_files_calibrate_as_in_one(
    calibrate, deepassay, example, tmp_path
) -> None:
    head, *rows = (example / "people.csv").read_text("utf-8").splitlines()
    files = [tmp_path / name for name in ("ada.csv", "ben.csv")]
    for file, own in zip(files, (rows[:40], rows[40:]), strict=True):
        file.write_text("\n".join([head, *own]) + "\n", encoding="utf-8")
    kept = tmp_path / "c.json"
    more = ("--human", files[1], "--format", "csv")
    apart = calibrate(*more, "-o", kept, human=files[0])
    assert (apart.returncode, apart.stdout) == (0, calibrate("--format", "csv").stdout)
    assert json.loads(kept.read_text("utf-8"))["labels"] == "ada.csv, ben.csv"


def test_a_leaderboard_shows_it_beside_the_scores(calibrate, deepassay, example, tmp_path) -> None:
    kept = tmp_path / "c.json"
    assert calibrate("-o", kept, "--judged-by", "gemini").returncode == 0
    assert json.loads(kept.read_text("utf-8"))["labels"] == "people.csv"
    runs = [example / f"{agent}.jsonl" for agent in ("heron", "magpie", "cuckoo")]
    board = ("leaderboard", *runs, "--judged-by", "gemini")
    plain, beside = deepassay(*board), deepassay(*board, "--calibration", kept)
    assert beside.returncode == 0, beside.stderr
    for line in plain.stdout.splitlines()[3:6]:
        assert line in beside.stdout
    assert "cuckoo: labels on 4 tasks; 20 are needed." in beside.stdout


def test_the_file_is_written_whole_and_never_over_another(calibrate, tmp_path) -> None:
    kept = tmp_path / "c.json"
    kept.write_text("mine", encoding="utf-8")
    assert calibrate("-o", kept).returncode == 2
    assert kept.read_text("utf-8") == "mine"
    assert calibrate("-o", kept, "--force").returncode == 0


def test_the_same_seed_gives_the_same_figures(calibrate) -> None:
    assert calibrate("--format", "json").stdout == calibrate("--format", "json").stdout


@pytest.mark.parametrize(
    ("lines", "options", "said"),
    [
        (
            ["heron,moon,ada,7,"],
            (),
            "Task 'moon' is unknown; known: 1, 10, 11, 12, 13, 14, 15, 16 and ",
        ),
        (["wren,1,ada,7,"], (), "Agent 'wren' is unknown; known: cuckoo, heron, magpie."),
        (["heron,1,ada,7,depth"], (), "Protocol 'depth' is unknown; known: race."),
        (["heron,1,ada,7,"], ("--protocol", "depth"), "Nobody was judged by 'depth'."),
        (["heron,1,,7,"], (), "rater missing"),
        ([], (), "holds no decisions"),
    ],
)
def test_bad_input_is_refused_with_what_is_there(calibrate, tmp_path, lines, options, said) -> None:
    human = tmp_path / "p.csv"
    human.write_text("\n".join(["agent,task,rater,score,protocol", *lines]) + "\n", "utf-8")
    done = calibrate(*options, human=human)
    assert done.returncode == 2
    assert said in done.stderr


def test_rows_of_no_use_are_named_and_the_rest_counts(calibrate, example, tmp_path) -> None:
    human = tmp_path / "p.csv"
    text = (example / "people.csv").read_text("utf-8") + "heron,moon,ada,race,7\n"
    human.write_text(text, encoding="utf-8")
    done = calibrate(human=human)
    assert done.returncode == 1
    assert "task 'moon'" in done.stderr
    assert "heron" in done.stdout


def test_labels_on_other_protocols_are_no_problem_where_one_is_named(
    deepassay, demo, judged, tmp_path
) -> None:
    run = judged("coverage", checklist=["Is scattering named?"])
    done = deepassay(
        "evaluate", "tasks.jsonl", "reports", "--protocol", "presentation", "--run", run
    )
    assert done.returncode == 0, done.stderr
    human = tmp_path / "p.csv"
    human.write_text(
        "agent,task,rater,protocol,item,verdict\n"
        "heron,a,ada,coverage,q1,yes\ncuckoo,a,ada,presentation,p1,no\n",
        encoding="utf-8",
    )
    done = deepassay("calibrate", run, "--human", human, "--protocol", "coverage")
    assert done.returncode == 1  # of one task nothing can be made
    assert "labels: 1 came in, 1 found their scores, 1 used." in done.stderr
    assert "coverage, items, judge offline: calibrated by verdicts of people" in done.stdout
    assert "20 are needed, and the run has 1" in done.stdout


def test_lengths_and_papers_take_no_calibration(deepassay, example) -> None:
    for option in (("--lengths",), ("--as", "bench:table1")):
        done = deepassay("leaderboard", example / "heron.jsonl", *option, "--calibration", "c.json")
        assert done.returncode == 2


def test_a_calibration_that_is_not_there_is_named(deepassay, example) -> None:
    done = deepassay("leaderboard", example / "heron.jsonl", "--calibration", "c.json")
    assert done.returncode == 2
    assert "c.json cannot be read" in done.stderr


def test_unknown_on_a_statement_counts_as_not_supported_and_other_words_are_named(
    deepassay, repository, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo = repository / "examples" / "demo"
    deepassay("sources", "import", demo / "pages.jsonl", "--snapshots", "fact.assay")
    done = deepassay(
        *("evaluate", demo / "tasks.jsonl", demo / "reports" / "heron", "--protocol", "fact"),
        *("--run", "fact.assay", "--offline-sources", "--date", "2026-05-04", "--limit", "2"),
    )
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, deepassay("export", "fact.assay").stdout.splitlines())
    items = [(each["task"], item) for each in lines for item in each["details"]["items"]]
    said = ("unknown", "maybe", "supported")
    rows = [
        f"heron,{task},ada,fact,{item['key']},{word}"
        for (task, item), word in zip(items, said, strict=False)
    ]
    people = tmp_path / "people.csv"
    people.write_text("\n".join(["agent,task,rater,protocol,item,verdict", *rows]), "utf-8")
    done = deepassay("calibrate", "fact.assay", "--human", people)
    assert "'maybe' counts neither as yes nor as no" in done.stderr
    assert "have nothing for" not in done.stderr
    judged = {item["key"]: item["score"] for task, item in items if task == items[0][0]}
    held = deepassay("agree", "fact.assay", "--human", people, "--format", "csv")
    rate = next(
        float(row["value"])
        for row in csv.DictReader(io.StringIO(held.stdout))
        if row["figure"].startswith("agreement with")
    )
    first, _, third = (judged[item["key"]] for _, item in items[:3])
    assert rate == pytest.approx(((first == 0) + (third == 1)) / 3)


def test_rankings_are_closed_whose_judge_is_not_shown_to_agree_with_people(
    calibrate, deepassay, example, tmp_path
) -> None:
    kept = tmp_path / "c.json"
    assert calibrate("-o", kept, "--judged-by", "gemini").returncode == 0
    runs = [example / f"{agent}.jsonl" for agent in ("heron", "magpie", "cuckoo")]
    board = ("leaderboard", *runs, "--judged-by", "gemini", "--trusted-only")
    unknown = deepassay(*board)
    assert unknown.returncode == 1
    assert unknown.stdout == ""
    told = unfolded(unknown.stderr)
    assert "race (what is known of its judge is not how often it errs)" in told
    doubtful = deepassay(*board, "--calibration", kept)
    assert doubtful.returncode == 1
    assert "people in 32.1 %, and 25.0 % are tolerated" in unfolded(doubtful.stderr)
    trusted = deepassay(*board, "--calibration", kept, "--tolerate", "0.5")
    assert trusted.returncode == 0, trusted.stderr
    assert "the judge contradicts people in 10.9 % (1.6 to 32.1 %)" in unfolded(trusted.stdout)
    assert "heron" in trusted.stdout


def test_what_is_tolerated_needs_the_gate(deepassay, example) -> None:
    done = deepassay("leaderboard", example / "heron.jsonl", "--tolerate", "0.1")
    assert done.returncode == 2
    assert "--trusted-only" in done.stderr


def test_at_a_risk_it_says_what_a_person_should_see(deepassay, demo, judged, tmp_path) -> None:
    run = judged("coverage", checklist=["Is scattering named?", "Are colours?"])
    human = tmp_path / "p.csv"
    human.write_text(
        "agent,task,rater,protocol,item,verdict\nheron,a,ada,coverage,q1,yes\n", "utf-8"
    )
    asked = ("calibrate", run, "--human", human)
    done = deepassay(*asked, "--risk", "0.1", "--to-see", "see.csv")
    assert "coverage: what a person should see" in done.stdout
    assert "It takes labels on 18 tasks to leave out any word." in done.stdout
    rows = list(csv.DictReader(io.StringIO(Path("see.csv").read_text("utf-8"))))
    assert {row["protocol"] for row in rows} == {"coverage"}
    assert ("heron", "a", "q2") in {(row["agent"], row["task"], row["item"]) for row in rows}
    assert ("heron", "a", "q1") not in {(row["agent"], row["task"], row["item"]) for row in rows}
    again = deepassay(*asked, "--risk", "0.1", "--to-see", "see.csv")
    assert again.returncode == 2 and "--force" in again.stderr
    alone = deepassay(*asked, "--to-see", "other.csv")
    assert alone.returncode == 2 and "--risk 0.1" in alone.stderr
