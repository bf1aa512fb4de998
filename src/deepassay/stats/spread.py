"""Items drawn by known chances, as evenly over tasks and agents as these chances allow.

Where every item is drawn by itself, a task gets five labels and the next none, and what its items
have in common goes into the error. Here every task keeps one random number for good (permanent
random numbers; Ohlsson 1995), and every item a set of numbers by which it is drawn, as large as its
chance. What is drawn of a task is then never further than one or two from its mean, as in
systematic sampling (Madow 1949). As chances rise from round to round, sets only grow, where fewest
of the task are drawn so far. Tasks are drawn independently, so that errors over tasks hold.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

import numpy as np

from deepassay.stats.influence import Flags
from deepassay.stats.ranks import TIE, Floats, Places


class SpreadDraw:
    """The sets of numbers of items, which all begin empty.

    agent, task: the number of each item's, shape (n,). order: of the items of an agent on a task;
    neighbours are drawn together as seldom as can be.
    """

    def __init__(self, agent: Places, task: Places, order: Floats) -> None:
        places = np.lexsort((order, agent, task))
        ends = np.flatnonzero(np.diff(task[places])) + 1
        self._tasks = [(own, _Numbers(agent[own])) for own in np.split(places, ends)]
        self._task = task

    def rise(self, chances: Floats) -> None:
        """Make the sets as large as these chances, shape (n,), of which none may be lower."""
        for places, numbers in self._tasks:
            for at, chance in enumerate(chances[places].tolist()):
                numbers.rise(at, chance)

    def drawn(self, number: Floats) -> Flags:
        """Which items are drawn, shape (n,). number: of every task, from 0 to 1."""
        found = np.zeros(len(self._task), dtype=bool)
        for places, numbers in self._tasks:
            drawn = numbers.drawn(float(number[self._task[places[0]]]))
            found[places] = [bool(drawn >> at & 1) for at in range(len(places))]
        return found


class _Numbers:
    """The numbers of one task in pieces, and which items each piece draws, a bit each."""

    def __init__(self, agent: Places) -> None:
        names = agent.tolist()
        own = {
            name: sum(1 << at for at, each in enumerate(names) if each == name) for name in names
        }
        self._alike = [own[name] for name in names]
        self._chances = [0.0] * len(names)
        self._widths = [1.0]
        self._draws = [0]

    def rise(self, item: int, chance: float) -> None:
        """To those that draw the item, more, where fewest are drawn, and fewest of its agent."""
        more = chance - self._chances[item]
        self._chances[item] = max(chance, self._chances[item])
        if more <= TIE:
            return
        own, alike = 1 << item, self._alike[item]
        free = [  # one number each, which is sorted faster than three
            (drawn.bit_count() << 64) + ((drawn & alike).bit_count() << 32) + at
            for at, drawn in enumerate(self._draws)
            if not drawn & own
        ]
        for place in sorted(free):
            at = place & 0xFFFFFFFF
            width, drawn = self._widths[at], self._draws[at]
            if more <= TIE:
                break
            if more < width - TIE:
                self._widths[at : at + 1] = more, width - more
                self._draws[at : at + 1] = drawn | own, drawn
                break
            self._draws[at] = drawn | own
            more -= width

    def drawn(self, number: float) -> int:
        """Which items this number draws, a bit each."""
        at = bisect_right([*accumulate(self._widths[:-1])], number)
        return self._draws[at]
