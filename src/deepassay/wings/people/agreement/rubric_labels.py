"""A judge's verdicts on criteria beside those of people: all figures, and what asks nobody.

Intervals are those of drawing reports with replacement, since criteria of one report are judged on
one text. Two rules stand beside every judge, on the criteria that were judged: to call everything
met, and to say of everything what people say most often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from deepassay.results.tables import percent
from deepassay.results.weighing import MERITS, NOT, PARTIAL, SATISFIED, GradedCriterion
from deepassay.stats.ranks import Floats
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    ResampledFigure,
    drawn_counts,
    ratio,
    resampled_figure,
)
from deepassay.tasks.task import detect_language
from deepassay.wings.people.agreement.graded_set import GradedSet, OnCriterion
from deepassay.wings.people.agreement.labels import LabelledItem, Measured, Saying
from deepassay.wings.people.agreement.rubrics import RubricComparison

ALWAYS: Final = "always met"
MAJORITY: Final = "what people say most"
WORDS: Final = {1.0: "met", 0.5: "partly met", 0.0: "not met"}
CLASSES: Final = (*WORDS,)
BY_KIND: Final = "balanced accuracy, mean of kinds"
KIND_NOTE: Final = (
    f"{BY_KIND}: as RuVerBench counts it, where a criterion without a verdict is one that is not "
    "met, and a kind or class that is not there counts 0; everywhere else it is left out."
)
COLLAPSED_NOTE: Final = (
    "People said of each criterion whether it is met or not: a judge's partly met counts as not. "
    "Phi is Matthews' correlation coefficient (MCC)."
)


def measured_rubrics(
    given: GradedSet, comparisons: Sequence[RubricComparison], seed: int
) -> Measured:
    """The judges of these comparisons on the criteria of a set, and the rules beside them.

    A criterion that was judged several times is an item for each judgement, and one for people; one
    on which people are divided counts for people alone.
    """
    places = [*given.labels]
    times = max((each.repeat for one in comparisons for each in one.compared), default=0) + 1
    rows = [(place, repeat) for repeat in range(times) for place in places]
    lines = {place: line for one in comparisons for place, line in one.lines.items()}
    labels = given.labels
    binary = not any(PARTIAL in labels[place].people for place in places)
    items = [
        LabelledItem(
            tuple(MERITS[word] for word in labels[place].people),
            repr(place[:3]),
            _cuts(labels[place], lines.get(place)),
            again=repeat > 0,
        )
        for place, repeat in rows
    ]
    sayings = [
        Saying(name, said, said)
        for name, one in _named(comparisons)
        for said in [_said(one, rows, binary=binary)]
    ]
    told = [_beside_rule(each, items, seed) for each in sayings]
    rules = _rules(items, sayings)
    more = []
    if given.kinds:
        own = [labels[place].kind for place, _ in rows]
        said_of_all = [(each.name, each.verdicts) for each in sayings]
        said_of_all += [(name, [value] * len(rows)) for name, value in rules.items()]
        more = [
            (name, _by_kind(items, verdicts, own, given.kinds, seed))
            for name, verdicts in said_of_all
        ]
    sayings += _said_by_rules(rules, sayings, len(rows))
    notes = (*told, *([COLLAPSED_NOTE] if binary else []), *([KIND_NOTE] if more else []))
    classes = (1.0, 0.0) if binary else (1.0, 0.5, 0.0)
    return Measured(
        given.title,
        items,
        classes,
        sayings,
        notes,
        seed,
        units="reports",
        words={value: WORDS[value] for value in classes},
        more=more,
    )


def _rules(items: Sequence[LabelledItem], judges: Sequence[Saying]) -> dict[str, float]:
    """What each rule says of everything. Labels that no judge could use say nothing of people."""
    judged = _judged(judges, len(items))
    labels = [each.together(CLASSES) for each, known in zip(items, judged, strict=True) if known]
    return {ALWAYS: MERITS[SATISFIED], MAJORITY: _most_often(labels)}


def _said_by_rules(rules: Mapping[str, float], judges: Sequence[Saying], n: int) -> list[Saying]:
    """The rules on those of n items that were judged: all figures are then of the same criteria."""
    judged = _judged(judges, n)
    found = (
        (name, [value if known else None for known in judged]) for name, value in rules.items()
    )
    return [Saying(name, verdicts, verdicts) for name, verdicts in found]


def _judged(judges: Sequence[Saying], n: int) -> list[bool]:
    """Of each of n items whether a judge has a verdict; all of them where there is no judge."""
    return [not judges or any(each.verdicts[at] is not None for each in judges) for at in range(n)]


def _most_often(labels: Iterable[float | None]) -> float:
    """The label that is there most often; not met without any."""
    found = Counter(each for each in labels if each is not None).most_common(1)
    return found[0][0] if found else MERITS[NOT]


def _beside_rule(judge: Saying, items: Sequence[LabelledItem], seed: int) -> str:
    """Whether a judge agrees with people more often than a rule that asks nobody, in a sentence.

    The rule says what people say most often of the criteria on which this judge has a verdict.
    """
    rows = [
        (label, said, each.unit)
        for each, said in zip(items, judge.verdicts, strict=True)
        if said is not None and (label := each.together(CLASSES)) is not None
    ]
    if not rows:
        return f"{judge.name} has no verdict on any of the criteria."
    rule = _most_often(label for label, _, _ in rows)
    units = np.unique(np.array([row[2] for row in rows]), return_inverse=True)[1]
    counts = drawn_counts(int(units.max()) + 1, seed, FEWER_DRAWS)
    right = np.array([label == said for label, said, _ in rows], dtype=float)
    by_rule = np.array([label == rule for label, _, _ in rows], dtype=float)
    size = np.bincount(units).astype(float)
    better = ratio(np.bincount(units, right - by_rule).astype(float), size)
    shown = resampled_figure("", better, counts, len(rows), "", expanded=True).interval
    answer = "that it does better is not shown"
    if shown and shown.low > 0:
        answer = "it does better"
    if shown and shown.high < 0:
        answer = "it does worse"
    ends = "" if shown is None else f" (by {percent(shown.low)} to {percent(shown.high)}, 95 %)"
    return (
        f"{judge.name} says what people say of {percent(float(right.mean()))} of {len(rows)} "
        f"criteria, the rule that asks nobody of {percent(float(by_rule.mean()))}: {answer}{ends}."
    )


def _named(
    comparisons: Sequence[RubricComparison],
) -> list[tuple[str, RubricComparison]]:
    """The comparisons by judge; where one judged in several ways, with the way."""
    several = Counter(each.judge for each in comparisons)
    return [
        (each.judge if several[each.judge] == 1 else f"{each.judge}, {each.protocol}", each)
        for each in comparisons
    ]


def _said(
    comparison: RubricComparison, rows: Sequence[tuple[object, int]], *, binary: bool
) -> list[float | None]:
    """The verdicts in the order of the rows, as numbers; None where there is none."""
    found: dict[tuple[object, int], float] = {}
    for each in comparison.compared:
        merit = MERITS[each.line.verdict or NOT]
        found[each.place, each.repeat] = float(merit == 1) if binary else merit
    return [found.get(row) for row in rows]


def _cuts(label: OnCriterion, graded: GradedCriterion | None) -> Mapping[str, str]:
    """By what a criterion is told apart from others; graded: as the judge's rubric has it."""
    cuts = {"kind": label.kind, "source": label.source}
    if graded is not None and not label.kind:
        cuts |= {"axis": graded.axis, "importance": graded.level, "criteria": graded.obligation}
    return cuts | ({"language": detect_language(label.text)} if label.text else {})


