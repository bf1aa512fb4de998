"""What it costs to ask about several criteria at once: verdicts, agreement, tokens, failures.

One judge decides on the same criteria of the same reports in several ways, alone and so many at a
time. Alone it is asked twice: what it says differently then is its own noise, and only what it says
differently beyond that is owed to batching. Intervals are those of drawing reports with
replacement, since criteria of one report are not independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from deepassay.results.weighing import MERITS, PARTIAL
from deepassay.run.showing.records import judged
from deepassay.runfile import RunFile
from deepassay.score import ReportKey, Unscored
from deepassay.stats.ranks import Floats, Places
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    ResampledFigure,
    Statistic,
    drawn_counts,
    ratio,
    resampled_figure,
)
from deepassay.wings.people.agreement.rubrics import CriterionPlace, graded_readings

Verdict = str | None
"""The word of a merit, as in ResearchRubrics; None where none came."""


@dataclass(frozen=True)
class TogetherArm:
    """One way of asking. size: criteria of one question. verdicts: of each criterion, by repeat.

    causes: judgements of criteria without a verdict, by why. calls: requests that were answered.
    spent: USD; None at a price that nobody knows.
    """

    size: int
    repeats: int
    verdicts: Mapping[CriterionPlace, tuple[Verdict, ...]]
    causes: Counter[str]
    calls: int
    tokens_in: int
    tokens_out: int
    spent: float | None

    @property
    def judgements(self) -> int:
        """How often a criterion was to be decided."""
        return sum(map(len, self.verdicts.values()))

    @property
    def lost(self) -> int:
        """Of these, those without a verdict."""
        return sum(word is None for own in self.verdicts.values() for word in own)

    @classmethod
    def read(
        cls, size: int, repeats: int, run: Path, rubrics: Mapping[str, Collection[str]]
    ) -> TogetherArm:
        """An arm from its run file. rubrics: the criteria of every task, by their identifiers."""
        verdicts: dict[CriterionPlace, list[Verdict]] = {}
        causes: Counter[str] = Counter()
        with RunFile.read(run) as file:
            for record in judged(file):
                report: ReportKey = (record.agent, record.task, record.sample)
                lines = {line.key: line for each in graded_readings(record) for line in each.lines}
                for key in rubrics.get(record.task, ()):
                    own = verdicts.setdefault(CriterionPlace(*report, key), [None] * repeats)
                    line = lines.get(key)
                    if line is not None and line.verdict is not None:
                        own[record.repeat] = line.verdict
                    elif line is not None and line.cause:
                        causes[line.cause] += 1
                    elif isinstance(record.outcome, Unscored):
                        causes[str(record.outcome.cause)] += 1
            usage, spent = file.usage(), None if file.unpriced() else file.spent()
            calls = file.attempts().get("answered", 0)
        return cls(
            size,
            repeats,
            {place: tuple(own) for place, own in verdicts.items()},
            causes,
            calls,
            usage.get("input", 0),
            usage.get("output", 0),
            spent,
        )


class ArmFigures(NamedTuple):
    """What one way of asking came to, each in [0, 1] or a difference of such.

    same: verdicts like the first one that was given alone; of the arm itself, when it was asked
    again. changed: how many more differ than do by the judge's noise. again: like its own, where it
    was asked several times. met: the share of criteria found met. accuracy, balanced: agreement
    with people. better: balanced accuracy less that of the arm that all are held against.
    """

    same: ResampledFigure
    changed: ResampledFigure
    again: ResampledFigure
    met: ResampledFigure
    accuracy: ResampledFigure
    balanced: ResampledFigure
    better: ResampledFigure


@dataclass(frozen=True)
class TogetherStudy:
    """The arms, the smallest first, to which the others are held.

    people: what they said, where they did. seed: of the draws behind intervals.
    """

    arms: Sequence[TogetherArm]
    people: Mapping[CriterionPlace, str]
    seed: int

    @cached_property
    def places(self) -> list[CriterionPlace]:
        """Every criterion of every report."""
        return sorted({place for arm in self.arms for place in arm.verdicts})

    def figures(self, arm: TogetherArm) -> ArmFigures:
        """What one arm came to: its verdicts, and people's where they said something."""
        base, own = self._merits(self.arms[0]), self._merits(arm)
        again = base[:, 1:] if arm is self.arms[0] else own
        same, noise = (_like(each, base[:, :1]) for each in (again, base[:, 1:]))
        pairs = [_like(own[:, [one]], own[:, [two]]) for one, two in _pairs(own.shape[1])]
        right, by_base = self._right(own), self._right(base)
        both = np.where(np.isnan(right + by_base), np.nan, 1.0)
        return ArmFigures(
            self._mean("same", same),
            self._mean("changed", noise - same),
            self._mean("again", _row_means(np.stack(pairs, axis=1)) if pairs else same * np.nan),
            self._mean("met", _row_means(np.where(np.isnan(own), np.nan, own == 1))),
            self._mean("accuracy", right),
            self._balanced("balanced", right),
            self._balanced("better", right * both, by_base * both),
        )

    def _merits(self, arm: TogetherArm) -> Floats:
        """Verdicts as numbers, shape (criteria, repeats); nan where there is none."""
        none = (None,) * arm.repeats
        rows = [arm.verdicts.get(place, none) for place in self.places]
        return np.array([[np.nan if w is None else MERITS[w] for w in own] for own in rows])

    @cached_property
    def _labels(self) -> Floats:
        said = [self.people.get(place) for place in self.places]
        return np.array([np.nan if word is None else MERITS[word] for word in said])

    def _right(self, own: Floats) -> Floats:
        """How often verdicts are those of people, shape (criteria,).

        Where people had two words, partly met is not met.
        """
        if not (self._labels == MERITS[PARTIAL]).any():
            own = np.where(own == MERITS[PARTIAL], 0.0, own)
        return _like(own, self._labels[:, None])

    @cached_property
    def _units(self) -> Places:
        names = np.array([repr(place[:3]) for place in self.places])
        return np.asarray(np.unique(names, return_inverse=True)[1])

    @cached_property
    def _draws(self) -> Floats:
        return drawn_counts(int(self._units.max(initial=-1)) + 1, self.seed, FEWER_DRAWS)

    def _sums(self, values: Floats) -> tuple[Floats, Floats]:
        """The sum and the number of the values that are there, by report."""
        there = ~np.isnan(values)
        size = self._draws.shape[1]
        sums = np.bincount(self._units[there], values[there], size).astype(float)
        return sums, np.bincount(self._units[there], minlength=size).astype(float)

    def _figure(self, name: str, statistic: Statistic, count: int) -> ResampledFigure:
        return resampled_figure(name, statistic, self._draws, count, "criteria", expanded=True)

    def _mean(self, name: str, values: Floats) -> ResampledFigure:
        count = int((~np.isnan(values)).sum())
        return self._figure(name, ratio(*self._sums(values)), count)

    def _balanced(self, name: str, right: Floats, less: Floats | None = None) -> ResampledFigure:
        """How often the judge says what people said, by class; less how often another does."""
        classes = [self._labels == value for value in np.unique(self._labels[~np.isnan(right)])]
        values = right if less is None else right - less
        shares = [ratio(*self._sums(np.where(own, values, np.nan))) for own in classes]

        def figure(counts: Floats) -> float | None:
            found = [value for share in shares if (value := share(counts)) is not None]
            return sum(found) / len(found) if len(found) == len(shares) > 0 else None

        count = int((~np.isnan(values)).sum())
        return self._figure(name, figure, count)


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    return combinations(range(count), 2)


def _like(own: Floats, other: Floats) -> Floats:
    """How often each row has the same as the other, of what both have; shape (rows,)."""
    same = np.where(np.isnan(own) | np.isnan(other), np.nan, own == other)
    return _row_means(same)


def _row_means(values: Floats) -> Floats:
    """The mean of what is there in each row; nan where nothing is."""
    there = ~np.isnan(values)
    count = there.sum(axis=1)
    return np.where(
        count > 0, np.where(there, values, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan
    )
