"""Verdicts of judges held against those of people (LiveResearchBench, appendix C).

The paper gives the rate at which people agree with a judge, and with either of two; apart for the
items on which all judges say the same; and the share of flagged issues that people confirm. A
decision of one person on one item is what is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from deepassay.stats.classes import kappa_of_table
from deepassay.stats.ranks import Floats
from deepassay.stats.reliability import Alpha
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    ResampledFigure,
    Statistic,
    drawn_counts,
    ratio,
    resampled_figure,
)
from deepassay.wings.people.agreement.decisions import MET

EITHER: Final = "agreement with at least one judge"
ALL: Final = "agreement with all judges"


@dataclass(frozen=True)
class DecidedItem:
    """One item that a person decided on. item: what tells it from all others of the task.

    judges: the verdict of each judge who gave one. weight: its part of the decision, of which
    there is a line for each time that the report was judged.
    """

    task: str
    item: Hashable
    rater: str
    person: str
    judges: Mapping[str, str]
    weight: float = 1.0

    @property
    def decision(self) -> tuple[str, Hashable, str]:
        """The person's decision, however often it was judged."""
        return self.task, self.item, self.rater


class LinesByTask:
    """Lines by task, for shares with an interval from drawing tasks."""

    def __init__(self, lines: Sequence[DecidedItem], seed: int) -> None:
        self._lines = lines
        self._place = {task: at for at, task in enumerate(sorted({line.task for line in lines}))}
        self.counts = drawn_counts(len(self._place), seed, FEWER_DRAWS)

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return len(self._place)

    def at(self, line: DecidedItem) -> int:
        """The number of the line's task."""
        return self._place[line.task]

    def share(
        self, name: str, hit: Callable[[DecidedItem], bool], of: Callable[[DecidedItem], bool]
    ) -> ResampledFigure:
        """The share of the lines `of` that are a `hit`; a decision weighs the same as any other."""
        sums = np.zeros((2, self.tasks))
        own = [*filter(of, self._lines)]
        for line in own:
            sums[:, self.at(line)] += (hit(line) * line.weight, line.weight)
        return self.figure(name, ratio(*sums), decisions_of(own), "decisions")

    def figure(self, name: str, statistic: Statistic, n: int, unit: str) -> ResampledFigure:
        """A figure with its interval."""
        return resampled_figure(name, statistic, self.counts, n, unit)


def decisions_of(lines: Iterable[DecidedItem]) -> int:
    """How many decisions of people they are on."""
    return len({line.decision for line in lines})


def verdict_figures(lines: Sequence[DecidedItem], seed: int) -> list[ResampledFigure]:
    """All that the lines allow: each judge, several together, both sets, people with each other."""
    counting = LinesByTask(lines, seed)
    judges = sorted({judge for line in lines for judge in line.judges})
    found = [each for judge in judges for each in _of_judge(judge, lines, counting)]
    if len(judges) > 1:
        found += _of_panel(judges, counting)
    return [*found, *_of_people(lines, counting)]


def _of_judge(
    judge: str, lines: Sequence[DecidedItem], counting: LinesByTask
) -> Iterator[ResampledFigure]:
    def said(line: DecidedItem) -> bool:
        return judge in line.judges

    def agreed(line: DecidedItem) -> bool:
        return line.judges[judge] == line.person

    own = [line for line in lines if said(line)]
    yield counting.share(f"agreement with {judge}", agreed, said)
    chance = _table(own, judge, counting)
    yield counting.figure(
        f"Cohen's kappa, {judge}",
        lambda counts: kappa_of_table(np.tensordot(counts, chance, axes=1)),
        decisions_of(own),
        "decisions",
    )
    for word in sorted({line.person for line in own}):
        yield counting.share(
            f"agreement with {judge} where people say {word}",
            agreed,
            lambda line, word=word: said(line) and line.person == word,  # type: ignore[misc]
        )
    yield counting.share(
        f"precision of {judge} where it says {MET}",
        agreed,
        lambda line: line.judges.get(judge) == MET,
    )


def _of_panel(judges: Sequence[str], counting: LinesByTask) -> Iterator[ResampledFigure]:
    def complete(line: DecidedItem) -> bool:
        return len(line.judges) == len(judges)

    def united(line: DecidedItem) -> bool:
        return complete(line) and len(set(line.judges.values())) == 1

    def divided(line: DecidedItem) -> bool:
        return complete(line) and not united(line)

    def with_any(line: DecidedItem) -> bool:
        return line.person in line.judges.values()

    def with_all(line: DecidedItem) -> bool:
        return united(line) and with_any(line)

    yield counting.share(EITHER, with_any, complete)
    yield counting.share(ALL, with_all, complete)
    yield counting.share("judges say the same (agreement set)", united, complete)
    yield counting.share("agreement set: agreement with the judges", with_any, united)
    yield counting.share("disagreement set: agreement with at least one", with_any, divided)
    for judge in judges:
        yield counting.share(
            f"disagreement set: agreement with {judge}",
            lambda line, judge=judge: line.judges[judge] == line.person,  # type: ignore[misc]
            divided,
        )


def _of_people(lines: Sequence[DecidedItem], counting: LinesByTask) -> Iterator[ResampledFigure]:
    """Of pairs of people who decided on the same item, and Krippendorff's alpha of all."""
    said: defaultdict[tuple[str, Hashable], dict[str, DecidedItem]] = defaultdict(dict)
    for line in lines:
        said[line.task, line.item][line.rater] = line
    units = [list(own.values()) for own in said.values() if len(own) > 1]
    if not units:
        return
    sums = np.zeros((2, counting.tasks))
    for unit in units:
        for one, other in combinations(unit, 2):
            sums[:, counting.at(one)] += (one.person == other.person, 1)
    yield counting.figure(
        "agreement of people with each other", ratio(*sums), int(sums[1].sum()), "pairs"
    )
    alpha = Alpha([[line.person for line in unit] for unit in units], "nominal")
    task = np.array([counting.at(unit[0]) for unit in units])
    yield counting.figure(
        "Krippendorff's alpha of people, nominal",
        lambda counts: alpha(counts[task]),
        len(units),
        "items",
    )


def _table(lines: Iterable[DecidedItem], judge: str, counting: LinesByTask) -> Floats:
    """How often person and judge said what, by task: shape (tasks, words, words)."""
    lines = list(lines)
    words = sorted({word for line in lines for word in (line.person, line.judges[judge])})
    place = {word: at for at, word in enumerate(words)}
    table = np.zeros((counting.tasks, len(words), len(words)))
    for line in lines:
        cell = counting.at(line), place[line.person], place[line.judges[judge]]
        table[cell] += line.weight
    return table
