"""Who decides on what, and in which order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import Final

import numpy as np

from deepassay.errors import BadSetting
from deepassay.runfile import Duty
from deepassay.runfile.questions import Item

LEADER: Final = "leader"
"""Under which name the address of whoever leads the study is told."""


def assigned(
    items: Sequence[Item], raters: Sequence[str], per_item: int, seed: int | Sequence[int]
) -> list[Duty]:
    """Give each item to so many raters, each of whom has an order of his own.

    An item that names its raters goes to them. Loads differ by one item at most where none does
    and none bars anybody. Two items of one task follow each other only where a rater has nothing
    else left. Raises BadSetting for raters who are too few, not told apart, or unknown.
    """
    counted = Counter(each.strip() for each in raters)
    for name, count in counted.items():
        why = {"": "a name is empty", LEADER: "whoever leads the study is called so"}.get(name)
        if why or count > 1:
            raise BadSetting(
                f"--raters {name}: {why or f'it is there {count} times'}.",
                "Give every rater a name of his own.",
            )
    if per_item > len(raters):
        raise BadSetting(
            f"--per-item {per_item}, and there are {len(raters)} raters.",
            "Name more raters, or have fewer decide on each item.",
        )
    rng = np.random.default_rng(seed)
    load = dict.fromkeys(raters, 0)
    own: dict[str, list[int]] = {rater: [] for rater in raters}
    order = [int(each) for each in rng.permutation(len(items))]
    for at in sorted(order, key=lambda each: not items[each].raters):
        chance = {rater: rng.random() for rater in raters}
        free = [each for each in raters if each not in items[at].barred]
        chosen = sorted(free, key=lambda each: (load[each], chance[each]))[:per_item]
        for rater in _checked(items[at].raters or chosen, items[at], raters, per_item):
            load[rater] += 1
            own[rater].append(at)
    tasks = [each.task for each in items]
    return [
        Duty(rater, item, place)
        for rater in raters
        for place, item in enumerate(_apart(own[rater], tasks, rng))
    ]


def _checked(
    chosen: Sequence[str], item: Item, raters: Sequence[str], per_item: int
) -> Sequence[str]:
    """Who has an item, if all of them take part and are enough."""
    if unknown := [each for each in item.raters if each not in raters]:
        raise BadSetting(
            f"{item.task} is for {unknown[0]}, who is none of the raters.",
            f"Name --raters {','.join([*raters, unknown[0]])}.",
        )
    if not item.raters and len(chosen) < per_item:
        raise BadSetting(
            f"{item.task} needs {per_item} raters, and all but {len(chosen)} had a part in it.",
            f"Name raters besides {', '.join(item.barred)}.",
        )
    return chosen


def _apart(items: Sequence[int], tasks: Sequence[str], rng: np.random.Generator) -> list[int]:
    """The items in a random order in which, as far as possible, no task follows itself.

    A task of which more than half of what is left are comes at once, were it not the last one: so
    none is left over at the end unless it must be.
    """
    left: defaultdict[str, list[int]] = defaultdict(list)
    for at in rng.permutation(len(items)):
        left[tasks[items[at]]].append(items[at])
    names = [*left]
    most = [(-len(own), task) for task, own in left.items()]  # some of an earlier count
    heapify(most)
    order: list[int] = []
    last = ""
    while names:
        while -most[0][0] != len(left[most[0][1]]):
            heappop(most)
        place = int(rng.integers(len(names)))
        task = most[0][1]
        if task == last or 2 * len(left[task]) <= len(items) - len(order):
            if names[place] == last and len(names) > 1:
                place = (place + int(rng.integers(1, len(names)))) % len(names)
            task = names[place]
        order.append(left[task].pop())
        if left[task]:
            heappush(most, (-len(left[task]), task))
        else:
            names.remove(task)
        last = task
    return order
