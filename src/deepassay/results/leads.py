"""Who is first under one protocol, how sure that is, and what would change it, in a few sentences.

It is read off a comparison (`comparing.Contest`), in which every number stands that is told here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Final

from deepassay.results.comparing import Contest, Contestant
from deepassay.results.differences import Difference
from deepassay.results.records import NO_READING
from deepassay.results.score_and_mean import MEAN, by_told, score_is, score_or_least
from deepassay.results.standings import RANKED_FROM
from deepassay.results.tables import (
    cause_counts,
    ends_of,
    in_range,
    p_value,
    scored_of,
    several,
)
from deepassay.results.unscored import GO_ON, LONGER
from deepassay.score import Cause
from deepassay.stats.intervals import Interval
from deepassay.stats.ranks import TIE
from deepassay.stats.testing import ALPHA

NAMED: Final = 4
"""Names in a sentence at most; of more it says how many."""

MOST_TASKS: Final = 1_000
"""Tasks that anybody may collect; of more it is enough to say that it takes more."""

BLIND: Final = "the offline rule cannot tell good reports from bad ones"
ALONE: Final = (
    "there is nobody to hold it against. Reports of a second agent on the same tasks would say how "
    "good that is, or an earlier run: `deepassay compare NEW --since OLD`"
)


@dataclass(frozen=True)
class LeadingPair:
    """The agent that is first under one protocol, and the next one.

    gap: the first less the next. behind: whom the first is ahead of by more than chance explains.
    level: who has as much as the first, over the tasks of both. rivals: how many agents it is held
    against. thin: who of the two has too few tasks for a rank.
    """

    contest: Contest
    first: Contestant
    next: Contestant
    gap: Difference
    behind: tuple[str, ...]
    level: tuple[Contestant, ...]
    rivals: int
    thin: tuple[Contestant, ...]

    @property
    def leader(self) -> str | None:
        """Who alone is first by the score, which need not be the mean over tasks; nobody without a
        rank.
        """
        if not self.contest.is_apart:
            is_first = self.gap.mean > TIE and self.first not in self.thin
            return self.first.agent if is_first else None
        best = self.contest.best
        return best[0].agent if len(best) == 1 else None

    @property
    def by(self) -> str:
        """What the gap is by, as `by_told` has it."""
        return by_told(self.contest)

    @property
    def p(self) -> float | None:
        """Of the gap, adjusted where several pairs were tested; None where nothing can be."""
        if self.gap.adjusted is not None:
            return self.gap.adjusted
        return self.gap.permutation.p if self.gap.permutation else None

    @property
    def is_sure(self) -> bool:
        """Whether the gap is more than chance explains."""
        return self.p is not None and self.p < ALPHA and self.gap.mean > 0

    @property
    def lacking(self) -> int:
        """Tasks that were asked of both, and that not both have a score for."""
        return self.gap.tasks.expected - self.gap.tasks.scored

    @property
    def enough(self) -> int | None:
        """Tasks that would show a gap of this size, if these do not; None where that is unknown.

        With few tasks no p is small, however clear they are: each doubles what is possible.
        """
        tests = max(1, self.contest.tested)
        enough = self.gap.enough(tests)
        if enough is None:
            return None
        enough = max(enough, 1 + ceil(log2(tests / ALPHA)))
        return enough if enough > self.gap.units else None


def lead_of(contest: Contest) -> LeadingPair | None:
    """Who is first under a protocol; None where it has no two agents to hold against each other."""
    ranked = contest.rivals
    if not contest.reads or len(ranked) < 2:
        return None
    gaps = {each.agent: gap for each in ranked[1:] if (gap := _gap(contest, ranked[0], each))}
    if not gaps:
        return None
    first = ranked[0]
    if len(ranked) == 2 and gaps[ranked[1].agent].mean < -TIE:  # means may be of other tasks
        first, other = ranked[1], ranked[0]
        gaps = {other.agent: gaps[first.agent].turned()}
    following = next(each for each in ranked if each.agent in gaps)
    behind = tuple(
        agent
        for agent, gap in gaps.items()
        if gap.mean > 0 and (gap.adjusted if gap.adjusted is not None else _p(gap)) < ALPHA
    )
    level = tuple(e for e in ranked if e.agent in gaps and abs(gaps[e.agent].mean) <= TIE)
    thin = tuple(each for each in (first, following) if each not in contest.ranked)
    gap = gaps[following.agent]
    return LeadingPair(contest, first, following, gap, behind, level, len(ranked) - 1, thin)


def _gap(contest: Contest, one: Contestant, other: Contestant) -> Difference | None:
    for each in contest.differences:
        if (each.one, each.other) == (one.agent, other.agent):
            return each
        if (each.one, each.other) == (other.agent, one.agent):
            return each.turned()
    return None


def _p(gap: Difference) -> float:
    return gap.permutation.p if gap.permutation else 1.0


def said_of(contest: Contest) -> str:
    """What one protocol says, in a few sentences."""
    if not contest.contestants:
        return f"Nobody has a score{causes_told([contest])}, so nothing can be said of anybody."
    if not contest.reads:
        means = [each.score for each in contest.contestants if each.score is not None]
        span = ends_of((min(means), max(means)) if means else None, contest.limits)
        return f"{NO_READING.capitalize()}: {BLIND} by it; a model as judge can. Means: {span}."
    lead = lead_of(contest)
    if lead is None:
        return _unled(contest)
    return " ".join([*score_told(contest), _gap_told(lead), *_others(lead), *_what_changes(lead)])


def score_told(contest: Contest) -> Iterator[str]:
    """Who is first by a score that is not the mean over tasks, before what that mean says."""
    best, limits = contest.best, contest.limits
    if not contest.is_apart:
        return
    figure = in_range(best[0].score, limits) if best else ""
    if not best:
        told = "Nobody is first by score"
    elif len(best) > 1:
        told = f"{some(each.agent for each in best)} have the same score ({figure})"
    else:
        others = (e for e in contest.rivals if e not in best and e.score is not None)
        following = max(others, key=score_or_least, default=None)
        after = f"; {following.agent} {in_range(following.score, limits)}" if following else ""
        of = "" if following is None or following in contest.ranked else " of those with a rank"
        told = f"{best[0].agent} has the highest score{of} ({figure}{after})"
    yield f"{told}, {score_is(contest)}. Chance is told of the {MEAN}:"


def _unled(contest: Contest) -> str:
    """Why nobody is ahead of anybody where scores are there and can be read."""
    ranked, limits = contest.ranked, contest.limits
    judged = [each for each in contest.contestants if not each.is_reference]
    if not judged:
        return "Only the reference has a score, which it has by definition."
    if not ranked:
        few = enumerated([f"{each.agent} {scored_of(each.tasks)}" for each in judged[:NAMED]])
        return (
            f"Nobody has a rank: all are scored in fewer than {RANKED_FROM:.0%} of the tasks "
            f"({few}). `deepassay explain RUN` lists why."
        )
    first = max(ranked, key=score_or_least)
    interval = first.score_interval
    ends = f" (95 % interval {ends_of(interval, limits)})" if interval else ""
    told = f"{first.agent} has {in_range(first.score, limits)}{ends} over {_tasks_of(first)}"
    if len(ranked) > 1:
        return f"{told}; it has no task in common with another agent that has a rank."
    if len(judged) > 1:
        few = enumerated(
            [f"{each.agent} {scored_of(each.tasks)}" for each in judged if each != first]
        )
        return f"{told}. The others are scored in too few tasks to be held against it ({few})."
    if reference := sorted(contest.references):
        told += f", held against the reports of {enumerated(reference)}"
    return f"{told}; {without_score([contest], first.agent) or ALONE}."


def _tasks_of(each: Contestant) -> str:
    scored, expected = each.tasks
    of = "" if scored == expected else f" of {expected}"
    return several(scored, "task") if not of else f"{scored}{of} tasks"


def _gap_told(lead: LeadingPair) -> str:
    """Who is ahead of whom, by how much, and whether chance may do as much."""
    gap, limits = lead.gap, lead.contest.limits
    one, other = (f"{e.agent} ({in_range(e.mean, limits)})" for e in (lead.first, lead.next))
    over = _over(lead)
    if abs(gap.mean) <= TIE:
        names = [f"{e.agent} ({in_range(e.mean, limits)})" for e in (lead.first, *lead.level)]
        return f"{some(names)} are level over {over}."
    if gap.mean < 0:
        size = in_range(-gap.mean, limits)
        return f"{one} has the highest mean, yet over {over} {other} is ahead of it by {size}."
    if lead.first.mean <= lead.next.mean:  # a mean is over all tasks of its agent
        one, other = (
            f"{e.agent} ({in_range(e.mean, limits)} over {_tasks_of(e)})"
            for e in (lead.first, lead.next)
        )
    told = f"{one} is ahead of {other} by {_size_of(gap, limits)} over {over}"
    return f"{told}{_how_sure(lead)}."


def _over(lead: LeadingPair) -> str:
    gap = lead.gap
    what = "cluster" if lead.contest.terms.cluster else "task"
    whole = several(gap.units, what)
    return f"{whole} of both" if lead.lacking else whole


def _size_of(gap: Difference, limits: Interval | None) -> str:
    ends = f" (95 % interval {ends_of(gap.interval, limits)})" if gap.interval else ""
    return f"{in_range(gap.mean, limits)}{ends}"


def _how_sure(lead: LeadingPair) -> str:
    if lead.p is None:
        if lead.gap.units < 2:
            return "; one task cannot tell skill from chance"
        return "; how far unscored tasks reach is not known, so nothing can be said of chance"
    p = f"p {p_told(lead.p)}{for_pairs(lead)}"
    if lead.is_sure:
        return f", which is more than chance explains ({p})"
    return f", which may be chance ({p})"


def for_pairs(lead: LeadingPair) -> str:
    """That p is adjusted, to go on from it; empty where it is not."""
    tested = lead.contest.tested
    return f", adjusted for {tested} pairs" if tested > 1 and lead.gap.adjusted is not None else ""


def _others(lead: LeadingPair) -> Iterator[str]:
    """Whom else the first is surely ahead of, where there are more than two; who has few tasks."""
    if lead.rivals > 1 and lead.p is not None and lead.gap.mean > TIE:
        if len(lead.behind) == lead.rivals:
            others = "both of the others" if lead.rivals == 2 else f"all {lead.rivals} others"
            yield f"It is as surely ahead of {others}."
        elif lead.behind:
            yield f"It is surely ahead of {some(lead.behind)}, of {lead.rivals} others."
        else:
            yield "It is surely ahead of nobody."
    for each in lead.thin:
        yield f"{each.agent} has no rank: it is scored in {_tasks_of(each)}."


def _what_changes(lead: LeadingPair) -> Iterator[str]:
    """What would make an open question sure, or a sure answer open."""
    gap, limits = lead.gap, lead.contest.limits
    one = lead.lacking == 1
    unscored = "unscored task" if one else f"{lead.lacking} unscored tasks"
    if lead.is_sure:
        if lead.lacking:
            yield f"That holds whatever the {unscored} would have scored."
        return
    if gap.mean < -TIE:
        return
    if lead.lacking and gap.tipping and gap.tipping.at is not None:
        yield (
            f"By the scored tasks alone it is more than that (p {p_told(gap.tipping.p)}), until "
            f"the {unscored} differ{'s' * one} by {in_range(gap.tipping.at, limits)}"
            f"{' on average' * (not one)}."
        )
    elif lead.lacking and gap.possible and gap.possible.low < 0 < gap.possible.high:
        lacking = (lead.contest.unscored.get(each.agent, {}) for each in (lead.first, lead.next))
        helps = _what_scores(cause for own in lacking for cause in own)
        yield f"The {unscored} could turn it round: {'; '.join(helps)}."
    if lead.enough is not None and gap.mean > TIE:
        many = f"More than {MOST_TASKS:,}" if lead.enough > MOST_TASKS else f"About {lead.enough:,}"
        least = gap.can_show
        now = f"one from {in_range(least, limits)} on" if least else "none that its scale has"
        yield (
            f"{many} {units_of(lead)} would show a difference of this size; {gap.units} show {now}."
        )


def _what_scores(joined: Iterable[str]) -> Iterator[str]:
    """What gives scores to tasks without: not all was asked, and failed.

    joined: their causes, several of one task as `causes_of` joins them.
    """
    causes = {cause for each in joined for cause in each.split("/")}
    if Cause.MISSING_INPUT in causes:
        yield "`deepassay explain RUN` says what is missing"
    if Cause.NOT_ASKED in causes:
        yield GO_ON
    if Cause.ANSWER_TRUNCATED in causes:
        yield LONGER
    if causes - {Cause.MISSING_INPUT, Cause.NOT_ASKED, Cause.ANSWER_TRUNCATED}:
        yield "`deepassay evaluate --retry-unscored`"


def p_told(p: float) -> str:
    """`= 0.031`, `<.001`: a p as it follows its name."""
    return p_value(p) if p < 0.001 else f"= {p_value(p)}"


def units_of(lead: LeadingPair) -> str:
    """What is taken for independent, in a word."""
    return "clusters" if lead.contest.terms.cluster else "tasks"


def without_score(contests: Sequence[Contest], agent: str) -> str:
    """Which other agents have no score, why, and what helps; empty where each has one.

    What helps where nobody was asked yet is said of the whole run: see `shortfalls`.
    """
    silent = sorted({name for each in contests for name in each.silent} - {agent})
    if not silent:
        return ""
    own = (each.unscored.get(name, {}) for each in contests for name in silent)
    causes = sum(map(Counter, own), Counter[str]())
    have = "has" if len(silent) == 1 else "have"
    told = f"{some(silent)} {have} none ({cause_counts(causes)})"
    helps = "; ".join(_what_scores(cause for cause in causes if cause != Cause.NOT_ASKED))
    return f"{told}: {helps}" if helps else told


def causes_told(contests: Sequence[Contest]) -> str:
    """Why tasks have no score, in brackets after a blank; empty where none lacks one."""
    causes = sum(
        (Counter(own) for each in contests for own in each.unscored.values()), Counter[str]()
    )
    return f" ({cause_counts(causes)})" if causes else ""


def enumerated(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def some(names: Iterable[str]) -> str:
    """The first of many names, and how many more there are."""
    every = [*names]
    more = len(every) - NAMED
    return enumerated([*every[:NAMED], f"{more} more"] if more > 1 else every)
