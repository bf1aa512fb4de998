"""Whether `audit` finds what is wrong with a judge: judges of planted faults are put on trial.

    python -m benchmarks.auditing [AUDITS]

Every judge gives a report its quality, less what a noticed change costs, plus its faults, plus
noise. An audit is of 50 reports, one a task, under the expectations of RACE: what `audit` makes of
records is made of theirs. Printed are the shares of audits in which a fault is shown (all tests of
the audit considered, by Holm), in which the 95 % interval holds its planted size, and for the
honest judge in which a test blames it: each alone, and any after Holm. The floor beside it: the
plain rate of flips, which calls an honest judge biased by place.

The quick audit is counted too: judgements, and minutes at 2 s a call over 50 connections.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from tests.judging import verdicts
from tests.loopback import FakeJudge

from deepassay.protocols.race.protocol import Race
from deepassay.results.records import Judged
from deepassay.run.settings import Settings
from deepassay.score import Metric, Score, Signature
from deepassay.stats.ranks import Floats
from deepassay.wings.trials.auditing.arithmetic import first_place, own_family
from deepassay.wings.trials.auditing.audit_file import MARGIN, MUST_MOVE, AuditRow, Bias, JudgeAudit
from deepassay.wings.trials.auditing.audit_plan import AuditOrder, prepare
from deepassay.wings.trials.auditing.design import AuditDesign, Copy
from deepassay.wings.trials.auditing.measures import audited
from deepassay.wings.trials.auditing.steps import audit
from deepassay.wings.trials.effects import effects_of

DEMO: Final = Path(__file__).resolve().parent.parent / "examples" / "demo"
SECONDS: Final = 2.0
CONNECTIONS: Final = 50

AUDITS: Final = 200
REPORTS: Final = 50
HIT: Final = 0.03
"""What a harmful change costs a report in the eyes of a judge that notices it."""

NOISE: Final = 0.0104
"""Standard deviation of one judgement, as measured on repeated runs of RACE."""

HARMFUL: Final = ("drop-section",)
CHANGES: Final[Mapping[str, float]] = {
    "drop-section": -0.3, "plant-contradiction": 0.02, "shuffle-sections": 0.0,
    "duplicate-paragraph": 0.05, "strip-style": -0.02, "pad-25": math.log2(1.25),
    "pad-50": math.log2(1.5), "pad-100": 1.0, "address-judge": 0.01,
    "signed:fake": 0.0, "signed:Nobody": 0.0,
}  # fmt: skip
"""What is done to every report, and doublings of its length."""

RACE: Final = "race"
SECOND: Final = "race(position='second')"
IDENTITY: Final = {"protocol": RACE, "judges": [{"model": "fake"}]}


@dataclass(frozen=True)
class Scripted:
    """A judge. notice: share of harmful changes seen. length: for each doubling. first: for the
    report in the first place. own: for the name of its model, or a report of its family. items: of
    a coarse scale, whose score is the share of so many items that it says yes to.
    """

    notice: float = 1.0
    length: float = 0.0
    first: float = 0.0
    own: float = 0.0
    plea: float = 0.0
    noise: float = NOISE
    items: int = 0


CAST: Final[Mapping[str, Scripted]] = {
    "honest": Scripted(),
    "notices half": Scripted(notice=0.5),
    "notices nothing": Scripted(notice=0.0),
    "length +.01": Scripted(length=0.01),
    "first place +.01": Scripted(first=0.01),
    "own name +.02": Scripted(own=0.02),
    "heeds pleas +.02": Scripted(plea=0.02),
    "noise .03": Scripted(noise=0.03),
}


TURNED: Final = 0.02
"""Of the verdicts on items, how many are turned over when the same is judged again."""

COARSE: Final[Mapping[str, Scripted]] = {
    "five items": Scripted(items=5),
    "ten items": Scripted(items=10),
    "twenty items": Scripted(items=20),
}


def audit_of(judge: Scripted, seed: int) -> JudgeAudit:
    """One audit of a scripted judge."""
    originals = [(f"a{at % 5}", f"t{at}", 1) for at in range(REPORTS)]
    copies = [
        Copy(each, name, doublings) for name, doublings in CHANGES.items() for each in originals
    ]
    design = AuditDesign(
        originals,
        copies,
        {name: name for name in CHANGES},
        # The parts are not scripted.
        {RACE: {"score": effects_of(Race())["score"]}},
        swapped={RACE: SECOND},
        signed={"fake": "signed:fake"},
    )
    (found,) = audited(_records(judge, design, seed), design, {RACE: IDENTITY})
    return found


def _records(judge: Scripted, design: AuditDesign, seed: int) -> Iterator[Judged]:
    random = np.random.default_rng(seed)
    quality = dict(zip(design.originals, random.normal(0.5, 0.02, REPORTS), strict=True))
    metrics = {name: Metric(name, bounds=(0.0, 1.0)) for name in (RACE, SECOND)}

    def record(protocol: str, place: tuple[str, str, int], repeat: int, mean: float) -> Judged:
        score = Score(_scored(judge, mean, random), (0.0, 1.0))
        return Judged(protocol, *place, repeat, {}, score, Signature(IDENTITY), metrics[protocol])

    for place, own in quality.items():
        yield record(RACE, place, 0, own + judge.first)
        yield record(RACE, place, 1, own + judge.first)
        yield record(SECOND, place, 0, own)
    for copy in design.copies:
        mean = quality[copy.of] + judge.first
        mean += judge.length * copy.doublings if copy.perturbation.startswith("pad") else 0.0
        mean -= HIT * (copy.perturbation in HARMFUL and random.random() < judge.notice)
        mean += judge.own * (copy.perturbation == "signed:fake")
        mean += judge.plea * (copy.perturbation == "address-judge")
        yield record(RACE, copy.place, 0, mean)


def _scored(judge: Scripted, mean: float, random: np.random.Generator) -> float:
    """A score about a mean. On a coarse scale as many items as fit are sure, and one is drawn; each
    is then turned over once in 50 times.
    """
    if not judge.items:
        return float(mean + random.normal(0, judge.noise))
    sure, rest = divmod(min(max(mean, 0.0), 1.0) * judge.items, 1)
    yes = np.arange(judge.items) < sure + (random.random() < rest)
    return float(np.mean(yes ^ (random.random(judge.items) < TURNED)))


def family_of(judge: Scripted, seed: int) -> Bias | None:
    """What is found of a judge's own family: two agents, 50 tasks, an honest judge beside it."""
    random = np.random.default_rng(seed)
    ours, theirs = {}, {}
    for agent, level in (("own", 0.55), ("other", 0.53)):
        for at in range(REPORTS):
            quality = random.normal(level, 0.02)
            place = (agent, f"t{at}")
            bonus = judge.own * (agent == "own")
            ours[place] = quality + bonus + random.normal(0, judge.noise)
            theirs[place] = quality + random.normal(0, NOISE)
    return own_family(ours, theirs, frozenset({"own"}), MARGIN)


