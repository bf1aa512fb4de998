"""A judgement as results see it: what was judged, by which recipe, and with which outcome."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from deepassay.score import Metric, Score, Signature, Unscored

NO_READING: Final = "no reading"
"""What stands in place of a rank or a p where the offline rule cannot tell good from bad."""

REFERENCE: Final = "(reference)"
"""What stands behind the name of an agent whose reports the others are scored against."""


@dataclass(slots=True)  # frozen, each of half a million would take four times as long to make
class Judged:
    """One expected judgement and its outcome. Nobody changes one.

    protocol: its name as one writes it. agent, task: identifiers. sample: which of several
    answers of the agent to the task. repeat: which of several judgements of one answer.
    labels: of the task. What a panel of judges says together is one outcome. metric: what the run
    file says of the protocol, if anything. is_reference: whether the report is itself what those
    of the other agents are scored against.
    """

    protocol: str
    agent: str
    task: str
    sample: int
    repeat: int
    labels: Mapping[str, str]
    outcome: Score | Unscored
    signature: Signature
    metric: Metric | None = None
    is_reference: bool = False

    @property
    def reads(self) -> bool:
        """Whether the score says who is better.

        It does not where the offline rule cannot tell, also if its marks are a part of a panel's.
        """
        return self.metric is None or self.metric.offline_reads or not has_offline(self.signature)

    @property
    def pools(self) -> bool:
        """Whether the score of an agent is one share over all its reports, and no mean."""
        return self.metric is not None and self.metric.pools

    @property
    def clips(self) -> bool:
        """Whether the mean over tasks is kept within [0, 1]."""
        return self.metric is not None and self.metric.clips

    @property
    def importance(self) -> int:
        """Judgements with more of it stand first."""
        return self.metric.importance if self.metric else 0


def snapshots_of(record: Judged) -> Mapping[str, str]:
    """The names of the snapshots that a judgement was made with, by address."""
    return record.signature.record.get("pages") or {}


def is_offline(recipe: Signature) -> bool:
    """Whether the offline baseline judged, and no model."""
    return set(judges_of(recipe)) == {"offline"}


def has_offline(recipe: Signature) -> bool:
    """Whether the offline baseline is among the judges of a recipe."""
    return "offline" in judges_of(recipe)


def judges_of(recipe: Signature) -> list[str]:
    """The names of the models that judged by a recipe."""
    return [str(judge["model"]) for judge in recipe.identity.get("judges", [])]


UNLABELLED: Final = "(none)"
"""The value of a label that a task does not have."""

UNKNOWN: Final = "not stated"
"""The judge of published scores, unless the reader says who it was."""

UNSTATED: Final = (
    "These files do not say who judged: their scores may stand beside each other only if one judge "
    "made them all."
)


def unstated(records: Iterable[Judged]) -> tuple[str, ...]:
    """What must be read before published scores of several agents."""
    return (UNSTATED,) if len(nameless(records)) > 1 else ()


def nameless(records: Iterable[Judged]) -> list[str]:
    """The agents of whose scores nobody says who judged, by their names."""
    unknown = (each for each in by_recipe(records) if judges_of(each.signature) == [UNKNOWN])
    return sorted({each.agent for each in unknown})


def without_references(records: Iterable[Judged]) -> list[Judged]:
    """Those of judged agents: no report that the others of its task are scored against.

    Such a report has its score by definition, RACE's 0.5. It is no measurement of a judge.
    """
    return [each for each in records if not each.is_reference]


def by_recipe(records: Iterable[Judged]) -> Sequence[Judged]:
    """One of each agent and recipe, for who looks at nothing else: few of thousands."""
    found: dict[tuple[str, int], Judged] = {}
    for each in records:
        found.setdefault((each.agent, id(each.signature)), each)
    return [*found.values()]


def differing(records: Iterable[Judged]) -> Sequence[Judged]:
    """One of all that share their outcome and their recipe, each one object, in their order.

    For who looks at neither place nor labels: of a few checks many reports have the same outcome.
    """
    found: dict[tuple[int, int], Judged] = {}
    for each in records:
        found.setdefault((id(each.outcome), id(each.signature)), each)
    return [*found.values()]


K = TypeVar("K", str, tuple[str, str])


def grouped(records: Iterable[Judged], key: Callable[[Judged], K]) -> dict[K, list[Judged]]:
    """The records under each key, keys in order."""
    groups: defaultdict[K, list[Judged]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    return dict(sorted(groups.items()))


def by_agent(records: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The judgements of each agent, agents by their names."""
    return grouped(records, lambda each: each.agent)


def by_protocol(records: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The records of each protocol, the most important protocols first, equal ones by name."""
    groups = grouped(records, lambda each: each.protocol)
    return dict(sorted(groups.items(), key=lambda own: -max(e.importance for e in own[1])))
