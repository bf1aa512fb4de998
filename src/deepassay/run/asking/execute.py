"""Carrying out a plan: bounded concurrency, everything kept, safe to stop at any moment."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress, repeat
from typing import Final, NamedTuple
from typing import Protocol as Shape

from deepassay import __version__
from deepassay.errors import DeepAssayError
from deepassay.models.ask import Answers
from deepassay.plugins import OURS, error_in_one_line
from deepassay.protocols.protocol import Case, Protocol, RoleAskers, Sources
from deepassay.run.asking.plan import Plan, identity_of, outcome_key
from deepassay.run.asking.provenance import CaseWatch
from deepassay.run.showing.yardsticks import as_stored, judged_by_of, keep_descriptions, runs_of
from deepassay.runfile import End, RunFile, StoredScore
from deepassay.runfile.shapes import check_shape
from deepassay.score import Cause, Json, Score, Unscored, canonical_json, current, to_json
from deepassay.stats.ranks import TIE
from deepassay.stopping import ConcurrentQueue

WORKERS: Final = 2
"""For each connection. While the case of one waits for its answer, another is made ready to ask."""


@dataclass
class RunProgress:
    """How far a run has come.

    total: cases of the plan; kept: those that the run file had already; done: those of now.
    scored: outcomes with a score among kept and done; partly: those of them that lack a judge of
    the panel or a page; causes: why the others have none. stopped: why the run ended
    before everything was done, or empty. is_steady: whether the pace so far says how long the rest
    takes. settled: those among kept and done that have their score by definition, as the reference
    of RACE has; they are not among the scored.
    """

    total: int
    kept: int = 0
    done: int = 0
    scored: int = 0
    partly: int = 0
    causes: Counter[Cause] = field(default_factory=Counter)
    stopped: str = ""
    began: float = field(default_factory=time.monotonic)
    is_steady: bool = True
    settled: int = 0

    @property
    def left(self) -> int:
        """Cases that have no outcome yet."""
        return self.total - self.kept - self.done

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take at the pace so far, if that says anything."""
        passed = time.monotonic() - self.began
        return passed / self.done * self.left if self.done and self.is_steady else None

    def count(self, end: End, *, settled: bool) -> None:
        """Add one outcome to what is done. settled: by definition, so that nobody judged it."""
        if end.cause is None and settled:
            self.settled += 1
        elif end.cause is None:
            self.scored += 1
            self.partly += end.open
        else:
            self.causes[Cause(end.cause)] += 1


@dataclass(frozen=True)
class Work:
    """A case that has no outcome yet, and the recipe of the outcome."""

    protocol: Protocol
    case: Case
    identity: Json

    @property
    def is_settled(self) -> bool:
        """Whether nobody judges it: see `Protocol.is_settled`."""
        return self.protocol.is_settled(self.case)

    @cached_property
    def key(self) -> str:
        """The name of the outcome; it takes digests of all that the case is made of."""
        return outcome_key(self.identity, self.protocol, self.case)


class CaseOutcome(NamedTuple):
    """What came of a case, and what was seen on the way: served models and snapshots."""

    outcome: Score | Unscored
    record: dict[str, Json]


class Hands(Shape):
    """Whoever carries out cases, in this process or elsewhere. What it asks is kept as it comes."""

    async def judge(self, protocol: Protocol, case: Case) -> CaseOutcome:
        """Bring a case to an end. Raises DeepAssayError where no outcome can be had."""
        ...

    def stop(self) -> None:
        """Begin nothing more; a case that has sent something may end."""
        ...


class LocalRunner:
    """Cases are carried out in this process. panels: by the name of the protocol."""

    def __init__(
        self, run: Answers, panels: Mapping[str, Sequence[RoleAskers]], sources: Sources
    ) -> None:
        self._run = run
        self._panels = panels
        self._sources = sources

    async def judge(self, protocol: Protocol, case: Case) -> CaseOutcome:
        """Ask every judge of the panel."""
        return await judged_case(
            protocol, case, self._panels[str(protocol)], self._sources, self._run
        )

    def stop(self) -> None:
        """The pieces of work of this process know it themselves: see `stopping.begin`."""


