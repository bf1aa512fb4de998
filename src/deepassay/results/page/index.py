"""What the index of a large page leads to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """An entry of the index."""

    href: str
    name: str
    count: str


@dataclass(frozen=True)
class Moved:
    """Files with what has no room on the index; empty for what stands there."""

    figures: tuple[Link, ...] = ()
    tables: tuple[Link, ...] = ()
    agents: tuple[Link, ...] = ()
    tasks: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Index:
    """What the index leads to."""

    agents: tuple[Link, ...]
    tasks: tuple[Link, ...]
    failures: tuple[Link, ...]
    moved: Moved = Moved()
