"""What an audit asks: reports that are drawn, copies changed on purpose, and the plan of both.

The copies are reports of agents of their own, `AGENT+PERTURBATION`, made anew each time from the
originals and a seed; the originals are judged twice, for the noise.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from deepassay.errors import BadReports, BadSetting
from deepassay.protocols.protocol import Pairwise, Protocol
from deepassay.protocols.race.protocol import Race
from deepassay.reports.clean import clean
from deepassay.reports.loaders import GivenReports
from deepassay.reports.report import Report
from deepassay.run.asking.estimate import Estimate, estimate_of
from deepassay.run.asking.plan import AskedModel, Plan, part_of
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.run.showing.profiles import read_profiles
from deepassay.score import Direction, report_key
from deepassay.tasks.loaders import GivenTasks
from deepassay.wings.trials.auditing.arithmetic import growth
from deepassay.wings.trials.auditing.audit_file import base_of
from deepassay.wings.trials.auditing.design import AuditDesign, ChangedSpot, Copy
from deepassay.wings.trials.auditing.sentences import sizes
from deepassay.wings.trials.effects import OF_CITATIONS, effects_of
from deepassay.wings.trials.perturb import (
    PERTURBATIONS,
    Perturbation,
    Perturbed,
    changed_by,
    random_for,
)
from deepassay.wings.trials.perturb.marks import (
    SIGNED,
    SWAP_PAGES,
    places_of_cited_addresses,
    swap_pages,
    with_author,
)

REPORTS: Final = 50
QUICK_REPORTS: Final = 20
QUICK_CHANGES: Final = 6

NOBODY: Final = "Meridian Research"
"""An author who does not exist: beside it, what the judge's own name is worth."""

PADDINGS: Final = {"pad-25": 0.25, "pad-50": 0.5, "pad-100": 1.0}

CHANGES: Final = (
    *("drop-section", "negate-sentence", "swap-citations", "plant-contradiction"),
    *("delete-citations", "shuffle-sections", "strip-style", "change-number", "break-number"),
    *("duplicate-paragraph", "dead-url", SWAP_PAGES, *PADDINGS, "address-judge", SIGNED),
)
"""All that an audit changes, those first of which a short one takes the first that fit."""

SMALL: Final = 4
"""Changes of one copy up to which there is a place to point to."""


@dataclass(frozen=True)
class AuditOrder:
    """What is to be audited.

    reports, changes: how many, which; None for what is usual. families: a file of agents and their
    families. family: that of the judge, MODEL=FAMILY for one of a panel.
    """

    quick: bool = False
    reports: int | None = None
    changes: Sequence[str] = ()
    seed: int = 1
    families: Path | None = None
    family: Sequence[str] = ()


@dataclass(frozen=True)
class MadeCopy:
    """A changed copy, by which perturbation, of which original."""

    name: str
    original: Report
    report: Report
    done: Perturbed


@dataclass(frozen=True)
class Prepared:
    """An audit before anybody is asked. changes: by name, in order. joins: of reports."""

    plan: Plan
    settings: Settings
    order: AuditOrder
    originals: tuple[Report, ...]
    copies: tuple[MadeCopy, ...]
    changes: Mapping[str, Perturbation]
    swapped: Mapping[str, str] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)
    joins: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """What it is made of and what it can show, for a person."""
        yield from self.joins
        tasks = len({each.task for each in self.originals})
        if len(self.originals) < (self.order.reports or 0):
            yield f"There are fewer than the {self.order.reports} reports that --reports asks for."
        yield (
            f"{len(self.originals)} reports on {tasks} tasks, each judged "
            f"{'twice' if self.settings.repeat == 1 else f'{2 * self.settings.repeat} times'}, and "
            f"{len(self.copies)} changed copies: {self.plan.size:,} judgements"
        )
        applied = Counter(each.name for each in self.copies)
        lacking = [
            f"{name} {len(self.originals) - applied[name]}"
            for name in self.changes
            if applied[name] < len(self.originals)
        ]
        if lacking:
            yield f"  had nothing of the kind to change: {', '.join(lacking)}"
        yield from sizes(len(self.originals))

    def estimate(self, on_progress: Callable[[int, int], None]) -> Estimate:
        """What it would ask and cost. Nothing is asked."""
        return estimate_of(self.plan, self.settings, on_progress)

    @property
    def costs_nothing(self) -> bool:
        """Whether nobody is asked but the offline judge."""
        return {model.model for model in self.plan.models} <= {"offline"}

    @cached_property
    def design(self) -> AuditDesign:
        """What was asked, as the results read it."""
        protocols = self.plan.protocols
        cleaning = frozenset(str(each) for each in protocols if each.cleans)
        return AuditDesign(
            originals=[report_key(each) for each in self.originals],
            copies=[_copy(each, cleaned=bool(cleaning)) for each in self.copies],
            perturbations={name: each.found for name, each in self.changes.items()},
            effects={
                str(each): effects_of(each)
                for each in protocols
                if str(each) not in self.swapped.values()
            },
            repeat=self.settings.repeat,
            swapped=self.swapped,
            cleaning=cleaning,
            reading=frozenset(str(each) for each in protocols if each.reads_pages),
            signed={judge: f"{SIGNED}:{name}" for judge, name in _names(self.plan).items()},
            families=self.families,
            own=self.own,
        )


