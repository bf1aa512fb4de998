"""Agents compared in pairs, over the tasks that both have a score for.

A difference is that of the means of a task, over answers and judgements as everywhere; a task
that was asked of both and is not scored for both is left out and counted, never zero. What is
claimed of a difference, p and ranks, holds whatever these tasks would have scored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import Final

from deepassay.errors import BadInput, BadSetting
from deepassay.results.aggregate import (
    Aggregate,
    Count,
    aggregate,
    answers_of,
    means_of_tasks,
    passes_of,
    shared_tasks,
    verdicts_of,
)
from deepassay.results.citations import notices_of
from deepassay.results.differences import (
    ComparisonTerms,
    Difference,
    Side,
    adjusted,
    differences,
)
from deepassay.results.panel_verdicts import JudgeInPanel, judges_in_panels
from deepassay.results.ranges import inside, range_of_mean, ranges_of, widest_range
from deepassay.results.ranking import (
    check_label,
    check_recipes,
    recipes_of,
)
from deepassay.results.reading import Records, held
from deepassay.results.records import (
    REFERENCE,
    UNLABELLED,
    Judged,
    by_agent,
    by_recipe,
    differing,
    grouped,
    has_offline,
    is_offline,
)
from deepassay.results.standings import RANKED_FROM
from deepassay.results.tables import as_given, printable
from deepassay.results.unscored import (
    NOTHING_TO_COME,
    ToCome,
    causes_of,
    has_all_ends,
    possible_by_agent,
)
from deepassay.score import Cause, Score, Signature
from deepassay.stats.intervals import Interval, Units
from deepassay.stats.ranks import TIE
from deepassay.stats.resampling import (
    RankInterval,
    rank_intervals,
)
from deepassay.stats.variance import Noise, noise_of

REMEDY: Final = "Compare run files of one recipe; for two judges on the same reports: --judges."


@dataclass(frozen=True)
class Contestant:
    """One agent of a board. mean: over tasks. interval: of the mean, clustered if asked.

    ranks: None if alone, for the reference, where fewer than RANKED_FROM of the tasks are scored,
    and where the range of an unscored one is not known. judged: what it was judged. summary: of a
    metric whose score may be another than the mean over tasks, what a leaderboard shows.
    """

    agent: str
    mean: float
    tasks: Count
    interval: Interval | None
    ranks: RankInterval | None
    judged: Sequence[Judged] = field(repr=False)
    is_reference: bool = False
    summary: Aggregate | None = field(default=None, repr=False)

    @property
    def score(self) -> float | None:
        """What ranks it in a leaderboard."""
        return self.mean if self.summary is None else self.summary.mean

    @property
    def score_interval(self) -> Interval | None:
        """The 95 % interval of the score, None where there is none."""
        return self.interval if self.summary is None else self.summary.interval

    @property
    def name(self) -> str:
        """The agent as tables name it."""
        return f"{self.agent} {REFERENCE}" if self.is_reference else self.agent

    @cached_property
    def passes(self) -> tuple[float, ...]:
        """The mean of each pass of the judge, see `passes_of`."""
        return passes_of(self.judged)

    @cached_property
    def noise(self) -> Noise:
        """How its scores spread; no opening needs it."""
        return noise_of(answers_of(self.judged))


@dataclass(frozen=True)
class Contest:
    """All comparisons under one protocol. label: by which tasks were picked, None for all.

    contestants: by falling mean; agents without any score are in `silent`. unscored: tasks without
    a score by their causes, for each agent that has any. reads: False where no
    mean says who is better, see `Judged.reads`; what is computed of chance then says nothing.
    pools: see `Judged.pools`; differences are of the mean over tasks all the same. tested: pairs
    for which p is adjusted, 1 where one pair was asked for. panel: of every judge of a panel, how
    many scores it has a part in; empty without a panel. to_come: judgements that nobody was asked
    for yet, of all that are expected of single judges.
    """

    protocol: str
    label: tuple[str, str] | None
    contestants: tuple[Contestant, ...]
    silent: tuple[str, ...]
    unscored: Mapping[str, Mapping[str, int]]
    differences: tuple[Difference, ...]
    limits: Interval | None
    recipe: Signature
    terms: ComparisonTerms
    reads: bool = True
    pools: bool = False
    notices: tuple[str, ...] = ()
    tested: int = 0
    panel: Mapping[str, JudgeInPanel] = field(default_factory=dict)
    to_come: ToCome = NOTHING_TO_COME

    @property
    def ranked(self) -> tuple[Contestant, ...]:
        """Who can be first: scored on enough tasks, and no reference."""
        return tuple(filter(_is_ranked, self.contestants))

    @property
    def rivals(self) -> tuple[Contestant, ...]:
        """Who is held against each other: those, and two agents alone in any case."""
        return _rivals(self.contestants)

    @property
    def is_apart(self) -> bool:
        """Whether the score of any agent is another than its mean over tasks."""
        return any(e.score is None or abs(e.score - e.mean) > TIE for e in self.contestants)

    @property
    def best(self) -> tuple[Contestant, ...]:
        """Of those with a rank, who has the highest score: several where it is the same."""
        scored = [(each, each.score) for each in self.ranked if each.score is not None]
        highest = max((score for _, score in scored), default=0.0)
        return tuple(each for each, score in scored if highest - score <= TIE)

    @property
    def references(self) -> frozenset[str]:
        """Whose scores are what they are by definition."""
        return frozenset(each.agent for each in self.contestants if each.is_reference)

    @property
    def offline(self) -> bool:
        """Whether the offline baseline judged instead of a model."""
        return is_offline(self.recipe)

    @property
    def offline_in_panel(self) -> bool:
        """Whether the offline baseline is one of several judges."""
        return has_offline(self.recipe) and not self.offline


def compare(
    records: Sequence[Judged] | Records,
    agents: tuple[str, str] | None,
    terms: ComparisonTerms,
) -> tuple[Contest, ...]:
    """The two agents, or all pairs, by protocol and value of the label.

    records: in memory, or read a protocol at a time; their order matters only to `passes`. Raises
    BadInput if recipes differ or nothing was judged, BadSetting for an unknown label or agent.
    """
    read = held(records)
    if not read.protocols:
        raise BadInput("There is nothing to compare: no judgements.", "Run `deepassay evaluate`.")
    for label in (terms.by, terms.cluster):
        if label is not None:
            check_label(read.labels, label)
    if agents is not None:
        _check_agents(sorted(read.agents()), agents)
    contests: list[Contest] = []
    for protocol in read.protocols:
        contests += _contests(protocol, read.for_ranks(protocol, agents or ()), agents, terms)
    return tuple(contests)


def _contests(
    protocol: str,
    records: Sequence[Judged],
    agents: tuple[str, str] | None,
    terms: ComparisonTerms,
) -> Iterator[Contest]:
    """Those under one protocol; none where neither agent was judged by it."""
    if not records:
        return
    check_recipes(protocol, by_recipe(records), REMEDY)
    yield _contest(protocol, None, records, agents, terms)
    if (by := terms.by) is not None:
        for value, cut in grouped(records, lambda each: each.labels.get(by, UNLABELLED)).items():
            yield _contest(protocol, (by, value), cut, agents, terms)


def _check_agents(known: Sequence[str], agents: tuple[str, str]) -> None:
    for agent in agents:
        if agent not in known:
            raise BadSetting(
                f"{printable(agent)!r} is neither a file nor an agent that was judged.",
                f"Agents: {', '.join(map(as_given, known))}.",
            )
    if agents[0] == agents[1]:
        raise BadSetting(
            f"{printable(agents[0])!r} cannot be compared with itself.", "Name two agents."
        )


def _contest(
    protocol: str,
    label: tuple[str, str] | None,
    records: Sequence[Judged],
    agents: tuple[str, str] | None,
    terms: ComparisonTerms,
) -> Contest:
    own, unlike = by_agent(records), differing(records)
    means = {agent: means_of_tasks(judged) for agent, judged in own.items()}
    scored = {agent: tasks for agent, tasks in means.items() if tasks}
    references = {each.agent for each in records if each.is_reference}
    possible = possible_by_agent(own, means, ranges_of(records))
    least = RANKED_FROM * len({each.task for each in records})
    ranked = {
        agent: possible[agent]
        for agent, tasks in scored.items()
        if len(tasks) >= least and agent not in references and has_all_ends(possible[agent])
    }
    clusters = (
        {each.task: each.labels.get(terms.cluster, UNLABELLED) for each in records}
        if terms.cluster
        else None
    )
    draw = len(ranked) > 1 and not terms.leading
    ranks = rank_intervals(ranked, clusters, terms.seed) if draw else {}
    contestants = [
        _contestant(
            agent, own[agent], scored[agent], clusters, ranks.get(agent), agent in references
        )
        for agent in scored
    ]
    contestants.sort(key=lambda each: (-each.mean, each.agent))
    shared = shared_tasks(agents or [each.agent for each in contestants if terms.pairs], means)
    sides = {
        each.agent: Side.of(
            own[each.agent], means[each.agent], possible[each.agent], each.is_reference
        )
        for each in contestants
    }
    asked, aside = _led(shared, contestants) if terms.leading else (shared, [])
    found, others = differences(asked, sides, clusters, terms, aside)
    return Contest(
        protocol,
        label,
        tuple(contestants),
        tuple(sorted(own.keys() - scored.keys())),
        {agent: why for agent, judged in own.items() if (why := causes_of(judged, means[agent]))},
        tuple(found if agents else adjusted(found, others)),
        widest_range(unlike),
        recipes_of(records)[0],
        terms,
        all(each.reads for each in unlike if isinstance(each.outcome, Score)),
        any(each.pools for each in unlike),
        notices_of(unlike),
        sum(each.permutation is not None for each in found) + len(others),
        judges_in_panels(records),
        _to_come(records),
    )


def _to_come(records: Sequence[Judged]) -> ToCome:
    verdicts = [verdict for each in records for verdict in verdicts_of(each)]
    return ToCome(verdicts.count(Cause.NOT_ASKED), len(verdicts))


def _led(
    shared: Mapping[tuple[str, str], int], contestants: Sequence[Contestant]
) -> tuple[dict[tuple[str, str], int], list[tuple[str, str]]]:
    """Of pairs, by how many tasks they share: who is first with each rival, and others that can be
    tested.
    """
    rivals = [each.agent for each in _rivals(contestants)]
    references = {each.agent for each in contestants if each.is_reference}
    held_against = {(rivals[0], other) for other in rivals[1:]}
    led = {pair: tasks for pair, tasks in shared.items() if pair in held_against}
    testable = (pair for pair, tasks in shared.items() if tasks > 1)
    return led, [pair for pair in testable if pair not in led and references.isdisjoint(pair)]


def leading(records: Sequence[Judged] | Records, protocols: Collection[str]) -> tuple[Contest, ...]:
    """Of each of these protocols who is first, and how far ahead of every rival: see `compare`.

    Scores under one of them were made by one recipe. What no sentence tells is not worked out:
    pairs without the first but for their p, bootstraps, p at the worst, and how far pairs are from
    tipping but for that of the first and the next.
    """
    read, terms = held(records), ComparisonTerms(leading=True)
    return tuple(
        contest
        for protocol in read.protocols
        if protocol in protocols
        for contest in _contests(protocol, read.for_ranks(protocol), None, terms)
    )


def _is_ranked(each: Contestant) -> bool:
    return not each.is_reference and each.tasks.scored >= RANKED_FROM * each.tasks.expected


def _rivals(contestants: Sequence[Contestant]) -> tuple[Contestant, ...]:
    judged = tuple(each for each in contestants if not each.is_reference)
    return judged if len(judged) == 2 else tuple(filter(_is_ranked, judged))


def _contestant(
    agent: str,
    records: Sequence[Judged],
    means: Mapping[str, float],
    clusters: Mapping[str, str] | None,
    ranks: RankInterval | None,
    is_reference: bool,
) -> Contestant:
    ranges = ranges_of(records)
    own_score = any(each.pools or each.clips for each in records)
    return Contestant(
        agent,
        fmean(means.values()),
        Count(len(means), len({each.task for each in records})),
        inside(Units.of(means, clusters).interval(), range_of_mean(means, ranges)),
        ranks,
        records,
        is_reference,
        aggregate(records, ranges) if own_score else None,
    )
