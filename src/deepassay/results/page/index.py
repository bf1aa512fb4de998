"""What the index of a large page leads to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class IndexLink:
    """A link of the index to another file: its address, and the words that stand for it."""

    href: str
    name: str
    count: str


@dataclass(frozen=True)
class Moved:
    """Files with what has no room on the index; empty for what stands there."""

    figures: tuple[IndexLink, ...] = ()
    tables: tuple[IndexLink, ...] = ()
    agents: tuple[IndexLink, ...] = ()
    tasks: tuple[IndexLink, ...] = ()


@dataclass(frozen=True)
class PageIndex:
    """What the index leads to."""

    agents: tuple[IndexLink, ...]
    tasks: tuple[IndexLink, ...]
    failures: tuple[IndexLink, ...]
    moved: Moved = Moved()
