"""What labels where they count save, and what a cheap judge first: against truths that are known.

    python -m benchmarks.saved_labels [drawn | drawn-real | cascades | seen] [WORLDS]

drawn: labels where they count, for a comparison of two agents, against labels drawn by chance among
their verdicts: labels alone, as people do it today, and with what the judge says of everything. How
many of these would be needed for the same interval, and how often it holds the truth. Beside it an
oracle that sees nothing but what the judge said, and knows beforehand what people say on average
where the judge says so of this agent, and how far single labels lie from it. It draws in proportion
to that, or a part of it evenly, since the verdicts of a task have something in common: what takes
fewer labels is the least that any draw by such a judge can be hoped to take.
drawn-real: the same with labels of people, which stand in ../shared/data/labels: the two largest
sources of AttributionBench with the offline rule as judge, each half of the questions apart; and
LFQA, where two raters stand for a panel and the third for people.
cascades: what stands of a cheap judge is learnt on one half of the pages or questions, WORLDS
times, and counted on the other half: how often the risk is kept there, and what is saved. Simulated
judges, and the offline rule and two raters on labels of people.
seen: which verdicts a person need not see is learnt on one half, by the same judges: how much of
what people say is left out on the other half.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from benchmarks import support
from benchmarks.trust import ITEMS, SEED, main, share
from deepassay.stats.active import EVEN, DrawnLabels, TwoAgents, kinds_of, raised
from deepassay.stats.cascading import what_stands
from deepassay.stats.conformal import verdict_sets
from deepassay.stats.powered_ranks import PoweredGap
from deepassay.stats.ranks import Floats, Places
from deepassay.stats.spread import SpreadDraw

WORLDS: Final = 300


class Drawable(NamedTuple):
    """A comparison of which everything is known. truth: the difference that people would see."""

    of: TwoAgents
    theirs: Floats
    truth: float


LABELS_ALONE: Final = "by chance, labels alone"
WITH_JUDGE: Final = "by chance, with the judge"
WHERE: Final = "where they count"
ORACLES: Final = {"by an oracle": 0.0, "by an oracle, a third evenly": EVEN}
"""Ways to draw that know all errors, with the part that they spread evenly all the same."""

WAYS: Final = (LABELS_ALONE, WITH_JUDGE, WHERE, *ORACLES)
"""The first two are what Zrnic and Candes compare with, classical and uniform sampling."""

ROUNDS: Final = (0.3, 0.3, 0.4)
"""The parts of labels that are drawn in each round."""

GRADES: Final = 12
"""Kinds of judge's numbers that an oracle tells apart, where there are more different ones."""


def people_world(chance: np.random.Generator, judge: str, tasks: int) -> tuple[TwoAgents, Floats]:
    """Ten verdicts a task of two agents, of which people call about two thirds met."""
    hard = chance.normal(0, 0.5, (1, tasks))
    lean = np.array([[0.6], [0.9]]) + hard + chance.normal(0, 0.4, (2, tasks))
    share_met = 1 / (1 + np.exp(-lean))[..., None]
    met = (chance.random((2, tasks, ITEMS)) < share_met).astype(float)
    if judge == "single":
        ours = np.where(chance.random(met.shape) < 0.12, 1 - met, met)
    elif judge == "verifier":  # a probability that is right on average
        seen = (2 * met - 1) * 2 + chance.normal(0, 1.2, met.shape)
        odds = np.log(2.0) + 4 * seen / 1.2**2
        ours = 1 / (1 + np.exp(-odds))
    else:  # a panel of three that errs where it is hard
        often = np.where(chance.random(met.shape) < 0.8, 0.02, 0.4)
        wrong = chance.random((3, *met.shape)) < often
        ours = np.where(wrong, 1 - met, met).mean(axis=0)
    task = np.broadcast_to(np.arange(tasks)[None, :, None], met.shape)
    agent = np.broadcast_to(np.arange(2)[:, None, None], met.shape)
    return TwoAgents(ours.ravel(), agent.ravel(), task.ravel()), met.ravel()


