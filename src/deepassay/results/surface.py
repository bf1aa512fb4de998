"""What code reads off reports, an agent a row: the table that stands where no model has judged.

Each count is a part of the scores of protocol `surface`; the share of statements with a source is
the score itself. Here stand its mean and its spread by agent, findings of lint by kind, and the
reports that look worst.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import fmean, median
from typing import Final

from deepassay.results.aggregate import task_means
from deepassay.results.evidence import evidence_of
from deepassay.results.ranges import inside
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import NONE, Table, of_label, several
from deepassay.score import Score, report_key, without_options
from deepassay.stats.intervals import Interval, t_interval

SURFACE: Final = "surface"
"""The protocol that counts without asking anybody."""

WORST: Final = 5
"""Reports that the first screen names."""

SOURCED: Final = "sourced"
WHOLE_FROM: Final = 4.95
"""What rounds to five or more has no decimals."""

MEASURES: Final[Mapping[str, str]] = {
    "words": "words",
    "citations": "citations",
    "resolve": "citations that lead to a source, %",
    SOURCED: "statements sourced, %",
    "sources": "different sources",
    "hosts": "different hosts",
    "dead": "dead links",
    "findings": "findings of lint",
}
"""What is counted of a report, by the head of its column, in words."""

_SHARES: Final = ("resolve", SOURCED)
_LIMITS: Final = Interval(0.0, 100.0)
_COUNTS: Final = Interval(0.0, inf)

LEGEND: Final = (
    "Means over tasks, ± half of their 95 % interval; nobody was asked. cites: citations in the "
    "text; resolve: % of these, to an entry of the reference list or an address; sourced: % of the "
    "statements, by a citation in them or at the end of their paragraph; findings: of `lint`."
)


INTERVAL_FROM: Final = 3
"""Tasks from which on an interval is shown: of two, Student's t spans all that there is."""


@dataclass(frozen=True)
class _CountSpread:
    """One count over the reports of an agent. interval: of the mean over tasks.

    half: of its width, without end where there is none.
    """

    mean: float
    interval: Interval | None
    half: float
    median: float
    low: float
    high: float


def is_surface(protocol: str) -> bool:
    """Whether a protocol of this name counts what code reads off reports."""
    return without_options(protocol) == SURFACE


