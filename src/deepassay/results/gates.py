"""Results as gates of a pipeline: a floor for each agent, no agent worse than before, JUnit.

A score that is missing passes no gate: an agent fails without one, and with too few of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, NamedTuple
from xml.etree import ElementTree

from deepassay.errors import BadSetting
from deepassay.results.aggregate import aggregate
from deepassay.results.comparing import Contest
from deepassay.results.differences import Difference
from deepassay.results.reading import Records, held
from deepassay.results.records import Judged, by_agent, by_protocol
from deepassay.results.standings import RANKED_FROM
from deepassay.results.tables import printable, several
from deepassay.score import Score, without_options
from deepassay.stats.testing import holm

LEVEL: Final = 0.05
"""Of the test that says an agent is worse, over all protocols together."""


@dataclass(frozen=True)
class Floor:
    """What the mean of every agent must reach. protocol: with or without its options."""

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


def too_low(records: Sequence[Judged] | Records, floors: Iterable[Floor]) -> Iterator[str]:
    """A sentence for every agent that does not reach a floor, or of which nobody knows.

    Raises BadSetting for a protocol that nobody was judged by.
    """
    for floor in floors:
        for protocol, judged in _held(held(records), floor).items():
            for agent, own in by_agent(judged).items():
                if why := _too_low(own, floor.least):
                    name = printable(agent)
                    yield f"{name} {why} under {protocol}; {floor.least:g} is asked for."


def _held(read: Records, floor: Floor) -> dict[str, list[Judged]]:
    """The judgements by each protocol that are held to a floor."""
    named = filter(floor.names, read.protocols)
    found = {name: [*filter(floor.holds_for, read.for_ranks(name))] for name in named}
    if not any(found.values()):
        known = ", ".join(sorted(read.protocols))
        raise BadSetting(f"Nobody was judged by {floor.protocol!r}.", f"Protocols: {known}.")
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


def worse(contests: Sequence[Contest], one: str, other: str) -> Iterator[str]:
    """A sentence for every protocol under which `one` is worse than `other`, or nobody can tell.

    It is worse where p of the test by changes of sign is below LEVEL, adjusted by Holm over
    protocols, or where its mean is lower by as much as the difference that was asked about. Nobody
    can tell where no task has a score of both, where the offline judge sees nothing, where what is
    unscored could make it worse, and, without such a difference, where tasks are too few to test.
    Cuts by a label are left aside.
    """
    whole = [each for each in contests if each.label is None]
    pairs = [
        next((pair for pair in each.differences if (pair.one, pair.other) == (one, other)), None)
        for each in whole
    ]
    for contest, pair, chances in zip(whole, pairs, _chances(pairs), strict=True):
        if contest.reads and pair and (told := _worse(contest, pair, chances.worse)):
            yield told
        elif why := _open(contest, pair, chances):
            yield (
                f"Whether {printable(one)} is worse than {printable(other)} under "
                f"{contest.protocol} cannot be told: {why}."
            )


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
        f"{printable(pair.one)} is worse than {printable(pair.other)} under {contest.protocol}: by "
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
    ElementTree.SubElement(properties, "property", name="score", value=f"{outcome.value:.6g}")
    least = max((each.least for each in floors if each.holds_for(record)), default=None)
    if least is not None and outcome.value < least:
        message = f"{outcome.value:.4g} is less than {least:g}"
        ElementTree.SubElement(case, "failure", type="score", message=message)
    return case


def _text(text: str) -> str:
    """A text without what XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
