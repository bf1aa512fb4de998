"""The fixture `deepassay`, in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPORT = (
    "# Sky\n\nScattering is named: air scatters blue light [1].\n\n## References\n\n[1] A. Sky.\n"
)
TASK = '{"id": "a", "prompt": "Why is the sky blue?", "checklist": ["Is scattering named?"]}'


@pytest.fixture
def run_test(tmp_path: Path):
    (tmp_path / "report.md").write_text(REPORT)

    def run(body: str, *options: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_it.py").write_text(f"def test_it(deepassay):\n    {body}\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )

    return run


def test_a_report_that_reaches_the_floor_passes(run_test):
    done = run_test(
        f"run = deepassay.assert_report('report.md', {TASK}, {{'presentation': 10}})\n"
        "    assert run.summary.tally.scored == 1"
    )
    assert done.returncode == 0, done.stdout


def test_one_below_it_fails_with_its_evidence(run_test):
    done = run_test(f"deepassay.assert_report('report.md', {TASK}, {{'presentation': 101}})")
    assert done.returncode == 1
    assert "report has " in done.stdout and "under presentation; 101 is asked for." in done.stdout
    assert "p1" in done.stdout.lower() and "Traceback" not in done.stdout


def test_one_without_a_score_fails_with_the_reason(run_test):
    done = run_test("deepassay.assert_report('report.md', 'Why?', {'rubrics': 0.1})")
    assert done.returncode == 1
    assert "has no score (missing_input) under rubrics" in done.stdout


def test_answers_are_kept_where_a_folder_is_named(run_test, tmp_path):
    body = (
        f"run = deepassay.assert_report('report.md', {TASK}, {{'presentation': 1}})\n"
        "    print(run.summary.tally.kept)"
    )
    for kept in ("0", "1"):
        done = run_test(body, "-s", "--deepassay-runs", "runs")
        assert done.returncode == 0, done.stdout
        assert done.stdout.startswith(kept)
    assert len(list((tmp_path / "runs").glob("*.assay"))) == 1


def test_nothing_is_loaded_before_the_fixture_is_asked_for():
    code = (
        "import sys, deepassay.run.pytest_plugin as plugin;"
        "print(sorted(each for each in sys.modules if each.startswith('deepassay')"
        " or each in ('numpy', 'pydantic')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['deepassay', 'deepassay.run', 'deepassay.run.pytest_plugin']"
