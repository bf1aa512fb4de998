"""How many tasks of a set each topic gets: proportional to demand, and even over languages.

DeepResearch Bench, section 2.1: 44,019 queries became 100 tasks, half of them Chinese. The rule
is not printed. Sainte-Laguë's over pairs of languages, with a pair for every topic first, gives the
released 100 from the printed shares; other ways to round do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import numpy as np

from deepassay.errors import BadSetting

LEAST: Final = 1
"""Tasks of every topic in every language."""

T = TypeVar("T", bound=str)


@dataclass(frozen=True)
class Allocation(Generic[T]):
    """Tasks by topic and language. rest: those that only one language has, where the languages do
    not divide the tasks.
    """

    languages: tuple[str, ...]
    tasks: Mapping[T, Mapping[str, int]]
    rest: tuple[tuple[T, str], ...]

    def of(self, topic: T) -> int:
        """The tasks of a topic in all languages."""
        return sum(self.tasks[topic].values())


def sainte_lague(shares: Mapping[T, float], seats: int, least: int = LEAST) -> dict[T, int]:
    """So many seats in proportion to shares, every name having so many at the least.

    One after the other goes to the largest share / (seats + 1/2); of equal ones to the larger
    share, then to the first name. seats: at least `least` for every name, else ValueError.
    """
    if seats < least * len(shares):
        raise ValueError(f"{seats} seats are too few for {len(shares)} names")
    given = dict.fromkeys(sorted(shares), least)
    for _ in range(seats - least * len(shares)):
        # The first of equals, and so the first name.
        taker = max(given, key=lambda name: (shares[name] / (given[name] + 0.5), shares[name]))
        given[taker] += 1
    return {name: given[name] for name in shares}


def allocate(shares: Mapping[T, float], size: int, languages: Sequence[str]) -> Allocation[T]:
    """So many tasks over topics, each with as many in every language.

    shares: of the topics, in any unit, not all 0. What the number of languages leaves over goes to
    the topic that is furthest below its exact part, one task after the other and each in another
    language. Raises BadSetting where not every topic can have a task in every language.
    """
    if len(set(languages)) < len(languages) or not languages:
        raise BadSetting("A language is named twice, or none is.", "Name every --language once.")
    seats, over = divmod(size, len(languages))
    if seats < LEAST * len(shares):
        raise BadSetting(
            f"{size} tasks are too few for one of each of {len(shares)} topics in "
            f"{len(languages)} languages.",
            f"Give a --size of {LEAST * len(shares) * len(languages)} or more, or fewer languages.",
        )
    even = sainte_lague(shares, seats)
    tasks = {name: dict.fromkeys(languages, even[name]) for name in shares}
    total = sum(shares.values())
    rest = []
    lacking = {
        name: size * shares[name] / total - len(languages) * even[name] for name in sorted(shares)
    }
    for language in languages[:over]:
        taker = max(lacking, key=lambda name: (lacking[name], shares[name]))
        lacking[taker] -= 1
        tasks[taker][language] += 1
        rest.append((taker, language))
    return Allocation(tuple(languages), tasks, tuple(rest))


Cell = tuple[str, str]
"""A class of each of two kinds, such as a domain and a kind of task."""


def spread_over_cells(weights: Mapping[Cell, float], size: int) -> dict[Cell, int]:
    """So many tasks over pairs of classes, none left out of either kind.

    How many a class gets in all is `sainte_lague` of its kind. The cells are as near to their exact
    parts, in squares, as whole numbers with these sums can be; one without weight gets tasks only
    where the sums leave no other way. weights: above 0. Raises BadSetting for too few tasks.
    """
    from scipy.optimize import linprog  # takes long to import

    first, second = (_sums(weights, side) for side in (0, 1))
    if size < (least := max(len(first), len(second))):
        raise BadSetting(
            f"{size} tasks are too few for {len(first)} domains and {len(second)} kinds of task.",
            f"Give a --size of {least} or more.",
        )
    rows, columns = (sainte_lague(each, size) for each in (first, second))
    total = sum(weights.values())
    # Each task that a cell may get is a variable of its own, the next one dearer than the last: so
    # the squares are linear, and the corners of what is possible are whole.
    cells = [
        (row, column, count)
        for row in rows
        for column in columns
        for count in range(1, min(rows[row], columns[column]) + 1)
    ]
    costs = []
    for row, column, count in cells:
        weight = weights.get((row, column), 0.0)
        costs.append(2 * count - 1 - 2 * size * weight / total + (0 if weight else size))
    limits = [[row == each for row, _, _ in cells] for each in rows]
    limits += [[column == each for _, column, _ in cells] for each in columns]
    found = linprog(
        [cost + 1e-7 * place for place, cost in enumerate(costs)],  # equals fall to the first
        A_eq=np.array(limits, dtype=float),
        b_eq=[*rows.values(), *columns.values()],
        bounds=(0, 1),
        method="highs-ds",
    )
    given: dict[Cell, int] = {}
    for (row, column, _), share in zip(cells, found.x, strict=True):
        given[row, column] = given.get((row, column), 0) + round(share)
    return {cell: tasks for cell, tasks in given.items() if tasks}


def _sums(weights: Mapping[Cell, float], side: int) -> dict[str, float]:
    sums: dict[str, float] = {}
    for cell, weight in weights.items():
        sums[cell[side]] = sums.get(cell[side], 0.0) + weight
    return sums
