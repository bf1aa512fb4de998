"""A run that grades long reports by rubrics, killed as a user's machine may kill it."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from deepassay.runfile import RunFile
from tests.cli.conftest import STARTED
from tests.graded import write_graded_set
from tests.judging import verdicts
from tests.loopback import FakeJudge

REPORTS, CRITERIA, CONNECTIONS = 6, 26, 8


def answers_in(run: Path) -> int:
    with RunFile.read(run) as file:
        return len(file.answers())


def test_nothing_is_lost_and_no_question_is_paid_twice_but_those_on_their_way(deepassay, tmp_path):
    graded = write_graded_set(tmp_path / "set", REPORTS, CRITERIA)
    with FakeJudge(verdicts, latency=0.05) as judge:
        asked = (
            *("evaluate", *graded.options, "--protocol", "rubrics", "--date", "2026-05-04"),
            *("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced"),
            *("--max-connections", str(CONNECTIONS), "--run"),
        )
        assert deepassay(*asked, "undisturbed").returncode == 0
        assert len(judge.requests) == REPORTS * CRITERIA
        judge.requests.clear()

        run = tmp_path / "killed"
        with subprocess.Popen([STARTED, *asked, str(run)], stderr=subprocess.DEVNULL) as process:
            while len(judge.requests) < REPORTS * CRITERIA // 3:
                time.sleep(0.02)
            process.kill()
        while judge.busy:
            time.sleep(0.02)
        kept, sent = answers_in(run), len(judge.requests)
        assert sent < REPORTS * CRITERIA  # or it was killed too late to show anything
        assert sent - kept <= CONNECTIONS

        assert deepassay(*asked, run).returncode == 0
        assert len(judge.requests) == sent + REPORTS * CRITERIA - kept
    assert deepassay("export", run).stdout == deepassay("export", "undisturbed").stdout
    assert deepassay("replay", run).returncode == 0
