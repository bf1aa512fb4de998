"""Having agents answer, as a library: tasks and agents in, the run with their reports out."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deepassay.agents.agent import Agent
from deepassay.agents.registry import agents_of
from deepassay.run.asking.agent_runs import ResearchTerms
from deepassay.run.declared import file_given
from deepassay.run.library import Run, in_a_thread
from deepassay.run.settings import Settings
from deepassay.tasks.loaders import GivenTasks
from deepassay.wings.research.answering import aresearch as carry_out

GivenAgents = Mapping[str, str | Agent | Mapping[str, Any]]
"""By their names: a SPEC, a table as in `assay.toml`, or an agent."""


def research(
    tasks: GivenTasks,
    agents: GivenAgents,
    *,
    run: str | Path | None = None,
    terms: ResearchTerms | None = None,
    **settings: Any,  # noqa: ANN401 - each is checked by its declaration
) -> Run:
    """Have agents answer tasks, and give the run: `evaluate(tasks, run.path)` scores it.

    run: the file that keeps everything; None for one that lasts as long as the object that is
    returned. terms: answers to each task, runs at a time and the like. Raises DeepAssayError.
    """
    return in_a_thread(lambda: aresearch(tasks, agents, run=run, terms=terms, **settings))


async def aresearch(
    tasks: GivenTasks,
    agents: GivenAgents,
    *,
    run: str | Path | None = None,
    terms: ResearchTerms | None = None,
    **settings: Any,  # noqa: ANN401 - each is checked by its declaration
) -> Run:
    """Have agents answer as `research` does, in the caller's event loop.

    Who cancels it keeps what is done.
    """
    known = {name: _agent(name, given) for name, given in agents.items()}
    scratch = Path(tempfile.mkdtemp(prefix="deepassay-")) if run is None else None
    try:
        path = scratch / "run.assay" if scratch is not None else file_given(run)
        await carry_out(tasks, known, Settings(**settings, run=path), terms or ResearchTerms())
    except BaseException:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
        raise
    return Run(path, scratch=scratch)


def _agent(name: str, given: str | Agent | Mapping[str, Any]) -> Agent:
    if isinstance(given, Agent):
        return given
    if isinstance(given, str):
        return agents_of([f"{name}={given}"], {})[name]
    return agents_of([name], {name: given})[name]
