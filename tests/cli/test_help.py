"""Help and the first screen on a terminal of 80 columns, and what is said to a mistyped option."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from string import Template
from typing import Any

import pytest
from typer.main import get_command

from deepassay.cli.app import app
from deepassay.cli.help import GROUPS
from deepassay.cli.options import HEADINGS, RARE
from deepassay.run.settings import Settings
from tests.results.judgements import unfolded

from .conftest import Run


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command, and the words by which it is called; groups of commands among them."""
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))


COMMANDS = dict(commands(get_command(app)))


@pytest.mark.parametrize("asked", ["--help", "--help-all"])
@pytest.mark.parametrize("path", list(COMMANDS), ids=" ".join)
def test_help_fits_80_columns_and_cuts_nothing_off(
    deepassay: Run, monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...], asked: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    usage, *told = deepassay(*path, asked).stdout.splitlines()
    assert usage.startswith(" ".join(("Usage: deepassay", *path)))
    assert told
    assert [line for line in (usage, *told) if len(line) > 80] == []
    assert [line for line in told if line.endswith(("...", "…"))] == []


def listings(deepassay: Run, *path: str) -> dict[str, list[str]]:
    """What each section of a help page names, by its heading."""
    sections = re.findall(r"^(\S.*):\n((?:^  .*\n?)+)", deepassay(*path).stdout, re.MULTILINE)
    return {heading: re.findall(r"^  ([\w.-]+)", body, re.MULTILINE) for heading, body in sections}


def test_every_command_of_ours_is_listed_in_one_of_the_groups(deepassay: Run) -> None:
    found = listings(deepassay, "--help")
    groups = [group.capitalize() for group in GROUPS]
    assert [heading for heading in found if heading not in ("Options", "Examples")] == groups
    names = [name for group in groups for name in found[group]]
    assert sorted(names) == sorted(
        name for (name,) in (path for path in COMMANDS if len(path) == 1)
    )


@pytest.mark.parametrize("path", [path for path in COMMANDS if path], ids=" ".join)
def test_help_shows_the_rare_options_when_all_are_asked_for(
    deepassay: Run, path: tuple[str, ...]
) -> None:
    options = [each for each in COMMANDS[path].params if each.param_type_name == "option"]
    rare = {each.opts[-1] for each in options if each.hidden}
    usual = {each.opts[-1] for each in options} - rare
    told, told_all = (
        set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", deepassay(*path, asked).stdout))
        for asked in ("--help", "--help-all")
    )
    assert usual <= told
    assert usual | rare <= told_all
    assert ("--help-all" in told) == bool(rare)


def test_most_options_of_evaluate_are_rare_and_stand_under_headings(deepassay: Run) -> None:
    few, all_ = (listings(deepassay, "evaluate", asked) for asked in ("--help", "--help-all"))
    assert list(all_) == ["Arguments", "Options", *HEADINGS, "Examples"]
    assert sum(map(len, few.values())) < 30
    settings = [name for names in HEADINGS.values() for name in names]
    assert sorted(settings) == sorted(set(Settings.model_fields) - {"per_protocol"})
    assert set(settings) >= RARE


def test_the_chains_of_tasks_are_made_of_its_commands(deepassay: Run) -> None:
    said = deepassay("tasks", "--help").stdout
    chains = " ".join(said.rpartition("Chains of steps")[2].split()).partition("for any tasks")[2]
    steps = set(re.findall(r"[a-z]+(?:-[a-z]+)?", chains))
    words = {
        "for",
        "any",
        "tasks",
        "from",
        "recordings",
        "in",
        "one",
        "go",
        "with",
        "experts",
        "or",
    }
    commands = {path[1] for path in COMMANDS if path[:1] == ("tasks",) and path[1:]}
    assert steps - words <= commands
    assert commands - steps == {
        "check",
        "describe",
        "leakage",
        "recount",
        "sets",
        "topics",
        "provenance",
    }


