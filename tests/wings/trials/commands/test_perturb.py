"""`perturb`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_changed_reports_are_scored_beside_the_originals(deepassay: Run, demo: Path) -> None:
    done = deepassay(
        "perturb", demo / "reports", "-o", "changed", "--only", "drop-section", "--only", "pad"
    )
    assert done.returncode == 0
    assert "drop-section: 12 of 18 reports; needs two sections\n" in done.stderr
    assert "pad: 18 of 18 reports\nWrote 30 reports to changed\n" in done.stderr
    assert done.stdout == ""
    scored = deepassay(
        "evaluate", demo / "tasks.jsonl", demo / "reports", "changed",
        "--protocol", "presentation", "--judge", "offline", "--date", "2026-05-04",
    )  # fmt: skip
    assert scored.returncode == 0, scored.stderr
    board = deepassay("leaderboard", "run.assay", "--format", "json").stdout
    for agent in ("magpie", "magpie+pad", "magpie+drop-section", "cuckoo+pad"):
        assert f'"{agent}"' in board
    told = json.loads(Path("changed/changes.json").read_text(encoding="utf-8"))
    assert {row["original"]["agent"] for row in told} == {"cuckoo", "heron", "magpie"}


def test_only_some_perturbations_with_seed_and_share(deepassay: Run, demo: Path) -> None:
    reports = demo / "reports"
    options = ("--only", "pad", "--only", "drop-section", "--share", "0.5", "--seed", "7")
    assert deepassay("perturb", reports, "-o", "changed", *options).returncode == 0
    agents = {path.name for path in Path("changed").iterdir() if path.is_dir()}
    assert {agent.split("+")[1] for agent in agents} == {"pad", "drop-section"}
    again = deepassay("perturb", reports, "-o", "changed", *options[:6], "--seed", "8")
    assert again.returncode == 2
    assert "is there and differs. It was not touched.\n" in again.stderr
    assert "--force" in again.stderr
    forced = deepassay("perturb", reports, "-o", "changed", *options[:6], "--seed", "8", "--force")
    assert forced.returncode == 0


def test_list_says_what_there_is_and_what_to_expect(deepassay: Run) -> None:
    done = deepassay("perturb", "--list")
    assert done.returncode == 0
    assert "delete-citations\n  Takes citations out" in done.stdout
    assert "  lower: citation_association\n" in done.stdout


def test_what_is_wrong_is_said_with_a_remedy(deepassay: Run, demo: Path) -> None:
    reports = demo / "reports"
    for arguments, said in (
        ((), "Name reports, or folders of reports."),
        ((reports,), "Name one with -o"),
        ((reports, "-o", "out", "--only", "drop_section"), "These exist: drop-section, "),
        ((reports, "-o", "out", "--share", "2"), "A share is above 0 and at most 1."),
        ((reports, "-o", "out", "--only", "drop-section", "--share", "0.5"), "These do: delete"),
        (("nowhere", "-o", "out"), "no such file or folder"),
    ):
        done = deepassay("perturb", *arguments)
        assert done.returncode == 2, arguments
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    assert not Path("out").exists()