def surface_tables(
    records: Sequence[Judged], label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """All tables: the means, how far they spread, findings by kind, the worst reports.

    Nothing where something else was judged.
    """
    if not is_surface(records[0].protocol):
        return ()
    found = tuple(_spreads(judged) for judged in by_agent(records).values())
    means, *worst = read_off(records, label)
    return (means, *_distributions(records, found, label), *_kinds(records, label), *worst)


def read_off(records: Sequence[Judged], label: tuple[str, str] | None = None) -> tuple[Table, ...]:
    """The means of each agent, with what tells agents apart, and the worst reports."""
    agents = by_agent(records)
    found = {agent: _spreads(judged) for agent, judged in agents.items()}
    there = [name for name in MEASURES if any(name in own for own in found.values())]
    heads = ["cites" if name == "citations" else name for name in there]
    rows = ((agent, *(_mean(own.get(name)) for name in there)) for agent, own in found.items())
    notes = (LEGEND, *_lacking(agents), *_apart(found))
    title = f"Read off the reports{of_label(label)}"
    return (Table.listed(title, ("agent", *heads), rows, notes), *_worst(records, label))


def _spreads(records: Sequence[Judged]) -> dict[str, _CountSpread]:
    """Every measure of one agent that any of its reports has."""
    found = {}
    for name in MEASURES:
        leaves = [
            ((each.task, each.sample), value)
            for each in records
            if (value := _measure(each, name)) is not None
        ]
        if leaves:
            values, means = [value for _, value in leaves], [*task_means(leaves).values()]
            whole = t_interval(means) if len(means) >= INTERVAL_FROM else None
            found[name] = _CountSpread(
                mean=fmean(means),
                interval=inside(whole, _LIMITS if name in _SHARES else _COUNTS),
                half=(whole.high - whole.low) / 2 if whole else inf,
                median=median(values),
                low=min(values),
                high=max(values),
            )
    return found


def _measure(record: Judged, name: str) -> float | None:
    if not isinstance(record.outcome, Score):
        return None
    return record.outcome.value if name == SOURCED else record.outcome.parts.get(name)


def _mean(spread: _CountSpread | None) -> str:
    """`1178 ±48`: as narrow as can be; whole from five on, unless `half` is below one."""
    if spread is None:
        return NONE
    if spread.half < 1 or spread.mean < WHOLE_FROM:
        mean, half = _number(spread.mean, spread.half), _number(spread.half)
    else:
        mean, half = f"{spread.mean:.0f}", f"{spread.half:.0f}"
    return mean if spread.interval is None else f"{mean} ±{half}"


def _number(value: float, half: float = inf) -> str:
    """As many digits as anybody reads: one decimal below five, and where `half` is below one.

    half: of the interval that the number stands beside, whose ends shall not look like the mean.
    """
    whole = half >= 1 and (value >= WHOLE_FROM or value == int(value))
    return f"{value:,.0f}" if whole else f"{value:,.1f}"


def _apart(found: Mapping[str, Mapping[str, _CountSpread]]) -> Iterator[str]:
    """Of each measure the highest and the lowest agent, where their intervals do not meet."""
    told = []
    for name, words in MEASURES.items():
        known = [(agent, own[name]) for agent, own in found.items() if name in own]
        sure = [(agent, spread, spread.interval) for agent, spread in known if spread.interval]
        if len(sure) < 2:
            continue
        top, bottom = (pick(sure, key=lambda each: each[1].mean) for pick in (max, min))
        if top[2].low > bottom[2].high:
            both = (
                f"{_number(own.mean, own.half)} ({_ends(interval)}) of {agent}"
                for agent, own, interval in (top, bottom)
            )
            told.append(f"  {words}: {', '.join(both)}")
    if told:
        yield "Farthest apart, where 95 % intervals do not meet:"
        yield from told


def _lacking(agents: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """Of whom not all reports that were expected could be counted, and what has no share."""
    alike: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for agent, judged in agents.items():
        alike[sum(isinstance(each.outcome, Score) for each in judged), len(judged)].append(agent)
    for (done, expected), named in alike.items():
        if done < expected:
            yield f"Counted are {done} of {several(expected, 'report')} of {', '.join(named)}."
    counted = [e for own in agents.values() for e in own if isinstance(e.outcome, Score)]
    if uncited := sum(_measure(each, "resolve") is None for each in counted):
        of = several(len(counted), "report")
        yield f"resolve leaves out {uncited} of {of}, where nothing is cited."


def _distributions(
    records: Sequence[Judged],
    found: Sequence[Mapping[str, _CountSpread]],
    label: tuple[str, str] | None,
) -> Iterator[Table]:
    """A row for each measure and agent."""
    rows = [
        (
            words,
            agent,
            _number(own[name].mean, own[name].half),
            _ends(own[name].interval),
            _number(own[name].median),
            f"{_number(own[name].low)} to {_number(own[name].high)}",
        )
        for name, words in MEASURES.items()
        for agent, own in zip(by_agent(records), found, strict=True)
        if name in own
    ]
    head = ("of a report", "agent", "mean", "95 % interval", "median", "least to most")
    note = "Mean and interval over tasks, the rest over reports."
    title = f"{records[0].protocol}{of_label(label)}: how far reports spread"
    yield Table.listed(title, head, rows, (note,), words=2)


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return NONE
    half = (interval.high - interval.low) / 2
    return f"{_number(interval.low, half)} to {_number(interval.high, half)}"


def _kinds_of(record: Judged) -> Counter[str]:
    """Findings of a report by the code of their rule."""
    items = evidence_of(record).items
    return Counter({each.key: each.verdict for each in items if isinstance(each.verdict, int)})


def _kinds(records: Sequence[Judged], label: tuple[str, str] | None) -> Iterator[Table]:
    """Findings in a report on average, a row for each kind, agents across."""
    agents = by_agent(records)
    sums = {agent: sum(map(_kinds_of, judged), Counter[str]()) for agent, judged in agents.items()}
    codes = sorted({code for own in sums.values() for code in own})
    rows = [
        (code, *(_number(sums[agent][code] / len(judged)) for agent, judged in agents.items()))
        for code in codes
    ]
    if rows:
        title = f"{records[0].protocol}{of_label(label)}: findings in a report, by kind"
        note = "`deepassay lint --rule CODE` says what a rule finds, and why it matters."
        yield Table.listed(title, ("rule", *agents), rows, (note,))


def most_found(records: Sequence[Judged]) -> list[Judged]:
    """The reports with findings, the most first; of equals that with fewer statements sourced."""
    first = {report_key(each): each for each in records if each.repeat == 0}

    def order(each: Judged) -> tuple[float, ...]:
        return -_kinds_of(each).total(), _measure(each, SOURCED) or 0.0

    return [each for each in sorted(first.values(), key=order) if _kinds_of(each)]


def _worst(records: Sequence[Judged], label: tuple[str, str] | None) -> Iterator[Table]:
    rows = [
        (each.agent, each.task, str(_kinds_of(each).total()), _told(_kinds_of(each)))
        for each in most_found(records)[:WORST]
    ]
    if rows:
        title = f"Worst reports first{of_label(label)}, by findings of lint"
        table = Table.listed(title, ("agent", "task", "findings", "most of them"), rows)
        yield replace(table, numeric=frozenset({2}))


def _told(kinds: Counter[str]) -> str:
    """The kind that there is most of, by the name of its rule, and how many others there are."""
    ((kind, count),) = kinds.most_common(1)
    others = kinds.total() - count
    rest = f" and {several(others, 'other')}" if others else ""
    return f"{kind.rpartition(' ')[2]} ×{count}{rest}"