class BalancedByKind:
    """The mean over kinds of criteria of the balanced accuracy, as RuVerBench has it.

    labels, verdicts: 1 for met, 0 for not met or for no verdict, shape (n,). kinds: of each.
    order: all kinds that there are; one without a criterion counts 0, and so does the share of a
    class that people gave to none of a kind.
    """

    def __init__(
        self, labels: Floats, verdicts: Floats, kinds: Sequence[str], order: Sequence[str]
    ) -> None:
        pairs = [*zip(kinds, labels, strict=True)]
        self._right = (labels == verdicts).astype(float)
        self._classes = [
            np.flatnonzero([one == kind and two == label for one, two in pairs])
            for kind in order
            for label in (0, 1)
        ]

    def __call__(self, weights: Floats) -> float:
        """With each criterion counted so often, shape (n,)."""
        shares = []
        for own in self._classes:
            total = float(weights[own].sum())
            shares.append(float(weights[own] @ self._right[own]) / total if total else 0.0)
        return float(np.mean(shares)) if shares else 0.0


def _by_kind(
    items: Sequence[LabelledItem],
    verdicts: Sequence[float | None],
    kinds: Sequence[str],
    order: Sequence[str],
    seed: int,
) -> ResampledFigure:
    labels = np.array([each.together((1.0, 0.0)) for each in items], dtype=float)
    mean = BalancedByKind(labels, np.array([each or 0.0 for each in verdicts]), kinds, order)
    units = np.unique(np.array([each.unit for each in items]), return_inverse=True)[1]
    counts = drawn_counts(int(units.max(initial=-1)) + 1, seed, FEWER_DRAWS)
    return resampled_figure(
        BY_KIND, lambda own: mean(own[units]), counts, len(items), "items", expanded=True
    )