def evaluate_demo(deepassay: Run, demo: Path) -> None:
    """What `run.sh` asks to import and evaluate, in this process; tests/docs run the script."""
    Path("build").mkdir()
    script = (demo / "run.sh").read_text(encoding="utf-8").replace("\\\n", " ")
    script = script.partition('"$deepassay" html')[0]
    places = {"demo": str(demo), "run": "build/demo.assay"}
    for line in re.findall(r'^"\$deepassay" ((?:sources|evaluate) .*)', script, re.MULTILINE):
        deepassay(*shlex.split(Template(line).substitute(places)))


def test_the_first_screen_of_the_demo_fits_and_readme_explains_its_terms(
    deepassay: Run, monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    evaluate_demo(deepassay, repository / "examples" / "demo")
    screen = deepassay("leaderboard", "build/demo.assay").stdout
    assert [line for line in screen.splitlines() if len(line) > 80] == []
    rows = (re.split(r"\s{2,}", line.strip()) for line in screen.splitlines())
    (_, *protocols), columns = (row for row in rows if "agent" in row)
    assert protocols == ["race", "fact", "presentation"]
    assert "cannot tell good reports from bad ones there: rubrics, coverage." in unfolded(screen)
    assert columns == ["rank", "agent", "score", "95 % interval", "tasks"]
    readme = (repository / "README.md").read_text(encoding="utf-8")
    table = [line.split(" | ")[0] for line in readme.splitlines() if line.startswith("| `")]
    assert [name for name in protocols if f"`{name}`" not in " ".join(table)] == []
    notices = ["reference", "offline baseline"]
    assert [each for each in notices if each not in screen] == []
    assert [each for each in (*columns, *notices, "no reading") if f"*{each}*" not in readme] == []


@pytest.mark.parametrize("typed", ["--quuiet", "--quite", "--qiet"])
@pytest.mark.parametrize("command", [(), ("leaderboard", "run.assay")])
def test_a_mistyped_quiet_is_told_what_was_meant(
    deepassay: Run, typed: str, command: tuple[str, ...]
) -> None:
    done = deepassay(*command, typed)
    assert done.returncode == 2
    assert done.stderr == f"deepassay: No such option: {typed}. Did you mean --quiet?\n"


def test_no_option_is_taken_for_a_mistyped_quiet() -> None:
    known = {name for command in COMMANDS.values() for each in command.params for name in each.opts}
    assert get_close_matches("--quiet", known - {"--quiet"}, 1, cutoff=0.8) == []


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("--calibration", "leaderboard r.assay --calibration a.json --calibration b.json"),
        ("--audit", "leaderboard r.assay --audit=a.json --wide --audit=b.json"),
        ("--output", "export r.assay -o a.csv --output b.csv"),
        ("--number", "agree draw r.assay --protocol coverage -o study -n 3 -n3"),
        ("--drawn", "calibrate r.assay --human p.csv --drawn a.json --drawn b.json"),
        ("--run", "evaluate tasks.jsonl reports --run a.assay --run b.assay"),
        ("--judge", "agree support pairs.csv --judge offline --judge offline"),
        ("--config", "--config a.toml --config b.toml lint report.md"),
    ],
)
def test_a_second_value_of_an_option_that_takes_one_is_refused(
    deepassay: Run, name: str, typed: str
) -> None:
    for named in ("r.assay", "p.csv", "report.md"):
        Path(named).touch()
    done = deepassay(*typed.split())
    assert done.returncode == 2
    assert done.stderr == (
        f"deepassay: {name} takes one value, and is given 2 times.\n  Keep the one that is meant.\n"
    )


def test_options_that_may_be_repeated_and_flags_are_taken_again(
    deepassay: Run, tmp_path: Path
) -> None:
    report = tmp_path / "report.md"
    report.write_text("# A harbour\n\nIt silts up.\n", "utf-8")
    ignored = ("--ignore", "DA106", "--ignore", "DA201")
    assert deepassay("lint", report, *ignored, "--quiet", "--quiet").returncode == 0