class Execution:
    """One plan on one run file. `stop()` may be called at any time.

    panels: who is asked, for the recipes of scores. hands: who asks them.
    """

    def __init__(
        self,
        plan: Plan,
        run: RunFile,
        panels: Mapping[str, Sequence[RoleAskers]],
        hands: Hands,
        *,
        retry_unscored: bool = False,
        on_progress: Callable[[RunProgress], None] = lambda tally: None,
    ) -> None:
        self._plan = plan
        self._run = run
        self._hands = hands
        self._retry = retry_unscored
        self._on_progress = on_progress
        self._engine = ConcurrentQueue(self._do)
        kept = run.protocols()
        self._identities = {
            str(protocol): _as_kept(
                identity_of(plan, protocol, panels[str(protocol)]), kept.get(str(protocol))
            )
            for protocol in plan.protocols
        }
        self.tally = RunProgress(plan.size)

    def stop(self, why: str) -> None:
        """Begin nothing more; a case that has sent something may end."""
        self.tally.stopped = self.tally.stopped or why
        self._engine.stop()
        self._hands.stop()

    def stop_at_once(self, why: str = "a signal") -> None:
        """Break off what is under way too."""
        self.tally.stopped = self.tally.stopped or why
        self._engine.stop_at_once()

    async def finish(self, connections: int) -> RunProgress:
        """Bring every case to an end that has none; nobody is asked before the plan is kept.

        connections: how many calls are made at a time. Raises ConfigurationChanged if the run
        file was made under another configuration, BadRunFile if it cannot be written.
        """
        await asyncio.wrap_future(register(self._plan, self._run, self._identities))
        keep_descriptions(self._run, self._plan.protocols)
        left = iter(self._left(connections))
        for wave in self._plan.waves:
            if not self.tally.stopped:
                self._engine = ConcurrentQueue(self._do)
                work = compress(self._cases(wave, connections), left)
                await self._engine.finish(work, WORKERS * connections)
        if not self.tally.left:
            self.tally.stopped = ""  # it came when the last case was under way
        return self.tally

    def _left(self, abreast: int) -> Iterable[bool | int]:
        """Of every case, whether it is to be done. What needs not be done is counted."""
        if not self._run.count_scores():
            return repeat(True)
        left = bytearray()
        for work in chain.from_iterable(self._cases(each, abreast) for each in self._plan.waves):
            end = self._run.end(work.key)
            if end is not None and not (self._retry and end.again):
                left.append(False)
                self.tally.kept += 1
                self.tally.count(end, settled=work.is_settled)
            else:
                left.append(True)
        return left

    def _cases(self, plan: Plan, abreast: int) -> Iterator[Work]:
        for protocol, case in plan.cases(abreast):
            yield Work(protocol, case, self._identities[str(protocol)])

    async def _do(self, work: Work) -> None:
        score = stored_outcome(work, await self._hands.judge(work.protocol, work.case))
        if score.end.cause == Cause.BUDGET:
            # Not an outcome: the same command with a larger budget goes on from here.
            self.stop("budget")
            return
        await self._run.keep_score(score)
        self.tally.done += 1
        self.tally.count(score.end, settled=work.is_settled)
        self._on_progress(self.tally)


def register(plan: Plan, run: RunFile, identities: Mapping[str, Json]) -> Future[None]:
    """Tell the run file what a plan is about; done once that is on the disk.

    identities: by the name of the protocol. Raises ConfigurationChanged.
    """
    return run.register(
        {"date": plan.day.isoformat(), "repeat": plan.repeat},
        identities,
        {key: as_stored(task) for key, task in plan.tasks.items()},
        plan.reports,
        judged_by_of(plan),
        runs_of(plan),
        plan.part,
    )


async def scored(
    work: Work, panel: Sequence[RoleAskers], sources: Sources, answers: Answers
) -> StoredScore:
    """What comes of a case, with its recipe and its record. answers: where the panel keeps its."""
    return stored_outcome(
        work, await judged_case(work.protocol, work.case, panel, sources, answers)
    )


