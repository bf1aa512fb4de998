"""`export -o` and `leaderboard -o`, as a person types them."""

import json

import pytest

TWO = ("--protocol", "coverage", "--protocol", "presentation")


@pytest.fixture
def run(deepassay, small):
    assert deepassay("evaluate", *small, *TWO).returncode == 0
    return "run.assay"


def test_a_folder_of_tables_is_written_and_counted(deepassay, run, tmp_path):
    done = deepassay("export", run, "-o", "tables", "--tables", "scores, items", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert "Wrote rows into tables: scores 8, items" in done.stderr
    assert sorted(each.name for each in (tmp_path / "tables").iterdir()) == [
        "items.csv",
        "scores.csv",
    ]


def test_tables_may_be_named_one_by_one(deepassay, run, tmp_path):
    done = deepassay("export", run, "-o", "tables", "--tables", "scores", "--tables", "items")
    assert done.returncode == 0, done.stderr
    names = sorted(each.name for each in (tmp_path / "tables").iterdir())
    assert names == ["items.jsonl", "scores.jsonl"]


def test_texts_come_when_they_are_asked_for(deepassay, run, tmp_path):
    for options, there in (((), False), (("--texts", "--force"), True)):
        asked = ("export", run, "-o", "reports.jsonl", "--tables", "reports", *options)
        assert deepassay(*asked).returncode == 0
        rows = (tmp_path / "reports.jsonl").read_text().splitlines()
        assert ("text" in json.loads(rows[0])) is there


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--tables", "scores"), "Name a folder with -o"),
        (("--format", "parquet"), "Name a folder with -o"),
        (("--texts",), "Name a folder with -o"),
        (("-o", "run.assay", "--force"), "cannot be written"),
        (("-o", "x", "--tables", "colours"), "no table 'colours'"),
        (("run.assay",), "of one run"),
    ],
)
def test_what_cannot_be_exported_is_refused_with_a_sentence(deepassay, run, options, says):
    done = deepassay("export", run, *options)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_leaderboard_goes_into_a_file_that_is_not_overwritten(deepassay, run, tmp_path):
    for format in ("text", "markdown", "latex", "csv", "json"):
        asked = ("leaderboard", run, "--format", format)
        assert deepassay(*asked, "-o", format).returncode == 0
        assert (tmp_path / format).read_text() == deepassay(*asked).stdout
    again = deepassay("leaderboard", run, "-o", "latex")
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert deepassay("leaderboard", run, "-o", "latex", "--force").returncode == 0
    assert deepassay("leaderboard", run, "-o", "run.assay", "--force").returncode == 2


def test_parquet_has_the_rows_of_csv_with_their_types(deepassay, run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    asked = ("leaderboard", run, "--by", "language", "--format", "parquet")
    assert "Name a file with -o" in deepassay(*asked).stderr
    done = deepassay(*asked, "-o", "board.parquet")
    assert done.returncode == 0, done.stderr
    table = parquet.read_table(tmp_path / "board.parquet")
    lines = deepassay("leaderboard", run, "--by", "language", "--format", "csv").stdout.splitlines()
    assert table.column_names == lines[0].split(",")
    assert table.num_rows == len(lines) - 1
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["rank"], types["mean"], types["agent"]) == ("int64", "double", "string")
    lengths = deepassay("leaderboard", run, "--lengths", "--format", "parquet", "-o", "l.parquet")
    assert lengths.returncode == 0, lengths.stderr
    assert parquet.read_table(tmp_path / "l.parquet").num_rows == 2


def test_lengths_have_latex_too(deepassay, run):
    done = deepassay("leaderboard", run, "--lengths", "--format", "latex")
    assert done.returncode == 0, done.stderr
    assert r"\caption{Length of reports}" in done.stdout


def test_a_ranking_can_be_cut_by_the_parts_of_scores(deepassay, run):
    done = deepassay("leaderboard", run, "--by", "axis")
    assert done.returncode == 0, done.stderr
    assert "presentation, axis: P10" in done.stdout
    assert "coverage, axis" not in done.stdout
    assert "--agents" in deepassay("leaderboard", run, "--by", "family").stderr