def gap_of(world: Drawable, way: str, labels: int, seed: int) -> tuple[PoweredGap | None, int]:
    """The difference by so many labels, and how many it took."""
    of = world.of
    chance = np.random.default_rng([seed, 11])
    chances = np.zeros(len(world.theirs))
    theirs = np.full(len(world.theirs), np.nan)
    if way == WHERE or way in ORACLES:
        number = chance.random(int(of.task.max()) + 1)
        spread = SpreadDraw(of.agent, of.task, of.ours)
        if way in ORACLES:
            of, errors = by_oracle(world)
            even = ORACLES[way]
            chances = in_proportion((1 - even) * errors + even * errors.mean(), labels)
            spread.rise(chances)
            theirs = np.where(spread.drawn(number), world.theirs, np.nan)
        else:
            for part in ROUNDS:
                known = DrawnLabels(theirs, np.where(chances > 0, chances, 1.0))
                chances = raised(chances, of.errors(known, seed), round(part * labels))
                spread.rise(chances)
                theirs = np.where(spread.drawn(number), world.theirs, np.nan)
    else:
        chances = np.full(len(world.theirs), min(1.0, labels / len(world.theirs)))
        theirs = np.where(chance.random(len(world.theirs)) < chances, world.theirs, np.nan)
    if way == LABELS_ALONE:
        of = TwoAgents(np.zeros(len(of.ours)), of.agent, of.task)
    return of.gap(DrawnLabels(theirs, chances), 10), int(np.count_nonzero(~np.isnan(theirs)))


def by_oracle(world: Drawable) -> tuple[TwoAgents, Floats]:
    """The judge put right by the labels of everything, and how far each of these lies from it.

    Both by agent and by what the judge said. The second times what an item counts for.
    """
    said = np.unique(world.of.ours)
    if len(said) > GRADES:
        said = np.unique(np.quantile(world.of.ours, np.arange(GRADES) / GRADES))
    kinds = np.searchsorted(said, world.of.ours, side="right") * 2 + world.of.agent
    sizes = np.maximum(np.bincount(kinds), 1)
    right = (np.bincount(kinds, world.theirs) / sizes)[kinds]
    errors = np.sqrt(np.bincount(kinds, (world.theirs - right) ** 2) / sizes)[kinds]
    counting = errors / np.bincount(world.of.agent)[world.of.agent]
    return TwoAgents(right, world.of.agent, world.of.task), counting


def in_proportion(errors: Floats, labels: int) -> Floats:
    """Chances as large as what is not known, so many labels together; a little where all is."""
    wanted = np.maximum(errors, errors.mean() / 50)
    low, high = 0.0, len(errors) / float(wanted.min())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if np.minimum(1, middle * wanted).sum() > labels else (middle, high)
        )
    return np.minimum(1, high * wanted)