def stored_outcome(work: Work, found: CaseOutcome) -> StoredScore:
    """What came of a case, as a run file keeps it."""
    outcome, seen = found
    report = work.case.report
    converter = {"converter": report.converter} if report.converter else {}
    basis = work.protocol.made_basis(outcome.details)
    made = {"made": basis} if basis else {}
    return StoredScore(
        key=work.key,
        protocol=str(work.protocol),
        agent=report.agent,
        task=report.task,
        sample=report.sample,
        repeat=work.case.repeat,
        outcome=to_json(outcome),
        identity=work.identity,
        record={"version": __version__, **converter, **made, **seen},
    )


def _as_kept(identity: dict[str, Json], kept: Json) -> Json:
    """An identity as the run file spells it, by which its outcomes are found."""
    return kept if kept and canonical_json(current(kept)) == canonical_json(identity) else identity


async def judged_case(
    protocol: Protocol, case: Case, panel: Sequence[RoleAskers], sources: Sources, answers: Answers
) -> CaseOutcome:
    """What comes of a case, and what was seen on the way. answers: where the panel keeps its."""
    seen = CaseWatch(answers, protocol.operations())
    watched = [seen.roles(roles) for roles in panel]
    return CaseOutcome(await judge(protocol, case, watched, seen.sources(sources)), seen.record)


async def judge(
    protocol: Protocol, case: Case, panel: Sequence[RoleAskers], sources: Sources
) -> Score | Unscored:
    """The outcome of one case: every judge of the panel scores alone, then they are combined.

    Where the budget refused one of several judges, the case has no outcome yet. A fault of another
    package's protocol is told with its place.
    """
    if not case.report.text.strip():
        return Unscored(Cause.MISSING_INPUT, "the report is empty")
    try:
        return await _judged(protocol, case, panel, sources)
    except DeepAssayError:
        raise
    except Exception as error:
        if _is_ours(protocol):
            raise
        raise DeepAssayError(
            f"{protocol} failed on the report of {case.report.agent} for task {case.task.id}: "
            f"{error_in_one_line(error)}",
            f"Correct {type(protocol).__module__}.{type(protocol).__qualname__}; what was scored "
            "before is kept.",
        ) from error


async def _judged(
    protocol: Protocol, case: Case, panel: Sequence[RoleAskers], sources: Sources
) -> Score | Unscored:
    async def scored_by(roles: RoleAskers) -> Score | Unscored:
        return _checked(protocol, await protocol.score(case, roles, sources))

    if len(panel) == 1:
        return await scored_by(panel[0])
    outcomes = await asyncio.gather(*map(scored_by, panel))
    for outcome in outcomes:
        if isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET:
            return outcome
    names = [str(roles.judge.identity["model"]) for roles in panel]
    return _checked(protocol, protocol.combine(dict(zip(names, outcomes, strict=True))))


def _is_ours(protocol: Protocol) -> bool:
    return type(protocol).__module__.partition(".")[0] == OURS


def _checked(protocol: Protocol, outcome: object) -> Score | Unscored:
    """An outcome that a run file can hold. Raises TypeError or ValueError for any other.

    What no run file holds would be refused when it is read again, after everything was paid for.
    The types of ours are checked before they run.
    """
    if not isinstance(outcome, Score | Unscored):
        raise TypeError(f"a protocol gives a Score or an Unscored, not {outcome!r}")
    _check_bounds(outcome)
    if not _is_ours(protocol):
        kept = canonical_json(to_json(outcome))
        check_shape("outcome", json.loads(kept, parse_constant=_refuse_constant))
    return outcome


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is no number of JSON: give None where there is none")


def _check_bounds(outcome: Score | Unscored) -> None:
    """Raises ValueError for a score that is outside of the bounds that it declares itself."""
    ends = outcome.bounds if isinstance(outcome, Score) else None
    if isinstance(outcome, Score) and ends and not ends[0] - TIE <= outcome.value <= ends[1] + TIE:
        raise ValueError(
            f"the score {outcome.value:g} is outside of its bounds, {ends[0]:g} to {ends[1]:g}"
        )
