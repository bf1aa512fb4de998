"""On which parts of a score, such as criteria or dimensions, two judges differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from deepassay.results.migration.agents import ReportKey
from deepassay.results.records import Judged
from deepassay.score import Score
from deepassay.stats.correlation import pearson
from deepassay.stats.ranks import TIE


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
                    held[part][each.agent, each.task, each.sample].append(value)
    return {
        part: {place: fmean(values) for place, values in places.items()}
        for part, places in held.items()
    }
