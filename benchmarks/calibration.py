"""How often the intervals of `calibrate` hold the truth: simulated labels, and labels of people.

    python -m benchmarks.calibration [SIMULATIONS] [--real]

A judge scores all tasks, people label some that are drawn at random; the truth is known. Three
judges: a good one, a biased one (it leans, on a scale of its own) and a useless one. Intervals say
95 %. Beside them stand the floors: the labels alone, and the judge's own mean with the interval
that a leaderboard gives it, which has no labels at all.

--real: AttributionBench's development half, where it stands in ../shared/data/labels. People say of
every claim whether its reference supports it; the offline rule of words judges.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np

from benchmarks import support
from deepassay.protocols.support import SUPPORTED
from deepassay.stats.error_rates import true_rate
from deepassay.stats.intervals import Interval, Units, wilson_interval
from deepassay.stats.prediction_powered import powered
from deepassay.stats.ranks import Floats, Places
from deepassay.wings.people.calibration.calibrate import FEWEST

SIMULATIONS: Final = 2000
SIZES: Final = ((10, 60), (FEWEST, 60), (FEWEST, 400), (50, 100))
"""Tasks with labels, and all tasks."""
LOPSIDED: Final = ((10, 100), (FEWEST, 100), (50, 100))
ITEMS: Final = 8
JUDGES: Final = ("good", "biased", "useless")
SHOWN: Final = 0.3
"""The share of the questions of which labels are shown, with --real."""


class Sample(NamedTuple):
    """ours, theirs: of every item, the people's also where no label is shown. truth: the mean."""

    ours: Floats
    theirs: Floats
    task: Places
    truth: float


Drawn = Callable[[np.random.Generator, int], Sample]


def scores(judge: str) -> Drawn:
    """One report a task, people's scores about 6 (deviation 1.2)."""

    def draw(chance: np.random.Generator, tasks: int) -> Sample:
        theirs = 6 + 1.2 * chance.standard_normal(tasks)
        ours = {
            "good": theirs + chance.normal(0, 0.5, tasks),
            "biased": 0.4 + 0.02 * theirs + chance.normal(0, 0.02, tasks),
            "useless": chance.standard_normal(tasks),
        }[judge]
        return Sample(ours, theirs, np.arange(tasks), 6.0)

    return draw


RATES: Final = {"good": (0.95, 0.92), "biased": (0.97, 0.55), "useless": (0.6, 0.4)}
"""Sensitivity and specificity."""


def verdicts(judge: str, met: tuple[float, float] = (4.0, 2.0)) -> Drawn:
    """ITEMS a task. met: the parameters of the beta distribution of the share met in a task."""

    def draw(chance: np.random.Generator, tasks: int) -> Sample:
        task = np.repeat(np.arange(tasks), ITEMS)
        theirs = (chance.random(len(task)) < chance.beta(*met, tasks)[task]).astype(float)
        sensitivity, specificity = RATES[judge]
        says = np.where(theirs > 0, sensitivity, 1 - specificity)
        ours = (chance.random(len(task)) < says).astype(float)
        return Sample(ours, theirs, task, met[0] / sum(met))

    return draw


def lopsided(judge: str) -> Drawn:
    """Nine of ten are met, in most tasks all: the hardest case of a mean over few tasks."""
    return verdicts(judge, (4.5, 0.5))


class Tally:
    """How often intervals were given, held the truth, and how wide they were."""

    def __init__(self) -> None:
        self.tried = self.given = self.held = 0
        self.width = 0.0

    def add(self, interval: Interval | None, truth: float) -> None:
        """One interval, or that there is none."""
        self.tried += 1
        if interval is not None:
            self.given += 1
            self.held += interval.low <= truth <= interval.high
            self.width += interval.high - interval.low

    def __str__(self) -> str:
        if not self.given:
            return "none given"
        share = self.held / self.given
        low, high = wilson_interval(share, self.given)
        given = f", given in {self.given / self.tried:.3f}" if self.given < self.tried else ""
        width = self.width / self.given
        return f"{share:.3f} [{low:.3f}, {high:.3f}], width {width:.3f}{given}"


