"""The package of docs/extending.md: built and installed, used by every command, then removed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from .markdown import REPOSITORY, blocks

PAGE = REPOSITORY / "docs" / "extending.md"
FILE = re.compile(r"(?:#|<!--) (deepassay-politeness/\S+)(?: -->)?\n")
TASKS = [{"id": "tea", "prompt": "How is tea made?"}, {"id": "toast", "prompt": "And toast?"}]
LETTERS = """\
heron tea Please boil the water first, and take your time.
heron toast Please watch it.
cuckoo tea Boil water.
cuckoo toast Burn it now.
"""


class Place:
    """An environment of its own that sees the shared packages, and a folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = folder / "env"
        venv.create(home, with_pip=False)
        self.python = home / "bin" / "python"
        site = next((home / "lib").glob("python*/site-packages"))
        shared = [sysconfig.get_paths()["purelib"], *filter(_is_site, sys.path)]
        (site / "shared.pth").write_text(
            "\n".join([*dict.fromkeys(shared), str(REPOSITORY / "src")])
        )

    def pip(self, *arguments: str) -> None:
        self._run("-m", "pip", *arguments, "--quiet", "--disable-pip-version-check")

    def deepassay(self, *arguments: str, status: int = 0) -> str:
        done = self._run("-m", "deepassay", *arguments, status=status)
        return done.stdout + done.stderr

    def _run(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [self.python, *arguments], cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done


def _is_site(path: str) -> bool:
    return path.endswith("site-packages")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The package of the page installed, and something to evaluate."""
    folder = tmp_path_factory.mktemp("extending")
    for block in blocks(PAGE):
        if named := FILE.match(block.text):
            file = folder / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            shown = block.text[named.end() :] if file.suffix == ".md" else block.text
            file.write_text(shown + "\n", encoding="utf-8")
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)), encoding="utf-8")
    (folder / "mail.letters").write_text(LETTERS, encoding="utf-8")
    (folder / "cuckoo").mkdir()
    (folder / "cuckoo" / "tea.md").write_text(
        "# Tea\n\nBoil water!\n\nDrink it.\n", encoding="utf-8"
    )
    here = Place(folder)
    here.pip("install", "--no-deps", "--no-build-isolation", "./deepassay-politeness")
    return here


def evaluate(place: Place, run: str, *options: str) -> str:
    given = ("tasks.jsonl", "mail.letters", "--protocol", "politeness", "--run", run)
    return place.deepassay("evaluate", *given, *options)


def read(place: Place, run: str) -> dict[str, str]:
    """What every reading command says of a run, by the command."""
    page = place.folder / "page.html"
    place.deepassay("html", run, "-o", str(page), "--force")
    place.deepassay("figures", run, "-o", "figures", "--only", "ranking", "--force")
    return {
        "leaderboard": place.deepassay("leaderboard", run),
        "compare": place.deepassay("compare", run, "heron", "cuckoo"),
        "explain": place.deepassay("explain", run, "--agent", "heron", "--task", "tea"),
        "export": place.deepassay("export", run),
        "page": page.read_text(encoding="utf-8"),
        "figures": "".join(
            each.read_text(encoding="utf-8")
            for each in sorted((place.folder / "figures").glob("*.svg"))
        ),
    }


def test_the_package_is_used_by_every_command_and_read_without_it(place: Place) -> None:
    assert "Scored 4 of 4" in evaluate(place, "offline.assay")
    assert "Scored 4 of 4" in evaluate(place, "judged.assay", "--judge", "butler:james")
    assert "Scored 4 of 4" in evaluate(
        place, "named.assay", "--judge", "deepassay_politeness.judge:pleased"
    )
    before = {run: read(place, run) for run in ("offline.assay", "judged.assay")}
    board = place.deepassay("leaderboard", "offline.assay", "--format", "csv").splitlines()
    means = {row.split(",")[4]: float(row.split(",")[5]) for row in board[1:]}
    assert means == {"heron": 100.0, "cuckoo": 50.0}
    assert "How kind." in before["judged.assay"]["explain"]
    assert "How kind." in before["judged.assay"]["page"]
    assert "politeness" in before["judged.assay"]["figures"]
    (recipe,) = {
        json.dumps(json.loads(line)["signature"])
        for line in before["judged.assay"]["export"].splitlines()
    }
    assert "deepassay_politeness.protocol:Politeness deepassay-politeness 1.0" in recipe
    assert "deepassay_politeness.judge:pleased" in recipe
    assert "POL001" in place.deepassay("lint", "cuckoo/tea.md", status=1)
    assert "4 outcomes are the same to the byte" in place.deepassay("replay", "judged.assay")

    place.pip("uninstall", "--yes", "deepassay-politeness")
    assert "no protocol 'politeness'" in place.deepassay(
        "evaluate", "tasks.jsonl", "cuckoo", "--protocol", "politeness", status=2
    )
    assert {run: read(place, run) for run in before} == before
    said = place.deepassay("replay", "judged.assay", status=1)
    assert "0 outcomes are the same to the byte, 0 are not." in said
    assert "not computed: 4 outcomes of politeness, a protocol that is not installed" in said
    assert "Politeness deepassay-politeness 1.0" in said
