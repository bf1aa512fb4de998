"""The fixture `deepassay`, in a pytest of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.preloaded import python

REPORT = (
    "# Sky\n\nScattering is named: air scatters blue light [1].\n\n## References\n\n[1] A. Sky.\n"
)
TASK = '{"id": "a", "prompt": "Why is the sky blue?", "checklist": ["Is scattering named?"]}'


WRITTEN = f"""
TASK = {TASK}

def test_reaches(deepassay):
    run = deepassay.assert_report("report.md", TASK, {{"presentation": 10}})
    assert run.summary.tally.scored == 1
    print("kept", run.summary.tally.kept)

def test_below(deepassay):
    deepassay.assert_report("report.md", TASK, {{"presentation": 101}})

def test_unscored(deepassay):
    deepassay.assert_report("report.md", "Why?", {{"rubrics": 0.1}})
"""


def run(folder: Path, *options: str) -> str:
    """What pytest prints about the tests in a folder."""
    command = python(
        "import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))",
        *("-q", "-p", "no:cacheprovider", *options),
    )
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    return done.stdout


@pytest.fixture
def written(tmp_path: Path) -> Path:
    (tmp_path / "report.md").write_text(REPORT)
    (tmp_path / "test_it.py").write_text(WRITTEN)
    return tmp_path


def test_who_reaches_the_floor_passes_and_others_fail_with_evidence_or_reason(written):
    said = run(written)
    assert "2 failed, 1 passed" in said
    _, below, unscored = re.split(r"_{5,} test_\w+ _{5,}", said.partition("short test summary")[0])
    assert "report has " in below and "under presentation; 101 is asked for." in below
    assert "p1" in below.lower() and "Traceback" not in below
    assert "has no score (missing_input) under rubrics" in unscored


def test_answers_are_kept_where_a_folder_is_named(written):
    for kept in ("0", "1"):
        said = run(written, "-s", "-k", "reaches", "--deepassay-runs", "runs")
        assert "1 passed" in said and f"kept {kept}" in said, said
    assert len(list((written / "runs").glob("*.assay"))) == 1


def test_nothing_is_loaded_before_the_fixture_is_asked_for():
    code = (
        "import sys, deepassay.run.pytest_plugin as plugin;"
        "print(sorted(each for each in sys.modules if each.startswith('deepassay')"
        " or each in ('numpy', 'pydantic')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['deepassay', 'deepassay.run', 'deepassay.run.pytest_plugin']"
