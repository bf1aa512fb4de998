"""What agents took: reports, minutes, tokens and cost, and how their runs ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deepassay.glossary import meaning
from deepassay.results.tables import Table, cause_counts
from deepassay.runfile import StoredRun
from deepassay.score import Json

NOTE: Final = (
    "Runs of agents, as `deepassay research` kept them or as their traces have them. minutes, "
    "tokens and $ are means over the runs of which they are known; a dash says that nobody knows, "
    "which is not zero. by rule: "
    f"{meaning('by rule')}, in all runs."
)
_MINUTE: Final = 60.0


@dataclass
class RunTotals:
    """What the runs of one agent took in all; each list has the runs of which it is known."""

    runs: int = 0
    reports: int = 0
    seconds: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    stops: Counter[str] = field(default_factory=Counter)
    fallbacks: list[int] = field(default_factory=list)

    def count(self, stored: StoredRun) -> None:
        """Add a run: its report, seconds, tokens, USD, end and answers by rule."""
        run = stored.run
        self.runs += 1
        self.reports += run.report is not None
        if run.seconds:
            self.seconds.append(run.seconds)
        if tokens := run.tokens:
            self.tokens.append(sum(tokens.get(way, 0) for way in ("input", "output")))
        if run.cost is not None:
            self.costs.append(run.cost)
        self.stops[run.stop] += 1
        if isinstance(told := run.record.get("fallbacks"), list):
            self.fallbacks.append(len(told))

    def row(self) -> dict[str, Json]:
        """The totals as JSON: seconds, tokens and USD of a run on average, null where unknown."""
        return {
            "runs": self.runs,
            "reports": self.reports,
            "seconds": _mean(self.seconds),
            "tokens": _mean(self.tokens),
            "cost": _mean(self.costs),
            "cost_known": len(self.costs),
            "stops": dict(sorted(self.stops.items())),
            "fallbacks": sum(self.fallbacks) if self.fallbacks else None,
        }


Agents = Mapping[str, RunTotals]
"""What each agent took, by its name."""


def run_totals(runs: Iterable[StoredRun]) -> dict[str, RunTotals]:
    """What each agent took, by its name in their order."""
    found: dict[str, RunTotals] = {}
    for each in runs:
        found.setdefault(each.agent, RunTotals()).count(each)
    return dict(sorted(found.items()))


def agent_tables(agents: Agents) -> tuple[Table, ...]:
    """A row an agent; nothing where no agent was run."""
    if not agents:
        return ()
    rows = (
        (
            agent,
            f"{each.reports}/{each.runs}",
            "-" if (seconds := _mean(each.seconds)) is None else f"{seconds / _MINUTE:.1f}",
            "-" if (tokens := _mean(each.tokens)) is None else f"{tokens:,.0f}",
            "-" if (cost := _mean(each.costs)) is None else f"{cost:.2f}",
            str(sum(each.fallbacks)) if each.fallbacks else "-",
            cause_counts(each.stops),
        )
        for agent, each in agents.items()
    )
    head = ("agent", "reports", "minutes", "tokens", "$", "by rule", "ended")
    table = Table.listed("agents", head, rows, (NOTE,))
    return (Table(table.title, table.head, table.rows, table.notes, frozenset({1, 2, 3, 4, 5})),)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
