"""How much of a score's uncertainty is the judge's, how much the agent's, how much the tasks'.

A score varies when the same answer is judged again, when the agent answers again, and from task
to task. The three are told apart by nested analysis of variance: what the spread of means owes to
the level below is taken off (Searle, Casella and McCulloch 1992, chapter 3).

`stdev` is the standard deviation as `statistics.stdev` rounds it, in a fifth of its time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isqrt, sqrt
from statistics import fmean, variance

import numpy as np

from deepassay.stats.ranks import Floats

Answers = Mapping[str, Sequence[Sequence[float]]]
"""For each task the answers of an agent, and for each answer the scores of its judgements."""


@dataclass(frozen=True)
class Noise:
    """The spread of one agent's scores; all standard deviations in the unit of the score.

    tasks: how many. judgements: of one answer, the fewest and the most. judge: between judgements
    of one answer. answer: between an agent's answers to one task, beyond the judge's noise;
    where answers were judged once, with it. observed: between the means of tasks. task: the same
    beyond the two others. None where nothing was repeated.
    """

    tasks: int
    judgements: tuple[int, int]
    judge: float | None
    answer: float | None
    observed: float | None
    task: float | None
    _thinning: float  # by how much answers thin out the noise in the mean of a task, on average

    def spread(self, judgements: float) -> float | None:
        """The deviation between means of tasks, had every answer so many judgements."""
        if self.judge is None or self.observed is None or self.task is None:
            return None
        answer = self.answer or 0.0
        below = self._thinning * (answer**2 + self.judge**2 / judgements)
        return sqrt(self.task**2 + below)

    def half_width(self, judgements: float) -> float | None:
        """Half of Student's 95 % interval of the mean, had every answer so many judgements."""
        spread = self.spread(judgements)
        if spread is None:
            return None
        from scipy.special import stdtrit

        return float(stdtrit(self.tasks - 1, 0.975)) * spread / sqrt(self.tasks)

    def share(self, judgements: float) -> float | None:
        """The judge's share of the variance of the mean, with so many judgements an answer."""
        spread = self.spread(judgements)
        if not spread or self.judge is None:
            return None
        return self._thinning * self.judge**2 / judgements / spread**2


def noise_of(answers: Answers) -> Noise:
    """Variance components of one agent's scores. answers: at least one task."""
    judge = pooled_variance(_judged(answers))
    noisy = judge or 0.0
    groups = [[fmean(scores) for scores in task] for task in answers.values()]
    raw = pooled_variance(groups)
    own = [noisy * fmean(1 / len(scores) for scores in task) for task in answers.values()]
    over = fsum((len(group) - 1) * each for group, each in zip(groups, own, strict=True))
    freedom = sum(len(group) - 1 for group in groups)
    answer = None if raw is None else max(0.0, raw - over / freedom)
    observed = variance(map(fmean, groups)) if len(groups) > 1 else None
    thinning = fmean(1 / len(group) for group in groups)
    task = None
    if observed is not None and (judge is not None or answer is not None):
        task = max(0.0, observed - noisy * judged_share(answers) - thinning * (answer or 0.0))
    counts = [len(scores) for scores in _judged(answers)]
    return Noise(
        tasks=len(answers),
        judgements=(min(counts), max(counts)),
        judge=_root(judge),
        answer=_root(answer),
        observed=_root(observed),
        task=_root(task),
        _thinning=thinning,
    )


def judge_of(answers: Answers) -> float | None:
    """The standard deviation between judgements of one report, without the other components."""
    return _root(pooled_variance(_judged(answers)))


def _judged(answers: Answers) -> list[Sequence[float]]:
    return [scores for task in answers.values() for scores in task]


def judged_share(answers: Answers) -> float:
    """The share of the judge's variance that is left in the mean of a task, on average."""
    return fmean(
        fsum(1 / len(scores) for scores in task) / len(task) ** 2 for task in answers.values()
    )


def pooled_variance(groups: Sequence[Sequence[float]]) -> float | None:
    """The variance inside groups, pooled by degrees of freedom; None if no group has two."""
    freedom = sum(len(group) - 1 for group in groups)
    if freedom == 0:
        return None
    squares = [(value - fmean(group)) ** 2 for group in groups for value in group]
    return fsum(squares) / freedom


def _root(value: float | None) -> float | None:
    return None if value is None else sqrt(value)


def stdev(values: Floats) -> float:
    """Of a sample of finite numbers, shape (n,) with n of 2 at least; rounded once, at the end.

    Every number is a whole multiple of one power of two, and whole numbers are summed exactly.
    """
    parts, exponents = np.frexp(values)
    lowest = int(exponents[parts != 0].min(initial=0)) - 53
    shifts = np.where(parts != 0, exponents - 53 - lowest, 0)
    wholes = (parts * 2.0**53).astype(np.int64)
    scaled = [each << by for each, by in zip(wholes.tolist(), shifts.tolist(), strict=True)]
    n = len(scaled)
    squares = n * sum(each * each for each in scaled) - sum(scaled) ** 2
    return _root_of_fraction(squares, n * (n - 1), lowest)


def _root_of_fraction(numerator: int, denominator: int, exponent: int) -> float:
    """The root of a fraction, times two to the exponent, rounded to the nearest number."""
    if not numerator:
        return 0.0
    # A root of 55 bits and more, of which the last says whether anything is behind it, rounds as
    # the exact root does.
    half = (numerator.bit_length() - denominator.bit_length() - 109) // 2
    if half >= 0:
        denominator <<= 2 * half
    else:
        numerator <<= -2 * half
    root = isqrt(numerator // denominator)
    root |= root * root * denominator != numerator
    exponent += half
    return float(root << exponent) if exponent >= 0 else root / (1 << -exponent)
