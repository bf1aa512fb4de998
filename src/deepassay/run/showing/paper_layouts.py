"""Tables as a paper prints them, by the packages that know its layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deepassay.errors import BadSetting
from deepassay.plugins import one, plugins
from deepassay.run.showing.boards import BoardSheet


@dataclass(frozen=True)
class PrintedFrom:
    """What a table of a paper is made from, as `leaderboard --as` has it.

    files: run files, and what else the table may be made from. agents: a file of families. human:
    what people said. protocols: only these. judged_by: who judged published scores, NAME for all
    files or FILE=NAME for one.
    """

    files: Sequence[Path]
    agents: Path | None = None
    human: Path | None = None
    protocols: Sequence[str] = ()
    judged_by: Sequence[str] = ()


def as_printed(name: str, given: PrintedFrom) -> BoardSheet:
    """The table under a name, `bench:table1`: what stands before the colon says who knows it.

    That is the name under which a package registers, as `deepassay.layouts`, a function like this
    one. Raises BadSetting where nobody knows it, and what that function raises.
    """
    paper = name.strip().lower().partition(":")[0]
    if (layout := one("layouts", paper)) is None:
        known = ", ".join(f"{each}:…" for each in plugins("layouts"))
        raise BadSetting(
            f"There is no table {name!r}.",
            f"Tables: {known}." if known else "Nothing that is installed lays tables out.",
        )
    make = layout.load()
    sheet = make(name, given) if callable(make) else None
    if not isinstance(sheet, BoardSheet):
        raise BadSetting(
            f"{layout.reference}, of the layouts in package {layout.package}, makes no table.",
            "Register a function from a name and a PrintedFrom to a BoardSheet.",
        )
    return sheet
