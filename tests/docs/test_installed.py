"""What is published, where it is installed: the demonstration runs from a wheel.

The package of docs/own-package.md is installed beside it, used by every command, then removed.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

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
        self.environment.install(build_wheel(folder / "dist"))

    def each(self, *commands: Sequence[str], ends: Sequence[int] = ()) -> list[str]:
        """What each of the commands prints, all of them in one process. ends: if not all with 0."""
        run = ("-c", EACH, json.dumps(commands))
        done = self.environment.run("python", *run, folder=self.folder)
        assert done.returncode == 0, done.stdout + done.stderr
        _, *printed, ended = done.stdout.split("\f\n")
        assert json.loads(ended) == [*(ends or [0] * len(commands))], done.stdout
        return printed


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def place(installed: Place) -> Place:
    """The package of the page installed, and something to evaluate."""
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


def test_a_wheel_in_a_clean_environment_runs_the_demonstration(
    installed: Place, tmp_path: Path
) -> None:
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    environment = installed.environment
    where = environment.run("python", "-c", "import deepassay; print(deepassay.__file__)",
                            folder=tmp_path).stdout  # fmt: skip
    assert str(installed.folder / "venv") in where
    script = tmp_path / "examples" / "demo" / "run.sh"
    shell = Path(shutil.which("sh") or "/bin/sh")
    done = environment.run(shell, script, environment.programs / "deepassay", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "heron" in done.stdout
    assert (tmp_path / "build" / "demo.assay").exists()


@pytest.mark.slow
def test_the_page_is_followed_to_the_letter(place: Place, tmp_path: Path) -> None:
    (block,) = (each for each in blocks(PAGE) if "pip install" in each.text)
    said = {}
    for command in commands(block.text):
        if command == "pip install ./deepassay-politeness":
            continue  # as `place` has done it
        done = place.environment.run(Path("/bin/sh"), "-ec", command, folder=tmp_path)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        said[command] = done.stdout + done.stderr
    *_, evaluated, _, board, shouted, linted = said.values()
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
    with pytest.raises(NoIndex, match="does not answer"):
        fresh.install(Path(sys.executable), ["aiohttp"], pinned=True)


def evaluating(run: str, *options: str) -> Sequence[str]:
    given = ("tasks.jsonl", "mail.letters", "--protocol", "politeness", "--run", run)
    return ("evaluate", *given, *options)


def read(place: Place, run: str) -> dict[str, str]:
    """What every reading command says of a run, by the command."""
    page = place.folder / "page.html"
    _, _, board, compared, explained, exported = place.each(
        ("html", run, "-o", str(page), "--force"),
        ("figures", run, "-o", "figures", "--only", "ranking", "--force"),
        ("leaderboard", run),
        ("compare", run, "heron", "cuckoo"),
        ("explain", run, "--agent", "heron", "--task", "tea"),
        ("export", run),
    )
    return {
        "leaderboard": board,
        "compare": compared,
        "explain": explained,
        "export": exported,
        "page": page.read_text(encoding="utf-8"),
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
    before = read(place, "judged.assay")
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
    listed, unknown, refused, said = place.each(
        ("--help",),
        ("shouts", "mail.letters"),
        ("evaluate", "tasks.jsonl", "cuckoo", "--protocol", "politeness"),
        ("replay", "judged.assay"),
        ends=(0, 2, 2, 1),
    )
    assert "shouts" not in listed
    assert "No such command 'shouts'" in unknown
    assert "no protocol 'politeness'" in refused
    assert read(place, "judged.assay") == before
    assert "0 outcomes are the same to the byte, 0 are not." in said
    assert "not computed: 4 outcomes of politeness, a protocol that is not installed" in said
    assert "Politeness deepassay-politeness 1.0" in said
