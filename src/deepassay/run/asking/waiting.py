"""Batches that a run waits for: what is told of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from deepassay.errors import BadInput
from deepassay.runfile import Batch, RunFile
from deepassay.runfile.batching import OPEN


def told_waiting(batches: Sequence[Batch], run: Path) -> Iterator[str]:
    """What goes on at providers, or lies in files for somebody, for a person."""
    submitted = [each for each in batches if each.state == "submitted"]
    files = [each for each in submitted if "file" in each.handle]
    if there := [each for each in submitted if "file" not in each.handle]:
        yield (
            f"Waiting: {_counted(there)}. They go on there, and are charged for; the same command "
            f"collects the answers. `deepassay batches {run}` lists them."
        )
    for each in files:
        name = each.handle["file"]
        yield (
            f"Waiting: {_counted([each])}: {name}. Have it carried out, with the results beside it "
            f"in {name.removesuffix('.jsonl')}.results.jsonl; the same command collects them."
        )
    if unknown := [each for each in batches if each.state == "planned"]:
        why = "; ".join(sorted({each.detail for each in unknown} - {""}))
        yield (
            f"Not heard of: {_counted(unknown)}{why and f' ({why})'}. Whether they arrived, the "
            "same command finds out before it asks anew."
        )


def _counted(batches: Sequence[Batch]) -> str:
    """How many questions, in how many batches, and where."""
    requests = sum(batch.requests for batch in batches)
    questions = "one question" if requests == 1 else f"{requests:,} questions"
    number = "one batch" if len(batches) == 1 else f"{len(batches)} batches"
    return f"{questions}, in {number} with {', '.join(sorted({each.provider for each in batches}))}"


COLUMNS = (
    *("batch", "state", "requests", "answered", "set aside", "cost", "submitted", "results"),
    "provider",
)


def lines_of(run: Path) -> Iterator[Sequence[str]]:
    """A line for each batch of a run file, below the names of its columns. Raises BadRunFile.

    set aside: USD, as long as it is waited for. cost: USD of the answers that have been read.
    results: until when the provider keeps them, if it says so.
    """
    yield COLUMNS
    with RunFile.read(run) as file:
        costs = file.batching.costs()
        for batch in file.batching.batches():
            yield (
                str(batch.number),
                batch.state,
                f"{batch.requests:,}",
                f"{batch.answered:,}",
                _usd(batch.reserved if batch.state in OPEN else None),
                _usd(costs.get(batch.number)),
                batch.times.get("submitted", "-"),
                batch.times.get("deleted", "-"),
                batch.provider + (f": {batch.detail}" if batch.detail else ""),
            )


def _usd(amount: float | None) -> str:
    return "-" if amount is None else f"${amount:.4f}"


def forget(run: Path, number: int) -> None:
    """Wait no more for a batch: its questions are asked anew. Raises BadInput if none waits.

    What was set aside for it counts as spent: the provider may carry it out all the same.
    """
    with RunFile.create(run) as file:
        held = {each.batch for each in file.batching.requests.values()}
        for batch in file.batching.batches():
            if batch.number == number and (number in held or batch.state in OPEN):
                asyncio.run(file.batching.drop(batch, "it was given up", charged=True))
                return
    raise BadInput(f"{run}: no batch {number} is waited for.", f"See `deepassay batches {run}`.")
