"""Whether what is said of judges holds in worlds of which the truth is known.

    python -m benchmarks.trust [panels | ranks | trusted] [WORLDS]

panels: judges of known rates of mistakes, whose mistakes correlate as is known. How far the
effective number of judges is from the true one, how often its interval holds it, and how often the
interval itself says that the number is known to 10 %.
ranks: five agents of known means, a good, a biased and a useless judge, and labels on some tasks.
How often the interval of a calibrated difference holds the true one, and the ranks the true rank.
trusted: judges who contradict people exactly as often as is tolerated, more often, or less. How
often they are trusted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from deepassay.results.known import TOLERATED, KnownOfJudge, why_not_trusted
from deepassay.score import Signature
from deepassay.stats.intervals import wilson_interval
from deepassay.stats.panels import JudgesTogether
from deepassay.stats.powered_ranks import powered_gaps, powered_ranks
from deepassay.stats.prediction_powered import powered
from deepassay.stats.ranks import Floats
from deepassay.stats.resampling import FEWER_DRAWS, drawn_counts, resampled_figure
from deepassay.wings.people.calibration.contradiction import contradiction
from deepassay.wings.people.calibration.labelled import Labelled

WORLDS: Final = 1000
SEED: Final = 20261127
PANELS: Final = (
    (2, 0.0, 0.2),
    (2, 0.5, 0.2),
    (3, 0.3, 0.1),
    (3, 0.3, 0.3),
    (3, 0.7, 0.2),
    (5, 0.2, 0.2),
    (5, 0.6, 0.2),
)
"""Judges, correlation of their mistakes, and the rate of these."""
JUDGED: Final = Signature({"judges": [{"model": "x"}]})
ITEMS: Final = 10
"""Verdicts a task."""


def share(name: str, hits: int, of: int) -> str:
    """A share with Wilson's interval."""
    low, high = wilson_interval(hits / of, of)
    return f"{name} {hits / of:.3f} [{low:.3f}, {high:.3f}]"


def mistakes(
    chance: np.random.Generator, items: int, judges: int, rho: float, rate: float
) -> Floats:
    """Each judge errs as a coin that all share, with a chance of the root of rho, else by itself.

    So that two judges' mistakes, 1 or 0, correlate by rho. Shape (items, judges).
    """
    common = chance.random((items, 1)) < rate
    own = chance.random((items, judges)) < rate
    return np.where(chance.random((items, judges)) < rho**0.5, common, own).astype(float)


def panels(worlds: int) -> None:
    """Effective numbers by labels on 40 and 100 tasks, and the floor without labels."""
    for judges, rho, rate in PANELS:
        truth = judges / (1 + (judges - 1) * rho)
        for tasks in (40, 100):
            chance = np.random.default_rng(SEED)
            unit = np.repeat(np.arange(tasks), ITEMS)
            found, held, below, claimed, kept = [], 0, 0, 0, 0
            for world in range(worlds):
                wrong = mistakes(chance, len(unit), judges, rho, rate)
                people = (chance.random((len(unit), 1)) < 0.6).astype(float)
                together = JudgesTogether(wrong, unit)
                counts = drawn_counts(tasks, world, FEWER_DRAWS)
                figure = resampled_figure("", together.effective, counts, 1, "", expanded=True)
                found.append(figure.value)
                if figure.value is not None and figure.interval is not None:
                    low, high = figure.interval
                    held += low <= truth <= high
                    sure = 0.9 * figure.value <= low and high <= 1.1 * figure.value
                    claimed += sure
                    kept += sure and abs(figure.value / truth - 1) <= 0.1
                said = JudgesTogether(np.abs(people - wrong), unit).effective()
                below += said is not None and said <= truth
            values = np.array(found, dtype=float)
            near = int((np.abs(values / truth - 1) <= 0.1).sum())
            print(
                f"{judges} judges, rho {rho}, mistaken {rate}, {tasks} tasks: truth {truth:.2f}, "
                f"mean {values.mean():.2f}, {share('within 10 %', near, worlds)}, "
                f"{share('interval holds', held, worlds)}, "
                f"{share('known to 10 %', claimed, worlds)}, rightly in {kept}, "
                f"{share('without labels a floor', below, worlds)}",
                flush=True,
            )


AGENTS: Final = {
    "close": (0.0, 0.1, 0.2, 0.6, 0.6),
    "equal": (0.0, 0.0, 0.0, 0.0, 0.0),
    "nearly equal": (0.0, 0.02, 0.04, 0.06, 0.08),
    "two equal, others far": (0.0, 0.0, 0.8, 1.6, 2.4),
    "far apart": (0.0, 0.6, 1.2, 1.8, 2.4),
}
"""True means, in standard deviations of what people give."""


def judged(
    chance: np.random.Generator, judge: str, kind: str, tasks: int, means: Sequence[float]
) -> tuple[Floats, Floats]:
    """The judge's numbers and the people's, of every agent and task; shape (agents, tasks).

    Tasks have something in common for all agents. kind: `scores`, or `verdicts`, of which each is
    the mean of ITEMS.
    """
    hard = chance.normal(0, 0.6, tasks)
    own = np.array(means)[:, None] + hard + chance.normal(0, 0.8, (len(means), tasks))
    if kind == "scores":
        ours = {
            "good": own + chance.normal(0, 0.5, own.shape),
            "biased": 0.4 + 0.02 * own + 0.02 * (own > 1) + chance.normal(0, 0.02, own.shape),
            "useless": chance.standard_normal(own.shape),
        }[judge]
        return ours, own
    sensitivity, specificity = {
        "good": (0.95, 0.92),
        "biased": (0.97, 0.55),
        "useless": (0.6, 0.4),
    }[judge]
    share = 1 / (1 + np.exp(-own))
    met = chance.random((*own.shape, ITEMS)) < share[..., None]
    says = chance.random(met.shape) < np.where(met, sensitivity, 1 - specificity)
    return says.mean(axis=-1), met.mean(axis=-1)


