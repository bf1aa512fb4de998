"""Whether what is said of judges holds in worlds of which the truth is known.

    python -m benchmarks.trust [panels | ranks | trusted | drawn | drawn-real] [WORLDS]

panels: judges of known rates of mistakes, whose mistakes correlate as is known. How far the
effective number of judges is from the true one, and how often its interval holds it.
ranks: five agents of known means, a good, a biased and a useless judge, and labels on some tasks.
How often the interval of a calibrated difference holds the true one, and the ranks the true rank.
trusted: judges who contradict people exactly as often as is tolerated, more often, or less. How
often they are trusted.
drawn: labels where they count, for a comparison of two of four agents, against labels on items
drawn by chance: of the run, of the two agents, and without the judge. How many of these would be
needed for the same interval, and how often it holds the truth.
drawn-real: the same with labels of people, which stand in ../shared/data/labels: the two largest
sources of AttributionBench with the offline rule as judge, each half of the questions apart; and
LFQA, where two raters stand for a panel and the third for people.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from benchmarks import support
from deepassay.results.known import TOLERATED, KnownOfJudge, why_not_trusted
from deepassay.score import Signature
from deepassay.stats.active import Labels, TwoAgents, raised
from deepassay.stats.intervals import wilson_interval
from deepassay.stats.panels import JudgesTogether
from deepassay.stats.powered_ranks import PoweredGap, powered_gaps, powered_ranks
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
            found, held, below = [], 0, 0
            for world in range(worlds):
                wrong = mistakes(chance, len(unit), judges, rho, rate)
                people = (chance.random((len(unit), 1)) < 0.6).astype(float)
                together = JudgesTogether(wrong, unit)
                counts = drawn_counts(tasks, world, FEWER_DRAWS)
                figure = resampled_figure("", together.effective, counts, 1, "")
                found.append(figure.value)
                if figure.interval is not None:
                    held += figure.interval.low <= truth <= figure.interval.high
                said = JudgesTogether(np.abs(people - wrong), unit).effective()
                below += said is not None and said <= truth
            values = np.array(found, dtype=float)
            near = int((np.abs(values / truth - 1) <= 0.1).sum())
            print(
                f"{judges} judges, rho {rho}, mistaken {rate}, {tasks} tasks: truth {truth:.2f}, "
                f"mean {values.mean():.2f}, {share('within 10 %', near, worlds)}, "
                f"{share('interval holds', held, worlds)}, "
                f"{share('without labels a floor', below, worlds)}",
                flush=True,
            )


AGENTS: Final = (0.0, 0.1, 0.2, 0.6, 0.6)
"""True means, in standard deviations of what people give."""


def judged(chance: np.random.Generator, judge: str, kind: str, tasks: int) -> tuple[Floats, Floats]:
    """The judge's numbers and the people's, of every agent and task; shape (agents, tasks).

    Tasks have something in common for all agents. kind: `scores`, or `verdicts`, of which each is
    the mean of ITEMS.
    """
    hard = chance.normal(0, 0.6, tasks)
    own = np.array(AGENTS)[:, None] + hard + chance.normal(0, 0.8, (len(AGENTS), tasks))
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
    """Intervals of calibrated differences, and ranks."""
    for kind in ("scores", "verdicts"):
        many = judged(np.random.default_rng(1), "good", kind, 400_000)[1].mean(axis=1)
        true = [1 + int((many > mean + 0.01).sum()) for mean in many]
        for judge in ("good", "biased", "useless"):
            for shown, tasks in ((20, 60), (40, 100), (40, 400)):
                chance = np.random.default_rng(SEED)
                held = gaps = within = wide = 0
                for world in range(worlds):
                    ours, theirs = judged(chance, judge, kind, tasks)
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
                    for (low, high), rank in zip(powered_ranks(agents, world), true, strict=True):
                        within += low <= rank <= high
                        wide += high - low + 1
                of = worlds * len(AGENTS)
                print(
                    f"{kind}, {judge}, labels on {shown} of {tasks} tasks: "
                    f"{share('differences', held, gaps)}, {share('ranks', within, of)}, "
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
                    found = contradiction(labelled, answers=kind == "verdicts", fewest=20, seed=0)
                    known = [KnownOfJudge("", error=found.interval)] if found else []
                    yes += not why_not_trusted([JUDGED], known)
                told.append(share(f"error {error:.2f}:", yes, worlds))
            print(f"{kind}, lean {lean}, {tasks} tasks, trusted: {'; '.join(told)}", flush=True)


class Drawable(NamedTuple):
    """A comparison of which everything is known. truth: the difference that people would see."""

    of: TwoAgents
    theirs: Floats
    truth: float


ROUNDS: Final = (0.3, 0.3, 0.4)
"""The parts of labels that are drawn in each round."""


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
    number = np.random.default_rng([seed, 11]).random(len(world.theirs))
    chances = np.zeros(len(world.theirs))
    theirs = np.full(len(world.theirs), np.nan)
    if way == "where they count":
        for part in ROUNDS:
            known = Labels(theirs, np.where(chances > 0, chances, 1.0))
            chances = raised(chances, world.of.errors(known, seed), round(part * labels))
            theirs = np.where(number < chances, world.theirs, np.nan)
    else:
        chances = np.full(len(world.theirs), min(1.0, labels / len(world.theirs)))
        theirs = np.where(number < chances, world.theirs, np.nan)
    of = world.of
    if way == "without judge":
        of = TwoAgents(np.zeros(len(of.ours)), of.agent, of.task)
    return of.gap(Labels(theirs, chances), 10), int(np.count_nonzero(~np.isnan(theirs)))


def compared(name: str, draw: Callable[[int], Drawable], worlds: int, sizes: Sequence[int]) -> None:
    """Widths and coverage of every way, and how many labels by chance are as good."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for way in ("without judge", "by chance", "where they count"):
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
    if not curves.get("where they count"):
        return
    for count, width in curves["where they count"]:
        for way in ("by chance", "without judge"):
            points = sorted((w, n) for n, w in curves.get(way, []))
            if points and points[0][0] <= width <= points[-1][0]:
                as_many = float(np.interp(width, *map(list, zip(*points, strict=True))))
                part = f"{count / as_many:.2f} of those {way}"
                print(f"{name}: {count:.0f} labels where they count are {part}", flush=True)


