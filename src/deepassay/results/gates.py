"""Results as gates of a pipeline: a floor for each agent, no agent worse than before, JUnit.

A score that is missing passes no gate: an agent fails without one, and with too few of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, NamedTuple
from xml.etree import ElementTree

from deepassay.errors import BadSetting
from deepassay.results.aggregate import aggregate, means_of_tasks
from deepassay.results.comparing import Contest
from deepassay.results.differences import Difference
from deepassay.results.ranges import widest_range
from deepassay.results.reading import Records, held, judged_by_none
from deepassay.results.records import Judged, by_agent, by_protocol
from deepassay.results.score_and_mean import by_told
from deepassay.results.standings import RANKED_FROM
from deepassay.results.tables import in_range, printable, several
from deepassay.score import Score, Unscored, without_options
from deepassay.stats.intervals import Interval
from deepassay.stats.testing import holm

LEVEL: Final = 0.05
"""Of the test that says an agent is worse, over all protocols together."""

LISTED: Final = 10
"""Tasks that are listed of an agent that failed."""


@dataclass(frozen=True)
class Floor:
    """What the score of every agent must reach. protocol: with or without its options."""

    protocol: str
    least: float

    @classmethod
    def read(cls, text: str) -> Floor:
        """From `PROTOCOL=X`. Raises BadSetting."""
        protocol, equals, least = text.rpartition("=")
        try:
            if equals and protocol.strip() and isfinite(float(least)):
                return cls(protocol.strip(), float(least))
        except ValueError:
            pass
        raise BadSetting(
            f"--fail-under {text} does not say what to reach.",
            "Write a protocol and a number, such as --fail-under presentation=70.",
        )

    def names(self, protocol: str) -> bool:
        """Whether it is of this protocol, named with its options."""
        return self.protocol in (protocol, without_options(protocol))

    def holds_for(self, record: Judged) -> bool:
        """Whether a judgement is held to it: the reference is what it is by definition."""
        return self.names(record.protocol) and not record.is_reference


@dataclass(frozen=True)
class GateResult:
    """What came of a gate. failed: a line for each that did not pass, with what it rests on below.

    passed: a sentence, where nothing failed.
    """

    failed: tuple[str, ...]
    passed: str


def too_low(records: Sequence[Judged] | Records, floors: Sequence[Floor]) -> GateResult:
    """Whether every agent reaches the floors; one of which nobody knows does not.

    Raises BadSetting for a protocol that nobody was judged by.
    """
    failed: list[str] = []
    passed: list[str] = []
    for floor in floors:
        for protocol, judged in _held(held(records), floor).items():
            own = by_agent(judged)
            limits = widest_range(judged)
            for agent, each in own.items():
                if why := _too_low(each, floor.least):
                    name = printable(agent)
                    failed.append(f"{name} {why} under {protocol}; {floor.least:g} is asked for.")
                    failed += _tasks_below(agent, protocol, each, floor.least, limits)
            means = {agent: aggregate(each).mean or 0.0 for agent, each in own.items()}
            lowest = min(means, key=means.__getitem__)
            passed.append(
                f"{several(len(own), 'agent')} reach{'es' * (len(own) == 1)} {floor.least:g} under "
                f"{protocol}, the lowest {printable(lowest)} with {means[lowest]:.4g}"
            )
    return GateResult(tuple(failed), "" if failed else f"Passed: {'; '.join(passed)}.")


def _tasks_below(
    agent: str, protocol: str, records: Sequence[Judged], least: float, limits: Interval | None
) -> Iterator[str]:
    """The tasks for which an agent has less than is asked of its mean, or nothing, worst first."""
    means = means_of_tasks(records)
    causes = {
        each.task: str(each.outcome.cause)
        for each in records
        if isinstance(each.outcome, Unscored) and each.task not in means
    }
    lines = [f"unscored ({causes[task]}) on {task}" for task in sorted(causes)]
    below = sorted((value, task) for task, value in means.items() if value < least)
    lines += [f"{in_range(value, limits)} on {task}, below {least:g}" for value, task in below]
    for line in lines[:LISTED]:
        yield printable(f"  {agent} by {protocol}: {line}")
    if (more := len(lines) - LISTED) > 0:
        yield f"  and {several(more, 'more task')}"


def _held(read: Records, floor: Floor) -> dict[str, list[Judged]]:
    """The judgements by each protocol that are held to a floor."""
    named = filter(floor.names, read.protocols)
    found = {name: [*filter(floor.holds_for, read.for_ranks(name))] for name in named}
    if not any(found.values()):
        raise judged_by_none(floor.protocol, read.protocols)
    return found


def _too_low(records: Sequence[Judged], least: float) -> str:
    summary = aggregate(records)
    scored, tasks = summary.tasks
    if summary.mean is None:
        return f"has no score ({', '.join(summary.causes) or 'nothing was judged'})"
    if not all(each.reads for each in records if isinstance(each.outcome, Score)):
        return "has only a score of the offline judge, which cannot tell good from bad,"
    if scored < RANKED_FROM * tasks:
        return f"is scored on {scored} of {tasks} tasks only"
    return f"has {summary.mean:.4g}" if summary.mean < least else ""


class PairAtGate(NamedTuple):
    """Two agents under one protocol, of which the first must not be worse.

    scores: of the tasks that both have a score for, the first agent's and the second's.
    """

    contest: Contest
    one: str
    other: str
    scores: Mapping[str, tuple[float, float]]

    @property
    def pair(self) -> Difference | None:
        """The first agent less the second; None where no task has a score of both."""
        found = self.contest.differences
        return next((e for e in found if (e.one, e.other) == (self.one, self.other)), None)


def worse(pairs: Sequence[PairAtGate], unknown: Sequence[str] = ()) -> GateResult:
    """Whether the first agent of a pair is worse than the second, or nobody can tell.

    It is worse where p of the test by changes of sign is below LEVEL, adjusted by Holm over
    all pairs, or where its mean is lower by as much as the difference that was asked about. Nobody
    can tell where no task has a score of both, where the offline judge sees nothing, where what is
    unscored could make it worse, and, without such a difference, where tasks are too few to test.
    unknown: sentences on what could not be compared at all, which passes no gate either.
    """
    failed: list[str] = []
    chances = _chances([each.pair for each in pairs])
    for each, chance in zip(pairs, chances, strict=True):
        contest, pair = each.contest, each.pair
        if contest.reads and pair and (told := _worse(contest, pair, chance.worse)):
            failed += [told, *_tasks_lower(each)]
        elif why := _open(contest, pair, chance):
            failed.append(
                f"Whether {printable(each.one)} is worse than {printable(each.other)} under "
                f"{by_told(contest)} cannot be told: {why}."
            )
            failed += _tasks_lower(each) if contest.reads else ()
    failed += map(printable, unknown)
    names = dict.fromkeys(f"{printable(e.one)} than {printable(e.other)}" for e in pairs)
    apart = [each for each in pairs if each.contest.is_apart]
    protocols = {each.contest.protocol: by_told(each.contest) for each in (*pairs, *apart)}
    told = (
        f"Passed: not shown to be worse: {', '.join(names)} (by {', '.join(protocols.values())})."
    )
    return GateResult(tuple(failed), "" if failed else told)


def _tasks_lower(each: PairAtGate) -> Iterator[str]:
    """The tasks for which the first agent has less, those first that it lost most on."""
    limits = each.contest.limits
    lower = sorted(
        (own - theirs, task, own, theirs)
        for task, (own, theirs) in each.scores.items()
        if own < theirs - each.contest.terms.tie
    )
    for _, task, own, theirs in lower[:LISTED]:
        yield printable(
            f"  {each.one} by {each.contest.protocol}: {in_range(own, limits)} on {task}, "
            f"{each.other} has {in_range(theirs, limits)}"
        )
    if (more := len(lower) - LISTED) > 0:
        yield f"  and {several(more, 'more task')}"


class _Chances(NamedTuple):
    """Adjusted by Holm over protocols. worse: of the pair as it is. feared: if all that is
    unscored speaks against the first agent. least: that so many tasks can come to.
    """

    worse: float = 1.0
    feared: float = 1.0
    least: float = 1.0


def _chances(pairs: Sequence[Difference | None]) -> Iterator[_Chances]:
    """For every pair; of one that cannot be tested all are 1."""
    found = [
        (
            pair.permutation.p,
            pair.worst.p if pair.possible and pair.possible.low < 0 else 1.0,
            2.0 ** (1 - pair.units),
        )
        for pair in pairs
        if pair and pair.permutation and pair.worst
    ]
    columns = [holm([row[at] for row in found]) for at in range(3)]
    adjusted = map(_Chances, *columns)
    for pair in pairs:
        yield next(adjusted) if pair and pair.permutation else _Chances()


def _worse(contest: Contest, pair: Difference, p: float) -> str:
    """That the first of a pair is worse, in a sentence, if it is."""
    asked = contest.terms.difference
    if not (p < LEVEL and pair.mean < 0) and (asked is None or pair.mean > -asked):
        return ""
    told = "p < .001" if p < 0.001 else f"p = {p:.3f}"
    return (
        f"{printable(pair.one)} is worse than {printable(pair.other)} under {by_told(contest)}: by "
        f"{-pair.mean:.4g} over {several(pair.tasks.scored, 'task')}, {told}."
    )


def _open(contest: Contest, pair: Difference | None, chances: _Chances) -> str:
    """Why nobody can tell whether the first of a pair is worse; empty where it is not."""
    asked = contest.terms.difference
    if pair is None:
        return "no task has a score of both"
    if not contest.reads:
        return "the offline judge cannot tell better from worse"
    possible = pair.possible
    if possible is None or chances.feared < LEVEL or (asked is not None and possible.low <= -asked):
        lacking = pair.tasks.expected - pair.tasks.scored
        return f"{several(lacking, 'task')} without a score of both could make it so"
    if asked is not None or chances.least < LEVEL:
        return ""
    if {pair.one, pair.other} & contest.references:
        return "scores against a reference are not tested; --difference D looks at the mean"
    few = several(pair.units, "cluster" if contest.terms.cluster else "task")
    return f"{few} can show nothing at .05; --difference D looks at the mean"


_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(records: Sequence[Judged], floors: Sequence[Floor] = ()) -> str:
    """Judgements as test cases in JUnit's XML: a suite for a protocol, a case for a judgement.

    An unscored one is an error with its cause; a score below its floor is a failure. Raises
    BadSetting for a floor under a protocol that nobody was judged by.
    """
    for floor in floors:
        _held(held(records), floor)
    root = ElementTree.Element("testsuites", name="deepassay")
    for protocol, judged in by_protocol(records).items():
        cases = [_case(each, floors) for each in judged]
        suite = ElementTree.SubElement(root, "testsuite", name=_text(protocol))
        suite.set("tests", str(len(cases)))
        for kind in ("failure", "error"):
            suite.set(f"{kind}s", str(sum(each.find(kind) is not None for each in cases)))
        suite.extend(cases)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(record: Judged, floors: Sequence[Floor]) -> ElementTree.Element:
    more = [f"answer {record.sample}"] * (record.sample > 1) + [f"repeat {record.repeat + 1}"] * (
        record.repeat > 0
    )
    case = ElementTree.Element(
        "testcase",
        classname=_text(f"{record.protocol}.{record.agent}"),
        name=_text(", ".join([record.task, *more])),
    )
    outcome = record.outcome
    if not isinstance(outcome, Score):
        cause = str(outcome.cause)
        ElementTree.SubElement(case, "error", type=cause, message=_text(outcome.detail or cause))
        return case
    properties = ElementTree.SubElement(case, "properties")
    ElementTree.SubElement(properties, "property", name="score", value=repr(outcome.value))
    least = max((each.least for each in floors if each.holds_for(record)), default=None)
    if least is not None and outcome.value < least:
        message = f"{outcome.value:.4g} is less than {least:g}"
        ElementTree.SubElement(case, "failure", type="score", message=message)
    return case


def _text(text: str) -> str:
    """A text without what XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
