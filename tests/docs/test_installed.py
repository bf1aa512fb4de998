"""What is published, where it is installed: the wheel lacks nothing, and its command works.

The package of docs/own-package.md is installed beside it, used by every command, then removed.
What the documents tell users who installed it is done on every landing by `make extras`.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Sequence
from configparser import ConfigParser
from itertools import groupby
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.environments import Environment, build_wheel
from tests.installed.fresh import Fresh, NoIndex

from .markdown import REPOSITORY, blocks
from .running import commands

PAGE = REPOSITORY / "docs" / "own-package.md"
FILE = re.compile(r"(?:#|<!--) (deepassay-politeness/\S+)(?: -->)?\n")
TASKS = [{"id": "tea", "prompt": "How is tea made?"}, {"id": "toast", "prompt": "And toast?"}]
LETTERS = """\
heron tea Please boil the water first, and take your time.
heron toast Please watch it.
cuckoo tea Boil water.
cuckoo toast Burn it now.
"""


EACH = """\
import json, os, sys
from deepassay.cli import main
os.dup2(1, 2)
ends = []
for words in json.loads(sys.argv.pop()):
    print("\\f", flush=True)
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        ends.append(end.code)
print("\\f")
print(ends)
"""
"""Runs commands one after the other: starting a process for each takes longer than all of them."""


class Place:
    """A clean environment with DeepAssay as a wheel, and a folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = Environment(folder / "venv")
        self.wheel = build_wheel(folder / "dist")
        self.environment.install(self.wheel)

    def each(
        self, *commands: Sequence[str], ends: Sequence[int] = (), folder: Path | None = None
    ) -> list[str]:
        """What each of the commands prints, all of them in one process. ends: if not all with 0."""
        run = ("-c", EACH, json.dumps(commands))
        done = self.environment.run("python", *run, folder=folder or self.folder)
        assert done.returncode == 0, done.stdout + done.stderr
        _, *printed, ended = done.stdout.split("\f\n")
        assert json.loads(ended) == [*(ends or [0] * len(commands))], done.stdout
        return printed


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def place(installed: Place) -> Place:
    """The package of the page installed, and something to evaluate. The last test removes it."""
    folder = installed.folder
    for block in blocks(PAGE):
        if named := FILE.match(block.text):
            file = folder / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            shown = block.text[named.end() :] if file.suffix == ".md" else block.text
            file.write_text(shown + "\n", encoding="utf-8")
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)), encoding="utf-8")
    (folder / "mail.letters").write_text(LETTERS, encoding="utf-8")
    (folder / "cuckoo").mkdir(exist_ok=True)
    (folder / "cuckoo" / "tea.md").write_text(
        "# Tea\n\nBoil water!\n\nDrink it.\n", encoding="utf-8"
    )
    installed.environment.install(folder / "deepassay-politeness")
    return installed


