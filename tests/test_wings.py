"""Each wing is taken away in turn, with those that may import it: the rest works without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.apart import COMMANDS, commands_of, copy_without, gone_with, points, run
from tests.test_house import REPOSITORY, WINGS

WHOLE = """\
import pkgutil, sys
from importlib import import_module
import deepassay
assert deepassay.__file__.startswith(sys.argv[1]), deepassay.__file__
for module in pkgutil.walk_packages(deepassay.__path__, "deepassay."):
    if not module.name.endswith("__main__"):
        import_module(module.name)
from deepassay.cli import main
for words, status in ((["--help"], 0), ({words!r}, 2)):
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        assert end.code == status, end.code
import pytest
loaded = "ignore::pytest.PytestAssertRewriteWarning"
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-W", loaded, *{files!r}]))
"""
"""Imports every module of the package at argv[1], prints its help, and runs files of tests."""

SELECTED = (
    "tests/cli/test_compare_command.py",
    "tests/results/test_ranking.py",
    "tests/run/asking/test_planning.py",
)


RUN = "nothing.assay"
SAYS: dict[str, tuple[list[str], str]] = {
    "bridges": (
        ["export", RUN, "--format", "eval", "-o", "logs"],
        "needs the wing bridges",
    ),
    "build": (["tasks", "describe", "tasks.jsonl"], "No such command 'tasks'"),
    "papers": (
        ["leaderboard", RUN, "--as", "bench:table1"],
        "Nothing that is installed",
    ),
    "people": (["leaderboard", RUN, "--calibration", "c.json"], "No such option: --calibration"),
    "research": (["research", "tasks.jsonl", "--agent", "a"], "No such command 'research'"),
    "trials": (["leaderboard", RUN, "--audit", "a.json"], "No such option: --audit"),
    "view": (["view", RUN], "No such command 'view'"),
}
"""What somebody types who wants what a wing brings, and what is said where it is not there."""


@pytest.mark.parametrize("wing", sorted(WINGS))
def test_the_rest_works_without(wing: str, tmp_path: Path) -> None:
    gone = gone_with(wing)
    words, said = SAYS[wing]
    copy_without(gone, tmp_path)
    whole = WHOLE.format(words=words, files=SELECTED)
    done = run(tmp_path, "-c", whole, str(tmp_path), capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    listed = set(re.findall(r"^  ([a-z]+)  ", done.stdout, re.MULTILINE))
    assert listed == points()[COMMANDS].keys() - commands_of(gone)
    assert said in done.stderr
    assert re.search(r"\d+ passed", done.stdout)


def test_the_drawing_has_the_same_wings_commands_and_edges() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    text = page.partition("\n## The wings\n")[2]
    rows = re.findall(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|[^|]*\|([^|]*)\|$", text, re.MULTILINE)
    assert {name: set(re.findall(r"`(\w+)`", edges)) for name, _, edges in rows} == WINGS
    own = points()[COMMANDS].keys()
    told = {name: {*re.findall(r"`(\w+)[^`]*`", said)} & own for name, said, _ in rows}
    for name in WINGS:
        assert commands_of(frozenset({name})) <= told[name]
