"""Who decides on what, and in which order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from deepassay.errors import BadSetting
from deepassay.runfile import Duty


def assigned(tasks: Sequence[str], raters: Sequence[str], per_item: int, seed: int) -> list[Duty]:
    """Give each item to so many raters, each of whom has an order of his own.

    tasks: of each item, the task of its report. Loads differ by one item at most. Two items of one
    task follow each other only where a rater has nothing else left. Raises BadSetting for raters
    who are too few or not told apart.
    """
    if wrong := [each for each, count in Counter(raters).items() if count > 1 or not each.strip()]:
        raise BadSetting(
            f"--raters: {wrong[0]!r} is no name of one rater.",
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
    for item in rng.permutation(len(tasks)):
        chance = {rater: rng.random() for rater in raters}
        for rater in sorted(raters, key=lambda each: (load[each], chance[each]))[:per_item]:
            load[rater] += 1
            own[rater].append(int(item))
    return [
        Duty(rater, item, place)
        for rater in raters
        for place, item in enumerate(_apart(own[rater], tasks, rng))
    ]


def _apart(items: Sequence[int], tasks: Sequence[str], rng: np.random.Generator) -> list[int]:
    """The items in a random order in which, as far as possible, no task follows itself.

    Always one of the task of which most are left, were it not the last one: so none is left over
    at the end unless it must be.
    """
    left: defaultdict[str, list[int]] = defaultdict(list)
    for at in rng.permutation(len(items)):
        left[tasks[items[at]]].append(items[at])
    order: list[int] = []
    last = ""
    while left:
        chance = {task: rng.random() for task in left}
        task = max(left, key=lambda each: (each != last, _pressing(each, left), chance[each]))
        order.append(left[task].pop())
        if not left[task]:
            del left[task]
        last = task
    return order


def _pressing(task: str, left: defaultdict[str, list[int]]) -> bool:
    """Whether a task has to be taken now, or it would follow itself at the end."""
    return 2 * len(left[task]) >= sum(map(len, left.values())) + 1
