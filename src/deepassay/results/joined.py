"""What became of things that were to be joined to others: all are counted, the lost are named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deepassay.score import Json

SHOWN: Final = 3
"""How many of those that are left out are named."""

BY_RULE: Final = "not to count"
"""What becomes of those that are no fault of anybody's."""


@dataclass(frozen=True)
class Joined:
    """One join. what, to: of what and to what, in the plural: `labels` to `scores`.

    came: how many there were. strays: those that found no partner, each named, with the reason
    where there is one. unused: those that found one of which nothing can be counted, likewise.
    by_rule: those that are not to count, as what the others are held against is not. kinds: what
    ails each of these names, where one list holds several kinds.
    """

    what: str
    to: str
    came: int
    strays: Sequence[str] = ()
    unused: Sequence[str] = ()
    by_rule: Sequence[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def matched(self) -> int:
        """How many found a partner."""
        return self.came - len(self.strays)

    @property
    def used(self) -> int:
        """How many count in what follows."""
        return self.matched - len(self.unused) - len(self.by_rule)

    @property
    def whole(self) -> bool:
        """Whether all of them count that are to."""
        return not self.strays and not self.unused

    @property
    def mostly_lost(self) -> bool:
        """Whether most found no partner."""
        return 2 * self.matched < self.came

    def __str__(self) -> str:
        return (
            f"{self.what}: {self.came} came in, {self.matched} found their {self.to}, {self.used} "
            "used."
        )

    @property
    def record(self) -> dict[str, Json]:
        """All of it, also every name."""
        return {
            "what": self.what,
            "came": self.came,
            "matched": self.matched,
            "used": self.used,
            "left_out": [*self.strays, *self.unused, *self.by_rule],
        }

    def lines(self) -> Iterator[str]:
        """The counts, then the first that are left out, a line each."""
        yield str(self)
        yield from self.left_out()

    def left_out(self) -> Iterator[str]:
        """The first few of each kind, and how many more there are."""
        lost = ((names, self.fate) for names in (self.strays, self.unused))
        for names, fate in (*lost, (self.by_rule, lambda _: BY_RULE)):
            by_kind: defaultdict[str, list[str]] = defaultdict(list)
            for name in names:
                by_kind[self.kinds.get(name, "")].append(name)
            for own in by_kind.values():
                yield from (f"{fate(name)}: {name}" for name in own[:SHOWN])
                if more := own[SHOWN:]:
                    yield f"{fate(more[0])}: {len(more)} more {self.what} of this kind"

    def fate(self, name: str) -> str:
        """What it means that this one found no partner, or is not used."""
        return "left out"

    def problem(self, remedy: str) -> str:
        """What is wrong where most are lost, with the first of them, and what to do."""
        if not self.mostly_lost:
            return ""
        lost = len(self.strays)
        return f"{lost} of {self.came} {self.what} found no {self.to}: {self.strays[0]} {remedy}"