def ranks(worlds: int) -> None:
    """Intervals of calibrated differences, and ranks: all of those that ties leave open."""
    sizes = ((20, 60), (40, 100), (40, 400))
    for kind in ("scores", "verdicts"):
        for judge in ("good", "biased", "useless"):
            for shown, tasks in sizes:
                ranked("close", kind, judge, shown, tasks, worlds)
        for name in AGENTS:
            if name != "close":
                ranked(name, kind, "good", 40, 100, worlds)


def ranked(name: str, kind: str, judge: str, shown: int, tasks: int, worlds: int) -> None:
    """Agents of these means, by labels on so many tasks."""
    means = AGENTS[name]
    many = judged(np.random.default_rng(1), "good", kind, 400_000, means)[1].mean(axis=1)
    best = [1 + sum(other > own for other in means) for own in means]
    worst = [len(means) - sum(other < own for other in means) for own in means]
    chance = np.random.default_rng(SEED)
    held = gaps = wide = 0
    within = np.zeros(len(means), dtype=int)
    for world in range(worlds):
        ours, theirs = judged(chance, judge, kind, tasks, means)
        known = chance.permutation(tasks) < shown
        found = [
            powered(mine, np.where(known, people, np.nan), np.arange(tasks))
            for mine, people in zip(ours, theirs, strict=True)
        ]
        agents = [each for each in found if each is not None]
        for each in powered_gaps(agents):
            gap = float(many[each.one] - many[each.other])
            gaps += 1
            if each.interval is not None:
                held += each.interval.low <= gap <= each.interval.high
        for at, (low, high) in enumerate(powered_ranks(agents, world)):
            within[at] += low <= best[at] and worst[at] <= high
            wide += high - low + 1
    of = worlds * len(means)
    print(
        f"{name}, {kind}, {judge}, labels on {shown} of {tasks} tasks: "
        f"{share('differences', held, gaps)}, {share('ranks', int(within.sum()), of)}, "
        f"{share('of the agent least often', int(within.min()), worlds)}, "
        f"{wide / of:.2f} ranks wide",
        flush=True,
    )


def contradicting(
    chance: np.random.Generator, kind: str, error: float, tasks: int, lean: float
) -> Labelled:
    """A judge that contradicts people in a share of `error` of verdicts, or of pairs of reports.

    lean: how unlike tasks are, the parameter of a beta distribution; the smaller, the more.
    """
    if kind == "verdicts":
        own = chance.beta(lean, lean / error - lean, tasks)
        task = np.repeat(np.arange(tasks), ITEMS)
        theirs = (chance.random(len(task)) < 0.6).astype(float)
        ours = np.abs(theirs - (chance.random(len(task)) < own[task]))
    else:  # of two normal variables so correlated, so many pairs are turned
        task = np.repeat(np.arange(tasks), 3)
        theirs = chance.standard_normal(len(task))
        rho = np.cos(np.pi * error)
        ours = rho * theirs + np.sqrt(1 - rho**2) * chance.standard_normal(len(task))
    return Labelled(
        "p",
        "p",
        "r",
        "x",
        shown=True,
        part="items" if kind == "verdicts" else "",
        kind="verdicts" if kind == "verdicts" else "scores",
        agents=tuple("abc"[at % 3] for at in range(len(task))),
        tasks=tuple(f"{each}" for each in task),
        ours=ours,
        theirs=theirs,
    )


def trusted(worlds: int) -> None:
    """How often a judge is trusted, by how often it contradicts people."""
    for kind, lean in (("verdicts", 4.0), ("verdicts", 0.4), ("pairs", 1.0)):
        for tasks in (20, 40, 100, 300):
            told = []
            for error in (0.3, TOLERATED, 0.2, 0.15, 0.1):
                chance = np.random.default_rng(SEED)
                yes = 0
                for _ in range(worlds):
                    labelled = contradicting(chance, kind, error, tasks, lean)
                    found = contradiction(labelled, answers=kind == "verdicts", fewest=20)
                    known = (
                        [] if isinstance(found, str) else [KnownOfJudge("", error=found.interval)]
                    )
                    yes += not why_not_trusted([JUDGED], known)
                told.append(share(f"error {error:.2f}:", yes, worlds))
            print(f"{kind}, lean {lean}, {tasks} tasks, trusted: {'; '.join(told)}", flush=True)


BENCHES: Final[Mapping[str, Callable[[int], None]]] = {
    "panels": panels,
    "ranks": ranks,
    "trusted": trusted,
}


def main(benches: Mapping[str, Callable[[int], None]], worlds: int) -> None:
    """Run those that the command line names, or all; a number there is how many worlds."""
    words = sys.argv[1:]
    worlds = next((int(word) for word in words if word.isdigit()), worlds)
    for name in [word for word in words if word in benches] or benches:
        benches[name](worlds)


if __name__ == "__main__":
    main(BENCHES, WORLDS)
