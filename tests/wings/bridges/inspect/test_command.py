"""The commands of Inspect itself, on logs of ours and against a judge on loopback."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

from inspect_ai import score
from inspect_ai.log import read_eval_log

from deepassay.wings.bridges.inspect.scorers import as_scorer
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.wings.bridges.inspect.logs import (
    CHECKLIST,
    REPORT,
    log_of,
    model,
    sample,
    scores_in,
    written,
)

KEY = "key-that-stays-secret"


def inspect(*arguments: str, here: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `inspect` in a folder."""
    return subprocess.run(
        ["inspect", *arguments],
        cwd=here,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_inspect_score_with_a_panel_keeps_first_scores_causes_and_no_key(tmp_path):
    asked = {"assay_checklist": CHECKLIST}
    samples = [sample("a", metadata=asked), sample("b", f"{REPORT}\nMore.", metadata=asked)]
    log = log_of([*samples, sample("c")])
    first = score(log, as_scorer("coverage"), model_roles={"judge": model("j")}, display="none")
    written(first, tmp_path / "first.eval")

    with FakeJudge(verdicts) as judge:
        done = inspect(
            "score", "first.eval", "--scorer", "deepassay/coverage", "--action", "append",
            "--model-role", "judge=openai-api/one/no-usage,openai-api/other/prose",
            "--output-file", "both.eval", here=tmp_path,
            ONE_BASE_URL=judge.base_url, ONE_API_KEY=KEY,
            OTHER_BASE_URL=judge.base_url, OTHER_API_KEY=KEY,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    alone, panel = (scores_in(tmp_path / "both.eval", name) for name in ("coverage", "coverage1"))
    assert "mockllm/j" in (alone["a"].metadata or {})["signature"]
    assert "openai-api/other/prose" in (panel["a"].metadata or {})["signature"]
    judges = (panel["a"].metadata or {})["details"]["judges"]
    assert judges["openai-api/one/no-usage"]["value"] == panel["a"].value
    assert judges["openai-api/other/prose"]["cause"] == "answer_unreadable"
    assert {(each["c"].metadata or {})["cause"] for each in (alone, panel)} == {"missing_input"}
    results = read_eval_log(str(tmp_path / "both.eval"), header_only=True).results
    assert results
    counts = [(each.scored_samples, each.unscored_samples) for each in results.scores]
    assert counts == [(2, 1), (2, 1)]
    with zipfile.ZipFile(tmp_path / "both.eval") as members:
        assert not any(KEY.encode() in members.read(name) for name in members.namelist())
