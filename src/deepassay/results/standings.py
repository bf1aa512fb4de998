"""The rows of a ranking: which place each agent has, and why one has none.

A place says whose mean over all tasks of the ranking is higher. Where some tasks of an agent are
unscored it may depend on them: then the agent has every place between that which it would have
had the missing tasks scored worst for it, and best. With too few tasks scored it has none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Final, NamedTuple

from deepassay.results.aggregate import Aggregate, aggregate, means_of_tasks
from deepassay.results.ranges import Ranges, clipped
from deepassay.results.records import NO_READING, REFERENCE, Judged
from deepassay.results.tables import NONE, scored_of
from deepassay.results.unscored import possible_mean, possible_scores
from deepassay.stats.intervals import Interval
from deepassay.stats.ranks import TIE

RANKED_FROM: Final = 0.8
"""The share of the tasks of a ranking that an agent must have a score for to have a place."""

NAMED: Final = 5
"""Agents that a note names; of more it says how many."""


PEOPLE: Final = (
    "people: what people would give on average, in their unit, by their labels and the judge's "
    "scores (95 % interval); see `deepassay calibrate`. Ranks are by the score."
)


class RankRange(NamedTuple):
    """The best and the worst place that an agent can have, from 1."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best} to {self.worst}"


def in_span(value: float, span: tuple[float, float]) -> str:
    """A number of which it is known how far others of its kind lie apart."""
    wide = span[1] - span[0]
    return f"{value:.{3 if wide <= 1 else 2 if wide <= 20 else 1}f}"


def with_ends(
    value: float | None, interval: tuple[float, float] | None, span: tuple[float, float]
) -> str:
    """A number as `in_span` has it, with its interval in brackets."""
    if value is None:
        return NONE
    ends = f" ({' to '.join(in_span(end, span) for end in interval)})" if interval else ""
    return f"{in_span(value, span)}{ends}"


class ByPeople(NamedTuple):
    """What people would give the agent on average, by their labels and the judge's scores.

    span: the lowest and the highest label. labels: how many. why: there is no value.
    """

    value: float | None
    interval: Interval | None
    span: Interval
    labels: int
    why: str = ""

    def __str__(self) -> str:
        """Value and interval, with the digits that the range of the labels asks for."""
        return with_ends(self.value, self.interval, self.span)


@dataclass(frozen=True)
class Standing:
    """One row of a ranking.

    ranks: among the agents that have any; None without one. mark: the letter of its recipe in a
    mixed ranking, where an agent has a row for each recipe. reads: False where the mean gives no
    order, see `Judged.reads`. reference: whether the others are scored against its reports.
    coverage: share of the tasks of the ranking that it has a score for. possible: of a row that has
    a place, the mean over all tasks had the unscored ones scored worst, and best. people: where the
    judge is calibrated, what stands beside the mean.
    """

    agent: str
    summary: Aggregate
    mark: str = ""
    reads: bool = True
    reference: bool = False
    coverage: float = 1.0
    ranks: RankRange | None = None
    possible: Interval | None = None
    people: ByPeople | None = None

    @property
    def rank(self) -> int | None:
        """The place, equal means sharing the better one; None without one, or if it is open."""
        return self.ranks.best if self.ranks and self.ranks.best == self.ranks.worst else None

    @property
    def place(self) -> str:
        """The rank as tables show it."""
        if not self.reads and self.summary.mean is not None:
            return NO_READING
        return str(self.ranks or NONE)

    @property
    def remarks(self) -> str:
        """What tables put behind the name: that it is the reference, and the letter of a recipe."""
        reference = f" {REFERENCE}" if self.reference else ""
        return reference + (f" [{self.mark}]" if self.mark else "")

    @property
    def name(self) -> str:
        """The agent as tables name it."""
        return self.agent + self.remarks

    @property
    def is_thin(self) -> bool:
        """Whether it has a mean that rests on too few tasks for a place."""
        return self.summary.mean is not None and self.coverage < RANKED_FROM


