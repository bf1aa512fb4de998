"""Criteria that stand in a tree: means of means, and nodes that fail with what is critical in them.

Both are pure functions of criteria in their order, by what each stands `within`, root first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import fsum
from typing import Final

from deepassay.tasks.rubric import Criterion

CRITICAL: Final = "!"
IN_ORDER: Final = ">"
"""What the name of a node ends with that is critical, and one whose children are taken in order."""

WEIGHING: Final = "@"
"""What stands before the weight of a node in its name."""


def storeys(
    entries: Sequence[Criterion],
    merits: Sequence[float | None],
    weights: Sequence[float],
    digits: int | None = None,
    empty: float | None = None,
    depth: int = 0,
    rounded: Collection[int] = (),
) -> float | None:
    """The mean over the nodes of one storey, each the mean of what stands in it; None if nothing.

    The lowest storey weighs its criteria, and nodes weigh what stands behind `@` in their names. A
    merit of None drops out, and so does a node of which nothing is left, unless it is to count what
    empty says. digits: to which every storey is rounded, or those of rounded, the root being 0.
    """
    inner: dict[str, list[int]] = {}
    found: list[tuple[float, float]] = []
    for place, each in enumerate(entries):
        if len(each.within) > depth:
            inner.setdefault(each.within[depth], []).append(place)
        elif (merit := merits[place]) is not None:
            found.append((weights[place], merit))
    for name, places in inner.items():
        own = [[x[place] for place in places] for x in (entries, merits, weights)]
        value = storeys(own[0], own[1], own[2], digits, empty, depth + 1, rounded)  # type: ignore[arg-type]
        value = empty if value is None else value
        if value is not None:
            found.append((_weight_in(name), value))
    total = earned = 0.0
    for weight, value in found:  # one by one, as programs do: a tie of rounding hangs on it
        total += weight
        earned += weight * value
    if not total:
        return None
    mean = fsum(weight * value for weight, value in found) / total if rounded else earned / total
    whole = digits is None or (rounded and depth not in rounded)
    return mean if whole else round(mean, digits)


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
