"""Items drawn by known chances, as evenly over tasks and agents as these chances allow.

Where every item is drawn by itself, a task gets five labels and the next none, and what its items
have in common goes into the error. Here every task keeps one random number for good (permanent
random numbers; Ohlsson 1995), and every item a set of numbers by which it is drawn, as large as its
chance. What is drawn of a task is then never further than one or two from its mean, as in
systematic sampling (Madow 1949). As chances rise from round to round, sets only grow, where fewest
of the task are drawn so far. Tasks are drawn independently, so that errors over tasks hold.
"""

from __future__ import annotations

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
            found[places] = numbers.drawn(float(number[self._task[places[0]]]))
        return found


class _Numbers:
    """The numbers from 0 to 1 of one task in pieces, and which items each piece draws."""

    def __init__(self, agent: Places) -> None:
        self._agent = agent
        self._starts = np.zeros(1)
        self._draws = np.zeros((len(agent), 1), dtype=bool)

    def rise(self, item: int, chance: float) -> None:
        """To those that draw the item, more, where fewest are drawn, and fewest of its agent."""
        widths = np.diff(self._starts, append=1.0)
        more = chance - float(widths @ self._draws[item])
        if more <= TIE:
            return
        free = np.flatnonzero(~self._draws[item])
        own = self._draws[self._agent == self._agent[item]].sum(axis=0)
        free = free[np.lexsort((free, own[free], self._draws.sum(axis=0)[free]))]
        ends = np.cumsum(widths[free])
        whole = int(np.searchsorted(ends, more + TIE, side="right"))
        rest = more - (float(ends[whole - 1]) if whole else 0.0)
        self._draws[item, free[:whole]] = True
        if rest > TIE and whole < len(free):
            cut = int(free[whole])
            self._starts = np.insert(self._starts, cut + 1, self._starts[cut] + rest)
            self._draws = np.insert(self._draws, cut + 1, self._draws[:, cut], axis=1)
            self._draws[item, cut] = True

    def drawn(self, number: float) -> Flags:
        """Which items this number draws."""
        return self._draws[:, int(np.searchsorted(self._starts, number, side="right")) - 1]