def compared(name: str, draw: Callable[[int], Drawable], worlds: int, sizes: Sequence[int]) -> None:
    """Widths and coverage of every way, and how many labels by chance are as good."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for way in WAYS:
        for labels in sizes:
            held = given = used = 0
            width = 0.0
            for seed in range(worlds):
                world = draw(seed)
                gap, count = gap_of(world, way, labels, seed)
                if gap is None or gap.interval is None:
                    continue
                given += 1
                used += count
                held += gap.interval.low <= world.truth <= gap.interval.high
                width += gap.interval.high - gap.interval.low
            if given > worlds / 2:
                curves.setdefault(way, []).append((used / given, width / given))
                print(
                    f"{name}, {way}, {used / given:.0f} labels: {share('holds', held, given)}, "
                    f"width {width / given:.4f}",
                    flush=True,
                )
    for way in (WHERE, *ORACLES):
        for count, width in curves.get(way, []):
            parts = [
                f"{count / found:.2f} of those {base}"
                for base in (LABELS_ALONE, WITH_JUDGE)
                if (found := labels_for(width, curves.get(base, []))) is not None
            ]
            if parts:
                print(f"{name}: {count:.0f} labels {way} are {', '.join(parts)}", flush=True)


def labels_for(width: float, curve: Sequence[tuple[float, float]]) -> float | None:
    """How many labels give an interval so wide; None beyond those that were tried."""
    points = sorted((each, labels) for labels, each in curve)
    if not points or not points[0][0] <= width <= points[-1][0]:
        return None
    return float(np.interp(width, *map(list, zip(*points, strict=True))))


def drawn(worlds: int) -> None:
    """Simulated judges."""
    for judge in ("panel", "verifier", "single"):
        large, met = people_world(np.random.default_rng(1), judge, 40_000)
        truth = float(met[large.agent == 0].mean() - met[large.agent == 1].mean())

        def draw(seed: int, judge: str = judge, truth: float = truth) -> Drawable:
            of, theirs = people_world(np.random.default_rng([SEED, seed]), judge, 100)
            return Drawable(of, theirs, truth)

        compared(judge, draw, worlds, (120, 240, 400, 600, 900, 1300, 1700, 2000))


def drawn_real(worlds: int) -> None:
    """People's labels. Questions are drawn with replacement, so that the truth is known."""
    rows = support._lines("attributionbench-dev.jsonl")
    names = ("ExpertQA", "Stanford-GenSearch")
    for half in (0, 1):
        questions = sorted({row["question"] for row in rows})
        mine = {each for at, each in enumerate(questions) if at % 2 == half}
        chosen = [row for row in rows if row["question"] in mine and row["src_dataset"] in names]
        pairs = [support._attributed(row) for row in chosen]
        ours = np.array([support.by_rule(pair) for pair in pairs])
        theirs = np.array([float(pair.supported) for pair in pairs])
        agent = np.array([names.index(row["src_dataset"]) for row in chosen])
        task = np.unique([row["question"] for row in chosen], return_inverse=True)[1]
        of = TwoAgents(ours, agent, task)
        compared(
            f"AttributionBench, half {half + 1}",
            partial(redrawn, of, theirs),
            worlds,
            (60, 100, 150, 200, 300, 400, 500),
        )
    of, theirs = raters()
    compared("LFQA", partial(redrawn, of, theirs), worlds, (60, 100, 150, 200, 300, 450, 700, 1000))


def redrawn(of: TwoAgents, theirs: Floats, seed: int) -> Drawable:
    """As many of its tasks, drawn with replacement."""
    chance = np.random.default_rng([SEED, seed])
    tasks = int(of.task.max()) + 1
    rows, task = [], []
    for at, each in enumerate(chance.integers(0, tasks, tasks)):
        own = np.flatnonzero(of.task == each)
        rows.append(own)
        task.append(np.full(len(own), at))
    row = np.concatenate(rows)
    truth = float(theirs[of.agent == 0].mean() - theirs[of.agent == 1].mean())
    drawn = TwoAgents(of.ours[row], of.agent[row], np.concatenate(task))
    return Drawable(drawn, theirs[row], truth)


def raters() -> tuple[TwoAgents, Floats]:
    """LFQA-Verification: sentences of two systems; the first two raters are the panel."""
    numbers = {"supported": 1.0, "partially": 0.5, "not_supported": 0.0}
    ours, theirs, agent, task = [], [], [], []
    for at, name in enumerate(("lfqa-gpt3.json", "lfqa-webgpt.json")):
        for row in json.loads((support.LABELS / name).read_text("utf-8")):
            for each in row["annotations"]:
                labels = [numbers.get(label) for label in each["labels"]]
                said = [label for label in labels if label is not None]
                if len(said) == 3:
                    ours.append((said[0] + said[1]) / 2)
                    theirs.append(said[2])
                    agent.append(at)
                    task.append(str(row["question_id"]))
    places = np.unique(task, return_inverse=True)[1]
    return TwoAgents(np.array(ours), np.array(agent), places), np.array(theirs)


class Graded(NamedTuple):
    """A cheap judge's grades, the truth, and what each verdict varies with."""

    grades: Floats
    truth: Floats
    units: Places


