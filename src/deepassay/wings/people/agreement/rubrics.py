"""A judge's verdicts on rubrics held against those of people (ResearchRubrics, section 4.3).

Macro-F1 (section 3.4, equation 3) is the mean F1 of the classes. The paper does not say what a
class counts that neither side ever gives. It counts 0 in the authors' program, so that full
agreement on one class of three comes to 1/3; here it is left out of the mean.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Final, Literal, NamedTuple

from deepassay.results.aggregate import Count, task_means
from deepassay.results.evidence import EvidenceItem
from deepassay.results.joined import Joined
from deepassay.results.records import Judged
from deepassay.results.rubric_items import Reading, is_binary, outcomes_by_judge
from deepassay.results.weighing import (
    MERITS,
    NOT,
    PARTIAL,
    SATISFIED,
    GradedCriterion,
    collapsed,
)
from deepassay.score import named
from deepassay.stats import classes
from deepassay.stats.classes import ClassFigures, Pair

Scale = Literal["ternary", "binary"]

CLASSES: Final[Mapping[Scale, tuple[str, ...]]] = {
    "ternary": (SATISFIED, PARTIAL, NOT),
    "binary": (SATISFIED, NOT),
}

_WORDS: Final = {merit: word for word, merit in MERITS.items()}

TaskPath = tuple[tuple[str, str], int]
"""Where a report hangs: its agent and task, and its sample."""


class CriterionPlace(NamedTuple):
    """One criterion of one report: which of the agent's answers to the task, from 1."""

    agent: str
    task: str
    sample: int
    criterion: str


def named_criterion(place: CriterionPlace) -> str:
    """A criterion for messages."""
    return f"{place.criterion} of {named(place[:3])}"


@dataclass(frozen=True)
class ComparedVerdict:
    """One criterion on which both a person and the judge gave a verdict.

    weight: its part of what the person said, which stands beside every judgement of the report.
    """

    place: CriterionPlace
    repeat: int
    line: GradedCriterion
    person: str
    weight: float = 1.0

    @property
    def pair(self) -> Pair:
        """What the person said, and what the judge said."""
        return self.person, self.line.verdict or ""

    def differs(self, scale: Scale) -> bool:
        """Whether the two verdicts differ on a scale."""
        binary = scale == "binary"
        person, judge = (collapsed(verdict, binary=binary) for verdict in self.pair)
        return person != judge


@dataclass(frozen=True)
class RubricComparison:
    """One judge under one protocol against people.

    scales: those on which the judge could answer. compared: by agent, task and criterion.
    expected: criteria that people labelled, by agent. unjudged: judgements of them that came to no
    verdict, by cause. unknown: labels of criteria or
    reports that the records do not have. graded: those that they have. lines: every graded
    criterion as the rubric has it, labelled or not.
    """

    protocol: str
    judge: str
    scales: tuple[Scale, ...]
    compared: tuple[ComparedVerdict, ...]
    expected: Mapping[str, int]
    unjudged: Mapping[str, int]
    unknown: tuple[CriterionPlace, ...]
    graded: tuple[CriterionPlace, ...] = ()
    lines: Mapping[CriterionPlace, GradedCriterion] = field(default_factory=dict)

    @property
    def labelled(self) -> int:
        """Graded criteria that people labelled, with a verdict of the judge or without."""
        return sum(self.expected.values()) - len(self.unknown)

    @property
    def problem(self) -> str:
        """What is wrong where most labels found no graded criterion, and what to do."""
        lost = self.joined.problem("Check agents, tasks, samples and identifiers of criteria.")
        return f"{self.protocol}, judge {self.judge}: {lost}" if lost else ""

    @property
    def joined(self) -> Joined:
        """What became of people's verdicts."""
        places = {each.place for each in self.compared}
        return Joined(
            "verdicts of people",
            "graded criteria",
            sum(self.expected.values()),
            [f"{named_criterion(each)}: no graded criterion." for each in self.unknown],
            [
                f"{named_criterion(each)}: no verdict of the judge."
                for each in self.graded
                if each not in places
            ],
        )

    @property
    def whole(self) -> bool:
        """Whether everything that people labelled could be compared."""
        return not self.unjudged and not self.unknown


