"""Topics as tables: demand and tasks by topic, and how two distributions compare (Table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from deepassay.files import as_json
from deepassay.results.tables import NONE, Table, as_csv, decimals, percent, tables_as_text
from deepassay.score import Json
from deepassay.stats.correlation import spearman
from deepassay.stats.distributions import (
    Association,
    association,
    by_chance,
    jensen_shannon,
    top_overlap,
    total_variation,
)
from deepassay.stats.ranks import Floats
from deepassay.tasks.entries import write_file
from deepassay.tasks.topics import TOPICS, Topic
from deepassay.wings.build.topics.allocation import Allocation
from deepassay.wings.build.topics.topics import PASSED, Demands

TOP: Final = 5
"""Of the largest topics, that two sets are said to have in common."""

SURE: Final = 0.95


@dataclass(frozen=True)
class Apart:
    """How far apart two distributions are. Each is None where it is undefined."""

    total_variation: float | None
    jensen_shannon: float | None
    cramers_v: float | None
    spearman: float | None
    top: int


def apart(ours: Floats, theirs: Floats) -> Apart:
    """Of counts of the same topics; Spearman's coefficient over those that either side has."""
    strength = association(ours, theirs)
    there = ours + theirs > 0
    return Apart(
        total_variation(ours, theirs),
        jensen_shannon(ours, theirs),
        None if strength is None else strength.v,
        spearman(ours[there], theirs[there]),
        top_overlap(ours, theirs, TOP),
    )


@dataclass(frozen=True)
class TopicComparison:
    """Two distributions over the 22 topics. name: of the other. seed: for what chance makes."""

    ours: Demands
    theirs: Demands
    name: str
    seed: int

    @cached_property
    def found(self) -> Apart:
        """How far apart the two distributions are."""
        return apart(*self._counts)

    @cached_property
    def strength(self) -> Association | None:
        """Chi-square of their table."""
        return association(*self._counts)

    @cached_property
    def chance(self) -> dict[str, float | None]:
        """What 95 of 100 pairs of such samples from one law do not pass, by the fields of Apart.

        Distances stay at or below it, Spearman's coefficient and the overlap at or above it.
        """
        draws = by_chance(*self._counts, np.random.default_rng([self.seed, 0]))
        rows = [asdict(apart(*pair)) for pair in draws]
        ends = {"spearman": 1 - SURE, "top": 1 - SURE}
        return {
            name: _quantile([row[name] for row in rows], ends.get(name, SURE))
            for name in asdict(self.found)
        }

    @property
    def _counts(self) -> tuple[Floats, Floats]:
        one, other = (
            np.array([each.counts[topic] for topic in TOPICS]) for each in (self.ours, self.theirs)
        )
        return one, other


def _quantile(values: Sequence[float | None], share: float) -> float | None:
    known = [each for each in values if each is not None]
    return float(np.quantile(known, share)) if known else None


def allocation_file(queries: Path) -> Path:
    """The table that belongs to a file of sorted queries."""
    return queries.with_name(f"{queries.stem}.allocation.csv")


def write_allocation(path: Path, demands: Demands, allocation: Allocation[Topic]) -> None:
    """Write demand and tasks by topic anew. Raises BadTasks."""
    write_file(path, as_csv(topic_rows(demands, allocation)))


def topic_rows(demands: Demands, allocation: Allocation[Topic]) -> list[dict[str, Json]]:
    """A record for each topic, the largest first."""
    return [
        {
            "topic": topic,
            "queries": demands.counts[topic],
            "share": demands.share(topic),
            "tasks": allocation.of(topic),
            **allocation.tasks[topic],
        }
        for topic in _by_demand(demands)
    ]


def write_topics(
    demands: Demands,
    allocation: Allocation[Topic] | None,
    compared: TopicComparison | None,
    format: str,
) -> str:
    """The tables as `text`, `markdown`, `csv` or `json`; CSV has the first alone."""
    if format == "json":
        about = {
            "demand": asdict(demands),
            "tasks": None if allocation is None else asdict(allocation),
            "compared": None if compared is None else _as_json(compared),
        }
        return as_json(about)
    if format == "csv":
        return "" if allocation is None else as_csv(topic_rows(demands, allocation))
    return tables_as_text(_tables(demands, allocation, compared), format)


def _as_json(compared: TopicComparison) -> dict[str, Json]:
    return {
        "with": compared.name,
        "demand": asdict(compared.theirs),
        "found": asdict(compared.found),
        "chance": compared.chance,
        "chi_square": None if compared.strength is None else compared.strength._asdict(),
    }


