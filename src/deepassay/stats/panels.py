"""What a panel of judges is worth: as many independent judges as its members' errors allow.

The mean of k judges whose errors correlate by rho varies as that of

    k / (1 + (k - 1) rho)

independent ones (the effective sample size of Kish 1965, Survey Sampling, section 5.4). rho is the
mean covariance of two judges' errors by the mean variance of one, so that judges who err more
weigh more, as they do in the mean. The error of a verdict is whether it is mistaken: with its sign
two independent judges would agree in theirs, since a no can only be taken for a yes.

Without people's labels errors are not seen. What judges say has the truth in it, which they share,
so that it correlates more than their errors do: the number that comes of it is a floor (of two
verdicts that are as frequent and as often mistaken, exactly: the difference of the coefficients is
(1 - rho) (1 - 2 p)^2, with p the share of mistakes).
"""

from __future__ import annotations

import numpy as np

from deepassay.stats.ranks import TIE, Floats, Places


class JudgesTogether:
    """Judges who all said something of the same items.

    said: their errors, or what they said, shape (items, judges), two judges at least. unit: the
    number of each item's task, none left out.
    """

    def __init__(self, said: Floats, unit: Places) -> None:
        self.judges = said.shape[1]
        centred = said - said.mean(axis=0) if len(said) else said  # for the last digits
        rows = np.column_stack([np.ones(len(said)), centred])
        self._moments = np.zeros((int(unit.max(initial=-1)) + 1, *[1 + self.judges] * 2))
        np.add.at(self._moments, unit, rows[:, :, None] * rows[:, None, :])

    def correlation(self, counts: Floats | None = None) -> float | None:
        """rho, at most 1; None for fewer than two items, and where nobody's numbers vary."""
        if not len(self._moments):
            return None
        sums = (
            self._moments.sum(axis=0)
            if counts is None
            else np.tensordot(counts, self._moments, axes=1)
        )
        if sums[0, 0] < 2:
            return None
        spread = sums[1:, 1:] - np.outer(sums[0, 1:], sums[0, 1:]) / sums[0, 0]
        own = float(np.trace(spread))
        if own <= TIE:
            return None
        return float((spread.sum() - own) / ((self.judges - 1) * own))

    def effective(self, counts: Floats | None = None) -> float | None:
        """As many independent judges; None where their errors cancel to nothing."""
        rho = self.correlation(counts)
        below = 0.0 if rho is None else 1 + (self.judges - 1) * rho
        return self.judges / below if below > TIE else None


def beyond(ours: Floats, theirs: Floats) -> Floats:
    """What of a judge's scores is not the people's, on whatever scale the judge counts.

    The residuals of a straight line from theirs to ours, by their standard deviation; shape (n,)
    each. Zeros where nothing is left.
    """
    away = theirs - theirs.mean()
    square = float(away @ away)
    slope = float(away @ (ours - ours.mean())) / square if square > TIE else 0.0
    left = ours - ours.mean() - slope * away
    deviation = float(left.std())
    return left / deviation if deviation > TIE else np.zeros_like(left)
