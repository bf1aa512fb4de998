"""DeepAssay without one of its wings: a copy of the package, and the tests that do not name it.

`python -m tests.apart` runs all of these tests for every wing in turn, or for those it is given.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.test_house import REPOSITORY, SOURCE, WINGS

COMMANDS = "deepassay.commands"
WHOLE = {
    REPOSITORY / "tests" / each
    for each in (
        *("docs", "test_house.py", "test_notebook.py", "test_wings.py"),
        *("agents", "cli/test_exit_statuses.py", "cli/test_help.py"),
    )
}
"""Tests of the whole: documents and the notebook lead through all wings, of the house each is a
part, and lists of all commands and of all kinds of agents hold theirs."""

OURS = {REPOSITORY / "tests", REPOSITORY / "benchmarks"}


def gone_with(wing: str) -> frozenset[str]:
    """A wing, and all that may import it."""
    gone = {wing}
    while more := {name for name, others in WINGS.items() if gone & others} - gone:
        gone |= more
    return frozenset(gone)


@cache
def points() -> dict[str, dict[str, str]]:
    """The entry points of the package, by their group."""
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = tomllib.loads(text)["project"]["entry-points"]
    return found


def is_of(value: str, wings: frozenset[str]) -> bool:
    """Whether an entry point leads into one of these wings."""
    return any(value.startswith(f"deepassay.wings.{wing}.") for wing in wings)


def commands_of(wings: frozenset[str]) -> set[str]:
    """The commands that go with these wings."""
    return {name for name, value in points()[COMMANDS].items() if is_of(value, wings)}


def copy_without(gone: frozenset[str], site: Path) -> None:
    """Put the package into a folder as if it had been installed there, without these wings."""
    folders = {str(SOURCE / "wings" / name) for name in gone}

    def left_out(folder: str, names: list[str]) -> list[str]:
        return [each for each in names if str(Path(folder, each)) in folders]

    shutil.copytree(SOURCE, site / "deepassay", ignore=left_out)
    about = site / "deepassay-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: deepassay\nVersion: 0\n")
    lines = []
    for group, own in points().items():
        lines.append(f"[{group}]")
        lines += [f"{name} = {value}" for name, value in own.items() if not is_of(value, gone)]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(site: Path, *command: str) -> int:
    """The exit status of Python, at the repository, with that package for the installed one."""
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path, "COLUMNS": "80"}
    return subprocess.call([sys.executable, *command], cwd=REPOSITORY, env=environment)


# ------------------------------------------------------------------ which tests name a wing


def naming(wings: frozenset[str]) -> re.Pattern[str]:
    """What names these wings: a module or folder of theirs, a command, table, figure or file."""
    names = {
        group: "|".join(re.escape(name) for name in own if is_of(own[name], wings))
        for group, own in points().items()
    }
    words, layouts = names[COMMANDS], names["deepassay.layouts"]
    ways = [rf"\b(?:wings[./]|of_wing\([\"'])({'|'.join(sorted(wings))})\b"]
    ways += [rf"[\"'`]({words})[\"'` ]|, ({words})[, ]"] if words else []
    ways += [rf"\b({layouts}):(table|figure|…)"] if layouts else []
    ways += [r"\bfigures\.making\b"] if names["deepassay.pictures"] else []
    ways += [r"\.eval\b"] if names["deepassay.reports"] else []
    return re.compile("|".join(ways))


def tests_without(gone: frozenset[str]) -> Iterator[Path]:
    """Files of tests in which nothing names these wings, nor in what they share with others."""
    named = naming(gone)
    for file in sorted((REPOSITORY / "tests").rglob("test_*.py")):
        if not WHOLE.isdisjoint({file, *file.parents}):
            continue
        named_in = (
            f"{path.relative_to(REPOSITORY)}\n{text}" for path, text in _texts(file).items()
        )
        if not any(map(named.search, named_in)):
            yield file


@cache
def _texts(file: Path) -> dict[Path, str]:
    """A file of tests, the fixtures above it, and what of us it imports but the package.

    By their paths: tests, and benchmarks that tests are about.
    """
    found: dict[Path, str] = {}
    todo = [file, *(folder / "conftest.py" for folder in file.parents)]
    while todo:
        path = todo.pop()
        if path in found or not path.is_file() or not OURS.intersection(path.parents):
            continue
        found[path] = text = path.read_text(encoding="utf-8")
        for dots, module in re.findall(r"^from (\.*)([\w.]*) import", text, re.MULTILINE):
            if dots:
                todo.append(
                    path.parents[len(dots) - 1].joinpath(*module.split(".")).with_suffix(".py")
                )
            elif module.startswith(("tests.", "benchmarks.")):
                todo.append(REPOSITORY.joinpath(*module.split(".")).with_suffix(".py"))
    return found


def main(wings: list[str]) -> int:
    """Run all tests that do not name a wing, without it; 1 if one fails."""
    failed = []
    for wing in wings or sorted(WINGS):
        gone = gone_with(wing)
        files = [str(file.relative_to(REPOSITORY)) for file in tests_without(gone)]
        print(f"without {', '.join(sorted(gone))}: {len(files)} files of tests", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder, "site-packages")  # by this name Inspect knows what is installed
            copy_without(gone, site)
            spread = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
            if run(site, "-m", "pytest", "-q", *spread, *files):
                failed.append(wing)
    print(f"failed without: {', '.join(failed)}" if failed else "all passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
