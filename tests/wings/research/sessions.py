"""Sessions for agents under test: a scratch run file, no model, no network."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deepassay.agents import Session, Tools
from deepassay.models.budget import Budget
from deepassay.runfile import RunFile
from deepassay.sources.snapshots import Snapshots
from deepassay.wings.research.search.opening import OpenSearches


class NoModels:
    """Agents that need no model have none."""

    async def asker(self, *asked: object) -> Any:
        raise AssertionError("a model was asked for")

    client = asker


@contextmanager
def session(
    folder: Path,
    environment: Mapping[str, str] | None = None,
    *,
    models: Any = None,
    handle: Any = None,
    sandbox: str = "",
):
    """A session in this folder; `session.kept` lists the handles that were kept."""
    kept: list[Any] = []

    async def keep(value: Any) -> None:
        kept.append(value)

    with RunFile.in_memory() as run:
        tools = Tools(
            run,
            models or NoModels(),
            Budget(),
            Snapshots(run.captures),
            environment or {},
            OpenSearches(),
        )
        made = Session(1, folder, tools, keep, handle, sandbox)
        vars(made)["kept"] = kept
        yield made