def prepare(
    tasks: GivenTasks,
    reports: GivenReports,
    settings: Settings,
    order: AuditOrder,
    *,
    judges: Sequence[AskedModel] | None = None,
) -> Prepared:
    """Draw reports, change them, and plan what is asked. Raises BadInput as `evaluate` does.

    The reports that a larger audit of the same seed draws are those of a smaller one and more.
    """
    whole = plan_of(tasks, reports, settings.model_copy(update={"shard": None}), judges=judges)
    originals = _drawn(whole, order)
    changes = _changes(whole, order)
    copies = tuple(
        made for name, each in changes.items() for made in _made(name, each, originals, order.seed)
    )
    _check_names(originals, copies)
    swapped = {
        str(each): replace(each, position="second")
        for each in whole.protocols
        if isinstance(each, Race) and _has_places(each)
    }
    families, own = _families(order, whole)
    plan = replace(
        whole,
        tasks={
            key: task for key, task in whole.tasks.items() if key in {r.task for r in originals}
        },
        reports=(*originals, *(each.report for each in copies)),
        lacking=(),
        protocols=tuple(dict.fromkeys([*whole.protocols, *swapped.values()])),
        times=_times(whole, originals, copies, {str(each) for each in swapped.values()}),
        copies=frozenset(each.report.agent for each in copies),
        joined=None,
    )
    plan = part_of(plan, *settings.part) if settings.part else plan
    names = {name: str(each) for name, each in swapped.items()}
    joins = tuple(whole.joins())
    return Prepared(plan, settings, order, originals, copies, changes, names, families, own, joins)


def _has_places(race: Race) -> bool:
    """Whether its report could as well stand in the other place."""
    return (
        race.edition == "paper" and race.reference and not race.vanilla and race.position == "first"
    )


def _names(plan: Plan) -> dict[str, str]:
    """What each judge is called without who serves it, as far as that tells them apart."""
    judges = dict.fromkeys(each.model for own in plan.protocols for each in plan.panel(own))
    short = {judge: judge.rpartition(":")[2].rpartition("/")[2] for judge in judges}
    several = Counter(short.values())
    return {judge: name if several[name] == 1 else judge for judge, name in short.items()}


def _drawn(plan: Plan, order: AuditOrder) -> tuple[Report, ...]:
    """Reports by chance, one of every task before a second of any."""
    random = np.random.default_rng(order.seed)
    by_task: defaultdict[str, list[Report]] = defaultdict(list)
    for report in sorted(plan.reports, key=report_key):
        reference = plan.references.get(report.task)
        if report.text.strip() and (reference is None or reference.digest != report.digest):
            by_task[report.task].append(report)
    drawn: list[tuple[int, int, Report]] = []
    for rank, task in enumerate(random.permutation(sorted(by_task)).tolist()):
        own = by_task[task]
        order_of_own = random.permutation(len(own)).tolist()
        drawn += [(turn, rank, own[at]) for turn, at in enumerate(order_of_own)]
    drawn.sort(key=lambda each: each[:2])
    wanted = order.reports or (QUICK_REPORTS if order.quick else REPORTS)
    if len(by_task) < 2:
        raise BadReports(
            "An audit needs reports on two tasks at least, which are not themselves the reference.",
            "Give the reports of more tasks.",
        )
    return tuple(report for *_, report in drawn[:wanted])


def _changes(plan: Plan, order: AuditOrder) -> dict[str, Perturbation]:
    """The perturbations on which a protocol of the plan has something to expect, by name."""
    names = order.changes or CHANGES
    for name in names:
        if name not in CHANGES:
            raise BadSetting(f"There is no change {name!r}.", f"These exist: {', '.join(CHANGES)}.")
    expected: dict[str, set[Direction]] = defaultdict(set)
    for protocol in plan.protocols:
        for effects in effects_of(protocol).values():
            for name, direction in effects.items():
                expected[name].add(direction)
    fitting = [name for name in names if base_of(name) in expected]
    if lost := [name for name in order.changes if name not in fitting]:
        raise BadSetting(
            f"{', '.join(map(str, plan.protocols))}: nothing is expected of {', '.join(lost)}.",
            f"These fit: {', '.join(name for name in CHANGES if base_of(name) in expected)}.",
        )
    if order.quick and not order.changes:
        fitting = _few(fitting, expected)
    made: dict[str, Perturbation] = {}
    for name in fitting:
        if name == SIGNED:
            made |= {each.name: each for each in map(with_author, [*_names(plan).values(), NOBODY])}
        elif name == SWAP_PAGES:
            made[name] = swap_pages(())  # of each report, see `_made`
        else:
            made[name] = PERTURBATIONS[base_of(name)]
    return made