@dataclass(frozen=True)
class MacroF1:
    """Macro-F1 on one scale, in [0, 1]. verdicts: compared, of those that people labelled.

    released: of each task, absent classes 0, mean over tasks. per_task: the same with absent
    classes left out. pooled: of all pairs together. None where nothing was compared.
    """

    verdicts: Count
    tasks: int
    released: float | None
    per_task: float | None
    pooled: float | None


@dataclass(frozen=True)
class Mismatches:
    """Criteria of one kind: how many were compared, and on how many the two differ.

    On a criterion that was judged several times they may differ in part.
    """

    compared: int
    differing: float


def compare_rubric_verdicts(
    labels: Mapping[CriterionPlace, str],
    records: Iterable[Judged],
    names: Mapping[str, str] | None = None,
) -> list[RubricComparison]:
    """A comparison for every judge and recipe that graded rubrics, in the order of their names.

    labels: verdicts of people on the ternary or the binary scale. names: by which recipes of one
    protocol are told apart, under their digests.
    """
    groups: defaultdict[tuple[str, str, str], list[Reading]] = defaultdict(list)
    for record in records:
        for reading in graded_readings(record):
            key = (record.protocol, reading.judge, record.signature.digest)
            groups[key].append(reading)
    recipes = Counter((protocol, judge) for protocol, judge, _ in groups)
    return [
        _comparison(
            protocol
            if recipes[protocol, judge] == 1
            else f"{protocol} [{(names or {}).get(digest, digest)}]",
            judge,
            labels,
            graded,
        )
        for (protocol, judge, digest), graded in sorted(groups.items())
    ]


def graded_readings(record: Judged) -> Iterator[Reading]:
    """A report as each judge graded it, by whatever menu.

    Where that is not ResearchRubrics', a verdict is the word of its merit: 1, .5 or 0.
    """
    for judge, own in outcomes_by_judge(record).items():
        items = own.evidence.items
        if items and all({"axis", "weight"} <= each.model_fields_set for each in items):
            report = record.agent, record.task, record.sample, record.repeat
            yield Reading(*report, judge, record.labels, tuple(map(_graded, items)))


def _graded(item: EvidenceItem) -> GradedCriterion:
    line = item.graded
    if line.verdict is None and item.score in _WORDS:
        return replace(line, verdict=_WORDS[item.score], cause="")
    return line


def _comparison(
    protocol: str, judge: str, labels: Mapping[CriterionPlace, str], graded: Sequence[Reading]
) -> RubricComparison:
    compared: list[ComparedVerdict] = []
    expected: Counter[str] = Counter()
    unjudged: Counter[str] = Counter()
    seen: set[CriterionPlace] = set()
    lines: dict[CriterionPlace, GradedCriterion] = {}
    for reading in graded:
        for line in reading.lines:
            place = CriterionPlace(reading.agent, reading.task, reading.sample, line.key)
            lines[place] = line
            if place not in labels:
                continue
            if place not in seen:
                seen.add(place)
                expected[place.agent] += 1
            if line.verdict is None:
                unjudged[line.cause] += 1
            else:
                compared.append(ComparedVerdict(place, reading.repeat, line, labels[place]))
    unknown = tuple(place for place in labels if place not in seen)
    expected.update(place.agent for place in unknown)
    said = {word for each in compared for word in each.pair}
    in_two = is_binary(protocol) or (protocol.startswith("rubrics(set=") and PARTIAL not in said)
    scales: tuple[Scale, ...] = ("binary",) if in_two else ("ternary", "binary")
    times = Counter(each.place for each in compared)
    compared = [replace(each, weight=1 / times[each.place]) for each in compared]
    compared.sort(key=lambda each: (each.place, each.repeat))
    return RubricComparison(
        protocol,
        judge,
        scales,
        tuple(compared),
        expected,
        unjudged,
        unknown,
        tuple(sorted(seen)),
        lines,
    )


