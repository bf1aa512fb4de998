"""A panel held against people: how far its judges err together, and whether it beats its best one.

Kish's effective number, by errors: see `stats.panels`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

import numpy as np

from deepassay.stats.panels import JudgesTogether, beyond
from deepassay.stats.ranks import Floats, Places
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    ResampledFigure,
    drawn_counts,
    ratio,
    resampled_figure,
)
from deepassay.wings.people.agreement.consistency import ScoresByTask
from deepassay.wings.people.agreement.decisions import number_of
from deepassay.wings.people.agreement.verdicts import DecidedItem, LinesByTask, decisions_of

TOGETHER: Final = "correlation of the judges' errors"
EFFECTIVE: Final = "independent judges that the {} count for"
MOST: Final = "agreement of what most judges say"
FEWEST: Final = 3
"""Reports on which a line through people's scores leaves anything."""

NOTE: Final = (
    "Judges whose errors correlate by rho count for k / (1 + (k - 1) rho) independent ones (Kish "
    "1965). The best alone is chosen by the same labels, which flatters it a little."
)


def panel_figures(lines: Sequence[DecidedItem], seed: int) -> Iterator[ResampledFigure]:
    """Of the decisions on which all judges gave a verdict; nothing for a single judge.

    The best alone is chosen by the same labels. Intervals: draws of tasks.
    """
    judges = sorted({judge for line in lines for judge in line.judges})
    complete = [each for each in lines if len(each.judges) == len(judges)]
    if len(judges) < 2 or not complete:
        return
    counting = LinesByTask(complete, seed)
    best = max(
        judges, key=lambda judge: _weight(e for e in complete if e.judges[judge] == e.person)
    )
    whole, most, alone = np.zeros((3, counting.tasks))
    for line in complete:
        at = counting.at(line)
        whole[at] += line.weight
        most[at] += line.weight * _agrees(line)
        alone[at] += line.weight * (line.judges[best] == line.person)
    n = decisions_of(complete)
    yield counting.figure(MOST, ratio(most, whole), n, "decisions")
    less = f"the same less that of {best}, the best alone"
    yield counting.figure(less, ratio(most - alone, whole), n, "decisions")
    errors, unit = _errors(judges, complete, counting)
    if len(errors):
        yield from _erring(JudgesTogether(errors, unit), counting.counts, len(errors), "items")


def panel_of_scores(judges: Mapping[str, ScoresByTask], seed: int) -> tuple[ResampledFigure, ...]:
    """Of the reports that all these judges scored; nothing for one judge, or fewer than three.

    An error is what of a judge's score is not the people's mean, on whatever scale it counts.
    """
    places = [
        {(task, each.agent): each for task, own in scores.tasks.items() for each in own}
        for scores in judges.values()
    ]
    shared = sorted(set.intersection(*map(set, places))) if len(places) > 1 else []
    if len(shared) < FEWEST:
        return ()
    theirs = np.array([places[0][at].mean for at in shared])
    errors = [beyond(np.array([own[at].score for at in shared]), theirs) for own in places]
    names = sorted({task for task, _ in shared})
    unit = np.array([names.index(task) for task, _ in shared])
    counts = drawn_counts(len(names), seed, FEWER_DRAWS)
    found = JudgesTogether(np.column_stack(errors), unit)
    return tuple(_erring(found, counts, len(shared), "reports"))


def _erring(
    together: JudgesTogether, counts: Floats, n: int, unit: str
) -> Iterator[ResampledFigure]:
    yield resampled_figure(TOGETHER, together.correlation, counts, n, unit, expanded=True)
    name = EFFECTIVE.format(together.judges)
    yield resampled_figure(name, together.effective, counts, n, unit, expanded=True)


def _weight(lines: Iterator[DecidedItem]) -> float:
    return sum(line.weight for line in lines)


def _agrees(line: DecidedItem) -> float:
    """Whether what most judges say is what the person says; of a draw, the chance."""
    counted = Counter(line.judges.values())
    first = [word for word, count in counted.items() if count == max(counted.values())]
    return (line.person in first) / len(first)


def _errors(
    judges: Sequence[str], lines: Sequence[DecidedItem], counting: LinesByTask
) -> tuple[Floats, Places]:
    """How far each verdict is from what people say on average, a row for each judgement."""
    people: defaultdict[tuple[str, Hashable], dict[str, float]] = defaultdict(dict)
    said: defaultdict[tuple[str, Hashable], dict[str, list[list[float]]]] = defaultdict(dict)
    for line in lines:
        person = number_of(line.person)
        row = [n for judge in judges if (n := number_of(line.judges[judge])) is not None]
        if person is None or len(row) < len(judges):
            continue
        people[line.task, line.item][line.rater] = person
        said[line.task, line.item].setdefault(line.rater, []).append(row)
    place = {line.task: counting.at(line) for line in lines}
    rows: list[list[float]] = []
    unit: list[int] = []
    for key, raters in said.items():
        truth = fmean(people[key].values())
        for row in next(iter(raters.values())):
            rows.append([abs(each - truth) for each in row])
            unit.append(place[key[0]])
    return np.array(rows, dtype=float).reshape(-1, len(judges)), np.array(unit, dtype=np.intp)
