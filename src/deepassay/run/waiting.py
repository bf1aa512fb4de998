"""Batches that a run waits for: what is told of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from deepassay.errors import BadInput
from deepassay.runfile import Batch, RunFile
from deepassay.runfile.batching import OPEN


def told_waiting(batches: Sequence[Batch], run: Path) -> Iterator[str]:
    """What goes on at providers, for a person."""
    if batches:
        requests = sum(batch.requests for batch in batches)
        number = "one batch" if len(batches) == 1 else f"{len(batches)} batches"
        where = ", ".join(sorted({batch.provider for batch in batches}))
        yield (
            f"Waiting: {requests:,} questions, in {number} with {where}. They go on there, and "
            "are charged for; the same command collects the answers. "
            f"`deepassay batches {run}` lists them."
        )


COLUMNS = ("batch", "state", "requests", "answered", "cost", "submitted", "results", "provider")


def lines_of(run: Path) -> Iterator[Sequence[str]]:
    """A line for each batch of a run file, below the names of its columns. Raises BadRunFile.

    cost: USD set aside for it. results: until when the provider keeps them, if it says so.
    """
    yield COLUMNS
    with RunFile.read(run) as file:
        for batch in file.batching.batches():
            yield (
                str(batch.number),
                batch.state,
                f"{batch.requests:,}",
                f"{batch.answered:,}",
                "-" if batch.reserved is None else f"${batch.reserved:.4f}",
                batch.times.get("submitted", "-"),
                batch.times.get("deleted", "-"),
                batch.provider + (f": {batch.detail}" if batch.detail else ""),
            )


def forget(run: Path, number: int) -> None:
    """Wait no more for a batch: its questions are asked anew. Raises BadInput if none waits."""
    with RunFile.create(run) as file:
        held = {each.batch for each in file.batching.requests.values()}
        for batch in file.batching.batches():
            if batch.number == number and (number in held or batch.state in OPEN):
                asyncio.run(file.batching.drop(batch, "it was given up"))
                return
    raise BadInput(f"{run}: no batch {number} is waited for.", f"See `deepassay batches {run}`.")
