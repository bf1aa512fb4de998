"""The evidence behind the scores of one report, from its run file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from deepassay.errors import BadInput
from deepassay.models.fence import place_of_quote
from deepassay.results.explain import explain
from deepassay.results.quoted_passages import SourcePage
from deepassay.run.showing.records import Judgements, records_of
from deepassay.runfile import RunFile

KEPT = 64
"""Pages held ready: the findings of a report come back to the few that it cites."""


class RunArchive:
    """The pages of several run files, looked up by the names of their snapshots."""

    def __init__(self, runs: Sequence[RunFile]) -> None:
        self._runs = runs
        self.page = lru_cache(maxsize=KEPT)(self._page)

    def place(self, text: str, quote: str) -> tuple[int, int] | None:
        """Where a quote stands in a text, blanks and typography aside."""
        return place_of_quote(text, quote)

    def _page(self, snapshot: str) -> SourcePage | None:
        for run in self._runs:
            found = run.captures.to_read(snapshot)
            if found is not None and found.text is not None:
                return SourcePage(found.url, found.title, found.fetched, found.text)
        return None


def evidence_as_text(path: Path, agent: str, task: str, protocol: str | None = None) -> str:
    """The evidence behind the scores of one report as text; raises as `explain` does.

    Only its own outcomes are read, unless there are none: then an error names others, those of
    its task, or all.
    """
    with RunFile.read(path) as run:
        try:
            own = [*Judgements(run, agent).of_task(task)]
            return explain(own, agent, task, protocol, RunArchive([run]))
        except BadInput:
            records = [*Judgements(run).of_task(task)]
            if not any(each.agent == agent for each in records):
                records = records_of([path])
            return explain(records, agent, task, protocol)
