"""Batches of a file, beside attempts that others made."""

from __future__ import annotations

import pytest

from deepassay.runfile import Attempt, RunFile
from deepassay.runfile.batching import Request

WHEN = "2026-11-28T00:00:00+00:00"


@pytest.mark.asyncio
async def test_attempts_of_files_that_were_merged_in_are_of_no_batch_of_this_file(tmp_path):
    with RunFile.create(tmp_path / "run.assay") as run:
        merged = [("one-1", 5.0), ("two-3", 2.0), ("7f-ab", 1.0), ("of no batch", 1.0)]
        run.keep_attempts([Attempt("k", 1, "answered", cost=cost, id=id) for id, cost in merged])
        batch, _ = await run.batching.plan("s", "p", [Request("n", "key", cost=0.5)], WHEN)
        assert batch.number == 4
        assert batch.number not in run.batching.costs()
