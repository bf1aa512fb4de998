"""`figures`, as a person types it."""

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.test_compare_command import DATE

RACE_ROW = (
    '{{"id": "{}", "comprehensiveness": 0.5, "insight": 0.5, "instruction_following": 0.5, '
    '"readability": 0.5, "overall_score": {}}}\n'
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tmp_path_factory.mktemp("made") / "run.assay"


@pytest.fixture
def run(deepassay, demo, made):
    if not made.exists():
        words = (*DATE, "--protocol", "coverage", "--run", made)
        done = deepassay("evaluate", demo / "tasks.jsonl", demo / "reports", *words)
        assert done.returncode == 0, done.stderr
    return shutil.copy(made, "run.assay")


def names(folder="figures"):
    return {each.name for each in Path(folder).iterdir()}


def test_a_file_for_each_figure_and_a_line_for_each_that_could_not_be_drawn(deepassay, run, demo):
    done = deepassay(
        *("figures", run, "-o", "figures", "--by", "language", "--agents", demo / "agents.csv"),
        "--verbose",
    )
    assert done.returncode == 0, done.stderr
    assert names() >= {
        "ranking-coverage.svg", "differences-coverage.svg", "scores-by-language-coverage.svg",
        "scores-by-family-coverage.svg", "lengths.svg", "score-against-length-coverage.svg",
    }  # fmt: skip
    for each in Path("figures").iterdir():
        assert each.suffix == ".svg"
        ET.parse(each)
        assert f"figures/{each.name}: " in done.stdout
    assert "repeat-noise-coverage: not drawn, every answer was judged once" in done.stdout
    assert "offline baseline" in done.stdout


def test_a_line_a_file_and_one_for_all_that_were_not_drawn(deepassay, run):
    done = deepassay("figures", run, "-o", "figures")
    assert done.returncode == 0, done.stderr
    *drawn, last = done.stdout.splitlines()
    assert len(drawn) == len(names())
    assert all(line.startswith("figures/") and len(line) < 120 for line in drawn)
    assert last.startswith("Not drawn: 1, 1 of them: every answer was judged once")
    assert "--verbose" in last


def test_captions_stand_in_the_files(deepassay, run):
    deepassay("figures", run, "-o", "figures", "--only", "ranking", "--format", "both")
    drawing = ET.parse("figures/ranking-coverage.svg").getroot()
    assert drawing.find("{*}desc").text.startswith("Mean score of each agent over its tasks")
    assert b"Mean score of each agent" in Path("figures/ranking-coverage.png").read_bytes()
    shown = " ".join(drawing.itertext()).count("Mean score of each agent")
    deepassay("figures", run, "-o", "bare", "--only", "ranking", "--no-captions")
    bare = ET.parse("bare/ranking-coverage.svg").getroot()
    assert bare.find("{*}desc").text == drawing.find("{*}desc").text
    assert " ".join(bare.itertext()).count("Mean score of each agent") == shown - 1 == 1
    heights = [float(each.get("height").removesuffix("pt")) for each in (bare, drawing)]
    assert heights[0] < heights[1]


def test_there_is_no_figure_for_each_baseline(deepassay, demo):
    asked = ("evaluate", demo / "tasks.jsonl", demo / "reports", *DATE, "--protocol", "depth")
    assert deepassay(*asked, "--limit", "2").returncode == 0
    done = deepassay("figures", "run.assay", "-o", "figures", "--verbose")
    assert done.returncode == 0, done.stderr
    assert names() == {"win-rates-all-pairs-depth-paper.svg", "lengths.svg"}


def test_only_what_is_asked_for_in_both_formats(deepassay, run):
    done = deepassay("figures", run, "-o", "figures", "--only", "ranking", "--format", "both")
    assert done.returncode == 0, done.stderr
    assert names() == {"ranking-coverage.svg", "ranking-coverage.png"}
    assert Path("figures/ranking-coverage.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_is_overwritten_unasked(deepassay, run):
    Path("figures").mkdir()
    Path("figures/ranking-coverage.svg").write_text("mine")
    wanted = ("figures", run, "-o", "figures", "--only", "ranking", "--only", "lengths")
    refused = deepassay(*wanted)
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert names() == {"ranking-coverage.svg"}
    assert Path("figures/ranking-coverage.svg").read_text() == "mine"
    assert deepassay(*wanted, "--force").returncode == 0
    assert Path("figures/ranking-coverage.svg").read_text().startswith("<?xml")
    assert names() == {"ranking-coverage.svg", "lengths.svg"}


def test_published_rows_show_the_noise_of_the_judge(deepassay):
    for number in (1, 2):
        rows = (RACE_ROW.format(task, 0.4 + task / 20 + number / 100) for task in range(4))
        Path(f"onyx.run{number}.jsonl").write_text("".join(rows))
    done = deepassay("figures", "onyx.run1.jsonl", "onyx.run2.jsonl", "-o", "figures", "--verbose")
    assert done.returncode == 0, done.stderr
    assert "repeat-noise-race.svg" in names()
    assert "lengths: not drawn, the files hold scores, but no reports" in done.stdout
    assert "differences-race: not drawn, no two agents" in done.stdout


def test_unequal_recipes_are_refused_as_by_leaderboard(deepassay, run, demo, judge):
    deepassay(
        "evaluate", demo / "tasks.jsonl", demo / "reports", *DATE, "--protocol", "coverage",
        "--judge", "openai:good", "--base-url", judge.base_url, "--run", "new.assay",
    )  # fmt: skip
    refused = deepassay("figures", run, "new.assay", "-o", "figures")
    assert refused.returncode == 2
    assert refused.stderr == deepassay("leaderboard", run, "new.assay").stderr
    done = deepassay(
        "figures", run, "new.assay", "-o", "figures", "--allow-mixed", "--only", "ranking"
    )
    assert done.returncode == 0, done.stderr
    assert "MIXED" in Path("figures/ranking-coverage.svg").read_text()


def test_nothing_drawn_is_no_success(deepassay, run):
    done = deepassay("figures", run, "-o", "figures", "--only", "repeat-noise")
    assert done.returncode == 1
    assert not Path("figures").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "figures", "--only", "pie"), "There is no figure 'pie'"),
        (("-o", "figures", "--by", "colour"), "No task has a label 'colour'"),
        (("-o", "run.assay"), "is not a folder"),
    ],
)
def test_what_cannot_be_is_refused(deepassay, run, options, message):
    done = deepassay("figures", run, *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_missing_install_is_named(deepassay, run, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = deepassay("figures", run, "-o", "figures")
    assert done.returncode == 2
    assert "pip install 'deepassay[figures]'" in done.stderr
    assert not Path("figures").exists()


def test_characters_without_a_font_are_said_once(deepassay):
    rows = "".join(RACE_ROW.format(task, 0.4 + task / 20) for task in range(4))
    for name in ("one\U000f1234", "two\U000f1234"):
        Path(f"{name}.jsonl").write_text(rows)
    files = sorted(Path().glob("*.jsonl"))
    asked = ("figures", *files, "-o", "figures", "--format", "png")
    assert "do not say who judged" in deepassay(*asked).stderr
    done = deepassay(*asked, "--judged-by", "gemini")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("No font is installed for 1 of the characters") == 1
