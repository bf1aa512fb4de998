# ruff: noqa: F811 - fixtures are imported
"""Commands, columns, pictures and layouts that other packages bring."""

import pytest

from deepassay import plugins
from deepassay.errors import BadSetting
from tests.test_plugins import command, package  # noqa: F401 - fixtures

TOY_COMMAND = """
import typer
from dataclasses import replace
from deepassay.errors import BadInput
from deepassay.results.judge_evidence import JudgeEvidence
from deepassay.results.figures.figure import Omitted
from deepassay.results.figures.making import FigureKind
from deepassay.results.tables import Table
from deepassay.run.showing.boards import BoardSheet

def greet(name: str) -> None:
    \"\"\"Say hello.\"\"\"
    print(f"Hello {name}.")
    if name == "nobody":
        raise BadInput("Nobody is there.", "Name somebody.")

app = typer.Typer(help="Greet several.", rich_markup_mode=None)

@app.command()
def all() -> None:
    print("Hello all.")

@app.command()
def none() -> None:
    pass

def beside(boards, records, file):
    return tuple(replace(each, notices=(*each.notices, file.read_text())) for each in boards)

def beneath(boards, file):
    return (Table.listed("Beneath", ("word",), [(file.read_text(),)], (), 1),)

MANNERS = JudgeEvidence("manners", "A word on it.", beside=beside, beneath=beneath)
SILENT = FigureKind("silence", lambda material: [Omitted("silence", "it cannot be drawn")])
OURS = JudgeEvidence("lengths", "As an option of ours.")

def printed(name, given):
    return BoardSheet(lambda format: f"{name} of {len(given.files)} run\\n", lambda: ())
"""


@pytest.fixture
def greeting(package):
    package(
        "greeting",
        "[deepassay.commands]\ngreet = toy_greet:greet\ngreetings = toy_greet:app\n"
        "broken = toy_missing:nothing\nnumber = toy_greet:TOTAL\n"
        "[deepassay.columns]\nmanners = toy_greet:MANNERS\n"
        "[deepassay.pictures]\nsilence = toy_greet:SILENT\n"
        "[deepassay.layouts]\nmine = toy_greet:printed\nodd = toy_greet:greet\n",
        toy_greet=TOY_COMMAND + "TOTAL = 3\n",
    )


def test_commands_of_a_package_stand_beside_ours(greeting, command):
    status, said = command("--help")
    assert status == 0 and "\n  greet        Say hello.\n  greetings    Greet several.\n" in said
    assert "broken, of the commands in package greeting 1.0, cannot be loaded" in said
    assert said.index("\n  doctor ") < said.index("\n  greet ")  # ours first
    assert command("greet", "Ann") == (0, "Hello Ann.\n")
    assert command("greetings", "all") == (0, "Hello all.\n")
    status, said = command("greet", "nobody")
    assert status == 2 and "Nobody is there." in said
    status, said = command("broken")
    assert status == 2 and "pip uninstall greeting" in said
    status, said = command("number")
    assert status == 2 and "is no command" in said
    assert "Did you mean 'greet'" in " ".join(command("gret")[1].split())


def test_columns_pictures_and_layouts_of_a_package_are_used(greeting, command, tmp_path):
    assert command("evaluate", "tasks.jsonl", "heron", "--protocol", "coverage")[0] == 0
    (tmp_path / "said").write_text("Mannerly.")
    status, said = command("leaderboard", "run.assay", "--manners", "said")
    assert status == 0 and said.count("Mannerly.") == 2 and "Beneath" in said
    status, said = command("leaderboard", "run.assay", "--manners", "said", "--format", "csv")
    assert status == 2 and "not written as csv" in said
    status, said = command("leaderboard", "run.assay", "--as", "mine:table1")
    assert (status, said.splitlines()[0]) == (0, "mine:table1 of 1 run")
    status, said = command("leaderboard", "run.assay", "--as", "yours:table1")
    assert status == 2 and "arena:…, bench:…, live:…, rubrics:…, mine:…, odd:…" in said
    words = ("figures", "run.assay", "-o", "drawn", "--only", "silence", "--verbose")
    assert "silence: not drawn, it cannot be drawn" in command(*words)[1]


def test_a_column_with_the_name_of_an_option_stops_leaderboard_alone(package, command):
    package("greeting", "[deepassay.columns]\nours = toy_greet:OURS\n", toy_greet=TOY_COMMAND)
    status, said = command("leaderboard", "run.assay")
    assert status == 2 and "--lengths" in said
    assert command("statements", "heron/a.md")[0] == 0


def test_a_wing_that_is_not_there_is_told_in_a_sentence():
    with pytest.raises(BadSetting, match="needs the wing nowhere"):
        plugins.of_wing("nowhere.module", "name")
    with pytest.raises(ModuleNotFoundError):  # a mistake in a wing is not taken for its absence
        plugins.of_wing("bridges.nowhere", "name")
