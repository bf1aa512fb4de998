"""Criteria that stand in a tree: means of means, and nodes that fail with what is critical in them.

Both are pure functions of criteria in their order, by what each stands `within`, root first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import fsum
from typing import Final, NamedTuple

from deepassay.results.weighing import Over
from deepassay.tasks.yardsticks import Criterion

CRITICAL: Final = "!"
IN_ORDER: Final = ">"
"""What the name of a node ends with that is critical, and one whose children are taken in order."""

WEIGHING: Final = "@"
"""What stands before the weight of a node in its name."""


class _TreeNode(NamedTuple):
    """What a storey holds: a criterion or another storey. alone: whether it is one of faults alone.

    value: None where nothing of it is known.
    """

    weight: float
    value: float | None
    alone: bool = False

    @property
    def fault(self) -> bool:
        """Whether it takes off and adds nothing."""
        return self.alone or self.weight < 0


def storeys(
    entries: Sequence[Criterion],
    merits: Sequence[float | None],
    weights: Sequence[float],
    over: Over = "positive",
    digits: int | None = None,
    empty: float | None = None,
    rounded: Collection[int] = (),
) -> float | None:
    """The mean over the nodes of one storey, each the mean of what stands in it; None if nothing.

    The lowest storey weighs its criteria, and nodes weigh what stands behind `@` in their names.
    The sum of each storey is divided by its positive weights, or by all. One of faults alone, which
    has nothing above 0, is a fault itself: the share of its weights that applies is taken off in
    the storey above, and adds nothing to what is divided by there; None where the root is one.

    A merit of None drops out, and so does a node of which nothing is left, unless it is to count
    what empty says. digits: to which every storey is rounded, or those of rounded, the root being
    0.
    """

    def storey(places: Sequence[int], depth: int) -> _TreeNode:
        inner: dict[str, list[int]] = {}
        nodes: list[_TreeNode] = []
        for place in places:
            if len(entries[place].within) > depth:
                inner.setdefault(entries[place].within[depth], []).append(place)
            else:
                nodes.append(_TreeNode(weights[place], merits[place]))
        for name, below in inner.items():
            node = storey(below, depth + 1)
            value = empty if node.value is None else node.value
            nodes.append(_TreeNode(_weight_in(name), value, node.alone))
        counted = [each for each in nodes if each.weight]
        alone = bool(counted) and all(each.fault for each in counted)
        total = earned = 0.0
        for weight, value, below_alone in nodes:  # as programs do: a tie of rounding hangs on it
            if value is None:
                continue
            earned += weight * value
            if alone:
                total += abs(weight)
            elif not below_alone and (weight > 0 or over == "all"):
                total += weight
        if total <= 0:
            return _TreeNode(1.0, None, alone)
        mean = earned / total
        if rounded:
            known = ((each.weight, each.value) for each in nodes if each.value is not None)
            mean = fsum(weight * value for weight, value in known) / total
        whole = digits is None or (rounded and depth not in rounded)
        return _TreeNode(1.0, mean if whole else round(mean, digits), alone)

    root = storey(range(len(entries)), 0)
    return None if root.alone else root.value


def _weight_in(name: str) -> float:
    """What a node weighs: the number behind `@` in its name, else 1."""
    try:
        return float(name.rpartition(WEIGHING)[2]) if WEIGHING in name else 1.0
    except ValueError:
        return 1.0


def gated(
    entries: Sequence[Criterion], merits: Sequence[float], depth: int = 0, cuts: bool = True
) -> float:
    """The score of a node: 0 unless all that is critical in it is 1, else the mean of the rest.

    Where its children are taken in order, those after the first that is not 1 count 0, unless
    nothing is cut. A node with nothing but critical children is 1 if they are.
    """
    children: dict[str, list[int]] = {}
    for place, each in enumerate(entries):
        name = each.within[depth] if len(each.within) > depth else f"{each.id} {place}"
        children.setdefault(name, []).append(place)
    scores: list[tuple[bool, float]] = []
    above = entries[0].within[depth - 1] if depth and entries else ""
    for name, places in children.items():
        own = [entries[place] for place in places]
        leaf = len(own[0].within) <= depth
        inner = [merits[place] for place in places]
        value = inner[0] if leaf else gated(own, inner, depth + 1, cuts)
        cut = cuts and IN_ORDER in above[-2:] and any(score < 1 for _, score in scores)
        critical = own[0].critical if leaf else CRITICAL in name[-2:]
        scores.append((critical, 0.0 if cut else value))
    if any(critical and score < 1 for critical, score in scores):
        return 0.0
    rest = [score for critical, score in scores if not critical]
    return fsum(rest) / len(rest) if rest else 1.0


STOREYS_SHOWN: Final = 2
"""Storeys below the root whose figures are parts of a score."""


def branches_of(entries: Iterable[Criterion]) -> list[tuple[str, ...]]:
    """The nodes of the first storeys, each as the names that lead to it, in their order."""
    found = (
        each.within[:depth]
        for each in entries
        for depth in range(1, min(STOREYS_SHOWN, len(each.within)) + 1)
    )
    return list(dict.fromkeys(found))


def branch_named(branch: tuple[str, ...]) -> str:
    """How the figure of a node is called: the names that lead to it, without weights and signs."""
    return "/".join(name.partition(WEIGHING)[0].rstrip(CRITICAL + IN_ORDER) for name in branch)
