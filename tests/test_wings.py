"""Each wing is taken away in turn, with those that may import it: the rest works without."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apart import COMMANDS, commands_of, copy_without, gone_with, points
from tests.test_house import REPOSITORY, SOURCE, WINGS

WHOLE = """\
import gc, json, os, pkgutil, sys
import hypothesis, pytest
from importlib import import_module
for name in [each for each in sys.modules if each.partition(".")[0] == "deepassay"]:
    del sys.modules[name]
sys.path.insert(0, sys.argv[1])
import deepassay.plugins, deepassay.wings
assert deepassay.__file__.startswith(sys.argv[1]), deepassay.__file__

def load(*others):
    for module in pkgutil.walk_packages(deepassay.__path__, "deepassay."):
        if not module.name.endswith("__main__") and not module.name.startswith(others):
            import_module(module.name)

load("deepassay.cli")
assert not deepassay.plugins.plugins.cache_info().currsize, "it was asked what is there"
sys.path.remove(sys.argv[1])
gc.freeze()
for line in sys.stdin:
    if not os.fork():
        break
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
else:
    sys.exit()

folder, words = json.loads(line)
sys.path.insert(0, folder)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.getenv("PYTHONPATH")]))
for name, stream in (("stdout", 1), ("stderr", 2)):
    os.dup2(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT), stream)
deepassay.wings.__path__ = [os.path.join(folder, "deepassay", "wings")]
load()
for name in [each for each in sys.modules if each.startswith("deepassay.wings.")]:
    assert sys.modules[name].__file__.startswith(folder), name
from deepassay.cli import main
for words, status in ((["--help"], 0), (words, 2)):
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        assert end.code == status, end.code
loaded = "ignore::pytest.PytestAssertRewriteWarning"
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-W", loaded, *{files!r}]))
"""
"""Has others' packages, and of ours the core, imported where there is no wing, but for the command
line, which asks what is there. In a fork for each line of JSON, with a folder and a command:
imports every other module of the package in that folder, prints its help, and runs files of tests.
"""

SELECTED = (
    "tests/cli/test_compare_command.py::test_two_agents_are_compared_by_every_protocol",
    "tests/results/test_ranking.py::test_a_mixed_ranking_has_a_row_for_each_agent_and_recipe",
    "tests/run/asking/test_planning.py",
)


RUN = "nothing.assay"
SAYS: dict[str, tuple[list[str], str]] = {
    "bridges": (
        ["export", RUN, "--format", "eval", "-o", "logs"],
        "needs the wing bridges",
    ),
    "build": (["tasks", "describe", "tasks.jsonl"], "No such command 'tasks'"),
    "bundles": (["verify", "x.assay.zip"], "No such command 'verify'"),
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


@pytest.fixture(scope="module")
def loaded(
    programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[subprocess.Popen[str]]:
    core = tmp_path_factory.mktemp("core")
    copy_without(frozenset(WINGS), core)
    with subprocess.Popen(
        [programs / "python-c", WHOLE.format(files=SELECTED), core],
        cwd=REPOSITORY, env=os.environ | {"COLUMNS": "80"}, text=True, encoding="utf-8",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        yield process


@pytest.mark.slow
@pytest.mark.parametrize("wing", sorted(WINGS))
def test_the_rest_works_without(wing: str, loaded: subprocess.Popen[str], tmp_path: Path) -> None:
    gone = gone_with(wing)
    words, said = SAYS[wing]
    copy_without(gone, tmp_path)
    assert loaded.stdin is not None and loaded.stdout is not None
    print(json.dumps([str(tmp_path), words]), file=loaded.stdin, flush=True)
    status = loaded.stdout.readline()
    assert status, "the process has ended"
    stdout, stderr = ((tmp_path / name).read_text("utf-8") for name in ("stdout", "stderr"))
    assert status == "0\n", stdout + stderr
    listed = set(re.findall(r"^  ([a-z]+)  ", stdout, re.MULTILINE))
    assert listed == points()[COMMANDS].keys() - commands_of(gone)
    assert said in stderr
    assert re.search(r"\d+ passed", stdout)


def test_the_drawing_has_the_same_wings_commands_and_edges() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    text = page.partition("\n## The wings\n")[2]
    rows = re.findall(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|[^|]*\|([^|]*)\|$", text, re.MULTILINE)
    assert {name: set(re.findall(r"`(\w+)`", edges)) for name, _, edges in rows} == WINGS
    own = points()[COMMANDS].keys()
    told = {name: {*re.findall(r"`(\w+)[^`]*`", said)} & own for name, said, _ in rows}
    for name in WINGS:
        assert commands_of(frozenset({name})) <= told[name]


def test_every_file_that_the_drawing_names_is_there() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", page)
    assert len(named) > 30
    gone = [path for path in named if not list(SOURCE.rglob(path))]
    rows = re.findall(r"^\| ((?:`\w+/`(?:, )?)+) \|(.*)\|$", page, re.MULTILINE)
    for rooms, said in rows:
        inside = [room for name in re.findall(r"`(\w+)/`", rooms) for room in SOURCE.rglob(name)]
        files = re.findall(r"`(\w+\.py)`", said)
        gone += [name for name in files if not any(list(room.rglob(name)) for room in inside)]
    assert not gone
