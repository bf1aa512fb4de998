"""From scores to figures: all of them, or those that were asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from deepassay.errors import BadSetting
from deepassay.plugins import by_key, every
from deepassay.results.families import check_families
from deepassay.results.figures.figure import Figure, Material, Omitted

Maker = Callable[[Material], Iterable[Figure | Omitted]]
"""Makes the figures of one kind, often one for each protocol.

It makes none, and names none as omitted, where the kind is about protocols that were not judged.
"""


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure. name: which `--only` takes. make: see `Maker`."""

    name: str
    make: Maker


@cache
def kinds() -> Mapping[str, Maker]:
    """Every kind that a package registers, ours first. Raises BadSetting for a name of two."""
    found = by_key(every("pictures", FigureKind), lambda kind: (kind.name,))
    return {name: kind.make for name, kind in found.items()}


def make_figures(material: Material, only: Collection[str] = ()) -> list[Figure | Omitted]:
    """The figures of these kinds, of all if none is named; no two of one file name.

    Raises BadSetting for a kind that there is not, and as `check_families` does.
    """
    for kind in only:
        if kind not in kinds():
            raise BadSetting(f"There is no figure {kind!r}.", f"Figures: {', '.join(kinds())}.")
    if material.profiles:
        check_families(material.boards, material.profiles)
    chosen = [maker for kind, maker in kinds().items() if kind in only or not only]
    return _told_apart([each for maker in chosen for each in maker(material)])


def _told_apart(found: Iterable[Figure | Omitted]) -> list[Figure | Omitted]:
    """Names that became the same for want of letters are numbered."""
    seen: Counter[str] = Counter()
    named = []
    for each in found:
        seen[each.name] += 1
        again = seen[each.name]
        named.append(each if again == 1 else replace(each, name=f"{each.name}-{again}"))
    return named