def _mean(values: Floats, task: Places) -> Interval | None:
    """What a leaderboard says of a mean over tasks."""
    members = np.unique(task, return_inverse=True)[1]
    return Units(np.bincount(members, weights=values), np.bincount(members) * 1.0).interval()


def tried(
    draw: Drawn, shown: int, tasks: int, simulations: int, *, rates: bool
) -> Iterator[tuple[str, Tally]]:
    """Every way to an interval, and how it fared."""
    ways: defaultdict[str, Tally] = defaultdict(Tally)
    chance = np.random.default_rng(20260)
    for _ in range(simulations):
        sample = draw(chance, tasks)
        known = np.isin(sample.task, chance.choice(tasks, shown, replace=False))
        theirs = np.where(known, sample.theirs, np.nan)
        found = powered(sample.ours, theirs, sample.task)
        ways["people"].add(found.found.interval if found else None, sample.truth)
        if rates:
            every = np.ones(len(known), dtype=np.bool_)
            rate = true_rate(sample.ours, theirs, sample.task, every)
            ways["without errors"].add(rate.interval, sample.truth)
        alone = _mean(sample.theirs[known], sample.task[known])
        ways["labels alone"].add(alone, sample.truth)
        ways["judge alone"].add(_mean(sample.ours, sample.task), sample.truth)
    yield from ways.items()


def simulated(simulations: int) -> None:
    """All judges, sizes and ways."""
    for kind, of, sizes in (
        ("scores", scores, SIZES),
        ("verdicts", verdicts, SIZES),
        ("lopsided verdicts", lopsided, LOPSIDED),
    ):
        for shown, tasks in sizes:
            for judge in JUDGES:
                ways = tried(of(judge), shown, tasks, simulations, rates=kind != "scores")
                for way, tally in ways:
                    print(f"{kind}, {shown} of {tasks} tasks, {judge}, {way}: {tally}", flush=True)


def real(simulations: int) -> None:
    """The offline rule on claims whose support people judged, each source as an agent.

    A run is as many questions as there are, drawn with replacement, so that the truth is known.
    """
    rows = support._lines("attributionbench-dev.jsonl")
    pairs = [support._attributed(row) for row in rows]
    theirs = np.array([float(pair.supported) for pair in pairs])
    ours = np.array([float(support.by_rule(pair) >= SUPPORTED) for pair in pairs])
    question = np.unique(np.array([row["question"] for row in rows]), return_inverse=True)[1]
    sources = np.array([row["src_dataset"] for row in rows])
    names = sorted(set(sources.tolist()))
    claims = [np.flatnonzero(question == each) for each in range(question.max() + 1)]
    ways: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    chance = np.random.default_rng(20260)
    for _ in range(simulations):
        drawn = chance.integers(0, len(claims), len(claims))
        row = np.concatenate([claims[each] for each in drawn])
        task = np.repeat(np.arange(len(drawn)), [len(claims[each]) for each in drawn])
        known = chance.permutation(len(drawn))[task] < len(drawn) * SHOWN
        labels = np.where(known, theirs[row], np.nan)
        for name in names:
            of = sources[row] == name
            truth = float(theirs[sources == name].mean())
            enough = len(np.unique(task[of & known])) >= FEWEST
            found = powered(ours[row][of], labels[of], task[of]) if enough else None
            alone = _mean(labels[of & known], task[of & known]) if enough else None
            ways[name, "people"].add(found.found.interval if found else None, truth)
            rate = true_rate(ours[row], labels, task, of)
            ways[name, "without errors"].add(rate.interval, truth)
            ways[name, "labels alone"].add(alone, truth)
            ways[name, "judge alone"].add(_mean(ours[row][of], task[of]), truth)
    for name in names:
        of = sources == name
        sure = [float((ours == theirs)[of & (theirs == each)].mean()) for each in (1, 0)]
        print(f"{name}: sensitivity {sure[0]:.2f}, specificity {sure[1]:.2f}, {of.sum()} claims")
        for (agent, way), tally in ways.items():
            if agent == name:
                print(f"{name}, {way}: {tally}")


def main() -> None:
    """As the module says."""
    words = sys.argv[1:]
    simulations = next((int(word) for word in words if word.isdigit()), SIMULATIONS)
    (real if "--real" in words else simulated)(simulations)


if __name__ == "__main__":
    main()
