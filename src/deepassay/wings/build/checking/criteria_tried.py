"""What verdicts say of the criteria themselves: that one separates no report, or hangs on another.

A criterion is known by its words: one that stands in several tasks, as the checks of `presentation`
do, is one. Two criteria hang on each other where their verdicts correlate (phi, of two verdicts)
more than chance would have it, all pairs considered (Holm 1979). Good agents meet most criteria and
bad ones few, which makes all of them correlate a little: so only what is CLOSE is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import fmean
from typing import Final, NamedTuple

from deepassay.results.evidence import EvidenceItem
from deepassay.results.records import Judged
from deepassay.results.rubric_items import outcomes_by_judge
from deepassay.results.weighing import MERITS
from deepassay.stats.correlation import pearson
from deepassay.stats.ranks import TIE
from deepassay.stats.testing import ALPHA, holm

CLOSE: Final = 0.8
"""The size of a correlation from which on two criteria say nearly the same, or the opposite."""

FEWEST: Final = 8
"""Reports below which no correlation is told."""

Where = tuple[str, str, int]
"""Task, agent and answer."""


@dataclass(frozen=True)
class TriedCriterion:
    """One criterion of a protocol. verdicts: how far each report meets it, the mean over judges."""

    protocol: str
    text: str
    key: str
    verdicts: Mapping[Where, float]

    @property
    def tasks(self) -> list[str]:
        """The tasks in which it stands, by name."""
        return sorted({task for task, *_ in self.verdicts})

    @property
    def separates(self) -> bool:
        """Whether it says different things of any two reports."""
        values = self.verdicts.values()
        return max(values) - min(values) > TIE

    @property
    def mean(self) -> float:
        """How far its reports meet it on average."""
        return fmean(self.verdicts.values())


class OnTrial(NamedTuple):
    """The criteria of records. tried: those that stand in two reports at least; alone: in one.

    open: protocol and words of those without a verdict.
    """

    tried: list[TriedCriterion]
    alone: list[TriedCriterion]
    open: set[tuple[str, str]]


class HangingPair(NamedTuple):
    """Two criteria with the correlation of their verdicts. p: adjusted, over all pairs."""

    one: TriedCriterion
    other: TriedCriterion
    phi: float
    p: float
    reports: int


def tried_criteria(records: Iterable[Judged]) -> OnTrial:
    """The criteria by which reports were judged; of the first judgement of each.

    records: with the words of their items, by which criteria are known.
    """
    found: defaultdict[tuple[str, str], dict[Where, list[float]]] = defaultdict(dict)
    keys: dict[tuple[str, str], str] = {}
    asked: set[tuple[str, str]] = set()
    for record in records:
        if record.repeat or record.is_reference:
            continue
        where = record.task, record.agent, record.sample
        for outcome in outcomes_by_judge(record).values():
            if outcome.evidence.lists_issues:  # what one judge found in one report is no criterion
                continue
            for item in outcome.evidence.items:
                if not item.item:
                    continue
                place = record.protocol, item.item
                asked.add(place)
                if (number := _number(item)) is not None:
                    keys.setdefault(place, item.key)
                    found[place].setdefault(where, []).append(number)
    every = [
        TriedCriterion(*place, keys[place], {where: fmean(said) for where, said in own.items()})
        for place, own in found.items()
    ]
    tried = [each for each in every if len(each.verdicts) > 1]
    alone = [each for each in every if len(each.verdicts) == 1]
    return OnTrial(tried, alone, asked - found.keys())


def _number(item: EvidenceItem) -> float | None:
    if item.score is not None:
        return float(item.score)
    if isinstance(item.verdict, bool | int | float):
        return float(item.verdict)
    return MERITS.get(str(item.verdict))


def hanging(criteria: Sequence[TriedCriterion]) -> tuple[list[HangingPair], int]:
    """The pairs that hang on each other, the closest first; and how many pairs could be tried."""
    tried = [*_correlated(criteria)]
    adjusted = holm([each.p for each in tried])
    found = [
        each._replace(p=p)
        for each, p in zip(tried, adjusted, strict=True)
        if p < ALPHA and abs(each.phi) >= CLOSE
    ]
    return sorted(found, key=lambda each: -abs(each.phi)), len(tried)


def _correlated(criteria: Sequence[TriedCriterion]) -> Iterator[HangingPair]:
    from scipy.special import stdtr

    varying = [each for each in criteria if each.separates]
    there: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, each in enumerate(varying):
        for task in each.tasks:
            there[each.protocol, task].append(number)
    # Of thousands of criteria few have a task in common: no other pairs are gone through.
    for numbers in sorted({pair for own in there.values() for pair in combinations(own, 2)}):
        one, other = (varying[number] for number in numbers)
        common = one.verdicts.keys() & other.verdicts.keys()
        if len(common) < FEWEST:
            continue
        shared = sorted(common)
        phi = pearson([one.verdicts[at] for at in shared], [other.verdicts[at] for at in shared])
        if phi is None:
            continue
        left = max(1 - phi**2, TIE**2)
        t = abs(phi) * sqrt((len(shared) - 2) / left)
        yield HangingPair(one, other, phi, 2 * float(stdtr(len(shared) - 2, -t)), len(shared))