def standings(
    records: Sequence[Judged],
    letters: Mapping[str, str],
    ranges: Ranges,
    again: Callable[[str], Iterable[Judged]] = lambda agent: (),
) -> tuple[Standing, ...]:
    """A row for each agent and recipe: by rank, then those without one; else by falling mean.

    letters: of the recipes, by their digests. ranges: of the metric, see `ranges_of`. again: reads
    the judgements of an agent with their parts.
    """

    def in_parts(agent: str, letter: str) -> list[Judged]:
        return [each for each in again(agent) if letters[each.signature.digest] == letter]

    groups: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in records:
        groups[each.agent, letters[each.signature.digest]].append(each)
    tasks = {each.task for each in records}
    rows: list[Standing] = []
    for (agent, letter), own in sorted(groups.items()):
        row = Standing(
            agent,
            summary := aggregate(own, ranges, partial(in_parts, agent, letter)),
            letter,
            all(each.reads for each in own),
            any(each.is_reference for each in own),
            summary.tasks.scored / len(tasks),
        )
        ranked = row.reads and not row.reference and row.coverage >= RANKED_FROM
        rows.append(replace(row, possible=_possible(own, tasks, ranges, row)) if ranked else row)
    return tuple(sorted(placed(rows), key=by_place))


def placed(rows: Sequence[Standing]) -> tuple[Standing, ...]:
    """Rows of one recipe, perhaps of several rankings, in their order: each with its place."""
    known = [row.possible for row in rows if row.possible is not None]
    return tuple(
        row if row.possible is None else replace(row, ranks=_ranks(row.possible, known))
        for row in rows
    )


def by_place(row: Standing) -> tuple[bool, RankRange, bool, float]:
    """What rows are sorted by: by rank, then those without one, each by falling mean."""
    mean = row.summary.mean
    return row.ranks is None, row.ranks or RankRange(0, 0), mean is None, -(mean or 0.0)


def _possible(
    records: Sequence[Judged], tasks: Iterable[str], ranges: Ranges, row: Standing
) -> Interval:
    """The mean over all tasks, had the unscored ones scored worst, and best."""
    mean = row.summary.mean
    if row.coverage == 1 and mean is not None:
        return Interval(mean, mean)
    if records[0].pools:  # nobody knows how much an unscored task would weigh
        return Interval(-inf, inf)
    found = possible_mean(possible_scores(means_of_tasks(records), tasks, ranges))
    return Interval(*map(clipped, found)) if records[0].clips else found


def _ranks(own: Interval, others: Sequence[Interval]) -> RankRange:
    """Among `others`, of which it is one."""
    return RankRange(
        1 + sum(each.low - own.high > TIE for each in others),
        1 + sum(each.high - own.low > TIE for each in others) - (own.high - own.low > TIE),
    )


def rank_notes(rankings: Mapping[str, Sequence[Standing]]) -> tuple[str, ...]:
    """Why some rows have no rank, or several, and why some have no interval, in sentences.

    rankings: by names, which are told where there are several.
    """
    rows = [row for own in rankings.values() for row in own]
    notes = []
    if any(row.reference for row in rows):
        notes.append(f"{REFERENCE}: the others are scored against it; its own score is no result.")
    if thin := _some([*_thin(rankings)]):
        notes.append(
            f"No rank: scored in fewer than {RANKED_FROM:.0%} of the tasks ({', '.join(thin)}). "
            "`deepassay compare` looks at the tasks that two agents share."
        )
    if any(row.ranks is not None and row.rank is None for row in rows):
        notes.append("Ranks `1 to 2`: which one depends on tasks that are unscored.")
    notes += _by_people(rows)
    scored = [row.summary for row in rows if row.summary.mean is not None and not row.reference]
    if any(summary.interval is None for summary in scored):
        notes.append("No interval: there is one task, or all tasks have the same score.")
    return tuple(notes)


def _by_people(rows: Sequence[Standing]) -> Iterator[str]:
    """What the column of people means, and why dashes stand in it."""
    beside = [(row.name, row.people) for row in rows if row.people is not None]
    if beside:
        yield PEOPLE
    for why in dict.fromkeys(people.why for _, people in beside if people.why):
        names = _some([name for name, people in beside if people.why == why])
        yield f"people: none for {', '.join(names)}: {why}."


def _some(names: Sequence[str]) -> list[str]:
    """The first of many names, and how many more there are."""
    more = len(names) - NAMED
    return [*names[:NAMED], f"and {more} more"] if more > 1 else [*names]


def _thin(rankings: Mapping[str, Sequence[Standing]]) -> Iterator[str]:
    """Who has too few tasks, and how many."""
    for name, rows in rankings.items():
        under = f" under {name}" if len(rankings) > 1 else ""
        for row in rows:
            if row.is_thin and row.reads and not row.reference:
                yield f"{row.name} {scored_of(row.summary.tasks)}{under}"
