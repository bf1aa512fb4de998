"""Agents from run to run: what each scored, and how far that is from the first and the last time.

Only runs whose recipes are that of the newest one stand in a row; the others are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from deepassay.errors import BadInput, BadSetting
from deepassay.files import as_json
from deepassay.glossary import legend
from deepassay.results.aggregate import Aggregate, aggregate
from deepassay.results.comparing import Contest
from deepassay.results.differences import ComparisonTerms, Difference, adjusted
from deepassay.results.leads import p_told, some
from deepassay.results.opening import judges_told
from deepassay.results.overview import notices_on
from deepassay.results.ranges import ranges_of
from deepassay.results.records import NO_READING
from deepassay.results.revisions import Revision, gap_between, recipe_gap, sides_of
from deepassay.results.score_and_mean import by_told, score_note
from deepassay.results.tables import (
    NONE,
    Table,
    as_csv,
    as_given,
    ends_of,
    in_range,
    low_and_high,
    printable,
    scored_of,
    several,
    with_sign,
)
from deepassay.results.wrapped_tables import written_narrow
from deepassay.score import Json
from deepassay.stats.testing import ALPHA


@dataclass(frozen=True)
class TrendPoint:
    """An agent in one run. since_first, since_last: this less the first run, and the one before,
    over the tasks of both; None where there is no such run, or no task with a score of both.
    """

    run: Revision
    summary: Aggregate
    since_first: Difference | None = None
    since_last: Difference | None = None


@dataclass(frozen=True)
class Trend:
    """An agent by one protocol, its runs by their days. contest: of the newest with the first.

    score_note: what changes are of, where the score of any run is another than the mean over tasks.
    """

    agent: str
    protocol: str
    points: tuple[TrendPoint, ...]
    contest: Contest
    score_note: tuple[str, ...] = ()


@dataclass(frozen=True)
class Series:
    """Several runs in the order of their days. aside: what is in no trend, with the reason."""

    runs: tuple[Revision, ...]
    trends: tuple[Trend, ...]
    aside: tuple[str, ...]


def series(runs: Sequence[Revision], agents: Sequence[str], terms: ComparisonTerms) -> Series:
    """The trends of runs, which come in the order of their days. agents: only these, if any.

    Of each protocol the recipe of the newest run counts. Raises BadSetting for an agent that is in
    no run, BadInput where no agent was judged twice by one recipe.
    """
    known = dict.fromkeys(agent for run in runs for agent in run.agents)
    for agent in agents:
        if agent not in known:
            raise BadSetting(
                f"{as_given(agent)} is neither a file nor an agent that was judged.",
                f"Agents: {', '.join(map(as_given, known))}.",
            )
    aside: dict[str, list[str]] = {}
    trends: list[Trend] = []
    for protocol in dict.fromkeys(name for run in reversed(runs) for name in run.of_protocol):
        having = [run for run in runs if protocol in run.of_protocol]
        alike = []
        for run in runs:
            if run not in having:
                aside.setdefault(f"not judged by {protocol}", []).append(run.name)
            elif keys := recipe_gap(protocol, run, having[-1]):
                why = f"by another recipe of {protocol} ({', '.join(keys)})"
                aside.setdefault(why, []).append(run.name)
            else:
                alike.append(run)
        every = dict.fromkeys(agent for run in alike for agent in run.agents)
        for agent in [each for each in every if not agents or each in agents]:
            own = [run for run in alike if run.of(protocol, agent)]
            if len(own) > 1 and (found := _trend(protocol, agent, own, terms)):
                trends.append(found)
            else:
                aside.setdefault(f"in one such run alone by {protocol}", []).append(agent)
    left_out = tuple(f"{why}: {some(names)}" for why, names in aside.items())
    if not trends:
        raise BadInput(
            f"No agent was judged twice by one recipe: {'; '.join(left_out)}.",
            "Give runs of the same protocols, judge and agents.",
        )
    gaps = iter(adjusted([gap for each in trends if (gap := each.points[-1].since_first)]))
    return Series(
        tuple(runs),
        tuple(_with_p(each, gaps) if each.points[-1].since_first else each for each in trends),
        left_out,
    )


def _with_p(trend: Trend, gaps: Iterator[Difference]) -> Trend:
    *earlier, last = trend.points
    return replace(trend, points=(*earlier, replace(last, since_first=next(gaps))))


def _trend(
    protocol: str, agent: str, runs: Sequence[Revision], terms: ComparisonTerms
) -> Trend | None:
    """None where no two runs share a task."""
    points: list[TrendPoint] = []
    contest: Contest | None = None
    note: tuple[str, ...] = ()
    for run in runs:
        own = run.of(protocol, agent)
        point = TrendPoint(run, aggregate(own, ranges_of(own)))
        if points:
            to_first = _contest(protocol, agent, points[0].run, run, terms)
            to_last = _contest(protocol, agent, points[-1].run, run, terms)
            contest = to_first or contest
            for each in filter(None, (to_first, to_last)):
                note = note or score_note(each, "since first, since the last one and p")
            point = replace(point, since_first=_gap(to_first), since_last=_gap(to_last))
        points.append(point)
    return Trend(agent, protocol, tuple(points), contest, note) if contest else None


def _contest(
    protocol: str, agent: str, old: Revision, new: Revision, terms: ComparisonTerms
) -> Contest | None:
    before, now = sides_of(protocol, old, new, agent, agent)
    return gap_between(before, now, terms) if now else None


def _gap(contest: Contest | None) -> Difference | None:
    return contest.differences[0] if contest and contest.differences else None


def write_series(found: Series, format: str) -> str:
    """As text, Markdown, CSV or JSON."""
    if format == "csv":
        return as_csv(_rows(found))
    if format == "json":
        return as_json({"said": opening_of(found), "rows": _rows(found), "left_out": found.aside})
    tables = [_table(each) for each in found.trends]
    told = legend("since first", "since the last one")
    tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, told))
    if found.aside:
        left = f"Left out: {'; '.join(found.aside)}."
        tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, left))
    notices = notices_on(*(each.contest for each in found.trends))
    return written_narrow(tables, format, (*opening_of(found), *notices))


def opening_of(found: Series) -> tuple[str, ...]:
    """Who judged how many runs of when, and how far every agent is from where it began."""
    first, last = found.runs[0], found.runs[-1]
    agents = {each.agent for each in found.trends}
    told = [
        f"{several(len(found.runs), 'run')} from {first.day or 'an unknown day'} to "
        f"{last.day or 'an unknown day'}, judged by "
        f"{judges_told([each.contest for each in found.trends])}: {several(len(agents), 'agent')} "
        f"by {several(len({each.protocol for each in found.trends}), 'protocol')}."
    ]
    groups: dict[str, list[str]] = {}
    for each in found.trends:
        how, what = _told(each)
        groups.setdefault(how, []).append(what)
    order = ("Worse", "Better", "May be chance", "As at first", NO_READING.capitalize())
    return (*told, *(f"{how}: {some(groups[how])}." for how in order if how in groups))


def _told(trend: Trend) -> tuple[str, str]:
    """Which way it went since the first run, and what is to be said of it."""
    name, gap = f"{trend.agent} by {by_told(trend.contest)}", trend.points[-1].since_first
    if not trend.contest.reads:
        return NO_READING.capitalize(), name
    if gap is None or abs(gap.mean) <= 1e-9:
        return "As at first", name
    limits = trend.contest.limits
    ends = f"95 % interval {ends_of(gap.interval, limits)}" if gap.interval else ""
    p = f"p {p_told(gap.adjusted)}" if gap.adjusted is not None else ""
    sure = "; ".join(filter(None, (ends, p)))
    told = f"{name} {with_sign(gap.mean, limits)}" + (f" ({sure})" if sure else "")
    if gap.adjusted is None or gap.adjusted >= ALPHA:
        return "May be chance", told
    return ("Better" if gap.mean > 0 else "Worse"), told


def _table(trend: Trend) -> Table:
    limits = trend.contest.limits

    def change(gap: Difference | None) -> str:
        if gap is None:
            return NONE
        ends = f" ({ends_of(gap.interval, limits)})" if gap.interval else ""
        return f"{with_sign(gap.mean, limits)}{ends}"

    head = ("run", "day", "score", "95 % interval", "tasks", "since first", "since the last one")
    rows = (
        (
            each.run.name,
            each.run.day or NONE,
            in_range(each.summary.mean, limits),
            ends_of(each.summary.interval, limits),
            scored_of(each.summary.tasks),
            change(each.since_first),
            change(each.since_last),
        )
        for each in trend.points
    )
    blind = [f"{NO_READING}: the offline rule cannot tell good reports from bad ones by it."]
    return Table.listed(
        f"{trend.agent} by {trend.protocol}",
        head,
        rows,
        (*trend.score_note, *blind * (not trend.contest.reads)),
        words=2,
    )


def _rows(found: Series) -> list[dict[str, Json]]:
    return [
        {
            "agent": printable(trend.agent),
            "protocol": trend.protocol,
            "run": each.run.name,
            "date": each.run.day,
            "mean": each.summary.mean,
            **low_and_high("interval", each.summary.interval),
            "tasks": each.summary.tasks.scored,
            "tasks_expected": each.summary.tasks.expected,
            **_change("first", each.since_first),
            **_change("last", each.since_last),
            "reading": trend.contest.reads,
        }
        for trend in found.trends
        for each in trend.points
    ]


def _change(name: str, gap: Difference | None) -> dict[str, Json]:
    p = gap.permutation.p if gap and gap.permutation else None
    return {
        f"since_{name}": gap.mean if gap else None,
        **low_and_high(f"since_{name}", gap.interval if gap else None),
        f"since_{name}_p": p,
        f"since_{name}_tasks": gap.tasks.scored if gap else 0,
    }
