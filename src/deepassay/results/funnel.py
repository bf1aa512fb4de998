"""The funnel of retrieval, a row an agent: what was findable, found, opened and cited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from deepassay.results.evidence import Funnel, Stages, single_outcomes
from deepassay.results.ranges import inside
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import NONE, Table, decimals, of_label
from deepassay.stats.intervals import Interval, Units

RELEVANT_HEAD: Final = (
    *("agent", "reports", "findable", "found", "opened", "cited"),
    *("found of findable", "opened of found", "cited of opened"),
)
ALL_HEAD: Final = (
    *("agent", "reports", "found", "opened", "cited"),
    *("opened of found", "cited of opened", "never opened", "dead or blocked"),
)
NOTE: Final = (
    "Averages over reports. found: by a search, or opened. cited: of those that were opened. "
    "Ratios are of all pages together, with 95 % intervals over tasks (cluster jackknife)."
)
RELEVANT_NOTE: Final = (
    "Of the pages that answer the tasks. The three ratios multiply to the share that is pooled."
)
ALL_NOTE: Final = (
    "Of all pages. never opened, dead or blocked: addresses that reports cite all the same; "
    "`deepassay explain` names them."
)
_WHOLE: Final = Interval(0.0, 1.0)

Seen = Sequence[tuple[str, Funnel]]
"""Funnels of one agent, each with its task."""


def funnel_tables(
    records: Sequence[Judged], label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """Of the relevant pages, where these are known, and of all; nothing where nobody saw a search.

    label: name and value by which the tasks were picked.
    """
    seen = {agent: _seen(judged) for agent, judged in by_agent(records).items()}
    title = f"{records[0].protocol}{of_label(label)}"
    relevant = [
        (agent, [(task, each.relevant) for task, each in own if each.relevant is not None])
        for agent, own in seen.items()
    ]
    of_relevant = [(agent, *_row(own)) for agent, own in relevant if own]
    of_all = [
        (agent, *_row([(task, each.pages) for task, each in own]), *_named(own))
        for agent, own in seen.items()
        if own
    ]
    return (
        *_table(f"{title}: relevant pages", RELEVANT_HEAD, of_relevant, RELEVANT_NOTE),
        *_table(f"{title}: pages", ALL_HEAD, of_all, ALL_NOTE),
    )


def _table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], note: str
) -> Iterator[Table]:
    if rows:
        yield Table.listed(title, head, rows, (NOTE, note))


def _seen(records: Sequence[Judged]) -> Seen:
    """The funnel of each judgement; all judges of a panel count the same pages."""
    funnels = ((each.task, single_outcomes(each)[0].evidence.funnel) for each in records)
    return [(task, funnel) for task, funnel in funnels if funnel is not None]


def _row(counted: Sequence[tuple[str, Stages]]) -> Iterator[str]:
    """How many reports, pages of each stage in one, and the ratio of each stage to that before."""
    yield str(len(counted))
    known = all(each.findable is not None for _, each in counted)
    stages = ("findable", "found", "opened", "cited")[not known :]
    for stage in stages:
        yield decimals(sum(getattr(each, stage) for _, each in counted) / len(counted), 1)
    for whole, part in pairwise(stages):
        yield _ratio([(task, getattr(each, part), getattr(each, whole)) for task, each in counted])


def _ratio(counted: Sequence[tuple[str, int, int]]) -> str:
    """Parts of wholes of tasks as one share with its interval: `0.75 [0.50, 1.00]`."""
    parts: defaultdict[str, int] = defaultdict(int)
    wholes: defaultdict[str, int] = defaultdict(int)
    for task, part, whole in counted:
        if whole:
            parts[task] += part
            wholes[task] += whole
    if not wholes:
        return NONE
    units = Units(
        np.array([*parts.values()], dtype=float), np.array([*wholes.values()], dtype=float)
    )
    interval = inside(units.interval(), _WHOLE)
    told = decimals(units.mean, 2)
    if interval is None:
        return told
    return f"{told} [{decimals(interval.low, 2)} to {decimals(interval.high, 2)}]"


def _named(seen: Seen) -> tuple[str, str]:
    """How many addresses are cited unopened, and how many dead or blocked, in all reports."""
    return (
        str(sum(len(each.unopened) for _, each in seen)),
        str(sum(len(each.lost) for _, each in seen)),
    )