def _few(names: Sequence[str], expected: Mapping[str, set[Direction]]) -> list[str]:
    """Those that must lower a score first, then length and plea, then what is left."""
    lowering = [name for name in names if Direction.LOWER in expected[base_of(name)]]
    wanted = [*lowering[: QUICK_CHANGES - 2], "pad-100", "address-judge", *names]
    chosen = [name for name in dict.fromkeys(wanted) if name in names][:QUICK_CHANGES]
    return sorted(chosen, key=list(names).index)


def _made(
    name: str, perturbation: Perturbation, originals: Sequence[Report], seed: int
) -> Iterator[MadeCopy]:
    """A copy of every report that has something of the kind."""
    if perturbation.name == SWAP_PAGES:
        cited = [{url for _, url in places_of_cited_addresses(each)} for each in originals]
    for at, report in enumerate(originals):
        own = perturbation
        if perturbation.name == SWAP_PAGES:
            own = swap_pages(_foreign(at, originals, cited))
        done = changed_by(own, report, random_for(seed, report, name), PADDINGS.get(name))
        if done is not None:
            copy = replace(done.report, agent=f"{report.agent}+{name}")
            yield MadeCopy(name, report, copy, done)


def _foreign(at: int, originals: Sequence[Report], cited: Sequence[set[str]]) -> list[str]:
    """Addresses of reports on other tasks that a report does not cite, as many as it needs.

    Of those drawn before it, the last first, then of those after it: a larger audit has the same.
    """
    found: set[str] = set()
    for other in (*range(at - 1, -1, -1), *range(at + 1, len(originals))):
        if len(found) >= len(cited[at]):
            break
        if originals[other].task != originals[at].task:
            found |= cited[other] - cited[at]
    return sorted(found)


def _check_names(originals: Sequence[Report], copies: Sequence[MadeCopy]) -> None:
    """Copies are told from originals by the names of agents."""
    own = {each.agent for each in originals}
    for each in copies:
        if each.report.agent in own:
            raise BadReports(
                f"The agent {each.report.agent!r} has the name of changed copies of "
                f"{each.original.agent!r}.",
                "Give the originals alone: an audit changes them itself.",
            )


def _times(
    plan: Plan, originals: Sequence[Report], copies: Sequence[MadeCopy], swapped: set[str]
) -> Callable[[Protocol, str], int]:
    """Originals twice, in the other order once; copies where a protocol expects something."""
    own = {each.agent for each in originals}
    change_of = {each.report.agent: base_of(each.name) for each in copies}

    def times(protocol: Protocol, agent: str) -> int:
        if agent in own:
            return plan.repeat if str(protocol) in swapped else 2 * plan.repeat
        if str(protocol) in swapped:
            return 0
        if isinstance(protocol, Pairwise) and protocol.excuses(agent.rpartition("+")[0]):
            return 0
        effects = effects_of(protocol).values()
        return plan.repeat * any(change_of[agent] in each for each in effects)

    return times


def _families(order: AuditOrder, plan: Plan) -> tuple[dict[str, str], dict[str, str]]:
    """Of agents and of judges."""
    if order.families is None:
        if order.family:
            raise BadSetting(
                "--family is that of the judge; nothing is known of agents.",
                "Give --families FILE: agent, family.",
            )
        return {}, {}
    profiles = read_profiles(order.families)
    agents = {name: each.family for name, each in profiles.items()}
    judges = _names(plan)
    own: dict[str, str] = {}
    for text in order.family:
        judge, equals, family = text.rpartition("=")
        if equals and judge not in judges:
            raise BadSetting(
                f"--family {text}: there is no judge {judge}.", f"Judges: {', '.join(judges)}."
            )
        own |= {judge: family} if equals else dict.fromkeys(judges, family)
    if unknown := sorted(set(own.values()) - set(agents.values())):
        raise BadSetting(
            f"No agent of {order.families} is of the family {unknown[0]!r}.",
            f"Families: {', '.join(sorted(set(agents.values())))}.",
        )
    return agents, own


def _copy(made: MadeCopy, *, cleaned: bool) -> Copy:
    before, after, changes = made.original, made.report, made.done.changes
    kind = base_of(made.name)
    small = len(changes) <= SMALL
    return Copy(
        of=report_key(before),
        perturbation=made.name,
        doublings=growth(len(before.text), len(after.text)),
        doublings_cleaned=growth(len(clean(before)), len(clean(after)))
        if cleaned and kind == "pad"
        else 0.0,
        on_sources=made.done.on_sources,
        left=cleaned and kind in OF_CITATIONS and clean(before) != clean(after),
        before=ChangedSpot.of(before, [(each.span, each.removed) for each in changes])
        if small
        else None,
        after=ChangedSpot.of(after, [(each.place, each.inserted) for each in changes])
        if small
        else None,
    )
