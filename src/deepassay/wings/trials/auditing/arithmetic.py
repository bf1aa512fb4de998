"""The tests of an audit: pure arithmetic on numbers before, again and after a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2, sqrt

import numpy as np

from deepassay.score import WHOLE, Direction
from deepassay.stats.intervals import Interval, Units, wilson_interval
from deepassay.stats.paired import area_above, detection, equivalence, mean_test, noise_of_pairs
from deepassay.stats.ranks import TIE, Floats
from deepassay.stats.reliability import one_way
from deepassay.stats.testing import ALPHA, holm, sign_test, smallest_effect
from deepassay.wings.trials.auditing.audit_file import (
    MUST_MOVE,
    AuditRow,
    Bias,
    BiasKind,
    JudgementNoise,
    Standout,
    Verdict,
)


@dataclass(frozen=True)
class PairedMetrics:
    """A metric of reports before and after a change, shape (n,), and the task of each."""

    before: Floats
    after: Floats
    tasks: Sequence[str]

    @property
    def change(self) -> Floats:
        """The metric after the change less that before it, shape (n,)."""
        return self.after - self.before

    def units(self) -> Units:
        """The changes, put together by task."""
        return task_units(self.change, self.tasks)


def task_units(values: Floats, tasks: Sequence[str]) -> Units:
    """Values, of which those of one task vary together."""
    keys = [str(at) for at in range(len(values))]
    return Units.of(
        dict(zip(keys, map(float, values), strict=True)), dict(zip(keys, tasks, strict=True))
    )


def ends(interval: Interval | None) -> tuple[float, float] | None:
    """An interval as it is kept."""
    return None if interval is None else (interval.low, interval.high)


def measured_row(
    row: AuditRow, pairs: PairedMetrics, twins: PairedMetrics, margin: float
) -> AuditRow:
    """The row with its figures, but for what takes all tests of the audit.

    twins: the same metric of all untouched reports, judged twice. margin: in the unit of the
    metric. Of what must move, p is that of the sign test; of what must stay, that of Student's
    test; of what must not rise, the one-sided p that it does.
    """
    if not len(pairs.before):
        return row
    change, units = pairs.change, pairs.units()
    fell, rose = int((change < -TIE).sum()), int((change > TIE).sum())
    toward, sign = {Direction.LOWER: (fell, -1), Direction.HIGHER: (rose, 1)}.get(
        row.expects, (len(change) - rose, -1)
    )
    p = sign_test(fell, rose) if row.expects in MUST_MOVE else _moved(row.expects, units)
    found = detection(sign * change, sign * twins.change)
    right = toward / len(change)
    return row.model_copy(
        update={
            "fell": fell,
            "rose": rose,
            "right": right,
            "right_interval": ends(wilson_interval(right, len(change))),
            "mean": float(change.mean()),
            "interval": ends(units.interval()),
            "p": p,
            "equal": _no_further(row.expects, units, margin),
            "units": units.count,
            "area": area_above(sign * change, sign * twins.change),
            "standout": found
            and Standout(
                share=found.share,
                interval=(found.interval.low, found.interval.high),
                found=found.found,
                of=found.n,
                band=found.band,
                false_alarm=found.false_alarm,
            ),
        }
    )


def _moved(expects: Direction, units: Units) -> float:
    """The p that it did not move, or did not rise where only that is wrong."""
    above, below = mean_test(units)
    return above if expects is Direction.NOT_HIGHER else min(1.0, 2 * min(above, below))


def _no_further(expects: Direction, units: Units, margin: float) -> float | None:
    """The p that it moved by more than the margin, or rose by more where only that is wrong."""
    if expects is Direction.SAME:
        return equivalence(units, margin)
    return mean_test(units, margin)[1] if expects is Direction.NOT_HIGHER else None


def judged_together(
    rows: Sequence[AuditRow], biases: Sequence[Bias]
) -> tuple[list[AuditRow], list[Bias]]:
    """Rows with their verdicts and biases, p adjusted by Holm.

    What must be noticed, and what must not matter, are two families of tests: a false alarm in the
    first praises a judge, in the second it blames one. The paddings of a metric are one test, their
    slope; where that is no chance, they say at which length.
    """
    slopes = {each.metric: at for at, each in enumerate(biases) if each.kind == "length"}
    p = {at: row.p for at, row in enumerate(rows) if row.p is not None}
    praise = [at for at in p if rows[at].expects in MUST_MOVE]
    others = [at for at in p if rows[at].expects not in MUST_MOVE]
    shapes = [at for at in others if rows[at].is_padding and rows[at].metric in slopes]
    blame = [at for at in others if at not in shapes]
    together = holm([*(p[at] for at in blame), *(each.p for each in biases)])
    late = together[len(blame) :]
    adjusted = dict(zip(praise, holm([p[at] for at in praise]), strict=True))
    adjusted |= dict(zip(blame, together, strict=False))
    adjusted |= {at: max(p[at], late[slopes[rows[at].metric]]) for at in shapes}
    level = ALPHA / len(together) if together else ALPHA
    told = [
        row.model_copy(
            update={
                "adjusted": adjusted[at],
                "verdict": _verdict(row, adjusted[at]),
                "least": None if row.expects in MUST_MOVE else _least(row, level),
            }
        )
        if at in adjusted
        else row
        for at, row in enumerate(rows)
    ]
    return told, [
        each.model_copy(update={"adjusted": each_p, "least": _least(each, level)})
        for each, each_p in zip(biases, late, strict=True)
    ]


def _least(found: AuditRow | Bias, level: float) -> float | None:
    """The smallest mean that would be shown at this level, which is Holm's of the smallest p.

    From the interval of what was found, which tells how far the units vary. None without one, and
    of a share.
    """
    if (
        found.interval is None
        or found.units < 2
        or (isinstance(found, Bias) and found.kind == "first")
    ):
        return None
    from scipy.special import stdtrit

    low, high = found.interval
    error = (high - low) / 2 / float(stdtrit(found.units - 1, 1 - ALPHA / 2))
    return error * sqrt(found.units) * smallest_effect(found.units, level)


def _verdict(row: AuditRow, adjusted: float) -> Verdict:
    if row.expects in MUST_MOVE:
        if adjusted >= ALPHA:
            return "not shown"
        toward = row.fell > row.rose
        return "noticed" if toward == (row.expects is Direction.LOWER) else "misread"
    same = row.expects is Direction.SAME
    if row.is_small:
        return "equal" if same else "no gain"
    if adjusted < ALPHA:
        return "moved" if same else "gained"
    return "open"


# ------------------------------------------------------------------ what must not matter


def bias_of(
    kind: BiasKind,
    values: Floats,
    tasks: Sequence[str],
    margin: float,
    expects: Direction = Direction.SAME,
    metric: str = WHOLE,
) -> Bias | None:
    """A mean that must be zero, by Student's test; None for fewer than two tasks.

    margin: within which it is negligible. expects: NOT_HIGHER where only above zero is wrong.
    """
    if len(set(tasks)) < 2:
        return None
    units = task_units(values, tasks)
    return Bias(
        kind=kind,
        metric=metric,
        n=len(values),
        value=units.mean,
        interval=ends(units.interval()),
        p=_moved(expects, units),
        equal=_no_further(expects, units, margin),
        units=units.count,
    )


def slope(doublings: Sequence[float], scores: Sequence[float]) -> float | None:
    """Points for each doubling within one report, by least squares; None for one length."""
    x, y = np.asarray(doublings, dtype=float), np.asarray(scores, dtype=float)
    spread = x - x.mean()
    if len(x) < 2 or not (spread**2).sum() > TIE:
        return None
    return float(spread @ y / (spread**2).sum())


def growth(before: int, after: int) -> float:
    """Doublings from one length to another; none where one of them is nothing."""
    return log2(after / before) if before and after else 0.0


def first_place(winners: Sequence[tuple[bool | None, bool | None]]) -> Bias | None:
    """Of winners that change with the order, how many are whoever stands first.

    winners: of each pair whether the report won when it stood first, and when it stood second; None
    for a tie. An honest judge flips as well where two are close, toward either place: by mid-p
    (Lancaster 1961), since flips are few.
    """
    decided = [(one, two) for one, two in winners if one is not None and two is not None]
    flips = [one for one, two in decided if one != two]
    if not decided:
        return None
    first, share = sum(flips), sum(flips) / len(flips) if flips else None
    return Bias(
        kind="first",
        n=len(decided),
        value=share,
        interval=None if share is None else ends(wilson_interval(share, len(flips))),
        p=_mid_p(first, len(flips) - first),
        flips=len(flips),
    )


def _mid_p(one: int, other: int) -> float:
    """The sign test, counting half of the chance of what was seen."""
    from scipy.special import bdtr

    n, k = one + other, min(one, other)
    if one == other:
        return 1.0
    at_most, below = float(bdtr(k, n, 0.5)), float(bdtr(k - 1, n, 0.5)) if k else 0.0
    return min(1.0, at_most + below)


def judgement_noise(before: Floats, again: Floats, k: int) -> JudgementNoise | None:
    """How far two judgements of one report lie apart; each is the mean of k."""
    deviation = noise_of_pairs(before, again)
    if deviation is None:
        return None
    of_k = one_way(list(zip(before.tolist(), again.tolist(), strict=True)))
    one = None if of_k is None or k == 1 else of_k / (k - (k - 1) * of_k)
    return JudgementNoise(
        reports=len(before),
        deviation=deviation * k**0.5,
        one=of_k if k == 1 else one,
        k=k,
        of_k=of_k,
    )


def own_family(
    ours: Mapping[tuple[str, str], float],
    theirs: Mapping[tuple[str, str], float],
    family: frozenset[str],
    margin: float,
) -> Bias | None:
    """What a judge gives its own family beyond what others give it, by task.

    ours, theirs: scores by agent and task, of the judge and on average of the others. family: its
    agents. The difference of differences leaves out how good the reports are.
    """
    shared = ours.keys() & theirs.keys()
    gaps: dict[str, tuple[list[float], list[float]]] = {}
    for agent, task in sorted(shared):
        sides = gaps.setdefault(task, ([], []))
        sides[agent not in family].append(ours[agent, task] - theirs[agent, task])
    both = {task: sides for task, sides in gaps.items() if sides[0] and sides[1]}
    values = [float(np.mean(own) - np.mean(other)) for own, other in both.values()]
    return bias_of("family", np.asarray(values), list(both), margin) if values else None
