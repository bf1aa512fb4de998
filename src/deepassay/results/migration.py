"""A change of judge: one protocol, one set of reports, two judges.

How far every agent's mean moves, mappings from old scores to new ones, ranks, and the parts of a
score (criteria, dimensions) on which the judges differ.

Old and new figures may stand in one table if the change of judge moves no agent by as much as the
difference that matters to the user: two one-sided tests of every agent's shift (Schuirmann 1987).
This asks for evidence that the shift is small, where a test that merely finds none would reward
few tasks. Without a difference that matters there is no such answer.

A report's score is the mean of its judgements. Reports without a score by either judge are left
out, counted and named, and so are those that the others are scored against: neither judge was
asked about them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, combinations, permutations, starmap
from math import sqrt
from statistics import fmean
from typing import Final

import numpy as np

from deepassay.errors import BadInput
from deepassay.results.joined import Joined
from deepassay.results.migration_mapping import AgentShift, agent_shifts
from deepassay.results.ranges import widest_range
from deepassay.results.ranking import differing_keys, recipes_of
from deepassay.results.records import Judged, grouped, is_offline
from deepassay.score import ReportKey, Score, Signature, named, report_key
from deepassay.stats.correlation import pearson, spearman
from deepassay.stats.intervals import Interval, Units
from deepassay.stats.mappings import (
    FITS,
    Fit,
    Isotonic,
    Linear,
    constant,
    differences_left_out,
    isotonic,
    linear,
)
from deepassay.stats.ranks import TIE, Floats
from deepassay.stats.testing import power
from deepassay.stats.variance import pooled_variance


@dataclass(frozen=True)
class PartGap:
    """One part, over the reports in which both judges scored it.

    shift: new less old; absolute: the same without sign; both in the unit of the score. same:
    share of equal scores. pearson: None where a side does not vary.
    """

    part: str
    reports: int
    old: float
    new: float
    shift: float
    absolute: float
    same: float
    pearson: float | None


def part_gaps(old: Sequence[Judged], new: Sequence[Judged]) -> tuple[PartGap, ...]:
    """The parts that several reports have, those first on which the judges differ most."""
    ours, theirs = _parts(old), _parts(new)
    found = [
        _gap(part, [(ours[part][place], theirs[part][place]) for place in shared])
        for part in ours.keys() & theirs.keys()
        if len(shared := sorted(ours[part].keys() & theirs[part].keys())) > 1
    ]
    return tuple(sorted(found, key=lambda each: (-each.absolute, each.part)))


def _gap(part: str, pairs: Sequence[tuple[float, float]]) -> PartGap:
    before, after = zip(*pairs, strict=True)
    gaps = [new - old for old, new in pairs]
    return PartGap(
        part,
        len(pairs),
        fmean(before),
        fmean(after),
        fmean(gaps),
        fmean(map(abs, gaps)),
        fmean(abs(gap) <= TIE for gap in gaps),
        pearson(before, after),
    )


def _parts(records: Sequence[Judged]) -> dict[str, dict[ReportKey, float]]:
    """For each part and report the mean over judgements."""
    held: defaultdict[str, defaultdict[ReportKey, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for each in records:
        if isinstance(each.outcome, Score):
            for part, value in each.outcome.parts.items():
                if value is not None:
                    held[part][report_key(each)].append(value)
    return {
        part: {place: fmean(values) for place, values in places.items()}
        for part, places in held.items()
    }


class Mixing(StrEnum):
    """Whether scores by two judges may be ranked together, and how."""

    AS_THEY_ARE = "as they are"
    MAPPED = "mapped"
    NOT = "not"
    UNKNOWN = "unknown"


FEWEST: Final = 20
"""Tasks of an agent below which nothing is said: a shift in a few of them would go unseen."""


def verdict(agents: Sequence[AgentShift], difference: float | None, informative: bool) -> Mixing:
    """Whether every agent's shift lies within the difference that matters, on both sides.

    difference: above zero, None where nobody said it. informative: the mapping does better than
    one that ignores old scores. Every agent's 95 % interval has to lie inside: the whole answer
    is then wrong in fewer than 5 % of cases, which leaves room for scores that no interval fits.
    """
    if difference is None or min(each.tasks for each in agents) < FEWEST:
        return Mixing.UNKNOWN
    if all(abs(end) < difference for end in _ends(agents)):
        return Mixing.AS_THEY_ARE
    left = [each.left_interval for each in agents]
    inside = all(each is not None and max(map(abs, each)) < difference for each in left)
    return Mixing.MAPPED if informative and inside else Mixing.NOT


def _ends(agents: Sequence[AgentShift]) -> Iterator[float]:
    for each in agents:
        yield from each.interval or ()


def false_alarms(
    scores: Mapping[ReportKey, tuple[float, float]], shift: float | None
) -> float | None:
    """How often two equal agents come out different (p < .05), one by each judge.

    scores: old and new, by agent, task and sample. shift: of the agents by the change of judge, in
    the unit of the scores. The largest chance of any two agents with this spread over tasks; None
    where no two share three tasks, or the shift is not known.
    """
    if shift is None:
        return None
    by_agent: defaultdict[str, defaultdict[str, list[tuple[float, float]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for (agent, task, _), pair in scores.items():
        by_agent[agent][task].append(pair)
    found = []
    for one, other in permutations(by_agent.values(), 2):
        gaps = {
            task: fmean(old for old, _ in one[task]) - fmean(new for _, new in other[task])
            for task in one.keys() & other.keys()
        }
        units = Units.of(gaps)
        if units.count > 2 and units.error:
            found.append(power(shift / (units.error * sqrt(units.count)), units.count))
    return max(found, default=None)


FREE: Final = frozenset(
    {"judges", "offline_rules", "extractor", "cleaner", "maker", "verifier", "repeats"}
)
"""Keys of the identity in which two judges of the same reports may differ."""


@dataclass(frozen=True)
class MappingError:
    """Of a mapping: root mean square and mean without sign, in the unit of the score.

    Of reports whose task the mapping never saw; None where there is only one task.
    """

    square: float | None
    absolute: float | None


@dataclass(frozen=True)
class Migration:
    """What a change of judge did under one protocol.

    reports: scored by both. one_sided: by one judge only. joined: what became of all of them.
    changed: with another text in the new run, over all protocols. noise: deviation between
    judgements of one report, old and new judge, None where nothing was judged again. better: the
    mapping of smaller error. swapped: pairs of agents in the other order, of `pairs`. difference:
    that matters to the user. largest: shift of any agent that the intervals allow. alarms: see
    `false_alarms`, for a shift of that size.
    """

    protocol: str
    recipes: tuple[Signature, Signature]
    limits: Interval | None
    reports: int
    tasks: int
    one_sided: int
    joined: Joined
    changed: int
    pearson: float | None
    spearman: float | None
    noise: tuple[float | None, float | None]
    linear: Linear
    isotonic: Isotonic
    errors: Mapping[str, MappingError]
    better: str
    agents: tuple[AgentShift, ...]
    swapped: int
    pairs: int
    parts: tuple[PartGap, ...]
    difference: float | None
    mixing: Mixing
    largest: float | None
    alarms: float | None

    @property
    def offline(self) -> bool:
        """Whether the offline baseline is one of the two."""
        return any(map(is_offline, self.recipes))


def migrate(
    old: Sequence[Judged], new: Sequence[Judged], difference: float | None, changed: int
) -> tuple[Migration, ...]:
    """The protocols under which some report has a score by both judges, by name.

    difference: that matters, in the unit of the scores, see `verdict`. Raises BadInput if there
    is no such protocol, or if more than judges differs.
    """
    ours, theirs = (grouped(records, lambda each: each.protocol) for records in (old, new))
    found = [
        _migration(name, ours[name], theirs[name], difference, changed)
        for name in ours
        if name in theirs
    ]
    if not any(found):
        raise BadInput(
            "No report has a score by both judges under one protocol.",
            f"The first run has {', '.join(ours) or 'none'}, the second "
            f"{', '.join(theirs) or 'none'}. Agents, tasks and texts have to be the same.",
        )
    return tuple(each for each in found if each is not None)


def _migration(
    protocol: str,
    old: Sequence[Judged],
    new: Sequence[Judged],
    difference: float | None,
    changed: int,
) -> Migration | None:
    """None where no report has a score by both."""
    recipes = _comparable(protocol, old, new)
    joined = _joined(old, new)
    old, new = _without(_references(old, new), old, new)
    ours, theirs = _by_report(old), _by_report(new)
    if not (both := sorted(ours.keys() & theirs.keys())):
        return None
    before, after = (np.array([fmean(side[p]) for p in both]) for side in (ours, theirs))
    errors, better = _errors(before, after, both)
    limits = widest_range([*old, *new])
    agents = agent_shifts(before, after, both, better, limits)
    sides = zip(before.tolist(), after.tolist(), strict=True)
    known = None not in [each.interval for each in agents]
    largest = max(map(abs, _ends(agents))) if known else None
    return Migration(
        protocol,
        recipes,
        limits,
        reports=len(both),
        tasks=len({task for _, task, _ in both}),
        one_sided=len(ours.keys() ^ theirs.keys()),
        joined=joined,
        changed=changed,
        pearson=pearson(before, after),
        spearman=spearman(before, after),
        noise=(_noise(ours), _noise(theirs)),
        linear=linear(before, after),
        isotonic=isotonic(before, after),
        errors=errors,
        better=better,
        agents=agents,
        swapped=sum(starmap(_swapped, combinations(agents, 2))),
        pairs=len(agents) * (len(agents) - 1) // 2,
        parts=part_gaps(old, new),
        difference=difference,
        mixing=verdict(agents, difference, _beats(errors[better], errors["constant"])),
        largest=largest,
        alarms=false_alarms(dict(zip(both, sides, strict=True)), largest),
    )


def _references(old: Iterable[Judged], new: Iterable[Judged]) -> set[ReportKey]:
    """The reports that others are scored against in one of the runs."""
    return {report_key(each) for each in chain(old, new) if each.is_reference}


def _without(gone: Collection[ReportKey], *sides: Sequence[Judged]) -> list[list[Judged]]:
    """What is not of these reports, of each side."""
    return [[each for each in side if report_key(each) not in gone] for side in sides]


def _joined(old: Sequence[Judged], new: Sequence[Judged]) -> Joined:
    """What became of every report of which either judge was to be asked."""
    every = sorted({report_key(each) for each in chain(old, new)})
    references = _references(old, new)
    sides = [_by_report(side).keys() for side in (old, new)]
    kinds = {}
    for key in every:
        by = [which for which, own in zip(("old", "new"), sides, strict=True) if key in own]
        if len(by) < len(sides) and key not in references:
            who = f"the {by[0]} judge only" if by else "neither judge"
            kinds[f"{named(key)}, scored by {who}."] = who
    by_rule = [f"{named(key)}: the others are scored against it." for key in sorted(references)]
    return Joined("reports", "scores by both judges", len(every), [*kinds], (), by_rule, kinds)


def _swapped(one: AgentShift, other: AgentShift) -> bool:
    before, after = one.old - other.old, one.new - other.new
    return before * after < 0 and min(abs(before), abs(after)) > TIE


def _comparable(
    protocol: str, old: Sequence[Judged], new: Sequence[Judged]
) -> tuple[Signature, Signature]:
    """The two recipes, which differ in nothing but who judges."""
    recipes = (recipes_of(old)[0], recipes_of(new)[0])
    apart = {key: each for key, each in differing_keys(recipes).items() if key not in FREE}
    if apart:
        lines = [f"  {key} = {before}, then {after}" for key, (before, after) in apart.items()]
        raise BadInput(
            f"More than the judge changed between the two runs of {protocol}:\n" + "\n".join(lines),
            "Judge the same reports again with the old settings and the new judge.",
        )
    return recipes


def _by_report(records: Sequence[Judged]) -> dict[ReportKey, list[float]]:
    found: defaultdict[ReportKey, list[float]] = defaultdict(list)
    for each in records:
        if isinstance(each.outcome, Score):
            found[report_key(each)].append(each.outcome.value)
    return dict(found)


def _noise(reports: Mapping[ReportKey, Sequence[float]]) -> float | None:
    found = pooled_variance(list(reports.values()))
    return None if found is None else sqrt(found)


def _errors(
    old: Floats, new: Floats, places: Sequence[ReportKey]
) -> tuple[dict[str, MappingError], str]:
    """The error of no mapping and of both mappings, and which of the two is better."""
    tasks = [task for _, task, _ in places]
    errors = {"none": _error(new - old)}
    fits: dict[str, Fit] = {"constant": constant, **FITS}
    for name, fit in fits.items():
        known = len(set(tasks)) > 1
        errors[name] = (
            _error(differences_left_out(fit, old, new, tasks))
            if known
            else MappingError(None, None)
        )
    return errors, min(FITS, key=lambda name: errors[name].square or 0.0)


def _beats(mapping: MappingError, other: MappingError) -> bool:
    if mapping.square is None or other.square is None:
        return False
    return mapping.square < other.square


def _error(residuals: Floats) -> MappingError:
    return MappingError(sqrt(float(np.mean(residuals**2))), float(np.mean(np.abs(residuals))))
