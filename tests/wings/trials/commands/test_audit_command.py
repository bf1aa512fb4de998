"""`audit`, as a person types it, and what `leaderboard` makes of its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.results.judgements import unfolded

QUICK = ("--quick", "--protocol", "citation_association", "--date", "2026-05-04")


@pytest.fixture
def asked(demo: Path) -> tuple[str, ...]:
    return "audit", str(demo / "tasks.jsonl"), str(demo / "reports"), *QUICK


def test_a_judge_is_tried_and_its_audit_stands_beside_its_scores(
    deepassay: Run, demo: Path, asked: tuple[str, ...]
) -> None:
    done = deepassay(*asked)
    assert done.returncode == 0, done.stderr
    assert "18 reports on 6 tasks, each judged twice, and " in done.stderr
    assert "had nothing of the kind to change: break-number 8" in done.stderr
    assert "12 where 90 % of them fall" in done.stderr
    assert "it noticed 0 % (95 % interval 0 to 28 %) of broken citation numbers" in unfolded(
        done.stdout
    )
    assert "Wrote audit.audit.json." in done.stderr
    options = ("--protocol", "citation_association", "--date", "2026-11-20")
    deepassay("evaluate", demo / "tasks.jsonl", demo / "reports", *options)
    board = deepassay("leaderboard", "run.assay", "--audit", "audit.audit.json")
    assert "audit of 2026-05-04: offline by citation_association" in unfolded(board.stdout)
    rows = json.loads(
        deepassay(
            "leaderboard", "run.assay", "--audit", "audit.audit.json", "--format", "json"
        ).stdout
    )
    assert any("audit of" in notice for notice in rows[0]["notices"])
    deepassay("evaluate", demo / "tasks.jsonl", demo / "reports", "--protocol", "coverage",
              "--run", "other.assay")  # fmt: skip
    other = deepassay("leaderboard", "other.assay", "--audit", "audit.audit.json")
    assert other.returncode == 2
    assert "audits citation_association; the scores are by coverage" in unfolded(other.stderr)


def test_the_same_again_is_there_already_and_a_file_of_others_stays(
    deepassay: Run, asked: tuple[str, ...]
) -> None:
    first = deepassay(*asked, "--reports", "4")
    Path("mine.json").write_text("{}")
    again = deepassay(*asked, "--reports", "4", "-o", "mine.json")
    assert again.returncode == 2 and Path("mine.json").read_text() == "{}"
    assert "judgements" not in again.stderr, "refused before anything is read"
    forced = deepassay(*asked, "--reports", "4", "-o", "mine.json", "--force", "--format", "json")
    assert "were there already" in forced.stderr
    assert forced.stdout == Path("audit.audit.json").read_text() == Path("mine.json").read_text()
    assert first.stdout != forced.stdout


def test_an_estimate_asks_nothing(deepassay: Run, asked: tuple[str, ...]) -> None:
    done = deepassay(*asked, "--estimate")
    assert done.returncode == 0 and done.stdout == ""
    assert " questions; free of charge" in done.stderr
    assert not Path("audit.assay").exists()


def test_a_run_file_of_scores_in_the_settings_is_not_taken(
    deepassay: Run, asked: tuple[str, ...]
) -> None:
    Path("assay.toml").write_text('run = "scores.assay"\n')
    assert deepassay(*asked, "--reports", "4").returncode == 0
    assert Path("audit.assay").exists() and not Path("scores.assay").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--change", "pad"), "There is no change 'pad'. These exist: drop-section,"),
        (("--family", "birds"), "nothing is known of agents"),
        (("--reports", "1"), "--reports"),
    ],
)
def test_what_is_wrong_is_said(
    deepassay: Run, asked: tuple[str, ...], more: tuple[str, ...], said: str
) -> None:
    done = deepassay(*asked, *more)
    assert done.returncode == 2
    assert said in unfolded(done.stderr)