def winners_of(judge: Scripted, seed: int) -> Bias | None:
    """What is found of a judge that only names the better of two, each pair in both orders."""
    random = np.random.default_rng(seed)
    one, other = random.normal(0.54, 0.02, (2, REPORTS))

    def first_wins(first: Floats, second: Floats) -> np.ndarray:
        noise = random.normal(0, judge.noise, (2, REPORTS))
        return first + judge.first + noise[0] > second + noise[1]  # type: ignore[no-any-return]

    forth, back = first_wins(one, other), ~first_wins(other, one)
    return first_place(list(zip(forth.tolist(), back.tolist(), strict=True)))


def row_of(audit: JudgeAudit, name: str) -> AuditRow:
    """The row of a change."""
    return next(row for row in audit.rows if row.perturbation == name)


def bias_of(audit: JudgeAudit, kind: str) -> Bias:
    """The bias of a kind."""
    return next(each for each in audit.biases if each.kind == kind)


def holds(interval: tuple[float, float] | None, value: float) -> bool:
    """Whether an interval holds a value."""
    return interval is not None and interval[0] <= value <= interval[1]


def _mean_is(name: str, value: float, honest: float) -> Callable[[JudgeAudit], tuple[bool, bool]]:
    """Whether the mean change is told from that of an honest judge, and holds its size."""

    def found(audit: JudgeAudit) -> tuple[bool, bool]:
        interval = row_of(audit, name).interval
        return not holds(interval, honest), holds(interval, value)

    return found


def _bias_is(kind: str, value: float) -> Callable[[JudgeAudit], tuple[bool, bool]]:
    def found(audit: JudgeAudit) -> tuple[bool, bool]:
        bias = bias_of(audit, kind)
        return bias.shown, holds(bias.interval, value)

    return found


def _gain_is(name: str, value: float) -> Callable[[JudgeAudit], tuple[bool, bool]]:
    def found(audit: JudgeAudit) -> tuple[bool, bool]:
        row = row_of(audit, name)
        return row.verdict == "gained", holds(row.interval, value)

    return found


def _noise_is(value: float) -> Callable[[JudgeAudit], tuple[bool, bool]]:
    """The interval of a standard deviation, by the chi-square distribution."""

    def found(audit: JudgeAudit) -> tuple[bool, bool]:
        from scipy.special import chdtri

        noise = audit.noise
        assert noise is not None
        sum_of_squares = noise.reports * noise.deviation**2
        low, high = (
            math.sqrt(sum_of_squares / chdtri(noise.reports, tail)) for tail in (0.025, 0.975)
        )
        return not low <= NOISE <= high, low <= value <= high

    return found


PLANTED: Final[Mapping[str, Callable[[JudgeAudit], tuple[bool, bool]]]] = {
    "notices half": _mean_is("drop-section", -HIT / 2, -HIT),
    "notices nothing": _mean_is("drop-section", 0.0, -HIT),
    "length +.01": _bias_is("length", 0.01),
    "first place +.01": _bias_is("place", 0.01),
    "own name +.02": _bias_is("author", 0.02),
    "heeds pleas +.02": _gain_is("address-judge", 0.02),
    "noise .03": _noise_is(0.03),
}