def cheap_judges() -> Iterator[tuple[str, Callable[[np.random.Generator], Graded]]]:
    """By name; those on labels of people are the same at every draw."""

    def simulated(lean: float, chance: np.random.Generator) -> Graded:
        units = np.repeat(np.arange(600), 2)
        grades = np.clip(chance.beta(lean, lean, 1200), 0, 1)
        return Graded(grades, (chance.random(1200) < grades).astype(float), units)

    yield "simulated, often sure", partial(simulated, 0.3)
    yield "simulated, seldom sure", partial(simulated, 1.0)
    for name, pairs in support.sets():
        if not name.startswith("-"):
            found = Graded(
                np.array([support.by_rule(pair) for pair in pairs]),
                np.array([float(pair.supported) for pair in pairs]),
                np.unique([pair.page for pair in pairs], return_inverse=True)[1],
            )
            yield f"offline rule, {name}", lambda chance, found=found: found
    of, theirs = raters()
    yield "two raters, LFQA", lambda chance: Graded(of.ours, theirs, of.task)


def cascades(worlds: int) -> None:
    """Halves by units."""
    for name, draw in cheap_judges():
        for risk in (0.05, 0.1):
            kept, saves, wrongs = 0, [], []
            for seed in range(worlds):
                chance = np.random.default_rng([SEED, seed])
                own = draw(chance)
                numbers = np.unique(own.units)
                first = np.isin(own.units, chance.permutation(numbers)[: len(numbers) // 2])
                learnt = what_stands(*(each[first] for each in own), risk)
                grades, truth, _ = (each[~first] for each in own)
                stands = learnt.covers(grades)
                wrong = stands * np.where(grades >= 0.5, 1 - truth, truth)
                wrongs.append(float(wrong.mean()))
                kept += wrongs[-1] <= risk
                saves.append(float(stands.mean()))
            print(
                f"{name}, risk {risk}: {share('kept', kept, worlds)}, wrong and standing "
                f"{np.mean(wrongs):.3f}, saves {np.mean(saves):.3f}",
                flush=True,
            )


def seen(worlds: int) -> None:
    """Halves by units: sets of words are made on one half of the labels, and missed on the other.

    The promise is an average over tasks, so that the mean over splits is held to the risk.
    """
    for name, draw in cheap_judges():
        for risk in (0.05, 0.1, 0.2):
            missed, alone, wrong = [], [], []
            for seed in range(worlds):
                own = draw(np.random.default_rng([SEED, seed]))
                kinds = kinds_of(own.grades)
                values, words = np.unique(own.truth, return_inverse=True)
                numbers = np.unique(own.units)
                first = np.random.default_rng([SEED, seed, 1]).permutation(numbers)
                learnt = np.isin(own.units, first[: len(numbers) // 2])
                size = (int(kinds.max()) + 1, len(values))
                labels = (kinds[learnt], words[learnt], own.units[learnt])
                sets = verdict_sets(*labels, size, risk, seed).sets
                unit = np.unique(own.units[~learnt], return_inverse=True)[1]
                lost = ~sets[kinds[~learnt], words[~learnt]]
                sure = sets.sum(axis=1)[kinds[~learnt]] == 1
                missed.append(float((np.bincount(unit, lost) / np.bincount(unit)).mean()))
                alone.append(float(sure.mean()))
                wrong.append(float((sure & lost).mean()))
            error = 1.96 * float(np.std(missed)) / worlds**0.5
            print(
                f"{name}, risk {risk}: missed {np.mean(missed):.3f} ± {error:.3f}, not to be seen "
                f"{np.mean(alone):.3f}, of all wrong and not seen {np.mean(wrong):.3f}",
                flush=True,
            )


BENCHES: Final[Mapping[str, Callable[[int], None]]] = {
    "drawn": drawn,
    "drawn-real": drawn_real,
    "cascades": cascades,
    "seen": seen,
}


if __name__ == "__main__":
    main(BENCHES, WORLDS)
