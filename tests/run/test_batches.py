"""A run in batches: the scores of a live run at half the price, wherever it is stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deepassay.errors import BadSetting
from deepassay.models.batches import desks
from deepassay.models.batches.desk import Pacing
from deepassay.run.evaluate import evaluate
from deepassay.run.records import as_lines
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from tests.batching import NEVER, FakeBatches
from tests.judging import verdicts

from .kills import settings as of_the_demo

QUICK = Pacing(idle=0.05, first=0.01, longest=0.02)
PRICE = {"input": 10, "output": 100}


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Five protocols over the reports of one task of the demo, at a known price."""
    monkeypatch.setattr(desks, "PACING", QUICK)
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"good": PRICE}))
    return of_the_demo(tmp_path, tasks=1) | {"prices": str(prices), "allow_unpriced": False}


def run_of(options: dict[str, Any], **more: Any) -> Any:
    given = options | more
    tasks, reports = Path(given.pop("tasks")), [Path(given.pop("reports"))]
    return evaluate(tasks, reports, Settings(**given))


def scores_in(path: Path) -> list[str]:
    """Every outcome as it is exported, but for its cost, and by which way it was come by."""
    with RunFile.read(path) as run:
        lines = list(as_lines(run))
    for line in lines:
        line["record"] = {**line["record"], "batched": None}
    return [json.dumps(line, sort_keys=True) for line in lines]


def test_scores_in_batches_are_those_of_live_asking_at_half_the_price(tmp_path, options):
    with FakeBatches(verdicts) as service:
        options["base_url"] = service.base_url
        live = run_of(options, run=tmp_path / "live")
        asked = service.paid.total()
        batched = run_of(options, run=tmp_path / "batched", batch=True)
        again = run_of(options, run=tmp_path / "batched")
    assert scores_in(tmp_path / "batched") == scores_in(tmp_path / "live")
    # What is asked next depends on what was answered: some waves, and not a batch for each case.
    assert 2 <= len(service.batches) <= 6
    assert service.paid.total() == 2 * asked  # and nothing for the last run
    assert batched.spent == pytest.approx(live.spent / 2) and again.spent == batched.spent
    with RunFile.read(tmp_path / "batched") as run:
        records = [score.record for score in run.scores()]
    for record in records:  # an agent that cites nothing is scored without a question
        assert record.get("batched", []) == [name for name in record["served"] if name != "offline"]
    assert sum("batched" in record for record in records) > 10


def test_a_run_that_waits_for_no_batch_goes_on_when_it_is_back(tmp_path, options):
    path = tmp_path / "run.assay"
    with FakeBatches(verdicts, polls=NEVER) as service:
        options |= {"base_url": service.base_url, "run": path}
        ends = [run_of(options, batch=True, batch_wait=0.0) for _ in range(2)]
        assert [end.out_of_time for end in ends] == [True, True]
        assert ends[0].tally.left and ends[0].waiting[0].state == "submitted"
        assert "the same command collects the answers" in "".join(ends[0].lines())
        with pytest.raises(BadSetting, match="questions wait in batch 1"):
            run_of(options)  # live they would be paid for twice
        service.polls = 1
        whole = run_of(options, batch=True)
        assert whole.tally.left == 0 and not whole.waiting
        live = run_of(options, run=tmp_path / "live")
    assert scores_in(path) == scores_in(tmp_path / "live")
    assert set(service.paid.values()) == {1}
    assert whole.spent == pytest.approx(live.spent / 2)
