"""What the page is made of: judgements, and the texts and pages that they speak of.

Who is best and how sure that is, in a sentence for each protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deepassay.results.agents import Agents
from deepassay.results.comparing import compare
from deepassay.results.differences import ComparisonTerms, Difference
from deepassay.results.lengths import MeasuredReport
from deepassay.results.overview import board_heading
from deepassay.results.quoted_passages import Archive
from deepassay.results.ranking import Board
from deepassay.results.records import NO_READING, Judged
from deepassay.results.standings import Standing, rank_notes
from deepassay.results.tables import ends_of, in_range, p_value, several
from deepassay.score import Json
from deepassay.stats.intervals import Interval
from deepassay.stats.testing import ALPHA


@dataclass(frozen=True)
class LintRemark:
    """A mechanical finding in a report. start, end: characters of its text. line: from 1."""

    code: str
    message: str
    reason: str
    start: int
    end: int
    line: int


@dataclass(frozen=True)
class JudgedText:
    """A report as it was judged.

    sample: which of several answers, from 1. statements: where those begin and end that it makes,
    by their wording without citations.
    """

    agent: str
    task: str
    sample: int
    text: str
    remarks: tuple[LintRemark, ...] = ()
    statements: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run as a whole.

    spent: USD, as far as known; unpriced: some of it is not. usage: tokens by kind. attempts: by
    the kind of end they came to.
    """

    name: str
    configuration: Mapping[str, Json]
    spent: float
    unpriced: bool
    usage: Mapping[str, int]
    attempts: Mapping[str, int]


@dataclass(frozen=True)
class Content:
    """All that the page shows. tasks: identifier and prompt, in the order of the page.

    lengths: of the reports, which some figures draw. agents: what their runs took.
    """

    boards: Sequence[Board]
    records: Sequence[Judged]
    tasks: Mapping[str, str]
    reports: Sequence[JudgedText]
    runs: Sequence[RunFacts]
    archive: Archive
    version: str
    lengths: Sequence[MeasuredReport] = ()
    agents: Agents = field(default_factory=dict)


FEW: Final = 6
"""Fewer tasks cannot come to a p below ALPHA by changes of sign."""

LISTED: Final = 4
"""Agents that a sentence names at most."""


def leads(boards: Sequence[Board], records: Sequence[Judged]) -> Iterator[tuple[Board, str, str]]:
    """Every ranking over all tasks in which somebody was scored: its name, and who is best."""
    all_offline = all(board.offline for board in boards)
    for board in boards:
        scored = [row for row in board.standings if row.summary.mean is not None]
        if board.label is None and scored:
            name = board.protocol if all_offline else board_heading(board)
            if board.baseline:
                name = name.replace(f"(baseline={board.baseline!r})", f" against {board.baseline}")
            yield board, name, _sentence(board, scored, records)


def _sentence(board: Board, rows: Sequence[Standing], records: Sequence[Judged]) -> str:
    if not board.reads:
        means = sorted(row.summary.mean or 0.0 for row in rows)
        said = f"{NO_READING}: the offline rule cannot tell good reports from bad ones by it."
        return f"{said} The means are {ends_of((means[0], means[-1]), board.limits)}."
    ranked = [row for row in rows if row.ranks]
    if not ranked:
        return " ".join(rank_notes({board.protocol: rows})) or "Nobody has a rank."
    first, *others = ranked
    tasks = first.summary.tasks
    count = f"{tasks.scored} of {several(tasks.expected, 'task')}"
    has = f"{first.agent} has {_mean(first, board.limits)} over {count}"
    if not others:
        return f"{has}; there is nobody to rank it with."
    if others[0].ranks and others[0].ranks.best == 1:
        return _shared(ranked, has)
    second = others[0]
    ahead = f"{first.agent} is first with {_mean(first, board.limits)} over {count}; next is "
    said = f"{ahead}{second.agent} with {in_range(second.summary.mean, board.limits)}"
    if len(board.recipes) > 1:
        return f"{said}. These scores were not made by one recipe."
    own = [each for each in records if each.protocol == board.protocol]
    (contest,) = compare(own, (first.agent, second.agent), ComparisonTerms())
    found = contest.differences
    return f"{said}. {_how_sure(found[0], board.limits)}" if found else f"{said}."


def _shared(ranked: Sequence[Standing], has: str) -> str:
    """Several agents may be the first: because they are equal, or for want of some tasks."""
    firsts = [row for row in ranked if row.ranks and row.ranks.best == 1]
    names = [row.agent for row in firsts[1:]]
    likewise = ", ".join(names[:LISTED]) + (" and others" if len(names) > LISTED else "")
    if any(row.rank is None for row in firsts):
        return f"Unscored tasks decide who is first: {has}; it may as well be {likewise}."
    return f"{len(firsts)} agents share the first place: {has}, {likewise} likewise."


def _mean(row: Standing, limits: Interval | None) -> str:
    text, interval = in_range(row.summary.mean, limits), row.summary.interval
    return f"{text} (95 % interval {ends_of(interval, limits)})" if interval else text


def _how_sure(found: Difference, limits: Interval | None) -> str:
    told = f"Over {several(found.tasks.scored, 'task')} of both, the difference is "
    told += in_range(found.mean, limits)
    told += f" ({ends_of(found.interval, limits)})" if found.interval else ""
    if found.tasks.scored < FEW or found.permutation is None:
        return f"{told}: too few tasks to tell chance from skill."
    p = found.permutation.p
    sure = "more than chance explains" if p < ALPHA else "chance may give as much"
    if lacking := found.tasks.expected - found.tasks.scored:
        sure += f", whatever {several(lacking, 'unscored task')} would have scored" * (p < ALPHA)
        sure += f" with the {several(lacking, 'unscored task')} against it" * (p >= ALPHA)
    return f"{told}, p {p_value(p) if p < 0.001 else f'= {p_value(p)}'}: {sure}."