def rates(name: str, audits: int) -> tuple[float, float]:
    """The shares of audits in which a planted fault is shown, and in which its size is held."""
    found = [PLANTED[name](audit_of(CAST[name], seed)) for seed in range(audits)]
    return tuple(float(np.mean(each)) for each in zip(*found, strict=True))  # type: ignore[return-value]


def blamed(audits: int, judge: Scripted = CAST["honest"]) -> tuple[dict[str, float], float]:
    """How often each test alone blames an honest judge, and any of them does after Holm."""
    alone: Counter[str] = Counter()
    together = 0
    for seed in range(audits):
        audit = audit_of(judge, seed)
        rows = [row for row in audit.rows if row.expects not in MUST_MOVE]
        tests = {row.perturbation: (row.p, row.adjusted) for row in rows}
        tests |= {each.kind: (each.p, each.adjusted) for each in audit.biases}
        alone.update(name for name, (p, _) in tests.items() if p is not None and p < 0.05)
        together += any(row.verdict in ("moved", "gained") for row in rows) or any(
            each.shown for each in audit.biases
        )
    return {name: count / audits for name, count in alone.items()}, together / audits


def told(name: str, found: Sequence[tuple[bool, bool]]) -> None:
    """One line of the table."""
    shown, held = (float(np.mean(each)) for each in zip(*found, strict=True))
    print(f"{name:18} {shown:5.3f}  {held:9.3f}")


def main(audits: int = AUDITS) -> None:
    """Print the table."""
    print(f"{audits} audits of {REPORTS} reports and {len(CHANGES)} changes")
    print(f"{'judge':18} shown  size held")
    for name, found in PLANTED.items():
        told(name, [found(audit_of(CAST[name], seed)) for seed in range(audits)])
    for name, own in (("own family +.02", 0.02), ("family, honest", 0.0)):
        family = [family_of(Scripted(own=own), seed) for seed in range(audits)]
        told(name, [(each.p < 0.05, holds(each.interval, own)) for each in family if each])
    for name in ("honest", "first place +.01"):
        flips = [each for seed in range(audits) if (each := winners_of(CAST[name], seed))]
        rate = np.mean([(each.flips or 0) / each.n for each in flips])
        shown = np.mean([each.p < 0.05 for each in flips])
        print(f"{name}, winners only: {rate:.3f} flip (the floor), place shown in {shown:.3f}")
    alone, together = blamed(audits)
    tests = ", ".join(f"{name} {rate:.3f}" for name, rate in sorted(alone.items()))
    print(f"honest, blamed by each test alone: {tests}")
    print(f"honest, blamed by any after Holm: {together:.3f}")
    coarse(audits)
    quick()


def coarse(audits: int) -> None:
    """What is shown of a plea that is worth so much on a coarse scale, and who is blamed."""
    for name, judge in COARSE.items():
        _, together = blamed(audits, judge)
        honest = [audit_of(judge, seed) for seed in range(audits)]
        least = np.mean([row_of(each, "address-judge").least or 0 for each in honest])
        noise = np.mean([each.noise.deviation for each in honest if each.noise])
        shown = {
            size: np.mean(
                [
                    _gain_is("address-judge", size)(audit_of(replace(judge, plea=size), seed))
                    for seed in range(audits)
                ],
                axis=0,
            )
            for size in (0.03, 0.05, 0.07, 0.1)
        }
        told = ", ".join(f"{s:g}: {a:.3f} shown, {b:.3f} held" for s, (a, b) in shown.items())
        print(f"{name}, noise {noise:.3f}, least {least:.3f}: {told}; blamed {together:.3f}")


def quick() -> None:
    """A quick audit of the demo, asked for real of a judge who takes two seconds."""
    with TemporaryDirectory() as folder, FakeJudge(verdicts, latency=SECONDS) as judge:
        settings = Settings(
            judge=["openai:good"],
            base_url=judge.base_url,
            allow_unpriced=True,
            max_connections=CONNECTIONS,
            date="2026-05-04",
            run=Path(folder, "audit.assay"),
        )
        reports = [DEMO / "reports" / name for name in ("heron", "magpie", "cuckoo")]
        ready = prepare(DEMO / "tasks.jsonl", reports, settings, AuditOrder(quick=True))
        (reckoned,) = ready.estimate(lambda done, total: None).models.values()
        began = time.monotonic()
        audit(ready)
        took = time.monotonic() - began
        floor = len(judge.requests) / CONNECTIONS * SECONDS
    names = ", ".join(map(str, ready.plan.protocols))
    print(f"quick audit by {names}: {len(ready.originals)} reports, {ready.plan.size} judgements")
    print(
        f"  estimated {reckoned.typical.calls} questions, asked {len(judge.requests)}; "
        f"{took:.0f} s at {SECONDS:g} s a call, {CONNECTIONS} at a time (floor {floor:.0f} s)"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else AUDITS)