def _by_demand(demands: Demands) -> list[Topic]:
    return sorted(TOPICS, key=lambda topic: -demands.counts[topic])


def _tables(
    demands: Demands, allocation: Allocation[Topic] | None, compared: TopicComparison | None
) -> Iterator[Table]:
    languages = () if allocation is None else allocation.languages
    rows = [
        (
            topic,
            f"{demands.counts[topic]:g}",
            percent(demands.share(topic)),
            *(() if allocation is None else (str(allocation.of(topic)),)),
            *(str(allocation.tasks[topic][each]) for each in languages if allocation is not None),
        )
        for topic in _by_demand(demands)
    ]
    head = ("topic", "queries", "share", *(("tasks", *languages) if languages else ()))
    yield Table.listed("Topics", head, rows, [*_notes(demands), *_rest(allocation)])
    if compared is not None:
        yield _shares(compared)
        yield _measures(compared)


def _notes(demands: Demands) -> Iterator[str]:
    passed, every = PASSED
    rate = demands.passed / demands.queries if demands.queries else None
    yield (
        f"Deep research: {demands.passed} of {several_queries(demands.queries)} "
        f"({percent(rate)}; in DeepResearch Bench {passed:,} of {every:,}, "
        f"{percent(passed / every)})."
    )
    if demands.disputed:
        yield (
            f"Asked twice, {demands.disputed} of {demands.passed} got two different answers; each "
            "counts a half."
        )
    if demands.none:
        yield f"No topic of these: {demands.none:g}, left out of the shares."
    if empty := sum(not count for count in demands.counts.values()):
        yield f"Topics without a query: {empty}. They get one task a language like any other."
    yield from (f"recipe: {recipe}" for recipe in demands.recipes)


def several_queries(count: int) -> str:
    """A number with its noun: `1 query`, `2 queries`."""
    return f"{count} {'query' if count == 1 else 'queries'}"


def _rest(allocation: Allocation[Topic] | None) -> Iterator[str]:
    if allocation is not None and allocation.rest:
        those = ", ".join(f"{topic} ({language})" for topic, language in allocation.rest)
        yield (
            f"{len(allocation.languages)} languages do not divide the tasks: of those left over, "
            f"one each to the topic furthest below its exact part: {those}."
        )


def _shares(compared: TopicComparison) -> Table:
    rows = []
    for topic in _by_demand(compared.ours):
        shares = [each.share(topic) for each in (compared.ours, compared.theirs)]
        rows.append((topic, *map(percent, shares)))
    sizes = " and ".join(f"{each.classified:g}" for each in (compared.ours, compared.theirs))
    notes = [f"Shares of {sizes} with one of the topics."]
    if others := compared.theirs.other:
        those = ", ".join(f"{name} {count:g}" for name, count in Counter(others).most_common(5))
        notes.append(f"Left out of {compared.name}, no topic of these: {those}.")
    if compared.ours.recipes != compared.theirs.recipes:
        recipes = ", ".join(compared.theirs.recipes) or "topics as published"
        notes.append(
            f"{compared.name} was not sorted alike, which may account for a part: {recipes}."
        )
    return Table.listed("Two distributions", ("topic", "here", compared.name), rows, notes)


_NAMES: Final = {
    "total_variation": "total variation",
    "jensen_shannon": "Jensen-Shannon, bits",
    "cramers_v": "Cramér's V",
    "spearman": "Spearman's rho",
    "top": f"of the {TOP} largest in common",
}


def _measures(compared: TopicComparison) -> Table:
    found, chance = asdict(compared.found), compared.chance

    def shown(name: str, value: float | None) -> str:
        return NONE if value is None else f"{value:g}" if name == "top" else decimals(value, 3)

    rows = [
        (
            title,
            shown(name, found[name]),
            f"{'≥' if name in ('spearman', 'top') else '≤'} {shown(name, chance[name])}",
        )
        for name, title in _NAMES.items()
    ]
    notes = [
        "By chance: in 95 of 100 pairs of samples of these sizes that are drawn from one "
        "distribution, the two together."
    ]
    if (strength := compared.strength) is not None:
        notes.append(
            f"Chi-square {strength.chi_square:.1f} with {strength.freedom} degrees of freedom. It "
            "grows with the number of queries, and so no p is given: V and the total variation say "
            "how much."
        )
    return Table.listed("How far apart", ("", "found", "by chance"), rows, notes)