def drawn(worlds: int) -> None:
    """Simulated judges; a run has two agents more, which labels by chance fall on as well."""
    for judge in ("panel", "verifier", "single"):
        large, met = people_world(np.random.default_rng(1), judge, 40_000)
        truth = float(met[large.agent == 0].mean() - met[large.agent == 1].mean())

        def draw(seed: int, judge: str = judge, truth: float = truth) -> Drawable:
            of, theirs = people_world(np.random.default_rng([SEED, seed]), judge, 100)
            return Drawable(of, theirs, truth)

        compared(judge, draw, worlds, (120, 180, 240, 320, 400, 600, 900, 1300))


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
            (60, 100, 150, 200, 300, 400),
        )
    of, theirs = raters()
    compared("LFQA", partial(redrawn, of, theirs), worlds, (60, 100, 150, 200, 300, 450, 700))


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


BENCHES: Final[Mapping[str, Callable[[int], None]]] = {
    "panels": panels,
    "ranks": ranks,
    "trusted": trusted,
    "drawn": drawn,
    "drawn-real": drawn_real,
}


def main() -> None:
    """As the module says."""
    words = sys.argv[1:]
    worlds = next((int(word) for word in words if word.isdigit()), WORLDS)
    for name in [word for word in words if word in BENCHES] or BENCHES:
        BENCHES[name](worlds)


if __name__ == "__main__":
    main()
