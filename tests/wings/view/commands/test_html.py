"""`html`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepassay.runfile import RunFile
from deepassay.wings.view.writing import LIMIT, write_page
from tests.cli.conftest import Run
from tests.wings.view.test_files import SMALL


@pytest.fixture
def run(few: Path, tmp_path: Path) -> Path:
    """A small run, which a test may change."""
    return few.rename(tmp_path / "run.assay")


def test_a_page_that_is_there_is_overwritten_only_on_request(
    deepassay: Run, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "results.html").write_text("mine")
    done = deepassay("html", run, "-o", "results.html")
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert (tmp_path / "results.html").read_text() == "mine"
    assert deepassay("html", run, "-o", "results.html", "--force").returncode == 0
    assert "<!doctype html>" in (tmp_path / "results.html").read_text(encoding="utf-8")


def test_a_run_file_is_never_the_page(deepassay: Run, run: Path) -> None:
    before = run.read_bytes()
    assert deepassay("html", run, "-o", run, "--force").returncode == 2
    assert run.read_bytes() == before


def test_a_folder_for_the_page_is_refused_in_words(
    deepassay: Run, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "taken").mkdir()
    done = deepassay("html", run, "-o", "taken", "--force")
    assert done.returncode == 2
    assert "is a folder" in done.stderr
    assert not list(tmp_path.glob(".taken*"))


def test_runs_with_different_reports_of_one_agent_are_refused(
    deepassay: Run, demo: Path, later: Path
) -> None:
    done = deepassay("html", demo, later, "-o", "results.html")
    assert done.returncode == 2
    assert "different reports of" in done.stderr


def test_an_index_says_what_follows(deepassay: Run, demo: Path) -> None:
    done = deepassay("html", demo, "-o", "results.html", "--largest", str(SMALL))
    assert done.returncode == 0
    assert "follows in results-pages" in done.stderr


@pytest.mark.slow
def test_the_page_of_forty_long_reports_is_one_file(
    deepassay: Run, shared: Path, repository: Path, tmp_path: Path
) -> None:
    """An eighth of them, in an eighth of the limit: each adds what it takes."""
    metrics = ("presentation", "consistency", "coverage", "citation_association", "fact")
    deepassay(
        *("evaluate", repository / "tests/live/tasks.jsonl", shared / "data" / "live" / "reports"),
        *(word for each in (*metrics, "citation_accuracy") for word in ("--protocol", each)),
        *("--offline-sources", "--judge", "offline", "--run", "live.assay", "--limit", "5"),
    )
    done = write_page([tmp_path / "live.assay"], tmp_path / "results.html", limit=LIMIT // 8)
    assert done.folder is None
    assert (tmp_path / "results.html").read_text("utf-8").count('<details class="report"') == 5
    assert done.size < 2_250_000


def test_what_is_known_of_a_judge_stands_above_its_numbers(
    deepassay: Run, run: Path, tmp_path: Path
) -> None:
    with RunFile.read(run) as file:
        name, identity = next(iter(file.protocols().items()))
    audit = {
        "audit": 1,
        "version": "1",
        "date": "2026-05-04",
        "seed": 1,
        "quick": False,
        "texts": "0",
        "judges": [
            {
                "protocol": name,
                "judge": "x",
                "identity": {**identity, "prompts": "moved"},
                "span": None,
                "reports": 8,
                "tasks": 8,
                "unscored": 0,
                "rows": [],
                "noise": None,
                "biases": [],
                "sentence": "x is blind.",
            }
        ],
    }
    (tmp_path / "audit.json").write_text(json.dumps(audit))
    done = deepassay("html", run, "-o", "results.html", "--audit", "audit.json")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "results.html").read_text(encoding="utf-8")
    assert "STALE, and counts for nothing: the audit of 2026-05-04" in page
    assert "prompts was moved in the audit" in page
