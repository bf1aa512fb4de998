"""`start`: what a newcomer is told of material of their own, before anybody is asked."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from deepassay.errors import BadSetting
from deepassay.run.asking import reachable
from deepassay.run.asking.starting import write_toml
from tests.intake.test_tables import workbook, written

ASKED = {"wind": "What do wind turbines do to birds?", "rail": "为什么夜车回来了？"}
HEAD = ["prompt", "model", "answer"]
GOOD = "The sea rises [1]. It rises fast [2].\n\n## Sources\n\n[1] https://a.org/x\n[2] https://b.org/y\n"
POOR = "The sea rises [1]. Nobody knows.\n\nIt may fall. TBD\n"


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No key, and no server of this machine, whatever there is."""
    monkeypatch.setattr(reachable.reachable_judges, "__defaults__", ({},))
    for provider in reachable.PROVIDERS.values():
        for key in provider.keys:
            monkeypatch.delenv(key, raising=False)


@pytest.fixture
def sheet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        [q, agent, text]
        for q in ASKED.values()
        for agent, text in (("heron", GOOD), ("wren", POOR))
    ]
    Path("my sheet.csv").write_text(written([HEAD, *rows]), encoding="utf-8")
    return "my sheet.csv"


def test_one_sheet_is_enough(deepassay, sheet):
    short = deepassay("start", sheet).stdout
    assert "told by --further: surface(pages=True), coverage," in " ".join(short.split())
    assert "Protocols to be named" not in short and "tasks criteria" not in short
    done = deepassay("start", sheet, "--further")
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert "2 tasks, 2 agents, 4 of 4 reports." in said
    heads = (
        "What these are",
        "Read off the reports",
        "Worst reports first",
        "Protocols that have all they need",
        "Protocols to be named",
        "Who can be asked",
        "A plan",
    )
    places = [said.index(head) for head in heads]
    assert places == sorted(places)
    for line in (
        "--protocol fact",
        "--protocol 'surface(pages=True)'",
        "tasks criteria 'my sheet.csv'",
    ):
        assert line in said
    assert "deepassay evaluate 'my sheet.csv' 'my sheet.csv' --judge offline" in said
    assert sorted(path.name for path in Path().iterdir()) == ["my sheet.csv"]


def test_a_workbook_with_odd_heads_is_told_with_its_columns(deepassay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [["Aufgabe X", "Bot X", "Text X"], *([q, "heron", GOOD] for q in ASKED.values())]
    workbook(Path("mappe.xlsx"), {"Blatt": rows})
    named = "prompt=Aufgabe X,agent=Bot X,report=Text X"
    done = deepassay("start", "mappe.xlsx", "--columns", named, "--write")
    assert done.returncode == 0, done.stderr
    assert f"--columns '{named}'" in done.stdout
    assert tomllib.loads(Path("assay.toml").read_text(encoding="utf-8"))["columns"] == named


def test_the_first_step_of_the_plan_can_be_carried_out(deepassay, sheet):
    import shlex

    said = deepassay("start", sheet).stdout
    (line,) = (each for each in said.splitlines() if "1. deepassay evaluate" in each)
    done = deepassay(*shlex.split(line.partition("deepassay ")[2]))
    assert done.returncode == 0, done.stderr
    assert "Read off the reports" in done.stdout and Path("offline.assay").exists()


def test_reports_alone_are_counted_and_it_is_said_what_is_missing(deepassay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for agent, text in (("heron", GOOD), ("wren", POOR)):
        for task in ASKED:
            path = Path("reports", agent, f"{task}.md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    done = deepassay("start", "reports")
    assert done.returncode == 0, done.stderr
    assert "4 reports of 2 agents, and no tasks." in done.stdout
    assert (
        "Read off the reports" in done.stdout and "deepassay start tasks.csv reports" in done.stdout
    )
    assert "A plan" not in done.stdout


def test_a_key_makes_a_plan_with_that_judge_and_its_price(deepassay, sheet, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    done = deepassay("start", sheet, "--write")
    assert "--judge anthropic:claude-haiku-4-5 --budget 1" in done.stdout
    assert "about $" in done.stdout and "secret" not in done.stdout + done.stderr
    kept = tomllib.loads(Path("assay.toml").read_text(encoding="utf-8"))
    assert kept == {
        "tasks": sheet,
        "reports": [sheet],
        "judge": "anthropic:claude-haiku-4-5",
        "budget": 1,
        "run": "judged.assay",
    }
    again = deepassay("start")  # the file has the rest
    assert again.returncode == 0 and "4 of 4 reports" in again.stdout
    refused = deepassay("start", "--write")
    assert refused.returncode == 2 and "is there already" in refused.stderr


def test_without_a_judge_none_is_set_in_the_file(deepassay, sheet):
    assert deepassay("start", sheet, "--write").returncode == 0
    text = Path("assay.toml").read_text(encoding="utf-8")
    assert '# judge = "openai:gpt-5-mini"' in text and '# run = "judged.assay"' in text
    assert tomllib.loads(text).keys() == {"tasks", "reports"}
    done = deepassay("evaluate")
    assert done.returncode == 0, done.stderr
    assert Path("run.assay").exists()


@pytest.mark.parametrize("name", ["a\x7f.csv", 'a"\\\n.csv'])
def test_an_odd_name_is_got_back_from_the_file(deepassay, sheet, name):
    Path(sheet).rename(name)
    assert deepassay("start", name, "--write").returncode == 0
    assert tomllib.loads(Path("assay.toml").read_text(encoding="utf-8"))["tasks"] == name
    assert deepassay("start").returncode == 0


def test_a_name_that_no_file_can_hold_leaves_none_half_written(tmp_path):
    path = tmp_path / "assay.toml"
    with pytest.raises(BadSetting, match="is not UTF-8"):
        write_toml(path, 'tasks = "t\udcff.csv"\n')
    assert not path.exists()


def test_a_judge_that_is_named_is_the_one_that_is_priced(deepassay, sheet):
    said = deepassay("start", sheet, "--judge", "openai:nobody-knows").stdout
    assert "openai:nobody-knows, whose price is not known" in said


def test_a_run_file_of_another_set_stands_in_nobody_s_way(deepassay, sheet):
    Path("other.jsonl").write_text(json.dumps({"id": "z", "prompt": "Else?"}) + "\n")
    Path("r/heron").mkdir(parents=True)
    Path("r/heron/z.md").write_text(GOOD)
    assert deepassay("evaluate", "other.jsonl", "r", "--protocol", "surface").returncode == 0
    assert deepassay("start", sheet).returncode == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [((), "Nothing is named."), (("none.csv",), "none.csv"), (("tasks.csv",), "tasks.csv")],
)
def test_what_cannot_be_is_refused_in_a_sentence(deepassay, tmp_path, monkeypatch, given, said):
    monkeypatch.chdir(tmp_path)
    Path("tasks.csv").write_text("id,prompt\na,Why?\n")
    done = deepassay("start", *given)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