def test_the_wheel_holds_the_package_to_the_byte_and_what_it_registers(installed: Place) -> None:
    package = REPOSITORY / "src" / "deepassay"
    wanted = {
        path.relative_to(package.parent).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with ZipFile(installed.wheel) as wheel:
        held = {name: wheel.read(name) for name in wheel.namelist()}
    (registered,) = (text for name, text in held.items() if name.endswith("/entry_points.txt"))
    assert {name: held.get(name) for name in wanted} == wanted
    assert {name for name in held if ".dist-info/" not in name} == wanted.keys()
    found = ConfigParser(delimiters="=")
    found.optionxform = str  # type: ignore[assignment, method-assign]
    found.read_string(registered.decode())
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert {name: dict(found[name]) for name in found.sections()} == {
        "console_scripts": project["scripts"], **project["entry-points"],
    }  # fmt: skip


def test_the_command_of_a_clean_environment_evaluates_the_demonstration(
    installed: Place, tmp_path: Path
) -> None:
    shutil.copytree(REPOSITORY / "examples" / "demo", tmp_path / "demo")
    environment = installed.environment
    where = environment.run("python", "-c", "import deepassay; print(deepassay.__file__)",
                            folder=tmp_path).stdout  # fmt: skip
    assert str(installed.folder / "venv") in where
    done = environment.run(
        "deepassay", "evaluate", "demo/tasks.jsonl", "demo/reports",
        *("--protocol", "presentation", "--protocol", "race", "--protocol", "rubrics"),
        *("--reference", "heron", "--criteria", "demo/criteria.yaml"),
        *("--rubric", "demo/rubrics.yaml", "--date", "2026-05-04", "--run", "demo.assay"),
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "heron" in done.stdout
    assert (tmp_path / "demo.assay").exists()


@pytest.mark.slow
def test_the_page_is_followed_to_the_letter(place: Place, tmp_path: Path) -> None:
    (block,) = (each for each in blocks(PAGE) if "pip install" in each.text)
    said = []
    for ours, several in groupby(commands(block.text), lambda each: each.startswith("deepassay ")):
        typed = [each for each in several if each != "pip install ./deepassay-politeness"]
        if ours:
            said += place.each(*(shlex.split(each)[1:] for each in typed), folder=tmp_path)
        else:  # the package is installed already
            shell = Path("/bin/sh")
            done = place.environment.run(shell, "-ec", "\n".join(typed), folder=tmp_path)
            assert done.returncode == 0, f"{typed}: {done.stderr}"
    evaluated, board, shouted, linted = said
    assert "Scored 2 of 2" in evaluated
    assert "heron" in board and "cuckoo" in board and "The judge is a butler." in board
    assert shouted == "cuckoo on tea: 1\nheron on tea: 0\n"
    assert "mail.letters:2:1:1 POL001 'Boil water now!' shouts" in linted
    assert "in 1 of 2 reports" in linted


def test_an_index_of_packages_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in os.environ if each.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    fresh = Fresh(tmp_path, extras={"core"})
    Environment(tmp_path / "venv")  # with a borrowed pip, as to make one takes two seconds
    made = Path(shutil.which("true") or "/bin/true")
    with pytest.raises(NoIndex, match="does not answer"):
        fresh.install(made, ["deepassay-nowhere"], pinned=True)


def evaluating(run: str, *options: str) -> Sequence[str]:
    given = ("tasks.jsonl", "mail.letters", "--protocol", "politeness", "--run", run)
    return ("evaluate", *given, *options)


READING: Sequence[Sequence[str]] = (
    ("html", "judged.assay", "-o", "page.html", "--force"),
    ("figures", "judged.assay", "-o", "figures", "--only", "ranking", "--force"),
    ("leaderboard", "judged.assay"),
    ("compare", "judged.assay", "heron", "cuckoo"),
    ("explain", "judged.assay", "--agent", "heron", "--task", "tea"),
    ("export", "judged.assay"),
)
"""The commands that read a run."""


def told(place: Place, printed: Sequence[str]) -> dict[str, str]:
    """What every command that reads says of a run, by the command."""
    _, _, board, compared, explained, exported = printed
    return {
        "leaderboard": board,
        "compare": compared,
        "explain": explained,
        "export": exported,
        "page": (place.folder / "page.html").read_text(encoding="utf-8"),
        "figures": "".join(
            each.read_text(encoding="utf-8")
            for each in sorted((place.folder / "figures").glob("*.svg"))
        ),
    }


@pytest.mark.slow
def test_the_package_is_used_by_every_command_and_read_without_it(place: Place) -> None:
    *evaluated, board, replayed, linted, listed, options = place.each(
        evaluating("offline.assay"),
        evaluating("judged.assay", "--judge", "butler:james"),
        evaluating("named.assay", "--judge", "deepassay_politeness.judge:pleased"),
        ("leaderboard", "offline.assay", "--format", "csv"),
        ("replay", "judged.assay"),
        ("lint", "cuckoo/tea.md"),
        ("--help",),
        ("leaderboard", "--help"),
        ends=(0, 0, 0, 0, 0, 1, 0, 0),
    )
    assert ["Scored 4 of 4" in each for each in evaluated] == [True] * 3
    assert "4 outcomes are the same to the byte" in replayed
    before = told(place, place.each(*READING))
    means = {row["agent"]: float(row["mean"]) for row in csv.DictReader(board.splitlines())}
    assert means == {"heron": 100.0, "cuckoo": 50.0}
    assert "How kind." in before["explain"]
    assert "How kind." in before["page"]
    assert "politeness" in before["figures"]
    (recipe,) = {
        json.dumps(json.loads(line)["signature"]) for line in before["export"].splitlines()
    }
    assert "deepassay_politeness.protocol:Politeness deepassay-politeness 1.0" in recipe
    assert "deepassay_politeness.judge:pleased" in recipe
    assert "POL001" in linted
    assert "\n  shouts " in listed
    assert "  --manners " in options

    place.environment.uninstall("deepassay-politeness")
    listed, unknown, refused, said, *again = place.each(
        ("--help",),
        ("shouts", "mail.letters"),
        ("evaluate", "tasks.jsonl", "cuckoo", "--protocol", "politeness"),
        ("replay", "judged.assay"),
        *READING,
        ends=(0, 2, 2, 1, *(0 for _ in READING)),
    )
    assert "shouts" not in listed
    assert "No such command 'shouts'" in unknown
    assert "no protocol 'politeness'" in refused
    assert told(place, again) == before
    assert "0 outcomes are the same to the byte, 0 are not." in said
    assert "not computed: 4 outcomes of politeness, a protocol that is not installed" in said
    assert "Politeness deepassay-politeness 1.0" in said