def agreement(comparison: RubricComparison, scale: Scale, agent: str | None = None) -> MacroF1:
    """The figures of one agent, or of all agents together; each report of each is then a task."""
    own = [each for each in comparison.compared if agent in (None, each.place.agent)]
    expected = [n for name, n in comparison.expected.items() if agent in (None, name)]
    tasks = list(_tasks(own))
    return MacroF1(
        Count(len({each.place for each in own}), sum(expected)),
        len({path[0] for path, _ in tasks}),
        _mean(tasks, lambda pairs: _released(pairs, scale)),
        _mean(tasks, lambda pairs: macro_f1_of_rubrics(pairs, scale)),
        macro_f1_of_rubrics([each.pair for each in own], scale, [each.weight for each in own]),
    )


def class_figures_of_rubrics(
    pairs: Sequence[Pair], scale: Scale, weights: Sequence[float] | None = None
) -> tuple[ClassFigures, ...]:
    """Every class of a scale, from pairs of ternary verdicts."""
    return classes.class_figures(_on(scale, pairs), CLASSES[scale], weights)


def macro_f1_of_rubrics(
    pairs: Sequence[Pair], scale: Scale, weights: Sequence[float] | None = None
) -> float | None:
    """The mean F1 of the classes that either side gave; None without any."""
    return classes.macro_f1(_on(scale, pairs), CLASSES[scale], weights=weights)


def released_macro_f1(people: Sequence[str], judge: Sequence[str], scale: Scale) -> float:
    """As the released program counts: verdicts paired by position, absent classes 0.

    The longer side is cut to the shorter. Raises ValueError if nothing is left.
    """
    pairs = list(zip(people, judge, strict=False))
    if not pairs:
        raise ValueError("macro-F1 needs at least one pair of verdicts")
    return classes.macro_f1(_on(scale, pairs), CLASSES[scale], absent=0.0) or 0.0


def _on(scale: Scale, pairs: Iterable[Pair]) -> list[Pair]:
    binary = scale == "binary"
    return [
        (collapsed(person, binary=binary), collapsed(judge, binary=binary))
        for person, judge in pairs
    ]


def mismatches(
    compared: Iterable[ComparedVerdict], scale: Scale, kind: Callable[[GradedCriterion], str]
) -> dict[str, Mismatches]:
    """Where the two differ, by the kind of criterion, e.g. its axis."""
    groups: defaultdict[str, list[ComparedVerdict]] = defaultdict(list)
    for each in compared:
        groups[kind(each.line)].append(each)
    return {
        name: Mismatches(
            len({each.place for each in own}),
            sum(each.weight for each in own if each.differs(scale)),
        )
        for name, own in sorted(groups.items())
    }


def _released(pairs: Sequence[Pair], scale: Scale) -> float:
    people, judge = zip(*pairs, strict=True)
    return released_macro_f1(people, judge, scale)


def _tasks(compared: Iterable[ComparedVerdict]) -> Iterator[tuple[TaskPath, list[Pair]]]:
    """The pairs of every judgement of every report, by the report's agent, task and sample."""
    groups: defaultdict[tuple[str, str, int, int], list[Pair]] = defaultdict(list)
    for each in compared:
        agent, task, sample, _ = each.place
        groups[agent, task, sample, each.repeat].append(each.pair)
    for (agent, task, sample, _), pairs in groups.items():
        yield ((agent, task), sample), pairs


def _mean(
    tasks: Iterable[tuple[TaskPath, list[Pair]]], figure: Callable[[list[Pair]], float | None]
) -> float | None:
    leaves = [(path, value) for path, pairs in tasks if (value := figure(pairs)) is not None]
    return fmean(task_means(leaves).values()) if leaves else None
